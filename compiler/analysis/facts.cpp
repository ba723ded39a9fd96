// The solver: a sparse worklist over the operations of a function, in program order.
//
// A value has no facts until its operation was visited; an operation is visited when all operands
// have facts, and again when one of them changes. Control flow is structured, so the only cycles go
// through the carried arguments of loops: they alone accumulate (join with what they had, then
// widen), which bounds how often they change; everything between is recomputed from its operands.
// Taking the earliest operation first lets an inner loop settle before what follows is looked at.
//
// Promises are decoded before solving. A bound in a promise may be a value whose range the solution
// tells, so the whole is repeated while the promises sharpen, a few times at most.
#include "compiler/analysis/facts.h"

#include "compiler/analysis/facts_promises.h"
#include "compiler/analysis/facts_transfer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <set>
#include <unordered_map>

using namespace mlir;
using namespace tilec;
using namespace tilec::facts;

/// How often a loop-carried range may grow before it is widened: enough for a flag or a small
/// state to keep its range.
static constexpr unsigned kGrowthsBeforeWidening = 3;
/// Rounds of promises; each sharpens bounds that are one more promise away from a constant.
static constexpr unsigned kPromiseRounds = 4;

namespace {

using FactMap = llvm::DenseMap<Value, ValueFacts>;

class Solver {
public:
  Solver(Operation *function, const Promises &promises) : promises_(promises) { prepare(function); }

  FactMap solve();

private:
  void prepare(Operation *function);
  void visit(Operation *op);
  void visitFor(scf::ForOp loop);
  void visitIf(scf::IfOp branch);
  void visitWhile(scf::WhileOp loop);

  bool isKnown(ValueRange values) const;
  void store(Value value, ValueFacts facts);
  /// `value` is what any of the `incoming` ones is.
  void storeJoined(Value value, ArrayRef<Value> incoming);
  /// The same for an argument that a loop carries.
  void accumulate(BlockArgument argument, ArrayRef<Value> incoming);
  std::optional<ValueFacts> joined(ArrayRef<Value> incoming, Type type) const;

  const Promises &promises_;
  FactMap facts_;
  llvm::DenseMap<Value, unsigned> growths_;
  std::vector<Operation *> order_;
  llvm::DenseMap<Operation *, unsigned> position_;
  std::set<unsigned> worklist_;
};

} // namespace

/// Arguments that nothing below computes are known to be anything.
static bool hasComputedArguments(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp>(op);
}

void Solver::prepare(Operation *function) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    position_[op] = order_.size();
    worklist_.insert(order_.size());
    order_.push_back(op);
  });
  for (Operation *op : order_)
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (!hasComputedArguments(op) || !block.isEntryBlock())
            store(argument, FactAnalysis::pessimistic(argument.getType()));
}

FactMap Solver::solve() {
  while (!worklist_.empty()) {
    unsigned next = *worklist_.begin();
    worklist_.erase(worklist_.begin());
    visit(order_[next]);
  }
  return std::move(facts_);
}

bool Solver::isKnown(ValueRange values) const {
  return llvm::all_of(values, [&](Value value) { return facts_.contains(value); });
}

void Solver::store(Value value, ValueFacts facts) {
  if (auto promise = promises_.find(value); promise != promises_.end())
    refine(facts, promise->second, value.getType());
  auto [entry, isNew] = facts_.try_emplace(value);
  if (!isNew && entry->second == facts)
    return;
  entry->second = std::move(facts);
  for (Operation *user : value.getUsers())
    if (auto position = position_.find(user); position != position_.end())
      worklist_.insert(position->second);
}

std::optional<ValueFacts> Solver::joined(ArrayRef<Value> incoming, Type type) const {
  std::optional<ValueFacts> result;
  for (Value value : incoming)
    if (auto known = facts_.find(value); known != facts_.end())
      result = result ? join(*result, known->second, type) : known->second;
  return result;
}

void Solver::storeJoined(Value value, ArrayRef<Value> incoming) {
  if (std::optional<ValueFacts> facts = joined(incoming, value.getType()))
    store(value, std::move(*facts));
}

void Solver::accumulate(BlockArgument argument, ArrayRef<Value> incoming) {
  Type type = argument.getType();
  std::optional<ValueFacts> facts = joined(incoming, type);
  if (!facts)
    return;
  if (auto old = facts_.find(argument); old != facts_.end()) {
    facts = join(old->second, *facts, type);
    if (facts->range != old->second.range && ++growths_[argument] > kGrowthsBeforeWidening)
      widen(old->second, *facts, type);
  }
  store(argument, std::move(*facts));
}

