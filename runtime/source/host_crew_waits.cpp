// How a crew's warps wait for phases of mbarriers.
//
// The lanes of a warp wait together, as at every warp-wide operation; each may wait for a phase of
// its own. Phases become complete by what other warps do, and - when nothing else can - by landing
// the copies that were kept back.
#include "host_crew.h"

#include <algorithm>

namespace tilert {

void Crew::waitForPhase(tilert_host_thread *self, unsigned mbarrier, uint32_t parity) {
  Fiber &fiber = fiberOf(self);
  fiber.mbarrier = mbarrier;
  fiber.parity = parity & 1;
  fiber.waits = true;
  exchange(self, Stop::MbarrierWait, 0);
}

void Crew::tryPass(Fiber &fiber) {
  if (!fiber.waits || !mbarriers_.waitIsOver(fiber.mbarrier, fiber.parity))
    return;
  fiber.waits = false;
  if (RaceCheck *check = race())
    mbarriers_.waited(fiber.self.thread, fiber.mbarrier, *check);
}

bool Crew::canRun(unsigned index) {
  Warp &warp = warps_[index];
  if (!warp.live || warp.parked == Stop::Barrier)
    return false;
  if (warp.parked != Stop::MbarrierWait)
    return true;
  Fiber *const first = &fibers_[index * kWarpSize], *const end = first + kWarpSize;
  std::for_each(first, end, [&](Fiber &fiber) { tryPass(fiber); });
  if (std::any_of(first, end, [](const Fiber &fiber) { return fiber.waits; }))
    return false;
  warp.parked = Stop::Nowhere;
  return true;
}

bool Crew::moveOn() {
  bool live = false, waits = false;
  for (unsigned i = 0; i < warpCount_; ++i) {
    if (canRun(i))
      return true; // another warp has completed its phase
    live |= warps_[i].live != 0;
    waits |= warps_[i].live && warps_[i].parked == Stop::MbarrierWait;
  }
  if (!live)
    return false;
  if (!waits)
    passBarrier();
  else if (!landForWaits())
    stuck();
  return true;
}

bool Crew::landForWaits() {
  bool any = false;
  for (size_t i = 0; i < size_t{warpCount_} * kWarpSize; ++i)
    if (fibers_[i].waits)
      any |= mbarriers_.landAll(fibers_[i].mbarrier);
  return any;
}

void Crew::stuck() {
  prepared_ = false; // the fibers are left where they are
  const Fiber &fiber = *std::find_if(fibers_.begin(), fibers_.end(),
                                     [](const Fiber &candidate) { return candidate.waits; });
  const Mbarrier &mbarrier = mbarriers_[fiber.mbarrier];
  const std::string missing = !mbarrier.count
                                  ? "it is no longer live"
                                  : std::to_string(mbarrier.arrivals) + " of " +
                                        std::to_string(mbarrier.count) + " arrivals and " +
                                        std::to_string(mbarrier.bytes) + " bytes are missing";
  throw Failure(TILERT_ERROR_HOST_DIVERGENCE,
                place(fiber.self) + ": " + threadText(fiber.self.thread) +
                    " waits for the phase of parity " + std::to_string(fiber.parity) +
                    " of the mbarrier at offset " + std::to_string(mbarrier.offset) +
                    " of shared memory, which nobody completes: " + missing);
}

void Crew::checkEnd() {
  const TensorCopy *copy = race() ? mbarriers_.kept(-1) : nullptr;
  if (!copy)
    return;
  const tilert_host_thread &self = fibers_[copy->thread].self;
  throw Failure(TILERT_ERROR_HOST_RACE,
                place(self) + ": the program ends while the copy of a box of " +
                    std::to_string(boxBytes(*copy->map)) + " bytes to offset " +
                    std::to_string(copy->offset) + " of shared memory by " +
                    threadText(copy->thread) + " is under way");
}

} // namespace tilert
