// Types of tile IR in the LLVM dialect: a tile becomes the scalars one thread holds, a tile.ptr a
// pointer into global memory, a tile.buffer its offset in shared memory, index i64; other scalars
// stay.
#pragma once

#include "compiler/ir/dialect.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace tilec {

class TileTypeConverter : public mlir::LLVMTypeConverter {
public:
  TileTypeConverter(mlir::MLIRContext *context, unsigned globalAddressSpace);

  /// The LLVM type of one element of a tile, or of a scalar.
  mlir::Type elementType(mlir::Type tileOrScalar) const;
};

/// How many scalars a thread holds of a value: its layout's registers, or 1 for a scalar.
unsigned registersOf(mlir::Type tileOrScalar);

} // namespace tilec
