// Uniform values become scalars.
//
// Changes: an elementwise or shape operation whose operands are all splats becomes the operation on
// scalars and one splat; uniform parts of pointer offsets move into the scalar base, so that
// `splat(p) + (splat(row * stride) + cols)` is `splat(p + row * stride) + cols`.
// Must hold: tile IR without layouts.
// Holds after: no pure operation computes the same scalar in every element, but for splats
// themselves; pointer tiles are a splat base plus the offsets that differ between elements.
// Why here: before layouts, since a splat takes any layout for free and scalars need none.
#include "compiler/transforms/passes.h"

#include "compiler/ir/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilec;

namespace {

/// The scalar that every element of `tile` equals, as an existing value or a constant to be made.
struct UniformSource {
  Value scalar;
  TypedAttr constant;
};

std::optional<UniformSource> uniformSource(Value value) {
  if (auto splat = value.getDefiningOp<tile::SplatOp>())
    return UniformSource{splat.getSource(), {}};
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
    return UniformSource{{}, cast<TypedAttr>(constant.getSplatValue<Attribute>())};
  return std::nullopt;
}

Value materialize(PatternRewriter &rewriter, Location loc, const UniformSource &source) {
  if (source.scalar)
    return source.scalar;
  return arith::ConstantOp::create(rewriter, loc, source.constant);
}

/// op(splat a, splat b) -> splat(op(a, b)), for every pure elementwise operation.
struct ScalarizeElementwise : RewritePattern {
  explicit ScalarizeElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumOperands() == 0 || !isPure(op) ||
        !llvm::all_of(op->getResultTypes(), tile::isTile))
      return failure();
    // Promises about runs mean nothing for a scalar: their attributes are per dimension.
    if (isa<tile::MultipleOfOp, tile::MaxContiguousOp>(op))
      return failure();
    SmallVector<UniformSource> sources;
    for (Value operand : op->getOperands()) {
      if (!tile::isTile(operand.getType())) {
        sources.push_back({operand, {}});
        continue;
      }
      std::optional<UniformSource> source = uniformSource(operand);
      if (!source)
        return failure();
      sources.push_back(*source);
    }
    SmallVector<Value> operands;
    for (const UniformSource &source : sources)
      operands.push_back(materialize(rewriter, op->getLoc(), source));
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(getElementTypeOrSelf(type));
    OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Operation *scalar = rewriter.create(state);
    SmallVector<Value> results;
    for (auto [result, type] : llvm::zip(scalar->getResults(), op->getResultTypes()))
      results.push_back(tile::SplatOp::create(rewriter, op->getLoc(), type, result));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// A shape operation on a splat is a splat of the new shape.
template <typename ShapeOp> struct SplatOfNewShape : OpRewritePattern<ShapeOp> {
  using OpRewritePattern<ShapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ShapeOp op, PatternRewriter &rewriter) const override {
    auto splat = op.getSource().template getDefiningOp<tile::SplatOp>();
    if (!splat)
      return failure();
    rewriter.replaceOpWithNewOp<tile::SplatOp>(op, op.getResult().getType(), splat.getSource());
    return success();
  }
};

/// (splat(p) + offsets) + splat(s) -> splat(p + s) + offsets, and
/// splat(p) + (offsets + splat(s))  -> splat(p + s) + offsets.
struct HoistUniformOffset : OpRewritePattern<tile::AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tile::AddPtrOp op, PatternRewriter &rewriter) const override {
    if (!tile::isTile(op.getType()))
      return failure();
    Value base, varying;
    std::optional<UniformSource> uniform;
    if (auto inner = op.getPtr().getDefiningOp<tile::AddPtrOp>()) {
      uniform = uniformSource(op.getOffset());
      if (auto splat = inner.getPtr().getDefiningOp<tile::SplatOp>(); splat && uniform) {
        base = splat.getSource();
        varying = inner.getOffset();
      }
    }
    if (auto splat = op.getPtr().getDefiningOp<tile::SplatOp>(); splat && !base) {
      if (auto sum = op.getOffset().getDefiningOp<arith::AddIOp>()) {
        for (auto [side, other] :
             {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
          if (std::optional<UniformSource> source = uniformSource(side); source && !base) {
            uniform = source;
            base = splat.getSource();
            varying = other;
          }
      }
    }
    if (!base)
      return failure();
    Value offset = materialize(rewriter, op.getLoc(), *uniform);
    Value moved = tile::AddPtrOp::create(rewriter, op.getLoc(), base, offset);
    Value splat = tile::SplatOp::create(rewriter, op.getLoc(), op.getType(), moved);
    rewriter.replaceOpWithNewOp<tile::AddPtrOp>(op, splat, varying);
    return success();
  }
};

struct UniformPass : PassWrapper<UniformPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UniformPass)
  StringRef getArgument() const override { return "tile-uniform"; }
  StringRef getDescription() const override { return "Computes uniform values as scalars"; }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ScalarizeElementwise, SplatOfNewShape<tile::BroadcastOp>,
                 SplatOfNewShape<tile::ExpandDimsOp>, SplatOfNewShape<tile::ReshapeOp>,
                 SplatOfNewShape<tile::PermuteOp>, HoistUniformOffset>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> tilec::createUniformPass() {
  return std::make_unique<UniformPass>();
}
