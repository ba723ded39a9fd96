#include "compiler/analysis/facts_promises.h"

#include "compiler/analysis/facts_transfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace mlir;
using namespace tilec;
using namespace tilec::facts;

using arith::CmpIPredicate;

namespace {

class Collector {
public:
  explicit Collector(Known known) : known_(known) {}

  void condition(Value value, Block *block);
  void constrain(Value value, Block *block, Promise promise);
  Promises take() { return std::move(promises_); }

private:
  void comparison(arith::CmpIOp compare, bool negated, Block *block);
  void compared(Value value, CmpIPredicate predicate, Value bound, Block *block);
  void isZero(Value value, Block *block);
  ValueFacts factsOf(Value value) const;

  Known known_;
  Promises promises_;
};

} // namespace

ValueFacts Collector::factsOf(Value value) const {
  if (const ValueFacts *facts = known_(value))
    return *facts;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constantFacts(constant, value.getType());
  return FactAnalysis::pessimistic(value.getType());
}

/// Splits conjunctions (and negated disjunctions) into comparisons.
void Collector::condition(Value value, Block *block) {
  SmallVector<std::pair<Value, bool>> work = {{value, false}};
  llvm::SmallPtrSet<Operation *, 8> seen[2]; // plain and negated
  while (!work.empty()) {
    auto [current, negated] = work.pop_back_val();
    Operation *op = current.getDefiningOp();
    if (!op || !seen[negated].insert(op).second)
      continue;
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      comparison(compare, negated, block);
    } else if (isa<arith::AndIOp>(op) ? !negated : isa<arith::OrIOp>(op) && negated) {
      work.push_back({op->getOperand(0), negated});
      work.push_back({op->getOperand(1), negated});
    } else if (isa<arith::XOrIOp>(op)) {
      for (unsigned index : {0u, 1u})
        if (std::optional<int64_t> constant = factsOf(op->getOperand(1 - index)).constant)
          work.push_back({op->getOperand(index), negated != (*constant != 0)});
    } else if (auto select = dyn_cast<arith::SelectOp>(op); select && !negated) {
      // `a ? b : false` is how a short-circuit `a && b` may arrive.
      if (factsOf(select.getFalseValue()).constant == 0) {
        work.push_back({select.getCondition(), false});
        work.push_back({select.getTrueValue(), false});
      }
    }
  }
}

void Collector::comparison(arith::CmpIOp compare, bool negated, Block *block) {
  if (!isInteger(compare.getLhs().getType()))
    return;
  CmpIPredicate predicate = compare.getPredicate();
  if (negated)
    predicate = arith::invertPredicate(predicate);
  compared(compare.getLhs(), predicate, compare.getRhs(), block);
  compared(compare.getRhs(), swapped(predicate), compare.getLhs(), block);
}

void Collector::compared(Value value, CmpIPredicate predicate, Value bound, Block *block) {
  ValueFacts own = factsOf(value), other = factsOf(bound);
  // Read as unsigned, numbers order as they do signed where no sign bit is set.
  bool boundPositive = other.range.min >= 0, bothPositive = boundPositive && own.range.min >= 0;
  Promise promise;
  switch (predicate) {
  case CmpIPredicate::eq:
    promise.range = other.range;
    promise.divisibility = Operand(other, bound.getType()).divisor();
    if (other.constant == 0)
      isZero(value, block);
    break;
  case CmpIPredicate::ne:
    promise.range = own.range;
    if (other.constant == own.range.min && own.range.min < own.range.max)
      ++promise.range.min;
    else if (other.constant == own.range.max && own.range.min < own.range.max)
      --promise.range.max;
    break;
  case CmpIPredicate::ult:
  case CmpIPredicate::ule:
    if (!boundPositive)
      return;
    promise.range.min = 0;
    [[fallthrough]];
  case CmpIPredicate::slt:
  case CmpIPredicate::sle: {
    bool strict = predicate == CmpIPredicate::ult || predicate == CmpIPredicate::slt;
    if (strict && other.range.max == INT64_MIN)
      return;
    promise.range.max = other.range.max - strict;
    break;
  }
  case CmpIPredicate::ugt:
  case CmpIPredicate::uge:
    if (!bothPositive)
      return;
    [[fallthrough]];
  case CmpIPredicate::sgt:
  case CmpIPredicate::sge: {
    bool strict = predicate == CmpIPredicate::ugt || predicate == CmpIPredicate::sgt;
    if (strict && other.range.min == INT64_MAX)
      return;
    promise.range.min = other.range.min + strict;
    break;
  }
  }
  constrain(value, block, promise);
}

/// `x % c == 0` and `x & mask == 0` say that x is divisible.
void Collector::isZero(Value value, Block *block) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    ValueFacts modulus = factsOf(op->getOperand(1));
    constrain(op->getOperand(0), block, {{}, Operand(modulus, value.getType()).divisor()});
  } else if (isa<arith::AndIOp>(op)) {
    for (unsigned index : {0u, 1u})
      if (std::optional<int64_t> mask = factsOf(op->getOperand(1 - index)).constant)
        constrain(op->getOperand(index), block,
                  {{}, powerOfTwo(llvm::countr_one(static_cast<uint64_t>(*mask)))});
  }
}

/// Constrains `value`, and what it was widened from.
void Collector::constrain(Value value, Block *block, Promise promise) {
  while (true) {
    if (value.getParentBlock() == block) {
      Promise &held = promises_[value];
      held.range.min = std::max(held.range.min, promise.range.min);
      held.range.max = std::min(held.range.max, promise.range.max);
      held.divisibility = std::max(held.divisibility, promise.divisibility);
    }
    Operation *op = value.getDefiningOp();
    if (!op || !isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
      return;
    Value source = op->getOperand(0);
    if (!isInteger(source.getType()) ||
        integerWidth(source.getType()) > integerWidth(value.getType()))
      return;
    if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op) &&
        integerWidth(source.getType()) < integerWidth(value.getType())) {
      // The source read as unsigned lies in the range; signed, it does too if no sign bit is set.
      bool positive = promise.range.max <= fullRange(source.getType()).max;
      promise.range = positive
                          ? IntegerRange{std::max<int64_t>(promise.range.min, 0), promise.range.max}
                          : IntegerRange{};
    }
    value = source;
  }
}

Promises facts::collectPromises(Operation *function, Known known) {
  Collector collector(known);
  function->walk([&](Operation *op) {
    if (auto assume = dyn_cast<tile::AssumeOp>(op))
      collector.condition(assume.getCondition(), op->getBlock());
    else if (auto aligned = dyn_cast<tile::AssumeAlignedOp>(op))
      if (int64_t alignment = aligned.getAlignment(); alignment > 0)
        collector.constrain(aligned.getPtr(), op->getBlock(), {{}, lowestBit(alignment)});
  });
  return collector.take();
}

void facts::refine(ValueFacts &facts, const Promise &promise, Type type) {
  IntegerRange range = {std::max(facts.range.min, promise.range.min),
                        std::min(facts.range.max, promise.range.max)};
  if (range.min <= range.max)
    facts.range = range;
  facts.divisibility[0] = std::max(facts.divisibility[0], promise.divisibility);
  normalize(facts, type);
}
