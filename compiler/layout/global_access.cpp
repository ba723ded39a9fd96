#include "compiler/layout/conversion.h"

#include <set>

namespace tilec {

namespace {

constexpr int64_t kSectorBytes = 32;

int64_t floorDivide(int64_t dividend, int64_t divisor) {
  return dividend / divisor - (dividend % divisor < 0 ? 1 : 0);
}

} // namespace

unsigned sectorsPerRequest(const LinearLayout &layout, const std::vector<int64_t> &strides,
                           unsigned elementBytes, unsigned vector) {
  // The bits inside a vector: the lowest of the last dim of stride 1 that has any.
  Bits inVector = 0;
  for (unsigned dim = 0; dim < layout.rank(); ++dim)
    if (strides[dim] == 1 && layout.shape()[dim] > 1)
      inVector = layout.dimMask(dim) & ((uint64_t(vector) - 1) << layout.dimShift(dim));

  // A sector: its number, and the coordinates along dims whose stride is unknown.
  std::set<std::vector<int64_t>> sectors;
  for (Bits lane = 0; lane >> kLaneBits == 0; ++lane) {
    std::vector<int64_t> coordinates = layout.coordinates(layout.element(0, lane, 0) & ~inVector);
    int64_t offset = 0;
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      if (strides[dim] != 0) {
        offset += coordinates[dim] * strides[dim];
        coordinates[dim] = 0;
      }
    int64_t first = floorDivide(offset * elementBytes, kSectorBytes);
    int64_t last = floorDivide((offset + vector) * elementBytes - 1, kSectorBytes);
    for (int64_t sector = first; sector <= last; ++sector) {
      std::vector<int64_t> key = coordinates;
      key.push_back(sector);
      sectors.insert(std::move(key));
    }
  }
  return static_cast<unsigned>(sectors.size());
}

} // namespace tilec
