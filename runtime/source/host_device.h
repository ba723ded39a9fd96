// The host device (docs/host_device.md): runs the programs of a launch on the CPU.
//
// Programs are spread over OS threads; each runs one program at a time on a crew (host_crew.h), the
// fibers that stand for the program's threads.
#pragma once

#include "dispatch.h"

namespace tilert {

struct HostLaunch {
  const char *name = nullptr; ///< of the variant, for messages
  const char *values = "";    ///< its const params, for messages
  tilert_host_function function = nullptr;
  void *const *arguments = nullptr; ///< by ABI parameter
  unsigned programs[3] = {1, 1, 1};
  unsigned warps = 1;
  unsigned sharedBytes = 0;
};

/// `occupancy` in grids: more than one, so that a persistent kernel has several programs even on a
/// small machine.
constexpr int64_t kHostOccupancy = 2;

/// num_sms is the number of OS threads that run programs, but no fewer than four.
DeviceLimits hostLimits();

/// Runs all programs; returns when they are done. Throws HOST_DIVERGENCE, HOST_RACE or HOST_ACCESS
/// with the place of the first program that could not go on, OUT_OF_MEMORY when there are no
/// stacks.
void runOnHost(const HostLaunch &launch);

struct HostChecks {
  uint32_t flags = 0; ///< tilert_host_check
  uint64_t seed = 1;
};
/// What tilert_host_set_checks() or the environment said.
HostChecks hostChecks();

} // namespace tilert
