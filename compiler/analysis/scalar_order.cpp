// A search through the few operations that keep an order, and through the comparisons that hold at
// a place. Each step leads from the question to an easier one.
#include "compiler/analysis/scalar_order.h"

#include "compiler/analysis/facts_lattice.h"
#include "compiler/analysis/facts_transfer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tilec;

using arith::CmpIPredicate;

/// Longest chain of steps that is tried.
static constexpr unsigned kMaxSteps = 16;

ScalarOrder::ScalarOrder(Operation *function, const FactAnalysis &facts) : facts_(facts) {
  function->walk([&](Operation *op) {
    if (auto assume = dyn_cast<tile::AssumeOp>(op)) {
      collect(assume.getCondition(), true, {{}, {}, CmpIPredicate::eq, op, nullptr});
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      collect(branch.getCondition(), true,
              {{}, {}, CmpIPredicate::eq, nullptr, &branch.getThenRegion()});
      collect(branch.getCondition(), false,
              {{}, {}, CmpIPredicate::eq, nullptr, &branch.getElseRegion()});
    }
  });
}

/// The comparisons that `condition` stands for when it is `holds`.
void ScalarOrder::collect(Value condition, bool holds, const Relation &scope) {
  SmallVector<Value> work = {condition};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (holds ? isa<arith::AndIOp>(op) : isa<arith::OrIOp>(op)) {
      work.append({op->getOperand(0), op->getOperand(1)});
      continue;
    }
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (!compare || !facts::isInteger(compare.getLhs().getType()) ||
        tile::isTile(compare.getLhs().getType()))
      continue;
    Relation relation = scope;
    relation.left = plain(compare.getLhs());
    relation.right = plain(compare.getRhs());
    relation.predicate =
        holds ? compare.getPredicate() : arith::invertPredicate(compare.getPredicate());
    relations_.push_back(relation);
  }
}

Value ScalarOrder::plain(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getNumOperands() != 1)
      break;
    Value source = op->getOperand(0);
    const IntegerRange &range = facts_.of(source).range;
    bool keeps = isa<arith::ExtSIOp, tile::MultipleOfOp, tile::MaxContiguousOp>(op) ||
                 (isa<arith::ExtUIOp>(op) && range.min >= 0);
    if (isa<arith::TruncIOp>(op)) {
      IntegerRange kept = facts::fullRange(value.getType());
      keeps = range.min >= kept.min && range.max <= kept.max;
    }
    if (!keeps)
      break;
    value = source;
  }
  return value;
}

/// What is left to be shown of the chain from the first value, a multiple of the step, to the
/// second.
enum class ScalarOrder::Wanted : unsigned {
  Less,     ///< a link that is `<`, and a multiple of the step behind it
  Multiple, ///< a multiple of the step: being above the first, it is so by a step
  AtMost    ///< nothing but `<=`
};

/// What is asked, and the steps that were tried: each is tried once.
struct ScalarOrder::Question {
  Value second;
  Operation *at;
  int64_t step = 1;
  llvm::SmallDenseSet<std::pair<Value, unsigned>, 8> tried = {}; ///< values, and what is wanted
};

bool ScalarOrder::isBelow(Value first, Value second, Operation *at, int64_t step) {
  Question question{plain(second), at, step};
  return isMultiple(plain(first), step) && holds(question, plain(first), Wanted::Less, 0);
}
bool ScalarOrder::isAtMost(Value first, Value second, Operation *at) {
  Question question{plain(second), at};
  return holds(question, plain(first), Wanted::AtMost, 0);
}

bool ScalarOrder::isMultiple(Value value, int64_t step) const {
  return facts::Operand(facts_.of(value), value.getType()).divisor() >= step;
}

bool ScalarOrder::appliesAt(const Relation &relation, Operation *at) {
  return relation.promise ? dominance_.properlyDominates(relation.promise, at)
                          : relation.region->isAncestor(at->getParentRegion());
}

/// first < left and left <= second and the like: the relation as one link of the chain.
bool ScalarOrder::holdsBy(const Relation &relation, Question &question, Value first, Wanted wanted,
                          unsigned depth) {
  auto link = [&](Value low, Value high, CmpIPredicate predicate) {
    if (low != first)
      return false;
    bool isEqual = predicate == CmpIPredicate::eq;
    bool isLess = predicate == CmpIPredicate::slt, isAtMost = predicate == CmpIPredicate::sle;
    // Below a number without a sign bit, unsigned is signed.
    if (facts_.of(high).range.min >= 0) {
      isLess |= predicate == CmpIPredicate::ult;
      isAtMost |= predicate == CmpIPredicate::ule;
    }
    if (!isEqual && !isLess && !isAtMost)
      return false;
    Wanted left = isLess && wanted == Wanted::Less ? Wanted::Multiple : wanted;
    return holds(question, high, left, depth + 1);
  };
  return link(relation.left, relation.right, relation.predicate) ||
         link(relation.right, relation.left, facts::swapped(relation.predicate));
}

/// x / c * c, which is at most x where x is not negative; null for another product.
static Value roundedDown(Value product, const FactAnalysis &facts) {
  auto multiply = product.getDefiningOp<arith::MulIOp>();
  if (!multiply)
    return {};
  for (auto [quotient, factor] : {std::pair(multiply.getLhs(), multiply.getRhs()),
                                  std::pair(multiply.getRhs(), multiply.getLhs())}) {
    auto divide = quotient.getDefiningOp<arith::DivSIOp>();
    std::optional<int64_t> step = facts.of(factor).constant;
    if (divide && step && *step > 0 && facts.of(divide.getRhs()).constant == step &&
        facts.of(divide.getLhs()).range.min >= 0)
      return divide.getLhs();
  }
  return {};
}

/// The chain's next link from the operation that made `first`.
bool ScalarOrder::holdsByOperation(Question &question, Value first, Wanted wanted, unsigned depth) {
  auto next = [&](Value value) { return holds(question, plain(value), wanted, depth + 1); };
  if (auto argument = dyn_cast<BlockArgument>(first)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar() || loop.getUnsignedCmp())
      return false;
    Wanted left = wanted == Wanted::Less ? Wanted::Multiple : wanted;
    return holds(question, plain(loop.getUpperBound()), left, depth + 1);
  }
  if (auto smaller = first.getDefiningOp<arith::MinSIOp>())
    return next(smaller.getLhs()) || next(smaller.getRhs());
  if (auto larger = first.getDefiningOp<arith::MaxSIOp>())
    return next(larger.getLhs()) && next(larger.getRhs());
  if (auto select = first.getDefiningOp<arith::SelectOp>())
    return next(select.getTrueValue()) && next(select.getFalseValue());
  if (Value source = roundedDown(first, facts_))
    return next(source);
  return false;
}

bool ScalarOrder::holds(Question &question, Value first, Wanted wanted, unsigned depth) {
  if (wanted == Wanted::Multiple && isMultiple(first, question.step))
    wanted = Wanted::AtMost;
  if (first == question.second && wanted == Wanted::AtMost)
    return true;
  const int64_t low = facts_.of(first).range.max, high = facts_.of(question.second).range.min;
  int64_t gap = wanted == Wanted::AtMost ? 0 : question.step;
  if (low <= INT64_MAX - gap && low + gap <= high)
    return true;
  if (depth >= kMaxSteps || !question.tried.insert({first, static_cast<unsigned>(wanted)}).second)
    return false;
  return holdsByOperation(question, first, wanted, depth) ||
         llvm::any_of(relations_, [&](const Relation &relation) {
           return appliesAt(relation, question.at) &&
                  holdsBy(relation, question, first, wanted, depth);
         });
}
