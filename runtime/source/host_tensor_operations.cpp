// Mbarriers and tensor copies as compiled kernels use them on the host device
// (docs/host_device.md). The 8 bytes of an mbarrier hold nothing (host_mbarrier.h), but count as
// written and read, so that a missing barrier after an init is found as any other race.
#include "host_access.h"

using namespace tilert;

namespace {

constexpr uint32_t kMbarrierBytes = 8;
constexpr unsigned kBaseAlignment = 16;

/// Fails the launch: "thread 0 (...) waits for the mbarrier at offset 64 of shared memory, which is
/// not live".
[[noreturn]] void refuse(tilert_host_thread *self, const char *does, size_t offset,
                         const char *why) {
  Crew::record(self, TILERT_ERROR_HOST_ACCESS,
               threadText(self->thread) + " " + does + " the mbarrier at offset " +
                   std::to_string(offset) + " of shared memory, " + why);
  Crew::leave(self);
}

/// The offset of an mbarrier that is about to be read or written.
size_t mbarrierOffset(tilert_host_thread *self, const void *barrier, Touch how) {
  const size_t offset = sharedOffset(self, barrier, kMbarrierBytes, how);
  if (RaceCheck *race = Crew::of(self).race())
    touchShared(self, *race, offset, kMbarrierBytes, how);
  return offset;
}

/// The index of an mbarrier, which must be live.
unsigned liveMbarrier(tilert_host_thread *self, const void *barrier, Touch how, const char *does) {
  const size_t offset = mbarrierOffset(self, barrier, how);
  const int index = Crew::of(self).mbarriers().find(offset);
  if (index < 0)
    refuse(self, does, offset, "which is not live");
  return static_cast<unsigned>(index);
}

/// Tensor copies that may land now do so or not, as chance has it.
void landSome(Crew &crew) {
  if (crew.copiesAreLate())
    crew.mbarriers().landSome([&] { return crew.landsEarly(); });
}

/// The place of a box that is about to be written.
size_t boxOffset(tilert_host_thread *self, const tilert_host_tensor_map &map, const void *shared) {
  const uintptr_t offset =
      reinterpret_cast<uintptr_t>(shared) - reinterpret_cast<uintptr_t>(self->shared);
  const size_t size = Crew::of(self).sharedBytes();
  const uint64_t span = boxSpan(map);
  const bool inside = offset < size && span <= size - offset;
  const bool based = reinterpret_cast<uintptr_t>(map.base) % kBaseAlignment == 0;
  if (inside && based && offset % kBoxAlignment == 0)
    return offset;
  const std::string what = threadText(self->thread) + " copies a box of " +
                           std::to_string(boxBytes(map)) + " bytes to offset " +
                           std::to_string(static_cast<intptr_t>(offset)) + " of shared memory, ";
  Crew::record(self, TILERT_ERROR_HOST_ACCESS,
               what + (!inside ? "which has " + std::to_string(size)
                       : based ? "which is no multiple of " + std::to_string(kBoxAlignment)
                               : "from a view whose address is no multiple of " +
                                     std::to_string(kBaseAlignment)));
  return SIZE_MAX;
}

/// Whether a box starts at a multiple of 16 bytes along the innermost axis; recorded when not. A
/// GPU ends the kernel then (an illegal instruction, on an H200).
bool startsAtChunk(tilert_host_thread *self, const tilert_host_tensor_map &map, int32_t first) {
  if (int64_t{first} * map.element_bytes % kBaseAlignment == 0)
    return true;
  Crew::record(self, TILERT_ERROR_HOST_ACCESS,
               threadText(self->thread) + " copies a box that starts at element " +
                   std::to_string(first) + " of a row, which is no multiple of " +
                   std::to_string(kBaseAlignment) + " bytes");
  return false;
}

} // namespace

extern "C" {

void tilert_host_mbarrier_init(tilert_host_thread *self, void *barrier, uint32_t count,
                               uint32_t predicate) {
  if (!predicate)
    return;
  constexpr const char *kDoes = "initialises";
  const size_t offset = mbarrierOffset(self, barrier, Touch::Write);
  MbarrierTable &mbarriers = Crew::of(self).mbarriers();
  if (mbarriers.find(offset) >= 0)
    refuse(self, kDoes, offset, "which is live already");
  if (count == 0 || count > kMaxMbarrierCount)
    refuse(self, kDoes, offset, "with a count of arrivals that is not in 1 .. 1048575");
  if (!mbarriers.init(offset, count))
    refuse(self, kDoes, offset, "the program's 1025th");
}

void tilert_host_mbarrier_invalidate(tilert_host_thread *self, void *barrier, uint32_t predicate) {
  if (!predicate)
    return;
  constexpr const char *kDoes = "invalidates";
  const unsigned index = liveMbarrier(self, barrier, Touch::Write, kDoes);
  MbarrierTable &mbarriers = Crew::of(self).mbarriers();
  if (mbarriers.kept(static_cast<int>(index)))
    refuse(self, kDoes, mbarriers[index].offset,
           "on which a tensor copy is under way that no wait has covered");
  mbarriers.invalidate(index);
}

void tilert_host_mbarrier_arrive_expect(tilert_host_thread *self, void *barrier, uint32_t bytes,
                                        uint32_t predicate) {
  if (!predicate)
    return;
  constexpr const char *kDoes = "arrives at";
  const unsigned index = liveMbarrier(self, barrier, Touch::Read, kDoes);
  MbarrierTable &mbarriers = Crew::of(self).mbarriers();
  const Mbarrier &mbarrier = mbarriers[index];
  if (mbarrier.arrivals == 0)
    refuse(self, kDoes, mbarrier.offset, "whose phase has all its arrivals");
  if (mbarrier.bytes + bytes > kMaxMbarrierCount)
    refuse(self, kDoes, mbarrier.offset, "whose phase then expects more than 1048575 bytes");
  mbarriers.arrive(index, bytes);
  landSome(Crew::of(self));
}

void tilert_host_mbarrier_wait(tilert_host_thread *self, void *barrier, uint32_t parity) {
  const unsigned index = liveMbarrier(self, barrier, Touch::Read, "waits for");
  landSome(Crew::of(self));
  Crew::waitForPhase(self, index, parity);
}

void tilert_host_tensor_copy(tilert_host_thread *self, const tilert_host_tensor_map *map,
                             void *shared, void *barrier, int32_t c0, int32_t c1, int32_t c2,
                             int32_t c3, int32_t c4, uint32_t predicate) {
  if (!predicate)
    return;
  const unsigned index = liveMbarrier(self, barrier, Touch::Read, "copies for");
  const size_t offset = boxOffset(self, *map, shared);
  if (offset == SIZE_MAX || !startsAtChunk(self, *map, c0))
    Crew::leave(self);
  Crew &crew = Crew::of(self);
  if (RaceCheck *race = crew.race())
    touchShared(self, *race, offset, boxSpan(*map), Touch::CopyUnderWay);
  const TensorCopy copy{map,    static_cast<std::byte *>(self->shared),
                        offset, {c0, c1, c2, c3, c4},
                        index,  self->thread};
  crew.mbarriers().issue(copy, crew.copiesAreLate());
  landSome(crew);
}

} // extern "C"
