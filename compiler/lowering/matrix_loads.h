// Tiles read from shared memory by ldmatrix (layout/shared_access.h, MatrixAccess).
#pragma once

#include "compiler/layout/shared_access.h"
#include "compiler/lowering/kernel_context.h"

namespace tilec {

/// The `registers` registers of a tile, as integers of type `storage`. `row` gives the address that
/// a thread passes for the group of registers that starts at `first`.
llvm::SmallVector<mlir::Value> loadMatrices(KernelContext &context, mlir::OpBuilder &builder,
                                            mlir::Location loc, const MatrixAccess &access,
                                            unsigned registers, mlir::IntegerType storage,
                                            llvm::function_ref<mlir::Value(unsigned first)> row);

} // namespace tilec
