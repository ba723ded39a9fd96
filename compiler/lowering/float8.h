// fp8 as bits, for where no instruction knows it.
#pragma once

#include "mlir/IR/Builders.h"

namespace tilec {

/// The value of an fp8 (i8, f8E4M3FN or f8E5M2 by `format`) as an f16: exact, NaN stays NaN.
mlir::Value float8ToF16(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value bits,
                        mlir::Type format);

} // namespace tilec
