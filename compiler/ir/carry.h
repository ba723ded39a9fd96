// Loops that carry more values than before.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

/// `loop` with further carried values that start as `initial`: its last iter_args and results. Each
/// yields itself until its own next value is set. Discardable attributes stay; `loop` is gone.
mlir::scf::ForOp carryMore(mlir::scf::ForOp loop, mlir::ValueRange initial);

} // namespace tilec
