// The passes on tile IR, in the order the pipeline runs them. Each has a header of its own that says
// what changes, what must hold, and what holds after; this one lists them for tilec-opt.
#pragma once

#include "mlir/Pass/Pass.h"

namespace tilec {

/// Registers every pass by name with tilec-opt's --pass-pipeline.
void registerTilePasses();

} // namespace tilec
