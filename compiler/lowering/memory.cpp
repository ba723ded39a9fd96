// tile.load and tile.store.
//
// A thread's registers are accessed in vectors (access_plan.h); all accesses of a tile are emitted
// in a row without branches, so that they are in flight together. A mask is constant over a vector:
// the first element's decides. Replicas all load - the same bytes, so the same sectors - but only
// the owner of an element stores it; a scalar is owned by thread 0.
#include "compiler/lowering/bits.h"
#include "compiler/lowering/patterns.h"

using namespace mlir;
using namespace tilec;

Value tilec::maskOf(ValueRange mask, unsigned first) {
  if (mask.empty())
    return {};
  Value value = mask[first];
  if (auto constant = value.getDefiningOp<LLVM::ConstantOp>())
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      if (!integer.getValue().isZero())
        return {};
  return value;
}

static SmallVector<Value> gather(ValueRange registers, const AccessPlan &plan, unsigned first,
                                 OpBuilder &builder, Location loc) {
  SmallVector<Value> values;
  for (unsigned index = 0; index < plan.width(); ++index)
    values.push_back(toStorage(builder, loc, registers[plan.member(first, index)]));
  return values;
}

namespace {

struct LoadPattern : TilePattern<tile::LoadOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::LoadOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessPlan plan = context.plans.lookup(op);
    Location loc = op.getLoc();
    Type element = context.types.elementType(op.getResult().getType());
    AccessHints hints{op.getCache(), op.getEvict(), op.getReadOnly()};
    ValueRange pointers = adaptor.getPtr();
    ValueRange mask = op.getMask() ? adaptor.getMask() : ValueRange();
    ValueRange other = op.getOther() ? adaptor.getOther() : ValueRange();
    SmallVector<Value> results(pointers.size());
    for (unsigned first : plan.firsts(pointers.size())) {
      Value predicate = maskOf(mask, first);
      SmallVector<Value> others;
      if (predicate && !other.empty())
        others = gather(other, plan, first, rewriter, loc);
      SmallVector<Value> loaded =
          context.primitives.load(rewriter, loc, pointers[first], storageType(element),
                                  plan.width(), predicate, others, hints);
      for (auto [index, bits] : llvm::enumerate(loaded))
        results[plan.member(first, index)] = fromStorage(rewriter, loc, bits, element);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct StorePattern : TilePattern<tile::StoreOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::StoreOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    AccessPlan plan = context.plans.lookup(op);
    Location loc = op.getLoc();
    AccessHints hints{op.getCache(), op.getEvict(), /*readOnly=*/false};
    ValueRange pointers = adaptor.getPtr();
    ValueRange mask = op.getMask() ? adaptor.getMask() : ValueRange();
    Value owner = context.threadHasNone(rewriter, notOwners(op.getPtr().getType()));
    for (unsigned first : plan.firsts(pointers.size())) {
      Value predicate = maskOf(mask, first);
      if (!predicate)
        predicate = owner;
      else if (owner)
        predicate = LLVM::AndOp::create(rewriter, loc, predicate, owner);
      context.primitives.store(rewriter, loc, pointers[first],
                               gather(adaptor.getValue(), plan, first, rewriter, loc), predicate,
                               hints);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Thread bits that must be 0 in an owner.
  static Bits notOwners(Type type) {
    return tile::isTile(type) ? replicatedThreads(tile::layoutOf(type)) : ~Bits(0);
  }
};

} // namespace

void tilec::populateMemoryPatterns(RewritePatternSet &patterns, KernelContext &context) {
  patterns.add<LoadPattern, StorePattern>(context, patterns.getContext());
}
