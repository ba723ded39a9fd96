// Shared memory as compiled kernels use it on the host device: asynchronous copies and loads of
// matrices (docs/host_device.md).
#include "host_access.h"

#include <cstring>

using namespace tilert;

namespace {

constexpr unsigned kMatrixRows = 8;
constexpr unsigned kMatrixRowBytes = 16;
constexpr unsigned kMaxMatrices = kWarpSize / kMatrixRows;

/// Copies that may land now do so or not, as chance has it.
void landSome(tilert_host_thread *self) {
  Crew &crew = Crew::of(self);
  if (!crew.copiesAreLate())
    return;
  for (AsyncCopy &copy : Crew::copies(self).underWay())
    if (!copy.landed && crew.landsEarly()) {
      land(copy);
      copy.landed = true;
    }
}

/// Element (row, column), 16 bits, of a matrix whose rows the lanes from `firstLane` on brought.
uint32_t matrixElement(const Crew::Exchange &exchange, unsigned firstLane, unsigned row,
                       unsigned column) {
  const uint32_t pair = exchange.slots[firstLane + row][column / 2];
  return column % 2 ? pair >> 16 : pair & 0xffff;
}

} // namespace

extern "C" {

void tilert_host_shared_access(tilert_host_thread *self, const void *address, uint32_t bytes,
                               uint32_t is_write) {
  if (!self->checks || !bytes) [[likely]]
    return;
  if (RaceCheck *race = Crew::of(self).race()) {
    const Touch how = is_write ? Touch::Write : Touch::Read;
    touchShared(self, *race, sharedOffset(self, address, bytes, how), bytes, how);
  }
}

void tilert_host_copy_async(tilert_host_thread *self, void *shared, const void *global,
                            uint32_t bytes, uint32_t predicate) {
  if (!bytes)
    return;
  const AsyncCopy copy{static_cast<std::byte *>(shared),
                       predicate ? static_cast<const std::byte *>(global) : nullptr, bytes};
  if (!self->checks) {
    land(copy);
    return;
  }
  Crew &crew = Crew::of(self);
  if (RaceCheck *race = crew.race()) {
    const size_t offset = sharedOffset(self, shared, bytes, Touch::CopyUnderWay);
    if (reinterpret_cast<uintptr_t>(copy.global) % bytes != 0) {
      Crew::record(self, TILERT_ERROR_HOST_ACCESS,
                   threadText(self->thread) + " copies " + std::to_string(bytes) +
                       " bytes from global memory that is not aligned to that");
      Crew::leave(self);
    }
    touchShared(self, *race, offset, bytes, Touch::CopyUnderWay);
  }
  const bool late = crew.copiesAreLate();
  if (late)
    std::memset(shared, kPoison, bytes);
  else
    land(copy);
  Crew::copies(self).issue(copy, !late);
  landSome(self);
}

void tilert_host_commit_group(tilert_host_thread *self) {
  landSome(self);
  Crew::copies(self).commit();
}

void tilert_host_wait_group(tilert_host_thread *self, uint32_t pending) {
  RaceCheck *race = Crew::of(self).race();
  for (const AsyncCopy &copy : Crew::copies(self).take(pending)) {
    if (!copy.landed)
      land(copy);
    if (race)
      race->waited(self->thread,
                   static_cast<size_t>(copy.shared - static_cast<std::byte *>(self->shared)),
                   copy.bytes);
  }
  landSome(self);
}

void tilert_host_load_matrix(tilert_host_thread *self, const void *row_address, uint32_t count,
                             uint32_t transposed, uint32_t *results) {
  // A row, and where it lies.
  constexpr unsigned kRowWords = kMatrixRowBytes / 4;
  uint32_t words[kRowWords + 1] = {};
  RaceCheck *race = self->checks ? Crew::of(self).race() : nullptr;
  if (self->thread % kWarpSize < count * kMatrixRows) {
    if (race)
      words[kRowWords] =
          static_cast<uint32_t>(sharedOffset(self, row_address, kMatrixRowBytes, Touch::Read));
    std::memcpy(words, row_address, kMatrixRowBytes);
  }
  const Crew::Exchange exchange = Crew::exchange(self, Stop::LoadMatrix, words, kRowWords + 1);
  // A lane gets elements (l / 4, 2 * (l % 4)) and the next; transposed, rows and columns change
  // places.
  const unsigned major = exchange.lane / 4, minor = exchange.lane % 4 * 2;
  for (unsigned matrix = 0; matrix < count && matrix < kMaxMatrices; ++matrix) {
    const unsigned first = matrix * kMatrixRows;
    results[matrix] = transposed ? matrixElement(exchange, first, minor, major) |
                                       matrixElement(exchange, first, minor + 1, major) << 16
                                 : exchange.slots[first + major][minor / 2];
    // The reader of an element is the lane that gets it.
    for (unsigned i = 0; race && i < 2; ++i) {
      const unsigned row = transposed ? minor + i : major, column = transposed ? major : minor + i;
      touchShared(self, *race, exchange.slots[first + row][kRowWords] + column * 2, 2, Touch::Read);
    }
  }
}

} // extern "C"
