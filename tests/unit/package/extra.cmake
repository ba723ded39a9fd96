# Generated headers are compiled against tilert's.
target_compile_definitions(unit_package PRIVATE TILERT_INCLUDE="${PROJECT_SOURCE_DIR}/runtime/include")
