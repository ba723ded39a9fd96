#include "compiler/analysis/limiting_argument.h"

#include "compiler/analysis/facts_lattice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;
using namespace tilec;
using namespace tilec::facts;

/// Values looked at before giving up: a remark is not worth a walk through the whole function.
static constexpr unsigned kSearchLimit = 200;

std::string LimitingArgument::clause() const {
  std::string count = std::to_string(needed);
  if (isPointer)
    return "specialize aligned(" + name + ", " + count + ")";
  return "specialize " + name + (equal ? " == " + count : " % " + count + " == 0");
}

namespace {

using Found = std::optional<LimitingArgument>;

/// A depth-first search, stopped by a budget that all branches share.
class Search {
public:
  explicit Search(const FactAnalysis &facts) : facts_(facts) {}

  Found divisor(Value value, unsigned dim, int64_t run, int64_t needed);
  Found stride(Value value, unsigned dim, int64_t run);
  Found bound(Value mask, unsigned dim, int64_t run);

private:
  Operand operand(Value value) const { return Operand(facts_.of(value), value.getType()); }
  bool exhausted() { return ++visited_ > kSearchLimit; }
  Found divisorOfArgument(BlockArgument argument, unsigned dim, int64_t run, int64_t needed);
  Found divisorOfAny(OperandRange values, unsigned dim, int64_t run, int64_t needed);

  const FactAnalysis &facts_;
  unsigned visited_ = 0;
};

} // namespace

static Found namedArgument(Value value, int64_t needed, bool equal) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!function || !argument.getOwner()->isEntryBlock())
    return std::nullopt;
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr);
  if (!name)
    return std::nullopt;
  return LimitingArgument{name.str(), isa<tile::PointerType>(value.getType()), needed, equal};
}

/// The operand that an operation passes on without arithmetic, and the dim of it that `dim` was.
static std::pair<Value, unsigned> passedOn(Operation *op, unsigned dim) {
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    if (dim == expand.getAxis())
      return {};
    return {expand.getSource(), dim > expand.getAxis() ? dim - 1 : dim};
  }
  if (auto permute = dyn_cast<tile::PermuteOp>(op); permute && dim < permute.getOrder().size())
    return {permute.getSource(), static_cast<unsigned>(permute.getOrder()[dim])};
  if (isa<tile::SplatOp, tile::BroadcastOp, tile::ConvertLayoutOp, tile::MultipleOfOp,
          tile::MaxContiguousOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
          arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return {op->getOperand(0), dim};
  return {};
}

Found Search::divisorOfAny(OperandRange values, unsigned dim, int64_t run, int64_t needed) {
  for (Value value : values)
    if (Found found = divisor(value, dim, run, needed))
      return found;
  return std::nullopt;
}

Found Search::divisorOfArgument(BlockArgument argument, unsigned dim, int64_t run, int64_t needed) {
  if (Found found = namedArgument(argument, needed, false))
    return found;
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return std::nullopt;
  Value first = loop.getLowerBound(), next = loop.getStep();
  if (argument != loop.getInductionVar()) {
    first = loop.getTiedLoopInit(argument)->get();
    next = loop.getTiedLoopYieldedValue(argument)->get();
  }
  if (Found found = divisor(first, dim, run, needed))
    return found;
  return divisor(next, dim, run, needed);
}

Found Search::divisor(Value value, unsigned dim, int64_t run, int64_t needed) {
  if (exhausted() || needed <= 1 || operand(value).divisorAt(dim, run) >= needed)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return divisorOfArgument(argument, dim, run, needed);
  Operation *op = value.getDefiningOp();
  if (auto [source, sourceDim] = passedOn(op, dim); source)
    return divisor(source, sourceDim, run, needed);
  if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
    if (Found found = divisor(add.getPtr(), dim, run, needed))
      return found;
    return divisor(add.getOffset(), dim, run,
                   std::max<int64_t>(1, needed / stepSize(value.getType())));
  }
  if (isa<arith::MulIOp>(op)) {
    for (unsigned index : {0u, 1u}) {
      int64_t other = operand(op->getOperand(1 - index)).divisor();
      if (Found found = divisor(op->getOperand(index), dim, 1, needed / std::min(other, needed)))
        return found;
    }
    return std::nullopt;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return divisorOfAny(op->getOperands().drop_front(), dim, run, needed);
  if (isa<arith::AddIOp, arith::SubIOp, arith::OrIOp, arith::XOrIOp, arith::RemSIOp, arith::RemUIOp,
          arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op))
    return divisorOfAny(op->getOperands(), dim, run, needed);
  return std::nullopt;
}

Found Search::stride(Value value, unsigned dim, int64_t run) {
  Operation *op = value.getDefiningOp();
  if (exhausted() || !op || operand(value).contiguity(dim) >= run)
    return std::nullopt;
  if (auto [source, sourceDim] = passedOn(op, dim); source)
    return stride(source, sourceDim, run);
  if (isa<arith::MulIOp>(op)) {
    for (unsigned index : {0u, 1u}) {
      if (operand(op->getOperand(1 - index)).contiguity(dim) < run)
        continue;
      // The other factor is the stride, once what only spreads it over the tile is looked through.
      Value factor = op->getOperand(index);
      while (Operation *spread = factor.getDefiningOp()) {
        Value source = passedOn(spread, 0).first;
        if (isa<tile::ExpandDimsOp>(spread))
          source = spread->getOperand(0);
        if (!source || exhausted())
          break;
        factor = source;
      }
      if (Found found = namedArgument(factor, 1, true))
        return found;
    }
    return std::nullopt;
  }
  if (isa<tile::AddPtrOp, arith::AddIOp, arith::SubIOp>(op))
    for (Value part : op->getOperands())
      if (operand(part).constancy(dim) < run)
        if (Found found = stride(part, dim, run))
          return found;
  return std::nullopt;
}

Found Search::bound(Value mask, unsigned dim, int64_t run) {
  Operation *op = mask.getDefiningOp();
  if (exhausted() || !op || operand(mask).constancy(dim) >= run)
    return std::nullopt;
  if (auto [source, sourceDim] = passedOn(op, dim); source)
    return bound(source, sourceDim, run);
  if (isa<arith::CmpIOp>(op)) {
    // One side walks through runs, the other stays: both must be multiples of the run.
    for (Value side : op->getOperands())
      if (operand(side).constancy(dim) >= run || operand(side).contiguity(dim) >= run)
        if (Found found = divisor(side, dim, run, run))
          return found;
    return std::nullopt;
  }
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    for (Value part : op->getOperands())
      if (Found found = bound(part, dim, run))
        return found;
  return std::nullopt;
}

Found facts::limitingDivisor(const FactAnalysis &facts, Value value, unsigned dim, int64_t run,
                             int64_t needed) {
  return Search(facts).divisor(value, dim, run, needed);
}

Found facts::limitingStride(const FactAnalysis &facts, Value value, unsigned dim, int64_t run) {
  return Search(facts).stride(value, dim, run);
}

Found facts::limitingBound(const FactAnalysis &facts, Value mask, unsigned dim, int64_t run) {
  return Search(facts).bound(mask, dim, run);
}
