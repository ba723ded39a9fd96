// tile.convert_layout: the code for a ConversionPlan (layout/conversion.h). Bits move unchanged.
#include "compiler/layout/conversion.h"
#include "compiler/lowering/bits.h"
#include "compiler/lowering/matrix_loads.h"
#include "compiler/lowering/patterns.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

namespace {

class ConversionEmitter {
public:
  ConversionEmitter(tile::ConvertLayoutOp op, const ConversionPlan &plan, KernelContext &context,
                    OpBuilder &builder)
      : op_(op), plan_(plan), context_(context), builder_(builder), loc_(op.getLoc()) {}

  SmallVector<Value> run(ValueRange source);

private:
  SmallVector<Value> select(SmallVector<Value> values, ArrayRef<RegisterSelect> selects);
  Value shuffle(Value value, Bits laneConstant);
  SmallVector<Value> throughShared(ValueRange source);
  Value address(const LinearLayout &layout, unsigned reg);
  Value address(std::vector<Bits> columns, Bits constant);

  tile::ConvertLayoutOp op_;
  const ConversionPlan &plan_;
  KernelContext &context_;
  OpBuilder &builder_;
  Location loc_;
};

} // namespace

/// Exchanges registers i and i ^ registerXor in the threads that each select names.
SmallVector<Value> ConversionEmitter::select(SmallVector<Value> values,
                                             ArrayRef<RegisterSelect> selects) {
  for (const RegisterSelect &entry : selects) {
    Value exchanged = context_.threadParity(builder_, entry.threadMask);
    SmallVector<Value> next;
    for (unsigned reg = 0; reg < values.size(); ++reg)
      next.push_back(LLVM::SelectOp::create(builder_, loc_, exchanged,
                                            values[reg ^ entry.registerXor], values[reg]));
    values = std::move(next);
  }
  return values;
}

/// The value of the lane that this lane takes from.
Value ConversionEmitter::shuffle(Value value, Bits laneConstant) {
  if (plan_.lanesStay) {
    if (laneConstant == 0)
      return value;
    return moveWords(builder_, loc_, value, [&](Value word) {
      return context_.primitives.shuffleXor(builder_, loc_, word, laneConstant);
    });
  }
  Value lane = context_.threadLinear(builder_, plan_.laneColumns);
  lane = xorConstant(builder_, loc_, lane, reachableBits(plan_.laneColumns), laneConstant);
  return moveWords(builder_, loc_, value, [&](Value word) {
    return context_.primitives.shuffleIndex(builder_, loc_, word, lane);
  });
}

/// Where register `reg` of a tile of `layout` lies in the scratch.
Value ConversionEmitter::address(const LinearLayout &layout, unsigned reg) {
  std::vector<Bits> columns = threadColumns(layout);
  for (Bits &column : columns)
    column = plan_.memory.offset(column);
  return address(columns, plan_.memory.offset(layout.element(reg, 0, 0)));
}

/// The element at offset `constant` XOR the columns of the thread number.
Value ConversionEmitter::address(std::vector<Bits> columns, Bits constant) {
  unsigned bytes = tile::elementBytes(op_.getSource().getType().getElementType());
  for (Bits &column : columns)
    column *= bytes;
  constant *= bytes;
  Value offset = xorConstant(builder_, loc_, context_.threadLinear(builder_, columns),
                             reachableBits(columns), constant);
  return context_.sharedPointer(builder_, loc_, *op_.getScratchOffset(), offset);
}

SmallVector<Value> ConversionEmitter::throughShared(ValueRange source) {
  LinearLayout from = tile::layoutOf(op_.getSource()), to = tile::layoutOf(op_.getResult());
  Type element = context_.types.elementType(op_.getType());
  Value owner = context_.threadHasNone(builder_, replicatedThreads(from));
  for (unsigned first = 0; first < plan_.storeOrder.size(); first += plan_.storeVector) {
    SmallVector<Value> values;
    for (unsigned index = 0; index < plan_.storeVector; ++index)
      values.push_back(toStorage(builder_, loc_, source[plan_.storeOrder[first + index]]));
    context_.storeShared(builder_, loc_, address(from, plan_.storeOrder[first]), values, owner);
  }
  context_.primitives.barrier(builder_, loc_);
  SmallVector<Value> results(to.registers());
  if (plan_.loadsMatrices) {
    unsigned bytes = tile::elementBytes(op_.getSource().getType().getElementType());
    MatrixAccess access = matrixAccess(to, plan_.memory, bytes).value();
    results = loadMatrices(context_, builder_, loc_, access, to.registers(), storageType(element),
                           [&](unsigned first) {
                             return address(access.rowColumns,
                                            plan_.memory.offset(to.element(first, 0, 0)));
                           });
    for (Value &result : results)
      result = fromStorage(builder_, loc_, result, element);
    return results;
  }
  for (unsigned first = 0; first < plan_.loadOrder.size(); first += plan_.loadVector) {
    SmallVector<Value> loaded =
        context_.loadShared(builder_, loc_, address(to, plan_.loadOrder[first]),
                            storageType(element), plan_.loadVector);
    for (auto [index, bits] : llvm::enumerate(loaded))
      results[plan_.loadOrder[first + index]] = fromStorage(builder_, loc_, bits, element);
  }
  return results;
}

SmallVector<Value> ConversionEmitter::run(ValueRange source) {
  if (plan_.kind == ConversionPlan::Kind::Shared)
    return throughShared(source);
  SmallVector<Value> values = select(SmallVector<Value>(source), plan_.selectsBefore);
  SmallVector<Value> results;
  if (plan_.kind == ConversionPlan::Kind::Registers) {
    for (unsigned reg : plan_.registers)
      results.push_back(values[reg]);
    return results;
  }
  for (const ShuffleStep &step : plan_.steps)
    results.push_back(shuffle(values[step.source], step.laneConstant));
  results = select(std::move(results), plan_.selectsAfter);
  // Rounds that only helped others come last (layout/exchange.cpp).
  results.truncate(tile::layoutOf(op_.getResult()).registers());
  return results;
}

namespace {

struct ConvertLayoutPattern : TilePattern<tile::ConvertLayoutOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::ConvertLayoutOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ConversionPlan plan =
        planConversion(tile::layoutOf(op.getSource()), tile::layoutOf(op.getResult()),
                       tile::elementBytes(op.getSource().getType().getElementType()));
    if (plan.kind == ConversionPlan::Kind::Shared && !op.getScratchOffset())
      return op.emitError("lowering: conversion across warps without a place in shared memory");
    SmallVector<Value> results =
        ConversionEmitter(op, plan, context, rewriter).run(adaptor.getSource());
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void tilec::populateConvertLayoutPatterns(RewritePatternSet &patterns, KernelContext &context) {
  patterns.add<ConvertLayoutPattern>(context, patterns.getContext());
}
