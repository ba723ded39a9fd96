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
// A warp whose lanes stand at the program barrier is parked until all live warps are. Nothing here
// waits: when no lane can run, the program is done or divergent.
#pragma once

#include "host_device.h"
#include "host_fiber.h"

#include <memory>
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
  Returned
};

constexpr unsigned kWarpSize = 32;
/// 32-bit values that a lane can hand to the others at one operation: the operands of an mma.sync.
constexpr unsigned kSlotWords = 8;

/// Random numbers for the `order` check: small, seeded, the same everywhere.
class OrderRandom {
public:
  explicit OrderRandom(uint64_t seed) : state_(seed) {}
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
  /// Runs one program to its end. Throws HOST_DIVERGENCE.
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

private:
  struct Warp {
    uint32_t slots[2][kWarpSize][kSlotWords];
    uint32_t present[2];
    unsigned round = 0; ///< parity: which slots this round fills
    uint32_t live = 0;  ///< lanes that have not returned
    bool parked = false;
  };
  struct Fiber {
    tilert_host_thread self; ///< first: the compiled code holds its address
    Stop stop = Stop::Nowhere;
    Crew *crew = nullptr;
    FiberContext context;
  };

  static void fiberMain(void *fiber);
  void prepare();
  void start(const HostLaunch &launch, const unsigned (&program)[3], const HostChecks &checks);
  void runRound(unsigned warp);
  void runWarps();
  void runWarpsInRandomOrder();
  /// Parks, or throws when the warp's live lanes stand at different operations.
  void settle(unsigned warp);
  [[noreturn]] void diverged(unsigned warp);

  unsigned capacity_, warpCount_ = 0;
  StackSet stacks_;
  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  std::vector<std::byte> sharedMemory_;
  FiberContext scheduler_;
  const HostLaunch *launch_ = nullptr;
  OrderRandom random_{1};
  bool randomOrder_ = false;
  bool prepared_ = false; ///< all fibers stand at the start of their loop
};

} // namespace tilert
