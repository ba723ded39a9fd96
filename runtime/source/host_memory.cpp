// Shared memory as compiled kernels use it on the host device: asynchronous copies and loads of
// matrices (docs/host_device.md).
#include "host_crew.h"

#include <cstring>

using tilert::Crew;
using tilert::kWarpSize;
using tilert::Stop;

namespace {

constexpr unsigned kMatrixRows = 8;
constexpr unsigned kMatrixRowBytes = 16;
constexpr unsigned kMaxMatrices = kWarpSize / kMatrixRows;

/// Element (row, column), 16 bits, of a matrix whose rows the lanes from `firstLane` on brought.
uint32_t matrixElement(const Crew::Exchange &exchange, unsigned firstLane, unsigned row,
                       unsigned column) {
  const uint32_t pair = exchange.slots[firstLane + row][column / 2];
  return column % 2 ? pair >> 16 : pair & 0xffff;
}

} // namespace

extern "C" {

void tilert_host_shared_access(tilert_host_thread *, const void *, uint32_t, uint32_t) {}

void tilert_host_copy_async(tilert_host_thread *, void *shared, const void *global, uint32_t bytes,
                            uint32_t predicate) {
  if (predicate)
    std::memcpy(shared, global, bytes);
  else
    std::memset(shared, 0, bytes);
}

void tilert_host_commit_group(tilert_host_thread *) {}

void tilert_host_wait_group(tilert_host_thread *, uint32_t) {}

void tilert_host_load_matrix(tilert_host_thread *self, const void *row, uint32_t count,
                             uint32_t transposed, uint32_t *results) {
  uint32_t words[kMatrixRowBytes / 4] = {};
  if (self->thread % kWarpSize < count * kMatrixRows)
    std::memcpy(words, row, kMatrixRowBytes);
  const Crew::Exchange exchange =
      Crew::exchange(self, Stop::LoadMatrix, words, kMatrixRowBytes / 4);
  // A lane gets elements (l / 4, 2 * (l % 4)) and the next; transposed, rows and columns change
  // places.
  const unsigned major = exchange.lane / 4, minor = exchange.lane % 4 * 2;
  for (unsigned matrix = 0; matrix < count && matrix < kMaxMatrices; ++matrix) {
    const unsigned first = matrix * kMatrixRows;
    results[matrix] = transposed ? matrixElement(exchange, first, minor, major) |
                                       matrixElement(exchange, first, minor + 1, major) << 16
                                 : exchange.slots[first + major][minor / 2];
  }
}

} // extern "C"
