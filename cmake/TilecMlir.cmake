# MLIR, LLVM and ANTLR, and how a folder of the compiler becomes a library.
#
# Development builds link the two shared libraries MLIR and LLVM and nothing else: static MLIR
# components beside them would mean two copies of every registry. TILEC_STATIC links the archives.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
find_package(antlr4-runtime REQUIRED CONFIG)
find_program(TILEC_ANTLR4 antlr4 REQUIRED)

set(TILEC_GENERATED ${PROJECT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${TILEC_GENERATED})

add_library(tilec_mlir INTERFACE)
target_include_directories(tilec_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(tilec_mlir INTERFACE ${definitions})
if(TILEC_STATIC)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  list(FILTER archives EXCLUDE REGEX
    "libMLIR(CAPI|.*Test)|libLLVM(AMDGPU|ARM|AVR|BPF|Hexagon|Lanai|LoongArch|Mips|MSP430|PowerPC|RISCV|Sparc|SPIRV|SystemZ|VE|WebAssembly|XCore|M68k|Xtensa|Exegesis|CFIVerify)")
  target_link_libraries(tilec_mlir INTERFACE
    -Wl,--start-group ${archives} -Wl,--end-group z zstd)
  target_link_options(tilec_mlir INTERFACE -Wl,--gc-sections -static-libstdc++ -static-libgcc)
else()
  target_link_libraries(tilec_mlir INTERFACE MLIR LLVM)
endif()

# --- ANTLR: grammar/Tile.g4 -> TileLexer, TileParser ------------------------------------------
set(antlr_out ${TILEC_GENERATED}/antlr)
set(antlr_sources ${antlr_out}/TileLexer.cpp ${antlr_out}/TileParser.cpp)
add_custom_command(OUTPUT ${antlr_sources} ${antlr_out}/TileLexer.h ${antlr_out}/TileParser.h
  COMMAND ${TILEC_ANTLR4} -Dlanguage=Cpp -no-listener -no-visitor -package tilec::grammar
          -Xexact-output-dir -o ${antlr_out} ${PROJECT_SOURCE_DIR}/grammar/Tile.g4
  DEPENDS ${PROJECT_SOURCE_DIR}/grammar/Tile.g4 VERBATIM)
add_library(tilec_antlr STATIC ${antlr_sources})
# The generated code has u8"" literals that are std::string: C++17. Its warnings are not ours.
set_target_properties(tilec_antlr PROPERTIES CXX_STANDARD 17)
target_compile_options(tilec_antlr PRIVATE -w)
target_include_directories(tilec_antlr SYSTEM PUBLIC ${antlr_out})
target_include_directories(tilec_antlr SYSTEM PUBLIC ${ANTLR4_INCLUDE_DIR})
if(TILEC_STATIC)
  target_link_libraries(tilec_antlr PUBLIC ${ANTLR4_LIB_DIR}/libantlr4-runtime.a)
else()
  target_link_libraries(tilec_antlr PUBLIC ${ANTLR4_LIB_DIR}/libantlr4-runtime.so)
endif()

# tilec_tablegen(TD OUT FLAGS ...): mlir-tblgen over compiler/ir/TD, outputs in generated/ir.
function(tilec_tablegen td)
  file(MAKE_DIRECTORY ${TILEC_GENERATED}/compiler/ir)
  while(ARGN)
    list(POP_FRONT ARGN out flags)
    separate_arguments(flags)
    set(path ${TILEC_GENERATED}/compiler/ir/${out})
    add_custom_command(OUTPUT ${path}
      COMMAND mlir-tblgen ${flags} -I ${MLIR_INCLUDE_DIRS} -I ${PROJECT_SOURCE_DIR}
              ${PROJECT_SOURCE_DIR}/compiler/ir/${td} -o ${path} --write-if-changed -d ${path}.d
      DEPENDS ${PROJECT_SOURCE_DIR}/compiler/ir/${td} mlir-tblgen DEPFILE ${path}.d VERBATIM)
    set_property(GLOBAL APPEND PROPERTY TILEC_TABLEGEN ${path})
  endwhile()
endfunction()

# tilec_library(NAME [MLIR] [TABLEGEN] [PCH other] [DEPENDS other...]): all of compiler/NAME/*.cpp but
# the `main`s, as the library tilec_NAME. A pch.h of its own is precompiled; MLIR folders without one
# share that of PCH, or else ir's.
function(tilec_library name)
  cmake_parse_arguments(arg "MLIR;TABLEGEN" "PCH" "DEPENDS" ${ARGN})
  set(target tilec_${name})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/compiler/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "main\\.cpp$")
  if(NOT sources)
    message(FATAL_ERROR "compiler/${name} has no sources")
  endif()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_include_directories(${target} SYSTEM PUBLIC ${TILEC_GENERATED})
  tilec_warnings(${target})
  foreach(dependency IN LISTS arg_DEPENDS)
    target_link_libraries(${target} PUBLIC tilec_${dependency})
  endforeach()
  if(arg_TABLEGEN)
    include(${PROJECT_SOURCE_DIR}/compiler/${name}/tablegen.cmake)
    get_property(headers GLOBAL PROPERTY TILEC_TABLEGEN)
    add_custom_target(tilec_generated DEPENDS ${headers})
  endif()
  if(arg_MLIR)
    target_link_libraries(${target} PUBLIC tilec_mlir)
    add_dependencies(${target} tilec_generated)
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/compiler/${name}/pch.h)
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/compiler/${name}/pch.h)
  elseif(arg_PCH)
    target_precompile_headers(${target} REUSE_FROM tilec_${arg_PCH})
  elseif(arg_MLIR)
    target_precompile_headers(${target} REUSE_FROM tilec_ir)
  endif()
endfunction()

# tilec_sanitizer_options(PROGRAM): what a program on MLIR needs under TILEC_SANITIZE.
function(tilec_sanitizer_options program)
  if(TILEC_SANITIZE)
    set(source ${PROJECT_SOURCE_DIR}/cmake/sanitizer_options.cpp)
    set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${program} PRIVATE ${source})
  endif()
endfunction()

# tilec_tool(NAME SOURCE LIBRARY): a program in bin/.
function(tilec_tool name source library)
  add_executable(${name} ${PROJECT_SOURCE_DIR}/${source})
  tilec_warnings(${name})
  target_link_libraries(${name} PRIVATE tilec_${library})
  tilec_reuse_pch(${name} tilec_lowering)
  tilec_sanitizer_options(${name})
endfunction()
