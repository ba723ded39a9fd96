// The scalar types of the tile language as the runtime sees them: names, sizes, kinds.
#pragma once

#include "tilert/tilert.h"

#include <string_view>

namespace tilert {

/// The type of that name ("i32", "f16", "ptr", "view"), or TILERT_TYPE_ANY.
tilert_type typeFromName(std::string_view name);
/// "i32"; "any" for TILERT_TYPE_ANY and what is no type.
const char *typeText(uint32_t type);
/// Bytes of a value at the kernel's ABI: a scalar or a pointer. 0 for views and non-types.
unsigned typeSize(uint32_t type);

constexpr bool isInteger(uint32_t type) {
  return type >= TILERT_TYPE_I8 && type <= TILERT_TYPE_U64;
}
constexpr bool isReal(uint32_t type) {
  return type >= TILERT_TYPE_F8E4M3 && type <= TILERT_TYPE_F64;
}
constexpr bool isScalar(uint32_t type) {
  return type >= TILERT_TYPE_BOOL && type <= TILERT_TYPE_F64;
}

} // namespace tilert
