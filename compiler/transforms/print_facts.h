// Prints what fact analysis knows, as remarks: a test pass for tilec-opt.
//
// Changes: nothing. Must hold: tile IR, with layouts or without. Holds after: the same.
//   test-print-facts   a remark at the definition of each integer, boolean and pointer value with
//   its
//                      facts, and one at each load and store with the widest vector per dimension
//                      and what limits it
// A block argument is reported at its block's first operation.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tilec {

std::unique_ptr<mlir::Pass> createPrintFactsPass();

/// Registers test-print-facts with tilec-opt's --pass-pipeline.
void registerPrintFactsPass();

} // namespace tilec
