// A crew: the fibers of one program at a time, and how they meet.
//
// The idea. A warp runs in rounds. In a round every live lane is resumed once and runs to its next
// warp-wide operation, where it leaves its value in a slot and switches away. When the round is
// over all live lanes stand at one operation - or the program is divergent, and it is known at once
// who stands where. In the next round each lane picks up its result from the slots of the last one
// before it fills its next slot; two sets of slots, used in turn, keep the two apart:
//
//     round 1        lane 0: ...slots[1][0] = v0 |   lane 1: ...slots[1][1] = v1 |
//     round 2        lane 0: r = slots[1][src] ... slots[0][0] = w0 |   lane 1: ...
//
// A warp whose lanes stand at the program barrier is parked until all live warps are. One whose
// lanes wait for phases of mbarriers is parked until those are complete; tensor copies that are
// late land when no other warp can run. Nothing here waits: when no lane can run, the program is
// done or divergent.
//
// A lane that finds something wrong (host_memory.cpp) cannot throw through compiled code: it leaves
// the failure with its crew and switches away for good.
#pragma once

#include "failure.h"
#include "host_copies.h"
#include "host_device.h"
#include "host_fiber.h"
#include "host_mbarrier.h"
#include "host_race.h"

#include <memory>
#include <optional>
#include <vector>

namespace tilert {

/// Where a fiber stands.
enum class Stop : uint8_t {
  Nowhere, ///< has not started, or runs
  ShuffleIndex,
  ShuffleXor,
  ShuffleUp,
  ShuffleDown,
  Ballot,
  LoadMatrix,
  MultiplyMatrix,
  WarpBarrier,
  Barrier,
  MbarrierWait,
  Failed, ///< with Crew::failure_
  Returned
};

constexpr unsigned kWarpSize = 32;
/// 32-bit values that a lane can hand to the others at one operation: the operands of an mma.sync.
constexpr unsigned kSlotWords = 8;

/// Random numbers for the checks: small, seeded, the same everywhere.
class CheckRandom {
public:
  explicit CheckRandom(uint64_t seed) : state_(seed) {}
  uint64_t next();
  /// A number below `bound`, which is not 0.
  uint64_t below(uint64_t bound) { return next() % bound; }

private:
  uint64_t state_;
};

class Crew {
public:
  Crew(unsigned warps, size_t stackBytes);
  Crew(const Crew &) = delete;
  Crew &operator=(const Crew &) = delete;

  unsigned warpCapacity() const { return capacity_; }
  /// Runs one program to its end. Throws HOST_DIVERGENCE, HOST_RACE, HOST_ACCESS.
  void run(const HostLaunch &launch, const unsigned (&program)[3], const HostChecks &checks,
           uint64_t seed);

  /// What all lanes brought to a warp-wide operation. Good until the lane's next one.
  struct Exchange {
    const uint32_t (*slots)[kSlotWords]; ///< by lane
    uint32_t present;                    ///< lanes that took part
    unsigned lane;
  };
  /// Called on a fiber: stop at a warp-wide operation with up to kSlotWords values, or at a
  /// barrier.
  static Exchange exchange(tilert_host_thread *self, Stop stop, const uint32_t *values,
                           unsigned count);
  static Exchange exchange(tilert_host_thread *self, Stop stop, uint32_t value) {
    return exchange(self, stop, &value, 1);
  }

  // For what a thread does to shared memory, on its fiber; host_memory.cpp.
  static Crew &of(tilert_host_thread *self) { return *fiberOf(self).crew; }
  static CopyQueue &copies(tilert_host_thread *self) { return fiberOf(self).copies; }
  MbarrierTable &mbarriers() { return mbarriers_; }
  /// Called on a fiber: returns once the phase of this parity is complete.
  static void waitForPhase(tilert_host_thread *self, unsigned mbarrier, uint32_t parity);
  /// Null: not asked for.
  RaceCheck *race() { return checks_ & TILERT_HOST_CHECK_RACE ? &race_ : nullptr; }
  /// The `async` check: copies do not land where they are issued.
  bool copiesAreLate() const { return (checks_ & TILERT_HOST_CHECK_ASYNC) != 0; }
  /// Whether a copy that may land now does so, under the `async` check.
  bool landsEarly() { return someLandEarly_ && random_.below(kEarlyOdds) == 0; }
  size_t sharedBytes() const { return launch_->sharedBytes; }
  /// What ends the launch: recorded first, then left for. Two calls, because what is alive on the
  /// stack of a lane that leaves is never destroyed.
  static void record(tilert_host_thread *self, tilert_status status, const std::string &what);
  [[noreturn]] static void leave(tilert_host_thread *self);

private:
  /// One in so many copies lands at each moment that it may, in programs where some land early.
  static constexpr uint64_t kEarlyOdds = 4;

  struct Warp {
    uint32_t slots[2][kWarpSize][kSlotWords];
    uint32_t present[2];
    unsigned round = 0;          ///< parity: which slots this round fills
    uint32_t live = 0;           ///< lanes that have not returned
    Stop parked = Stop::Nowhere; ///< or Barrier, MbarrierWait
  };
  struct Fiber {
    tilert_host_thread self; ///< first: the compiled code holds its address
    Stop stop = Stop::Nowhere;
    Crew *crew = nullptr;
    FiberContext context;
    CopyQueue copies;
    bool waits = false; ///< at MbarrierWait, for a phase that was not complete so far
    unsigned mbarrier = 0;
    uint32_t parity = 0;
  };
  static Fiber &fiberOf(tilert_host_thread *self) { return *reinterpret_cast<Fiber *>(self); }

  static void fiberMain(void *fiber);
  bool endsWithCopies(Fiber &fiber);
  void prepare();
  void start(const HostLaunch &launch, const unsigned (&program)[3], const HostChecks &checks);
  void runRound(unsigned warp);
  void runWarps();
  void runWarpsInRandomOrder();
  /// Whether `warp` has a round to run. One that waits for phases goes on when they are complete.
  bool canRun(unsigned warp);
  /// Lets a lane that waits go on, if its phase is complete.
  void tryPass(Fiber &fiber);
  /// When no warp can run: makes one able to. False when the program is done; throws when it cannot
  /// go on.
  bool moveOn();
  /// Lands copies on mbarriers that lanes wait for; whether there were any.
  bool landForWaits();
  [[noreturn]] void stuck();
  /// Throws when the program leaves tensor copies under way.
  void checkEnd();
  /// All live warps stand at the program barrier.
  void passBarrier();
  /// Parks, or throws when the warp's live lanes stand at different operations.
  void settle(unsigned warp);
  [[noreturn]] void diverged(unsigned warp);
  /// "softmax__0 (BLOCK = 128): program (3, 0, 0)"
  std::string place(const tilert_host_thread &self) const;

  unsigned capacity_, warpCount_ = 0;
  StackSet stacks_;
  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  std::vector<std::byte> sharedMemory_;
  FiberContext scheduler_;
  const HostLaunch *launch_ = nullptr;
  CheckRandom random_{1};
  uint32_t checks_ = 0; ///< tilert_host_check
  bool someLandEarly_ = false;
  RaceCheck race_;
  MbarrierTable mbarriers_;
  std::optional<Failure> failure_;
  bool prepared_ = false; ///< all fibers stand at the start of their loop
};

} // namespace tilert
