// Shared memory that the lowering of one operation needs: the one place where placement (which
// gives out offsets) and lowering (which uses them) agree.
//
// An operation with scratch first writes it, then passes one barrier of its own, then reads it. So
// a barrier before it is needed only when other threads may still read or write overlapping bytes.
#pragma once

#include "mlir/IR/Operation.h"

namespace tilec {

/// Bytes of scratch `op` (tile.reduce, tile.convert_layout) needs; 0 when it stays within warps.
unsigned scratchBytes(mlir::Operation *op);

} // namespace tilec
