// tile.reduce: the code for a ReductionPlan (analysis/reduction_plan.h).
//
// The combine region is cloned for every combination; the conversion then lowers the clones like
// any other operation. All sources go together, since the region may look at them together
// (argmax).
#include "compiler/analysis/reduction_plan.h"
#include "compiler/lowering/bits.h"
#include "compiler/lowering/patterns.h"

using namespace mlir;
using namespace tilec;

namespace {

/// One value a source.
using Partial = SmallVector<Value, 2>;

class ReductionEmitter {
public:
  ReductionEmitter(tile::ReduceOp op, const ReductionPlan &plan, KernelContext &context,
                   OpBuilder &builder)
      : op_(op), plan_(plan), context_(context), builder_(builder), loc_(op.getLoc()) {}

  /// Registers of the sources in, of the results out. `partials` is indexed by register number.
  SmallVector<Partial> run(SmallVector<Partial> partials);

private:
  Partial combine(const Partial &left, const Partial &right);
  Partial combineOrdered(const Partial &mine, const Partial &other, const ReductionStep &step,
                         unsigned reg);
  void exchange(SmallVectorImpl<Partial> &partials);
  Value slotAddress(Value thread, Bits possible, Bits registerPart, unsigned source);
  Partial readSlots(unsigned reg);

  tile::ReduceOp op_;
  const ReductionPlan &plan_;
  KernelContext &context_;
  OpBuilder &builder_;
  Location loc_;
};

} // namespace

/// f(left, right), by a clone of the region. Its arguments are tile IR scalars: only pointers
/// differ from their LLVM type, and a cast that the conversion resolves stands for them.
Partial ReductionEmitter::combine(const Partial &left, const Partial &right) {
  Block &block = op_.getCombine().front();
  IRMapping mapping;
  auto cast = [&](Value value, Type type) -> Value {
    if (value.getType() == type)
      return value;
    return UnrealizedConversionCastOp::create(builder_, loc_, type, value).getResult(0);
  };
  for (auto [index, argument] : llvm::enumerate(block.getArguments())) {
    const Partial &side = index < left.size() ? left : right;
    mapping.map(argument, cast(side[index % left.size()], argument.getType()));
  }
  for (Operation &inner : block.without_terminator())
    builder_.clone(inner, mapping);
  Partial results;
  for (auto [index, value] : llvm::enumerate(block.getTerminator()->getOperands()))
    results.push_back(cast(mapping.lookupOrDefault(value), left[index].getType()));
  return results;
}

/// Combines the runs of `mine` (register `reg`) and `other` with the left one first.
Partial ReductionEmitter::combineOrdered(const Partial &mine, const Partial &other,
                                         const ReductionStep &step, unsigned reg) {
  if (!plan_.ordered)
    return combine(mine, other);
  bool flip = llvm::popcount(reg & step.registerMask) & 1;
  const Partial &even = flip ? other : mine, &odd = flip ? mine : other;
  if (step.threadMask == 0)
    return combine(even, odd);
  Value swap = context_.threadParity(builder_, step.threadMask);
  Partial left, right;
  for (auto [a, b] : llvm::zip(even, odd)) {
    left.push_back(LLVM::SelectOp::create(builder_, loc_, swap, b, a));
    right.push_back(LLVM::SelectOp::create(builder_, loc_, swap, a, b));
  }
  return combine(left, right);
}

SmallVector<Partial> ReductionEmitter::run(SmallVector<Partial> partials) {
  unsigned gone = 0; // register bits already combined
  for (const ReductionStep &step : plan_.steps) {
    unsigned bit = 1u << step.bit;
    if (!step.isLane)
      gone |= bit;
    for (unsigned reg = 0; reg < partials.size(); ++reg) {
      if (reg & gone)
        continue;
      Partial other;
      if (step.isLane)
        for (Value value : partials[reg])
          other.push_back(moveWords(builder_, loc_, value, [&](Value word) {
            return context_.primitives.shuffleXor(builder_, loc_, word, bit);
          }));
      else
        other = partials[reg | bit];
      partials[reg] = combineOrdered(partials[reg], other, step, reg);
    }
  }
  // What is left: kept register bits, and those of the axis that go through shared memory.
  SmallVector<Partial> results;
  if (plan_.restBits == 0) {
    for (unsigned reg = 0; reg < partials.size(); ++reg)
      if ((reg & ~plan_.keptRegisters) == 0)
        results.push_back(partials[reg]);
    return results;
  }
  for (unsigned reg = 0; reg < partials.size(); ++reg)
    if (reg & gone)
      partials[reg].clear();
  exchange(partials);
  for (unsigned reg = 0; reg < partials.size(); ++reg)
    if ((reg & ~plan_.keptRegisters) == 0)
      results.push_back(readSlots(reg));
  return results;
}

