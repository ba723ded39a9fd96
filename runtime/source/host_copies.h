// The asynchronous copies of one thread of the host device: cp.async and its groups.
//
// Without checks a copy lands where it is issued. Under the `async` check it lands as late as the
// waits of its thread allow - or, in some programs, at a random moment before - reads its source
// only then, and until then its destination holds poison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilert {

struct AsyncCopy {
  std::byte *shared;
  const std::byte *global; ///< null: zeros
  uint32_t bytes;
  bool landed = false;
  uint32_t group = 0; ///< set by issue()
};

/// Moves the bytes.
void land(const AsyncCopy &copy);

class CopyQueue {
public:
  void clear() {
    copies_.clear();
    committed_ = 0;
  }
  /// The copy belongs to the next commit().
  void issue(AsyncCopy copy, bool landed) {
    copy.group = committed_;
    copy.landed = landed;
    copies_.push_back(copy);
  }
  void commit() { ++committed_; }
  /// Takes out what must have landed when all but the last `pending` groups have, the latest first.
  std::vector<AsyncCopy> take(uint32_t pending);
  /// Copies that nothing has waited for.
  std::vector<AsyncCopy> &underWay() { return copies_; }

private:
  std::vector<AsyncCopy> copies_; ///< by group
  uint32_t committed_ = 0;
};

} // namespace tilert
