// What staging asks of a load, whichever way its tile gets into shared memory.
#pragma once

#include "compiler/ir/dialect.h"

namespace tilec {

/// Whether the value goes into operand a or b of a dot, through elementwise and shape operations.
bool feedsDot(mlir::Value value);

/// All bits of the constant are 0: what copies fill with where they do not read.
bool isZeroFill(mlir::Value value);

} // namespace tilec
