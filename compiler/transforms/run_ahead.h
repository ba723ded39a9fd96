// What loops compute for a later iteration, which may turn out not to run.
//
// Addresses of loads that run ahead are computed for iterations beyond the last, too; only the
// loads themselves stand under a predicate. So that work must be harmless whatever its operands
// are. Of what has no effects on memory, integer division alone is not: its divisor may be 0 there,
// or -1 below the smallest number.
#pragma once

#include "compiler/ir/dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tilec {

/// Can `op` be computed for an iteration that may not run, once guardDivisions has seen it? It has
/// no effects, and nothing in it but divisions could go wrong.
bool mayRunAhead(mlir::Operation *op);

/// Makes the integer divisions in `op`, a clone for another iteration, divide by 1 unless that
/// iteration `runs` (i1).
void guardDivisions(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value runs);

/// The value that `load` has in the iteration of `mapping`, loaded where that iteration `runs`
/// (i1).
mlir::Value loadAhead(mlir::OpBuilder &builder, tile::LoadOp load, const mlir::IRMapping &mapping,
                      mlir::Value runs);

} // namespace tilec