static Bits linearPart(ArrayRef<Bits> columns, unsigned input) {
  Bits result = 0;
  for (auto [bit, column] : llvm::enumerate(columns))
    if (input >> bit & 1)
      result ^= column;
  return result;
}

/// Address of the slot numbered thread XOR registerPart, in the slots of one source.
Value ReductionEmitter::slotAddress(Value thread, Bits possible, Bits registerPart,
                                    unsigned source) {
  SmallVector<unsigned> bytes;
  for (Value tile : op_.getSources())
    bytes.push_back(tile::elementBytes(getElementTypeOrSelf(tile.getType())));
  Value slot = xorConstant(builder_, loc_, thread, possible, registerPart);
  Value offset = LLVM::MulOp::create(
      builder_, loc_, slot, constantInt(builder_, loc_, slot.getType(), bytes[source]),
      LLVM::IntegerOverflowFlags::nsw | LLVM::IntegerOverflowFlags::nuw);
  return context_.sharedPointer(
      builder_, loc_, *op_.getScratchOffset() + plan_.sourceOffset(bytes, source), offset);
}

/// Writers put their partial results into their slots; then all threads meet.
void ReductionEmitter::exchange(SmallVectorImpl<Partial> &partials) {
  Value thread = context_.threadLinear(builder_, plan_.threadSlots);
  Bits possible = reachableBits(plan_.threadSlots);
  Value writes = context_.threadHasNone(builder_, plan_.notWriters);
  for (unsigned reg = 0; reg < partials.size(); ++reg)
    for (auto [source, value] : llvm::enumerate(partials[reg]))
      context_.storeShared(
          builder_, loc_,
          slotAddress(thread, possible, linearPart(plan_.registerSlots, reg), source),
          toStorage(builder_, loc_, value), writes);
  context_.primitives.barrier(builder_, loc_);
}

/// Reads all partial results of the element in register `reg` and combines them, neighbours first.
Partial ReductionEmitter::readSlots(unsigned reg) {
  Bits keptMask = ~((Bits(1) << plan_.restBits) - 1);
  std::vector<Bits> columns = plan_.threadSlots;
  for (Bits &column : columns)
    column &= keptMask;
  Value thread = context_.threadLinear(builder_, columns);
  Bits registerPart = linearPart(plan_.registerSlots, reg) & keptMask;
  unsigned count = 1u << plan_.restBits;
  SmallVector<Partial> parts(count);
  for (auto [source, tile] : llvm::enumerate(op_.getSources())) {
    Type type = context_.types.elementType(tile.getType());
    IntegerType storage = storageType(type);
    unsigned vector =
        std::min(count, context_.primitives.maxAccessBytes() * 8 / storage.getWidth());
    for (unsigned first = 0; first < count; first += vector) {
      Value address = slotAddress(thread, reachableBits(columns), registerPart | first, source);
      for (auto [index, bits] :
           llvm::enumerate(context_.loadShared(builder_, loc_, address, storage, vector)))
        parts[first + index].push_back(fromStorage(builder_, loc_, bits, type));
    }
  }
  for (; parts.size() > 1; parts.resize(parts.size() / 2))
    for (unsigned pair = 0; pair < parts.size() / 2; ++pair)
      parts[pair] = combine(parts[2 * pair], parts[2 * pair + 1]);
  return parts.front();
}

namespace {

struct ReducePattern : TilePattern<tile::ReduceOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::ReduceOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<ReductionPlan> plan = planReduction(op);
    if (!plan)
      return op.emitError("lowering: the layout's columns along the axis have no order");
    if (plan->restBits > 0 && !op.getScratchOffset())
      return op.emitError("lowering: reduction across warps without a place in shared memory");
    SmallVector<Partial> partials(registersOf(op.getSources().front().getType()));
    for (ValueRange source : adaptor.getSources())
      for (auto [partial, value] : llvm::zip(partials, source))
        partial.push_back(value);
    SmallVector<Partial> combined =
        ReductionEmitter(op, *plan, context, rewriter).run(std::move(partials));
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (const Partial &partial : combined)
      for (auto [all, value] : llvm::zip(results, partial))
        all.push_back(value);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

} // namespace

void tilec::populateReducePatterns(RewritePatternSet &patterns, KernelContext &context) {
  patterns.add<ReducePattern>(context, patterns.getContext());
}