void Solver::visit(Operation *op) {
  // A terminator hands its operands to the operation around it.
  if (op->hasTrait<OpTrait::IsTerminator>() && op->getParentOp())
    if (auto parent = position_.find(op->getParentOp()); parent != position_.end())
      worklist_.insert(parent->second);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) { visitFor(loop); })
      .Case([&](scf::IfOp branch) { visitIf(branch); })
      .Case([&](scf::WhileOp loop) { visitWhile(loop); })
      .Default([&](Operation *other) {
        if (!isKnown(other->getOperands()))
          return;
        auto lookup = [&](Value value) -> const ValueFacts & { return facts_.find(value)->second; };
        for (auto [result, facts] : llvm::zip(other->getResults(), transfer(other, lookup)))
          store(result, std::move(facts));
      });
}

/// lower, lower + step, ... below upper.
static ValueFacts inductionFacts(scf::ForOp loop, const ValueFacts &lower, const ValueFacts &upper,
                                 const ValueFacts &step) {
  Type type = loop.getInductionVar().getType();
  ValueFacts facts = FactAnalysis::pessimistic(type);
  facts.divisibility[0] = std::min(lower.divisibility[0], step.divisibility[0]);
  bool comparesSigned = !loop.getUnsignedCmp() || (lower.range.min >= 0 && upper.range.min >= 0);
  if (step.range.min >= 1 && comparesSigned) {
    facts.range.min = lower.range.min;
    // When no iteration can run any range will do, as long as it is one.
    if (upper.range.max > INT64_MIN)
      facts.range.max = std::max(lower.range.min, upper.range.max - 1);
  }
  normalize(facts, type);
  return facts;
}

void Solver::visitFor(scf::ForOp loop) {
  Value bounds[] = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (isKnown(bounds))
    store(loop.getInductionVar(),
          inductionFacts(loop, facts_.find(bounds[0])->second, facts_.find(bounds[1])->second,
                         facts_.find(bounds[2])->second));
  ValueRange yielded = loop.getYieldedValues();
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value incoming[] = {loop.getInitArgs()[index], yielded[index]};
    accumulate(argument, incoming);
    storeJoined(loop.getResult(index), incoming);
  }
}

void Solver::visitIf(scf::IfOp branch) {
  if (branch.getNumResults() == 0)
    return;
  for (OpResult result : branch.getResults()) {
    Value incoming[] = {branch.thenYield().getOperand(result.getResultNumber()),
                        branch.elseYield().getOperand(result.getResultNumber())};
    storeJoined(result, incoming);
  }
}

void Solver::visitWhile(scf::WhileOp loop) {
  ValueRange yielded = loop.getYieldOp()->getOperands();
  for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments()))
    accumulate(argument, {loop.getInits()[index], yielded[index]});
  for (auto [index, passed] : llvm::enumerate(loop.getConditionOp().getArgs())) {
    storeJoined(loop.getAfterArguments()[index], {passed});
    storeJoined(loop.getResult(index), {passed});
  }
}

//===--- FactAnalysis ------------------------------------------------------------------------===//

struct FactAnalysis::State {
  FactMap facts;
  /// Pessimistic facts handed out for values that the solution lacks, by type.
  std::unordered_map<const void *, ValueFacts> unseen;
};

FactAnalysis::FactAnalysis(Operation *function) : state_(std::make_unique<State>()) {
  Promises promises = collectPromises(function, [](Value) { return nullptr; });
  for (unsigned round = 1;; ++round) {
    state_->facts = Solver(function, promises).solve();
    if (promises.empty() || round == kPromiseRounds)
      return;
    Promises sharper = collectPromises(function, [&](Value value) -> const ValueFacts * {
      auto known = state_->facts.find(value);
      return known == state_->facts.end() ? nullptr : &known->second;
    });
    if (sharper == promises)
      return;
    promises = std::move(sharper);
  }
}

FactAnalysis::~FactAnalysis() = default;
FactAnalysis::FactAnalysis(FactAnalysis &&) noexcept = default;

const ValueFacts &FactAnalysis::of(Value value) const {
  if (auto known = state_->facts.find(value); known != state_->facts.end())
    return known->second;
  return state_->unseen
      .try_emplace(value.getType().getAsOpaquePointer(), pessimistic(value.getType()))
      .first->second;
}
