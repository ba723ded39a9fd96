// Operations that move no data: which register holds an element follows from the layouts.
#include "compiler/lowering/bits.h"
#include "compiler/lowering/patterns.h"

using namespace mlir;
using namespace tilec;

namespace {

struct SplatPattern : TilePattern<tile::SplatOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::SplatOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> results(registersOf(op.getType()), adaptor.getSource().front());
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// start + the element number: the thread's part once a layout, each register a constant more.
struct ArangePattern : TilePattern<tile::ArangeOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::ArangeOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout layout = tile::layoutOf(op.getResult());
    Value thread = context.threadElement(rewriter, layout);
    Bits possible = reachableBits(threadColumns(layout));
    SmallVector<Value> results;
    for (unsigned reg = 0; reg < layout.registers(); ++reg) {
      Value element =
          xorConstant(rewriter, op.getLoc(), thread, possible, layout.element(reg, 0, 0));
      results.push_back(addStart(op, element, layout.elements(), rewriter));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  static Value addStart(tile::ArangeOp op, Value element, int64_t elements, OpBuilder &builder) {
    int64_t start = static_cast<int32_t>(op.getStart());
    if (start == 0)
      return element;
    bool fits = start + elements - 1 <= INT32_MAX;
    return LLVM::AddOp::create(
        builder, op.getLoc(), element, constantInt(builder, op.getLoc(), element.getType(), start),
        fits ? LLVM::IntegerOverflowFlags::nsw : LLVM::IntegerOverflowFlags::none);
  }
};

/// expand_dims, reshape, permute: the maps on layouts keep the registers' order, and the verifiers
/// see to it that the result's layout is the mapped one.
template <typename SourceOp> struct RenamePattern : TilePattern<SourceOp> {
  using TilePattern<SourceOp>::TilePattern;
  LogicalResult matchAndRewrite(SourceOp op, typename TilePattern<SourceOp>::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {adaptor.getSource()});
    return success();
  }
};

struct BroadcastPattern : TilePattern<tile::BroadcastOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::BroadcastOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout layout = tile::layoutOf(op.getResult());
    ArrayRef<int64_t> sourceShape = op.getSource().getType().getShape();
    Bits kept = 0;
    for (unsigned dim = 0; dim < layout.rank(); ++dim) {
      if (sourceShape[dim] != 1)
        kept |= layout.dimMask(dim);
      else if (!layout.separable(dim))
        return op.emitError("lowering: layout mixes a stretched dimension with others");
    }
    // Source register bits are the result's whose columns do not vanish, in order.
    SmallVector<Value> results;
    for (unsigned reg = 0; reg < layout.registers(); ++reg) {
      unsigned from = 0, position = 0;
      for (auto [bit, column] : llvm::enumerate(layout.reg()))
        if (column & kept)
          from |= (reg >> bit & 1) << position++;
      results.push_back(adaptor.getSource()[from]);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void tilec::populateShapePatterns(RewritePatternSet &patterns, KernelContext &context) {
  patterns.add<SplatPattern, ArangePattern, BroadcastPattern, RenamePattern<tile::ExpandDimsOp>,
               RenamePattern<tile::ReshapeOp>, RenamePattern<tile::PermuteOp>>(
      context, patterns.getContext());
}
