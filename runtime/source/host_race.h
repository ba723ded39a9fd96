// The race check of the host device: who touched each byte of a program's shared memory, and
// whether anything orders that before what a thread does now.
//
// The rule. Two accesses of one byte, one of them a write, by different threads, race unless
//
//   - a program barrier is between them: the program's epoch, a count of barriers, has moved on;
//   - or both threads are of one warp and a warp barrier is between them: the warp's epoch has.
//
// Shuffles, ballots and loads of matrices make lanes meet but order no memory (PTX ISA,
// bar.warp.sync against shfl.sync), so they count for nothing here. An asynchronous copy writes
// from its issue until the wait that covers it: in between *every* access races, its own thread's
// too; from the wait on it is a write of that thread at that point.
//
// A tensor copy (host_mbarrier.h) is waited for by any thread, each for itself. It writes from its
// issue until the first thread has waited for its phase; from then on it is over for the threads
// that have waited for that phase or a later one of that mbarrier, and for all past a program
// barrier. Arrivals at an mbarrier order nothing else here.
//
// A byte keeps its last write and up to three reads, enough that a write which races with any read
// since finds one it races with: the last one, the last by another lane of that warp, and the last
// by another warp. (A writer ordered after a forgotten read of its own warp by a warp barrier only
// still meets the read of another warp.)
//
// Nothing here knows how the compiler places barriers: it sees accesses and barriers as they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilert {

/// Mbarriers of a program that can be told apart.
constexpr unsigned kMaxMbarriers = 1024;

/// What a thread does to shared memory.
enum class Touch : uint8_t {
  Read,
  Write,
  CopyUnderWay, ///< an asynchronous copy that no wait has covered
  CopyWaited,   ///< one that its thread has waited for
  TensorLanded  ///< a tensor copy whose phase some thread has waited for
};

class RaceCheck {
public:
  /// Forgets all accesses: a new program with `bytes` of shared memory.
  void startProgram(size_t bytes, unsigned warps);
  /// All live threads have met.
  void barrier();
  /// All live lanes of `warp` have met.
  void warpBarrier(unsigned warp);
  /// Notes that `thread` touches bytes inside shared memory: Read, Write or CopyUnderWay. Gives the
  /// text of a race, if it is one.
  std::optional<std::string> touch(unsigned thread, size_t offset, size_t bytes, Touch how);
  /// `thread` has waited for its copy to these bytes.
  void waited(unsigned thread, size_t offset, size_t bytes);

  /// `thread` has waited at `mbarrier` (below kMaxMbarriers) for the first `phases` phases.
  void phasesSeen(unsigned thread, unsigned mbarrier, uint32_t phases);
  /// Some thread has waited for `phase` of `mbarrier`, which a tensor copy to these bytes was of.
  void tensorLanded(unsigned mbarrier, uint32_t phase, size_t offset, size_t bytes);

private:
  struct Event {
    uint32_t epoch = 0;
    uint32_t warpEpoch : 19 = 0; ///< TensorLanded: the phase
    uint32_t thread : 10 = 0;    ///< TensorLanded: the mbarrier
    uint32_t touch : 3 = 0;
  };
  struct Byte {
    Event write, read, readInWarp, readElsewhere;
  };

  Event eventOf(unsigned thread, Touch how) const;
  /// Nothing orders `earlier` before what `thread` does now.
  bool races(const Event &earlier, unsigned thread) const;
  bool hasSeen(const Event &landed, unsigned thread) const;
  const Event *racing(const Byte &byte, unsigned thread, bool write) const;
  static void keepRead(Byte &byte, const Event &event);

  uint32_t epoch_ = 0, firstEpoch_ = 0; ///< of the program; epoch 0 is before every program
  std::vector<uint32_t> warpEpochs_;
  std::vector<uint32_t> phasesSeen_; ///< by mbarrier, then thread
  std::vector<Byte> bytes_;
};

/// "thread 37 (warp 1, lane 5)"
std::string threadText(unsigned thread);
/// "byte 64" or "bytes 64-67"
std::string bytesText(size_t offset, size_t bytes);

} // namespace tilert
