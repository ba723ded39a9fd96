// The mbarriers of one program of the host device, and the tensor copies that complete on them.
//
// An mbarrier runs through phases. A phase is complete when `count` arrivals have been made and all
// bytes that arrivals said to expect have landed; the next one begins at once. Bytes may land
// before they are expected: the number of bytes missing is signed (PTX ISA, "mbarrier object",
// tracking of asynchronous operations). A wait names the parity of a phase; it is over once the
// phase under way has the other one.
//
// The state is here and not in shared memory, where a kernel could damage it: an mbarrier is known
// by its offset.
#pragma once

#include "host_race.h"
#include "host_tensor.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilert {

/// Most arrivals and bytes of a phase (PTX ISA, mbarrier).
constexpr uint32_t kMaxMbarrierCount = (1u << 20) - 1;

struct Mbarrier {
  size_t offset = 0;     ///< in shared memory
  uint32_t count = 0;    ///< arrivals of a phase; 0: not live
  uint32_t arrivals = 0; ///< missing in the phase under way
  int64_t bytes = 0;     ///< missing in the phase under way
  uint32_t phases = 0;   ///< complete, since the program's start
  uint32_t firstPhase = 0;
  /// Of the phase under way.
  uint32_t parity() const { return (phases - firstPhase) & 1; }
};

class MbarrierTable {
public:
  /// A new program. Copies are kept until they have landed and - if `untilWaited` - a wait has
  /// covered them.
  void startProgram(bool untilWaited) {
    mbarriers_.clear();
    copies_.clear();
    untilWaited_ = untilWaited;
  }
  /// The index of the live mbarrier at `offset`, or -1.
  int find(size_t offset) const;
  const Mbarrier &operator[](size_t index) const { return mbarriers_[index]; }
  /// Makes a live one; false when the program has had kMaxMbarriers.
  bool init(size_t offset, uint32_t count);
  void invalidate(unsigned index) { mbarriers_[index].count = 0; }
  /// Expects `bytes` more, then arrives, which must be missing.
  void arrive(unsigned index, uint32_t bytes);
  bool waitIsOver(unsigned index, uint32_t parity) const {
    return mbarriers_[index].count && mbarriers_[index].parity() != parity;
  }

  /// Lands a copy, or poisons its box if that shall be later.
  void issue(const TensorCopy &copy, bool late);
  /// Lands the copies on `index` that have not landed; whether there were any.
  bool landAll(unsigned index);
  /// Lands those of all copies for which `choose()`.
  template <typename Choose> void landSome(Choose &&choose) {
    for (TensorCopy &copy : copies_)
      if (!copy.landed && choose())
        landNow(copy);
    dropLanded();
  }
  /// `thread` has waited for the complete phases of `index`.
  void waited(unsigned thread, unsigned index, RaceCheck &race);
  /// A copy on `index` (any: -1) that is kept; null when there is none.
  const TensorCopy *kept(int index) const;

private:
  void completeIfDone(Mbarrier &mbarrier);
  void landNow(TensorCopy &copy);
  void dropLanded();

  std::vector<Mbarrier> mbarriers_; ///< one an offset, live or not
  std::vector<TensorCopy> copies_;
  bool untilWaited_ = false;
};

} // namespace tilert
