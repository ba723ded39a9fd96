# A libcuda.so.1 that records what it is asked: launch logic is tested where there is no GPU.
add_library(fake_cuda MODULE ${CMAKE_CURRENT_LIST_DIR}/fake_cuda/fake_cuda.cpp)
tilec_warnings(fake_cuda)
target_include_directories(fake_cuda PRIVATE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/runtime/include)
add_dependencies(unit_runtime fake_cuda)
target_compile_definitions(unit_runtime PRIVATE FAKE_CUDA="$<TARGET_FILE:fake_cuda>")
target_link_libraries(unit_runtime PRIVATE ${CMAKE_DL_LIBS})
