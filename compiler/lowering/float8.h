// fp8 (f8e4m3, f8e5m2) to and from wider floats, on any device. In LLVM an fp8 is an i8.
#pragma once

#include "compiler/lowering/device_primitives.h"

namespace tilec {

/// `bits` (i8), an fp8 of type `from`, as f16, bf16, f32 or f64: exact. NaN stays NaN.
mlir::Value extendFloat8(mlir::OpBuilder &builder, mlir::Location loc, DevicePrimitives &primitives,
                         mlir::Value bits, mlir::Type from, mlir::Type to);
/// An f32 or f64 as fp8 of type `to` (i8): to nearest even, once, saturating; NaN becomes 0x7f.
mlir::Value truncateToFloat8(mlir::OpBuilder &builder, mlir::Location loc,
                             DevicePrimitives &primitives, mlir::Value value, mlir::Type to);

} // namespace tilec
