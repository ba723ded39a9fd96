// Layouts of dots, decided before all others: nothing else costs as much.
//
//   1. Results. A dot can be done in several arrangements of warps over (batch, m, n). All dots of
//      the function are decided together, since the result of one may be an operand of the next:
//
//          s = dot(q, k^T)      p = exp2(s - max(s))      acc = dot(f16(p), v, acc)
//
//      With all warps along m the rows of s stay in one warp (a reduction without barriers) and p
//      becomes operand a in registers; with warps along n as well, operands are read less often.
//      The search starts where all dots arrange warps alike, and then changes one dot at a time
//      while that pays.
//   2. Operands. What makes an operand - a load, casts, scales - takes the operand's layout itself
//      where that is cheaper than its own and a conversion, always when it is read from a buffer.
//
// Prices are instructions, reads of operands from shared memory, conversions between what is
// decided, and reductions (layout/cost_model.h).
#pragma once

#include "compiler/transforms/candidate_layouts.h"
#include "compiler/transforms/layout_inference.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilec {

/// Adds to `choice`: of every dot its layouts, and of what is tied to dots the layouts that follow.
/// Chooses each dot's instruction. `float8`: see chooseDotInstruction.
void assignDots(mlir::func::FuncOp function, unsigned warps, bool float8,
                llvm::ArrayRef<GlobalAccess> accesses, const CheapValues &cheap,
                LayoutChoice &choice);

} // namespace tilec
