# Settings every target of the project shares: language level, warnings, sanitizers, ccache, lld.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(PROJECT_IS_TOP_LEVEL)
  # Not -O3: it builds an eighth slower, and tilec's time is spent in LLVM.
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()

find_program(TILEC_CCACHE ccache)
if(TILEC_CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TILEC_CCACHE})
  # A precompiled header is cached only with these (ccache manual, "Precompiled headers").
  set(CMAKE_PCH_INSTANTIATE_TEMPLATES ON)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${TILEC_CCACHE})
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  find_program(TILEC_LLD NAMES ld.lld-22 ld.lld)
  if(TILEC_LLD AND PROJECT_IS_TOP_LEVEL)
    add_link_options(-fuse-ld=${TILEC_LLD})
  endif()
endif()

if(TILEC_SANITIZE)
  # vptr checks need RTTI of classes that live in the LLVM dylibs.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined -fno-sanitize=vptr)
endif()

# tilec_reuse_pch(TARGET OWNER): TARGET takes the precompiled header of OWNER, a library: a program is
# then compiled as one, -fPIC and not -fPIE.
function(tilec_reuse_pch target owner)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# tilec_warnings(TARGET): the warnings of the project, for its own code only.
function(tilec_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra
    $<$<BOOL:${TILEC_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()
