// The conversion patterns, one populate function a family of operations.
#pragma once

#include "compiler/lowering/kernel_context.h"

#include "mlir/Transforms/DialectConversion.h"

namespace tilec {

class ElementwiseTable;

/// A pattern on one operation that shares the kernel's context.
template <typename SourceOp> class TilePattern : public mlir::OpConversionPattern<SourceOp> {
public:
  TilePattern(KernelContext &context, mlir::MLIRContext *mlir)
      : mlir::OpConversionPattern<SourceOp>(context.types, mlir), context(context) {}
  using Adaptor = typename mlir::OpConversionPattern<SourceOp>::OneToNOpAdaptor;

protected:
  KernelContext &context;
};

/// arith, math and elementwise tile operations on tiles and scalars, and constants.
void populateElementwisePatterns(mlir::RewritePatternSet &patterns, KernelContext &context,
                                 const ElementwiseTable &table);
/// splat, arange, expand_dims, broadcast, reshape, permute: registers are renamed.
void populateShapePatterns(mlir::RewritePatternSet &patterns, KernelContext &context);
/// tile.load, tile.store.
void populateMemoryPatterns(mlir::RewritePatternSet &patterns, KernelContext &context);
/// tile.alloc, copy_async, commit_group, wait_group, local_load, local_store.
void populateBufferPatterns(mlir::RewritePatternSet &patterns, KernelContext &context);
/// init_mbarriers, invalidate_mbarriers, tensor_copy, wait_mbarrier.
void populateTensorCopyPatterns(mlir::RewritePatternSet &patterns, KernelContext &context);
/// tile.convert_layout.
void populateConvertLayoutPatterns(mlir::RewritePatternSet &patterns, KernelContext &context);
/// tile.reduce.
void populateReducePatterns(mlir::RewritePatternSet &patterns, KernelContext &context);
/// tile.dot.
void populateDotPatterns(mlir::RewritePatternSet &patterns, KernelContext &context);
/// assume, assume_aligned, multiple_of, max_contiguous.
void populateFactPatterns(mlir::RewritePatternSet &patterns, KernelContext &context);
/// program_id, num_programs, barrier, func.return and the casts that `enterKernel` left.
void populateKernelPatterns(mlir::RewritePatternSet &patterns, KernelContext &context);

/// The predicate of the access that starts at register `first`, given the registers of its mask
/// (none: no mask): null when it always happens.
mlir::Value maskOf(mlir::ValueRange mask, unsigned first);

/// Replaces `source` by an llvm.func of the target's kernel ABI that holds its body (still tile
/// IR).
mlir::FailureOr<mlir::LLVM::LLVMFuncOp> enterKernel(mlir::func::FuncOp source,
                                                    KernelContext &context);

} // namespace tilec
