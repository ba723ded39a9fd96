#include "types.h"

#include <iterator>

namespace tilert {
namespace {

struct TypeRow {
  const char *name;
  unsigned size;
};
/// By tilert_type.
constexpr TypeRow kTypes[] = {
    {"any", 0}, {"bool", 1}, {"i8", 1},  {"i16", 2},    {"i32", 4},       {"i64", 8}, {"u8", 1},
    {"u16", 2}, {"u32", 4},  {"u64", 8}, {"f8e4m3", 1}, {"f8e5m2", 1},    {"f16", 2}, {"bf16", 2},
    {"f32", 4}, {"f64", 8},  {"ptr", 8}, {"view", 0},   {"type name", 0},
};
static_assert(std::size(kTypes) == TILERT_TYPE_NAME + 1);

} // namespace

tilert_type typeFromName(std::string_view name) {
  for (unsigned type = TILERT_TYPE_BOOL; type <= TILERT_TYPE_VIEW; ++type)
    if (name == kTypes[type].name)
      return static_cast<tilert_type>(type);
  return TILERT_TYPE_ANY;
}

const char *typeText(uint32_t type) {
  return kTypes[type < std::size(kTypes) ? type : 0u].name;
}

unsigned typeSize(uint32_t type) {
  return type < std::size(kTypes) ? kTypes[type].size : 0;
}

} // namespace tilert
