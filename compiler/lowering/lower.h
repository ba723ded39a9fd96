// Lowering: tile IR with layouts -> LLVM dialect, one thread's code.
//
// Changes: the module's func.func becomes an llvm.func of the target's kernel ABI; every tile of
// layout L becomes L.registers() scalars; structured control flow becomes branches.
// Must hold before: every tile has a layout; operands of elementwise operations agree in it;
// scratch of reductions and conversions is placed (scratch_offset) and barriers stand
// (tile.barrier). Holds after: LLVM dialect only, translatable to LLVM IR.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace tilec {

class DevicePrimitives;

/// Lowers the one kernel of `module` in place. Failure is an internal error, already reported
/// through MLIR's diagnostics.
mlir::LogicalResult lowerToLlvm(mlir::ModuleOp module, DevicePrimitives &primitives);

} // namespace tilec
