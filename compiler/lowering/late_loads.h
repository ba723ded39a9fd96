// Fragments of matrices are read right before their first instruction.
//
//   The problem. A tile is loaded whole and then multiplied, so the code holds all fragments of an
//   operand at once, far more than there are registers:
//
//      L0 L1 .. L31  M0 M1 .. M63          4 registers a load: 128 live at M0
//
//   ptxas takes loads to where they fit, but starts from what it is given and spills what its
//   search does not place. In the order of use it has few to begin with and moves loads up while
//   registers last:
//
//      L0 L1 M0 .. M7  L2 L3 M8 .. M15 ..
//
// What tile-prefetch-operands reads early stays early.
//
// Changes: the marked operations, loads of shared memory and what takes their words apart, move
// down to their first user, but not past anything that may write or order memory. Must hold: tiles
// are lowered, loops are still structured. Holds after: no operation is marked.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilec {

/// Marks what stands between `before` (null: the start of the block) and `end` as a load that may
/// move down.
void markLateLoads(mlir::Operation *before, mlir::Operation *end);

void placeLateLoads(mlir::LLVM::LLVMFuncOp kernel);

} // namespace tilec
