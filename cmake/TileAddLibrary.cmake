# tile_add_library(NAME SOURCES FILE.tile... ARCHS ARCH...): kernels as a library of C++ functions.
#
#   tile_add_library(NAME [STATIC | SHARED]
#     SOURCES softmax.tile matmul.tile     # one header each: softmax.tile.h
#     ARCHS sm_80 sm_90a host              # images; `native` is this machine's GPU
#     [PTX sm_80]                          # PTX images: for GPUs that have no image of their own
#     [NAMESPACE app]                      # of the functions: app::softmax, in C app_softmax
#     [DEFINES softmax.BLOCK=1024,2048]    # values of const params, as tilec's -D
#     [OPTIONS --no-fma ...])              # further options of tilec
#   target_link_libraries(app PRIVATE NAME)
#
# What links NAME gets the headers and tilert. No CUDA toolkit is needed to link or run; without a
# ptxas at build time PTX is embedded instead of cubins. The same with add_subdirectory(),
# FetchContent and find_package(tilec).
if(TARGET tilec AND NOT TARGET tilec::tilec)
  add_executable(tilec::tilec ALIAS tilec)
endif()

function(tile_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SHARED;STATIC" "NAMESPACE"
    "SOURCES;ARCHS;PTX;DEFINES;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tile_add_library(${name}): what is ${arg_UNPARSED_ARGUMENTS}?")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "tile_add_library(${name}): SOURCES is missing")
  endif()
  if(NOT arg_ARCHS AND NOT arg_PTX)
    message(FATAL_ERROR "tile_add_library(${name}): ARCHS is missing, such as: ARCHS sm_90a host")
  endif()

  set(options ${arg_OPTIONS})
  foreach(list IN ITEMS ARCHS PTX)
    if(arg_${list})
      list(JOIN arg_${list} "," joined)
      string(REPLACE "ARCHS" "--arch" option ${list})
      string(REPLACE "PTX" "--ptx" option ${option})
      list(APPEND options "${option}=${joined}")
    endif()
  endforeach()
  if(arg_NAMESPACE)
    list(APPEND options "--namespace=${arg_NAMESPACE}")
  endif()
  foreach(define IN LISTS arg_DEFINES)
    list(APPEND options "-D${define}")
  endforeach()
  if(CMAKE_CROSSCOMPILING AND CMAKE_CXX_COMPILER_TARGET)
    list(APPEND options "--host-triple=${CMAKE_CXX_COMPILER_TARGET}")
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}_tile)
  set(outputs)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(file ${source} NAME)
    set(object ${folder}/${file}.o)
    set(header ${folder}/${file}.h)
    if(object IN_LIST outputs)
      message(FATAL_ERROR "tile_add_library(${name}): two sources are called ${file}")
    endif()
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${object} ${header}
      COMMAND tilec::tilec ${source} -o ${object} -h ${header} -MF ${object}.d ${options}
      DEPENDS ${source} tilec::tilec
      DEPFILE ${object}.d
      COMMENT "Compiling kernels of ${file}"
      VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    list(APPEND outputs ${object} ${header})
  endforeach()

  set(kind STATIC)
  if(arg_SHARED)
    set(kind SHARED)
  endif()
  add_library(${name} ${kind} ${outputs})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${folder}>)
  target_link_libraries(${name} PUBLIC tilec::tilert)
endfunction()
