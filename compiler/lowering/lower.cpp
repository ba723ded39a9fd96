#include "compiler/lowering/lower.h"

#include "compiler/lowering/contraction.h"
#include "compiler/lowering/elementwise.h"
#include "compiler/lowering/late_loads.h"
#include "compiler/lowering/pack_carried.h"
#include "compiler/lowering/patterns.h"

#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

using namespace mlir;
using namespace tilec;

/// Tiles become scalars everywhere; loops and branches keep their structure.
static LogicalResult lowerTiles(LLVM::LLVMFuncOp kernel, KernelContext &context,
                                const ElementwiseTable &table) {
  MLIRContext *mlir = kernel.getContext();
  RewritePatternSet patterns(mlir);
  ConversionTarget target(*mlir);
  target.addLegalDialect<LLVM::LLVMDialect>();
  populateElementwisePatterns(patterns, context, table);
  populateShapePatterns(patterns, context);
  populateMemoryPatterns(patterns, context);
  populateBufferPatterns(patterns, context);
  populateTensorCopyPatterns(patterns, context);
  populateConvertLayoutPatterns(patterns, context);
  populateReducePatterns(patterns, context);
  populateDotPatterns(patterns, context);
  populateFactPatterns(patterns, context);
  populateKernelPatterns(patterns, context);
  scf::populateSCFStructuralTypeConversionsAndLegality(context.types, patterns, target);
  return applyFullConversion(kernel, target, std::move(patterns));
}

/// `unroll = N` of a loop becomes the annotation that LLVM's unroller obeys; 1 forbids unrolling.
static void annotateLoops(LLVM::LLVMFuncOp kernel) {
  MLIRContext *mlir = kernel.getContext();
  kernel.walk([&](scf::ForOp loop) {
    auto unroll = loop->getAttrOfType<IntegerAttr>(tile::kUnrollAttr);
    if (!unroll)
      return;
    bool disable = unroll.getInt() <= 1;
    auto options = LLVM::LoopUnrollAttr::get(
        mlir, /*disable=*/BoolAttr::get(mlir, disable), disable ? IntegerAttr() : unroll,
        /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{}, /*followupRemainder=*/{},
        /*followupAll=*/{});
    loop->setAttr("loop_annotation",
                  LLVM::LoopAnnotationAttr::get(mlir, /*disableNonforced=*/{}, /*vectorize=*/{},
                                                /*interleave=*/{}, options, /*unrollAndJam=*/{},
                                                /*licm=*/{}, /*distribute=*/{}, /*pipeline=*/{},
                                                /*peeled=*/{}, /*unswitch=*/{},
                                                /*mustProgress=*/{}, /*isVectorized=*/{},
                                                /*startLoc=*/{}, /*endLoc=*/{},
                                                /*parallelAccesses=*/{}));
  });
}

/// Structured control flow becomes branches.
static LogicalResult lowerControlFlow(LLVM::LLVMFuncOp kernel, KernelContext &context,
                                      const ElementwiseTable &table) {
  annotateLoops(kernel);
  MLIRContext *mlir = kernel.getContext();
  RewritePatternSet patterns(mlir);
  ConversionTarget target(*mlir);
  target.addLegalDialect<LLVM::LLVMDialect>();
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(context.types, patterns);
  populateElementwisePatterns(patterns, context, table); // loop counters
  return applyFullConversion(kernel, target, std::move(patterns));
}

LogicalResult tilec::lowerToLlvm(ModuleOp module, DevicePrimitives &primitives) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::kKernelAttr))
      kernels.push_back(function);
  if (kernels.size() != 1)
    return module.emitError("lowering: expected one kernel, found ") << kernels.size();

  MLIRContext *mlir = module.getContext();
  mlir->loadDialect<LLVM::LLVMDialect, cf::ControlFlowDialect>();
  TileTypeConverter types(mlir, primitives.globalAddressSpace());
  keepContractionWithinCasts(kernels.front());
  // Facts are about tile IR: everything that needs them is decided now.
  KernelContext context(primitives, types,
                        planAccesses(kernels.front(), primitives.maxAccessBytes()));
  FailureOr<LLVM::LLVMFuncOp> kernel = enterKernel(kernels.front(), context);
  if (failed(kernel))
    return failure();
  ElementwiseTable table;
  if (failed(lowerTiles(*kernel, context, table)))
    return failure();
  placeLateLoads(*kernel);
  packCarriedValues(*kernel);
  return lowerControlFlow(*kernel, context, table);
}
