#include "host_crew.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace tilert {
namespace {

/// Swizzles of tensor copies repeat after so many bytes.
constexpr size_t kSharedAlignment = 1024;

const char *stopText(Stop stop) {
  switch (stop) {
  case Stop::ShuffleIndex:
  case Stop::ShuffleXor:
  case Stop::ShuffleUp:
  case Stop::ShuffleDown:
    return "a shuffle";
  case Stop::Ballot:
    return "a ballot";
  case Stop::LoadMatrix:
    return "a load of matrices";
  case Stop::MultiplyMatrix:
    return "a product of matrices";
  case Stop::WarpBarrier:
    return "a warp barrier";
  case Stop::Barrier:
    return "the program barrier";
  case Stop::MbarrierWait:
    return "a wait for an mbarrier";
  case Stop::Nowhere:
  case Stop::Failed:
  case Stop::Returned:
    break;
  }
  return "its end";
}

/// "0-15, 20"
std::string lanesText(uint32_t lanes) {
  std::string text;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    unsigned last = lane;
    while (last + 1 < kWarpSize && (lanes >> (last + 1) & 1))
      ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(lane) +
            (last > lane ? "-" + std::to_string(last) : "");
    lane = last;
  }
  return text;
}

} // namespace

// splitmix64: a counter and a mixing of its bits.
uint64_t CheckRandom::next() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

Crew::Crew(unsigned warps, size_t stackBytes)
    : capacity_(warps), stacks_(size_t{warps} * kWarpSize, stackBytes),
      fibers_(size_t{warps} * kWarpSize), warps_(warps) {}

/// Whether a thread that has returned left copies under way, which could land in the shared memory
/// of the next program; recorded then.
bool Crew::endsWithCopies(Fiber &fiber) {
  if (!race() || fiber.copies.underWay().empty())
    return false;
  const AsyncCopy &copy = fiber.copies.underWay().front();
  record(&fiber.self, TILERT_ERROR_HOST_RACE,
         threadText(fiber.self.thread) + " ends while its copy of " + std::to_string(copy.bytes) +
             " bytes to offset " +
             std::to_string(copy.shared - static_cast<std::byte *>(fiber.self.shared)) +
             " of shared memory is under way");
  return true;
}

void Crew::fiberMain(void *argument) {
  Fiber &fiber = *static_cast<Fiber *>(argument);
  for (;;) {
    fiber.crew->launch_->function(&fiber.self, fiber.crew->launch_->arguments);
    if (fiber.crew->endsWithCopies(fiber))
      leave(&fiber.self);
    fiber.stop = Stop::Returned;
    switchFiber(fiber.context, fiber.crew->scheduler_);
  }
}

/// Puts every fiber at the start of its loop, whatever it was suspended in.
void Crew::prepare() {
  for (size_t i = 0; i < fibers_.size(); ++i) {
    stacks_.clean(i);
    fibers_[i].crew = this;
    prepareFiber(fibers_[i].context, stacks_.top(i), stacks_.stackBytes(), fiberMain, &fibers_[i]);
  }
  prepared_ = true;
}

void Crew::start(const HostLaunch &launch, const unsigned (&program)[3], const HostChecks &checks) {
  launch_ = &launch;
  scheduler_ = {}; // crews go from OS thread to OS thread, each with a stack of its own
  warpCount_ = launch.warps;
  checks_ = checks.flags;
  if (!prepared_)
    prepare();
  if (sharedMemory_.size() < launch.sharedBytes + kSharedAlignment)
    sharedMemory_.resize(launch.sharedBytes + kSharedAlignment);
  const auto address = reinterpret_cast<uintptr_t>(sharedMemory_.data());
  std::byte *shared = sharedMemory_.data() + (0 - address) % kSharedAlignment;
  if (checks_ & TILERT_HOST_CHECK_POISON)
    std::memset(shared, kPoison, launch.sharedBytes);
  if (checks_ & TILERT_HOST_CHECK_RACE)
    race_.startProgram(launch.sharedBytes, warpCount_);
  mbarriers_.startProgram(/*untilWaited=*/race() != nullptr);
  someLandEarly_ = random_.below(2) == 0;
  for (unsigned i = 0; i < warpCount_ * kWarpSize; ++i) {
    tilert_host_thread &self = fibers_[i].self;
    self.thread = i;
    std::copy(std::begin(program), std::end(program), self.program);
    std::copy(std::begin(launch.programs), std::end(launch.programs), self.programs);
    self.checks = checks_ & (TILERT_HOST_CHECK_RACE | TILERT_HOST_CHECK_ASYNC);
    self.shared = shared;
    fibers_[i].stop = Stop::Nowhere;
    fibers_[i].copies.clear();
    fibers_[i].waits = false;
  }
  for (unsigned i = 0; i < warpCount_; ++i) {
    warps_[i].live = UINT32_MAX;
    warps_[i].parked = Stop::Nowhere;
  }
}

