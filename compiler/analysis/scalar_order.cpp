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

/// What is asked, and the steps that were tried: each is tried once.
struct ScalarOrder::Question {
  Value second;
  Operation *at;
  llvm::SmallDenseSet<std::pair<Value, unsigned>, 8> tried = {}; ///< values, and whether strictly
};

bool ScalarOrder::isBelow(Value first, Value second, Operation *at) {
  Question question{plain(second), at};
  return holds(question, plain(first), true, 0);
}
bool ScalarOrder::isAtMost(Value first, Value second, Operation *at) {
  Question question{plain(second), at};
  return holds(question, plain(first), false, 0);
}

bool ScalarOrder::appliesAt(const Relation &relation, Operation *at) {
  return relation.promise ? dominance_.properlyDominates(relation.promise, at)
                          : relation.region->isAncestor(at->getParentRegion());
}

/// first < left and left <= second and the like: the relation as one link of the chain.
bool ScalarOrder::holdsBy(const Relation &relation, Question &question, Value first, bool strict,
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
    return holds(question, high, strict && !isLess, depth + 1);
  };
  return link(relation.left, relation.right, relation.predicate) ||
         link(relation.right, relation.left, facts::swapped(relation.predicate));
}

bool ScalarOrder::holds(Question &question, Value first, bool strict, unsigned depth) {
  if (first == question.second && !strict)
    return true;
  const IntegerRange low = facts_.of(first).range, high = facts_.of(question.second).range;
  if (strict ? low.max < high.min : low.max <= high.min)
    return true;
  if (depth >= kMaxSteps || !question.tried.insert({first, unsigned(strict)}).second)
    return false;
  auto next = [&](Value value, bool stillStrict) {
    return holds(question, plain(value), stillStrict, depth + 1);
  };
  if (auto argument = dyn_cast<BlockArgument>(first)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar() && !loop.getUnsignedCmp() &&
        next(loop.getUpperBound(), false))
      return true;
  } else if (auto smaller = first.getDefiningOp<arith::MinSIOp>()) {
    if (next(smaller.getLhs(), strict) || next(smaller.getRhs(), strict))
      return true;
  } else if (auto larger = first.getDefiningOp<arith::MaxSIOp>()) {
    if (next(larger.getLhs(), strict) && next(larger.getRhs(), strict))
      return true;
  } else if (auto select = first.getDefiningOp<arith::SelectOp>()) {
    if (next(select.getTrueValue(), strict) && next(select.getFalseValue(), strict))
      return true;
  }
  return llvm::any_of(relations_, [&](const Relation &relation) {
    return appliesAt(relation, question.at) && holdsBy(relation, question, first, strict, depth);
  });
}
