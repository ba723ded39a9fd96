// Promises: what LLVM can use stays as llvm.assume, the rest has served its purpose in the
// analysis.
#include "compiler/lowering/patterns.h"

using namespace mlir;
using namespace tilec;

namespace {

struct AssumePattern : TilePattern<tile::AssumeOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::AssumeOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LLVM::AssumeOp::create(rewriter, op.getLoc(), adaptor.getCondition().front());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Parameters carry their alignment as an attribute (kernel.cpp), accesses theirs.
struct AssumeAlignedPattern : TilePattern<tile::AssumeAlignedOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::AssumeAlignedOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

/// multiple_of and max_contiguous: the value itself.
template <typename SourceOp> struct PromisePattern : TilePattern<SourceOp> {
  using TilePattern<SourceOp>::TilePattern;
  LogicalResult matchAndRewrite(SourceOp op, typename TilePattern<SourceOp>::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {adaptor.getSource()});
    return success();
  }
};

} // namespace

void tilec::populateFactPatterns(RewritePatternSet &patterns, KernelContext &context) {
  patterns.add<AssumePattern, AssumeAlignedPattern, PromisePattern<tile::MultipleOfOp>,
               PromisePattern<tile::MaxContiguousOp>>(context, patterns.getContext());
}