void Crew::run(const HostLaunch &launch, const unsigned (&program)[3], const HostChecks &checks,
               uint64_t seed) {
  random_ = CheckRandom(seed);
  start(launch, program, checks);
  if (checks_ & TILERT_HOST_CHECK_ORDER)
    runWarpsInRandomOrder();
  else
    runWarps();
  checkEnd();
}

void Crew::runWarps() {
  do
    for (unsigned i = 0; i < warpCount_; ++i)
      while (canRun(i))
        runRound(i);
  while (moveOn());
}

/// One round of a random warp at a time.
void Crew::runWarpsInRandomOrder() {
  std::vector<unsigned> runnable;
  do {
    runnable.clear();
    for (unsigned i = 0; i < warpCount_; ++i)
      if (canRun(i))
        runnable.push_back(i);
    if (!runnable.empty())
      runRound(runnable[random_.below(runnable.size())]);
  } while (!runnable.empty() || moveOn());
}

void Crew::passBarrier() {
  for (unsigned i = 0; i < warpCount_; ++i)
    warps_[i].parked = Stop::Nowhere;
  if (RaceCheck *check = race())
    check->barrier();
}

void Crew::runRound(unsigned index) {
  Warp &warp = warps_[index];
  warp.round ^= 1;
  warp.present[warp.round] = 0;
  unsigned order[kWarpSize];
  for (unsigned i = 0; i < kWarpSize; ++i)
    order[i] = i;
  if (checks_ & TILERT_HOST_CHECK_ORDER)
    for (unsigned i = kWarpSize - 1; i > 0; --i)
      std::swap(order[i], order[random_.below(i + 1)]);
  const uint32_t live = warp.live;
  for (unsigned lane : order) {
    if (!(live >> lane & 1))
      continue;
    Fiber &fiber = fibers_[index * kWarpSize + lane];
    switchFiber(scheduler_, fiber.context);
    if (fiber.stop == Stop::Failed) {
      prepared_ = false; // the fibers are left where they are
      throw *std::exchange(failure_, std::nullopt);
    }
    if (fiber.stop == Stop::Returned)
      warp.live &= ~(1u << lane);
  }
  settle(index);
}

void Crew::settle(unsigned index) {
  Warp &warp = warps_[index];
  if (!warp.live)
    return;
  const Fiber *fibers = &fibers_[index * kWarpSize];
  const Stop stop = fibers[std::countr_zero(warp.live)].stop;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if ((warp.live >> lane & 1) && fibers[lane].stop != stop)
      diverged(index);
  if (stop == Stop::Barrier || stop == Stop::MbarrierWait)
    warp.parked = stop;
  if (stop == Stop::WarpBarrier)
    if (RaceCheck *check = race())
      check->warpBarrier(index);
}

void Crew::diverged(unsigned index) {
  prepared_ = false; // the fibers are left where they are
  const Warp &warp = warps_[index];
  const Fiber *fibers = &fibers_[index * kWarpSize];
  std::string text;
  for (uint32_t left = warp.live; left;) {
    const Stop stop = fibers[std::countr_zero(left)].stop;
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      if ((left >> lane & 1) && fibers[lane].stop == stop)
        lanes |= 1u << lane;
    left &= ~lanes;
    text += (text.empty() ? "" : "; ") + std::string("lanes ") + lanesText(lanes) + " at " +
            stopText(stop);
  }
  throw Failure(TILERT_ERROR_HOST_DIVERGENCE,
                place(fibers->self) + ", warp " + std::to_string(index) + " is divergent: " + text);
}

std::string Crew::place(const tilert_host_thread &self) const {
  std::string text = launch_->name;
  if (*launch_->values)
    text += std::string(" (") + launch_->values + ")";
  return text + ": program (" + std::to_string(self.program[0]) + ", " +
         std::to_string(self.program[1]) + ", " + std::to_string(self.program[2]) + ")";
}

void Crew::record(tilert_host_thread *self, tilert_status status, const std::string &what) {
  Crew &crew = of(self);
  crew.failure_.emplace(status, crew.place(*self) + ": " + what);
}

void Crew::leave(tilert_host_thread *self) {
  Fiber &fiber = fiberOf(self);
  fiber.stop = Stop::Failed;
  for (;;)
    switchFiber(fiber.context, fiber.crew->scheduler_); // which never comes back
}

Crew::Exchange Crew::exchange(tilert_host_thread *self, Stop stop, const uint32_t *values,
                              unsigned count) {
  Fiber &fiber = fiberOf(self);
  Crew &crew = *fiber.crew;
  Warp &warp = crew.warps_[self->thread / kWarpSize];
  const unsigned lane = self->thread % kWarpSize;
  const unsigned round = warp.round;
  std::copy_n(values, count, warp.slots[round][lane]);
  warp.present[round] |= 1u << lane;
  fiber.stop = stop;
  switchFiber(fiber.context, crew.scheduler_);
  return {warp.slots[round], warp.present[round], lane};
}

} // namespace tilert
