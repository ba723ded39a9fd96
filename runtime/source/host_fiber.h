// Stacks and switches for fibers, over Boost.Context's assembly, with what AddressSanitizer wants
// to hear about both.
#pragma once

#include <cstddef>

#include <boost/context/detail/fcontext.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define TILERT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TILERT_ASAN 1
#endif
#endif

namespace tilert {

/// Many stacks in one mapping, each with a guard below it. The pages of a stack exist once they are
/// touched.
class StackSet {
public:
  /// Throws Failure with OUT_OF_MEMORY when the system refuses.
  StackSet(size_t count, size_t stackBytes);
  ~StackSet();
  StackSet(const StackSet &) = delete;
  StackSet &operator=(const StackSet &) = delete;
  size_t stackBytes() const { return stackBytes_; }
  char *bottom(size_t index) const;
  char *top(size_t index) const { return bottom(index) + stackBytes_; }
  /// Forgets what sanitizers know of frames that were abandoned on a stack.
  void clean(size_t index) const;

private:
  char *mapping_ = nullptr;
  size_t mappedBytes_ = 0, stackBytes_ = 0;
};

/// One side of a switch: a suspended context and its stack.
struct FiberContext {
  boost::context::detail::fcontext_t context = nullptr;
  const void *stackBottom = nullptr; ///< of the fiber; the scheduler's is learnt at the switch
  size_t stackBytes = 0;
  void *fakeStack = nullptr; ///< AddressSanitizer's
  void (*entry)(void *argument) = nullptr;
  void *argument = nullptr;
};

/// Makes `fiber` start in `entry(argument)` at the first switch to it. `entry` must not return.
void prepareFiber(FiberContext &fiber, char *stackTop, size_t stackBytes,
                  void (*entry)(void *argument), void *argument);

/// Suspends `from`, goes on in `to`; returns when something switches back to `from`.
void switchFiber(FiberContext &from, FiberContext &to);

} // namespace tilert
