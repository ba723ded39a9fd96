// A tiny host device for the tests of lowering: it shares no code with tilert. All GPU threads of a
// program are ucontext fibers on one OS thread; warp and program operations meet as on a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tilec::test {

/// What the kernel reads by offset (docs/host_device.md).
struct ThreadContext {
  uint32_t thread;
  uint32_t program[3];
  uint32_t programs[3];
  uint32_t reserved;
  void *shared;
};

using KernelFunction = void (*)(ThreadContext *, void *const *);

struct Launch {
  unsigned warps = 1;
  uint32_t programs[3] = {1, 1, 1};
  unsigned sharedBytes = 0;
  unsigned orderSeed = 0; ///< in which order ready threads run; 0: ascending
};

/// Runs every program; false when threads diverged at a warp or program operation. Shared memory is
/// 0xA5 at the start of each program and followed by guard bytes (a change there is false too).
bool runPrograms(KernelFunction kernel, const std::vector<void *> &arguments, const Launch &launch);

/// Names and addresses of the functions a kernel may call.
std::vector<std::pair<const char *, void *>> deviceFunctions();

} // namespace tilec::test
