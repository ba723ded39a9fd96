// One launch, whatever the device: dispatch, grid, ABI arguments, go.
#pragma once

#include "module.h"

namespace tilert {

/// Throws Failure. Nothing to launch (an empty grid) is success.
void launchKernel(tilert_kernel_state &kernel, tilert_stream stream, const Launch &launch);

/// What launchKernel would do, as text.
std::string explainKernel(tilert_kernel_state &kernel, tilert_stream stream, const Launch &launch);

} // namespace tilert
