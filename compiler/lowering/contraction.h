// Contraction (a * b + c as one fma) stays on one side of a cast.
//
// LLVM may narrow `f16(f32(a) * f32(b))` to a product of f16 - the same value - and then contract
// it with a sum that follows the cast, which rounds once where the source rounds twice. A product
// that is cast must therefore not allow contraction at all.
//
// Changes: arith.mulf whose value reaches a float cast through shape operations loses `contract`.
// Must hold: tile IR. Holds after: no contraction can cross a cast.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilec {

void keepContractionWithinCasts(mlir::func::FuncOp kernel);

} // namespace tilec
