#include "host_tensor.h"

#include <algorithm>
#include <cstring>

namespace tilert {
namespace {

constexpr uint32_t kChunkBytes = 16;
constexpr uint32_t kMaxRowBytes = 256 * 8; ///< of a box: 256 elements of 8 bytes

/// Where the chunk at `offset` goes.
size_t swizzled(size_t offset, uint32_t swizzle) {
  const size_t chunks = swizzle / kChunkBytes; // 8, 4 or 2; 0 for none
  return chunks ? offset ^ (offset >> 7 & (chunks - 1)) << 4 : offset;
}

uint32_t rowBytes(const tilert_host_tensor_map &map) {
  return map.box[0] * map.element_bytes;
}

/// The elements of a box's row: from `at` on along the innermost axis; `global` is where that axis
/// starts, null when the row lies outside the view.
void readRow(const tilert_host_tensor_map &map, const std::byte *global, int64_t at,
             std::byte *row) {
  std::memset(row, 0, rowBytes(map));
  const int64_t first = std::max<int64_t>(at, 0), end = std::min(at + map.box[0], map.extents[0]);
  if (global && first < end)
    std::memcpy(row + (first - at) * map.element_bytes, global + first * map.element_bytes,
                static_cast<size_t>(end - first) * map.element_bytes);
}

/// Writes a row of a box, which would be at `offset` of shared memory without the swizzle.
void writeRow(const TensorCopy &copy, size_t offset, const std::byte *row) {
  const uint32_t bytes = rowBytes(*copy.map);
  if (!copy.map->swizzle) {
    std::memcpy(copy.shared + offset, row, bytes);
    return;
  }
  for (uint32_t chunk = 0; chunk < bytes; chunk += kChunkBytes)
    std::memcpy(copy.shared + swizzled(offset + chunk, copy.map->swizzle), row + chunk,
                kChunkBytes);
}

/// Calls `body(offset, global)` for every row of a box: where it lies in shared memory, and where
/// its innermost axis starts in the view, or null.
template <typename Body> void forEachRow(const TensorCopy &copy, Body &&body) {
  const tilert_host_tensor_map &map = *copy.map;
  size_t offset = copy.offset;
  uint32_t index[5] = {};
  for (bool more = true; more;) {
    auto *global = static_cast<const std::byte *>(map.base);
    for (unsigned axis = 1; global && axis < map.rank; ++axis) {
      const int64_t at = int64_t{copy.at[axis]} + index[axis];
      global = at >= 0 && at < map.extents[axis] ? global + at * map.strides[axis] : nullptr;
    }
    body(offset, global);
    offset += rowBytes(map);
    more = false;
    for (unsigned axis = 1; !more && axis < map.rank; ++axis) {
      more = ++index[axis] < map.box[axis];
      if (!more)
        index[axis] = 0;
    }
  }
}

} // namespace

uint64_t boxBytes(const tilert_host_tensor_map &map) {
  uint64_t bytes = map.element_bytes;
  for (unsigned axis = 0; axis < map.rank; ++axis)
    bytes *= map.box[axis];
  return bytes;
}

uint64_t boxSpan(const tilert_host_tensor_map &map) {
  const uint64_t unit = std::max<uint64_t>(map.swizzle, 1);
  return (boxBytes(map) + unit - 1) / unit * unit;
}

void land(const TensorCopy &copy) {
  std::byte row[kMaxRowBytes];
  forEachRow(copy, [&](size_t offset, const std::byte *global) {
    readRow(*copy.map, global, copy.at[0], row);
    writeRow(copy, offset, row);
  });
}

void poison(const TensorCopy &copy) {
  std::byte row[kMaxRowBytes];
  std::memset(row, kPoison, sizeof row);
  forEachRow(copy, [&](size_t offset, const std::byte *) { writeRow(copy, offset, row); });
}

} // namespace tilert
