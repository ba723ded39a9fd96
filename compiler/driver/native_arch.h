// What `--arch native` is: the architecture of this machine's GPU.
#pragma once

#include "compiler/target/arch.h"

namespace tilec {

/// The architecture for the first GPU that the CUDA driver shows; null without driver, GPU, or with
/// one that is too old. The driver is opened at run time.
const Arch *findNativeArch();

} // namespace tilec
