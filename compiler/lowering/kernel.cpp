// The kernel's entry, and where a program stands in its grid.
#include "compiler/lowering/bits.h"
#include "compiler/lowering/patterns.h"

using namespace mlir;
using namespace tilec;

/// Largest alignment promised for a parameter before anything else happens, or 0.
static int64_t promisedAlignment(BlockArgument argument) {
  int64_t alignment = 0;
  for (Operation *user : argument.getUsers())
    if (auto promise = dyn_cast<tile::AssumeAlignedOp>(user))
      if (user->getBlock() == argument.getOwner())
        alignment = std::max(alignment, static_cast<int64_t>(promise.getAlignment()));
  return alignment > 0 && llvm::isPowerOf2_64(alignment) ? alignment : 0;
}

FailureOr<LLVM::LLVMFuncOp> tilec::enterKernel(func::FuncOp source, KernelContext &context) {
  if (!source.getBody().hasOneBlock() || source.getNumResults() != 0)
    return source.emitError("lowering: a kernel has one block and no results");
  Block &body = source.getBody().front();
  OpBuilder builder(source);

  SmallVector<KernelParameter> parameters;
  for (BlockArgument argument : body.getArguments()) {
    KernelParameter parameter;
    parameter.type = context.types.convertType(argument.getType());
    if (!parameter.type || tile::isTile(argument.getType()))
      return source.emitError("lowering: parameter ")
             << argument.getArgNumber() << " has no place in a kernel's ABI";
    if (parameter.type.isInteger(1))
      parameter.type = builder.getI8Type();
    parameter.readOnly =
        static_cast<bool>(source.getArgAttr(argument.getArgNumber(), tile::kConstAttr));
    parameter.alignment = promisedAlignment(argument);
    parameter.isTensorMap = isa<tile::TensorMapType>(argument.getType());
    parameters.push_back(parameter);
  }

  SmallVector<Value> arguments;
  LLVM::LLVMFuncOp kernel = context.primitives.createKernel(builder, source, parameters, arguments);
  Block *entry = &kernel.getBody().front();
  builder.setInsertionPointToEnd(entry);
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments)) {
    Value converted = value;
    if (argument.getType().isInteger(1))
      converted = fromStorage(builder, source.getLoc(), value, argument.getType());
    else if (argument.getType() != value.getType())
      converted =
          UnrealizedConversionCastOp::create(builder, source.getLoc(), argument.getType(), value)
              .getResult(0);
    argument.replaceAllUsesWith(converted);
  }
  context.enter(entry, builder);
  entry->getOperations().splice(entry->end(), body.getOperations());
  source.erase();
  return kernel;
}

namespace {

template <typename SourceOp, Value (DevicePrimitives::*make)(OpBuilder &, Location, unsigned)>
struct GridPattern : TilePattern<SourceOp> {
  using TilePattern<SourceOp>::TilePattern;
  LogicalResult matchAndRewrite(SourceOp op, typename TilePattern<SourceOp>::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getAxis() > 2)
      return op.emitError("lowering: a grid has axes 0, 1 and 2");
    rewriter.replaceOp(op, (this->context.primitives.*make)(rewriter, op.getLoc(), op.getAxis()));
    return success();
  }
};

struct BarrierPattern : TilePattern<tile::BarrierOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::BarrierOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    context.primitives.barrier(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReturnPattern : TilePattern<func::ReturnOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(func::ReturnOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange{});
    return success();
  }
};

/// The casts of `enterKernel`: their source is what the result becomes.
struct CastPattern : TilePattern<UnrealizedConversionCastOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(UnrealizedConversionCastOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getNumOperands() != 1 || op.getNumResults() != 1 ||
        op.getOperand(0).getType() != context.types.convertType(op.getResult(0).getType()))
      return failure();
    rewriter.replaceOp(op, adaptor.getInputs().front());
    return success();
  }
};

} // namespace

void tilec::populateKernelPatterns(RewritePatternSet &patterns, KernelContext &context) {
  patterns.add<GridPattern<tile::ProgramIdOp, &DevicePrimitives::programId>,
               GridPattern<tile::NumProgramsOp, &DevicePrimitives::numPrograms>, BarrierPattern,
               ReturnPattern, CastPattern>(context, patterns.getContext());
}
