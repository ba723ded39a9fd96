// Puts chosen layouts into the IR: the mutation that follows layout assignment's decision.
//
// Changes: types of tiles gain the chosen encoding; cheap values are cloned into each layout asked
// of them; tile.convert_layout stands where an operation needs or makes another layout than its
// operand or result has. Must hold: `choice` names every tile that is not cheap, and every load,
// store and reduction of tiles. Holds after: the function verifies with layouts everywhere.
#pragma once

#include "compiler/transforms/layout_inference.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilec {

void applyLayouts(mlir::func::FuncOp function, const LayoutChoice &choice,
                  const CheapValues &cheap);

} // namespace tilec
