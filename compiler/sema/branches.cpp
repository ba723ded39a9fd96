// `if`, at compile time and at run time, and `return` under it.
//
// A run-time `if` becomes an scf.if whose results are the variables that a branch changed. A path
// that returned must not run what follows the `if`. So:
//   - when one side returned, what follows is moved into the other side;
//   - when only some paths of a side returned (nested `if`s), the scf.if also yields whether
//   control
//     goes on, and what follows stands under an scf.if on that.
// The end of a function's body is a return, so at the outermost level nothing is left over.
#include "compiler/sema/evaluator.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec::sema {

using ast::Stmt;

/// One side of a run-time `if`.
struct Branch {
  mlir::Region region;
  Flow flow = Flow::Falls;
  std::vector<Value> values;   ///< of the variables, at its end
  std::optional<Value> result; ///< what it returned, on the paths that returned
  mlir::Value live;            ///< Flow::Maybe
};

Flow Evaluator::executeElse(const Stmt &statement) {
  if (statement.elseBody)
    return execute(*statement.elseBody);
  if (statement.elseIf) {
    bool restTaken = false;
    return executeIf(*statement.elseIf, nullptr, 0, restTaken);
  }
  return Flow::Falls;
}

/// Writes `body` at the end of the branch, starting from the variables' values there.
void Evaluator::runBranch(Branch &branch, const std::vector<Variable *> &variables,
                          llvm::function_ref<Flow()> body) {
  mlir::OpBuilder::InsertionGuard guard(emit.builder);
  if (branch.region.empty())
    emit.builder.createBlock(&branch.region);
  else
    emit.builder.setInsertionPointToEnd(&branch.region.front());
  std::vector<Value> before;
  for (size_t i = 0; i < variables.size(); ++i) {
    before.push_back(variables[i]->value);
    if (!branch.values.empty())
      variables[i]->value = branch.values[i];
  }
  frame().result = branch.result;
  frame().live = branch.live;
  branch.flow = body();
  branch.result = frame().result;
  branch.live = frame().live;
  branch.values.clear();
  for (size_t i = 0; i < variables.size(); ++i) {
    branch.values.push_back(variables[i]->value);
    variables[i]->value = before[i];
  }
  frame().result.reset();
}

Flow Evaluator::executeIf(const Stmt &statement, const ast::Block *rest, size_t restFirst,
                          bool &restTaken) {
  std::optional<Value> condition =
      this->condition(evaluate(*statement.value), statement.value->range, "the condition of 'if'");
  if (!condition) {
    // Both sides are still worth checking.
    execute(statement.body);
    executeElse(statement);
    return Flow::Falls;
  }
  if (const bool *known = condition->as<bool>())
    return *known ? execute(statement.body) : executeElse(statement);
  std::vector<Variable *> variables = environment().variables();
  Branch whenTrue, whenFalse;
  runBranch(whenTrue, variables, [&] { return execute(statement.body); });
  runBranch(whenFalse, variables, [&] { return executeElse(statement); });
  bool trueReturns = whenTrue.flow == Flow::Returns, falseReturns = whenFalse.flow == Flow::Returns;
  if (rest && trueReturns != falseReturns) {
    restTaken = true;
    Branch &other = trueReturns ? whenFalse : whenTrue;
    runBranch(other, variables, [&] {
      return other.flow == Flow::Maybe ? executeWhileLive(*rest, restFirst)
                                       : executeFrom(*rest, restFirst);
    });
  }
  setLocation(statement.range);
  return joinBranches(condition->runtime()->ir, whenTrue, whenFalse, variables, statement.range);
}

Flow Evaluator::executeWhileLive(const ast::Block &block, size_t first) {
  bool isEmpty = first == block.statements.size(), isOutermost = &block == frame().body;
  if (isEmpty && !isOutermost)
    return Flow::Maybe;
  if (isEmpty && frame().isKernel)
    return Flow::Returns;
  std::vector<Variable *> variables = environment().variables();
  mlir::Value live = frame().live;
  std::optional<Value> result = frame().result;
  Branch goesOn, returned;
  runBranch(goesOn, variables, [&] { return executeFrom(block, first); });
  runBranch(returned, variables, [&] {
    frame().result = result;
    return Flow::Returns;
  });
  setLocation(block.range);
  return joinBranches(live, goesOn, returned, variables, block.range);
}

namespace {
/// The values that leave an scf.if under construction.
class BranchJoin {
public:
  BranchJoin(Evaluator &evaluator, Branch &whenTrue, Branch &whenFalse, SourceRange range)
      : evaluator_(evaluator), sides_{&whenTrue, &whenFalse}, range_(range) {}

  /// Adds a value that is `first` or `second`; returns its number.
  size_t add(const Value &first, const Value &second, const std::string &what);
  /// Stands for the result of the side that has none: never read.
  Value filler(const Value &like, Branch &side);
  /// Makes the scf.if.
  void finish(mlir::Value condition);
  Value value(size_t number);

private:
  struct Part {
    Value value;
    std::optional<size_t> result; ///< of the scf.if
  };
  struct Entry {
    Value structure;
    std::vector<Part> parts;
  };
  Part join(const Value &first, const Value &second, const std::string &what);
  mlir::Value atEnd(Branch &side, llvm::function_ref<mlir::Value()> emit);

  Evaluator &evaluator_;
  Branch *sides_[2];
  SourceRange range_;
  std::vector<Entry> entries_;
  std::vector<TileType> types_;
  std::vector<mlir::Value> yields_[2];
  mlir::scf::IfOp branch_;
};
} // namespace

mlir::Value BranchJoin::atEnd(Branch &side, llvm::function_ref<mlir::Value()> emit) {
  mlir::OpBuilder::InsertionGuard guard(evaluator_.emit.builder);
  evaluator_.emit.builder.setInsertionPointToEnd(&side.region.front());
  return emit();
}

BranchJoin::Part BranchJoin::join(const Value &first, const Value &second,
                                  const std::string &what) {
  if (identical(first, second) || first.isError())
    return {first, std::nullopt};
  if (second.isError())
    return {second, std::nullopt};
  bool isNumeric = first.isNumeric() && second.isNumeric();
  bool fits =
      isNumeric && (typeOf(first) == typeOf(second) || first.isUntyped() || second.isUntyped());
  if (!fits) {
    std::string hint =
        isNumeric ? "" : "; under a run-time condition only numbers and tiles may differ";
    return {evaluator_.fail(range_, what + " is " + describe(first) + " on one path and " +
                                        describe(second) + " on another" + hint),
            std::nullopt};
  }
  std::optional<TileType> type = evaluator_.commonType(first, second, range_);
  if (!type)
    return {};
  const Value *values[] = {&first, &second};
  for (unsigned side = 0; side < 2; ++side)
    yields_[side].push_back(
        atEnd(*sides_[side], [&] { return evaluator_.convertTo(*values[side], *type).ir; }));
  types_.push_back(*type);
  return {Value(), types_.size() - 1};
}

size_t BranchJoin::add(const Value &first, const Value &second, const std::string &what) {
  std::vector<Value> firstParts, secondParts;
  flatten(first, firstParts);
  flatten(second, secondParts);
  Entry entry;
  if (firstParts.size() != secondParts.size()) {
    entry.parts.push_back(
        {evaluator_.fail(range_, what + " is " + describe(first) + " on one path and " +
                                     describe(second) + " on another"),
         std::nullopt});
  } else {
    entry.structure = first;
    for (size_t i = 0; i < firstParts.size(); ++i)
      entry.parts.push_back(join(firstParts[i], secondParts[i], what));
  }
  entries_.push_back(std::move(entry));
  return entries_.size() - 1;
}

Value BranchJoin::filler(const Value &like, Branch &side) {
  std::vector<Value> parts;
  flatten(like, parts);
  for (Value &part : parts) {
    if (!part.isNumeric())
      continue;
    TileType type = typeOf(part);
    if (type.isPointer())
      return evaluator_.fail(range_, "a pointer is returned on some paths only; give every path "
                                     "of the 'if' a return");
    atEnd(side, [&] {
      RuntimeValue zero =
          evaluator_.emit.constant(IntConstant{0, std::nullopt}, type.element.scalar, type.shape);
      part = zero;
      return zero.ir;
    });
  }
  llvm::ArrayRef<Value> rest = parts;
  return withParts(like, rest);
}

void BranchJoin::finish(mlir::Value condition) {
  mlir::OpBuilder &builder = evaluator_.emit.builder;
  llvm::SmallVector<mlir::Type> types;
  for (const TileType &type : types_)
    types.push_back(evaluator_.emit.mlirType(type));
  branch_ = mlir::scf::IfOp::create(builder, evaluator_.emit.loc, types, condition,
                                    /*addThenBlock=*/false, /*addElseBlock=*/false);
  for (unsigned side = 0; side < 2; ++side) {
    mlir::Region &region = sides_[side]->region;
    if (side == 1 && types.empty() && region.front().empty())
      continue; // no else part
    atEnd(*sides_[side], [&] {
      mlir::scf::YieldOp::create(builder, evaluator_.emit.loc, yields_[side]);
      return mlir::Value();
    });
    (side == 0 ? branch_.getThenRegion() : branch_.getElseRegion()).takeBody(region);
  }
}

Value BranchJoin::value(size_t number) {
  const Entry &entry = entries_[number];
  std::vector<Value> parts;
  for (const Part &part : entry.parts)
    parts.push_back(part.result ? Value(evaluator_.emit.leaf(branch_.getResult(*part.result),
                                                             types_[*part.result]))
                                : part.value);
  llvm::ArrayRef<Value> rest = parts;
  return withParts(entry.structure, rest);
}

/// Whether control goes on at the end of the branch.
static Value liveness(Emitter &emit, const Branch &branch) {
  if (branch.flow == Flow::Maybe)
    return emit.leaf(branch.live, TileType(Scalar::Bool));
  return branch.flow == Flow::Falls;
}

Flow Evaluator::joinBranches(mlir::Value condition, Branch &whenTrue, Branch &whenFalse,
                             const std::vector<Variable *> &variables, SourceRange range) {
  Flow flow = whenTrue.flow == whenFalse.flow ? whenTrue.flow : Flow::Maybe;
  BranchJoin join(*this, whenTrue, whenFalse, range);
  std::vector<size_t> changed;
  if (flow != Flow::Returns)
    for (size_t i = 0; i < variables.size(); ++i)
      changed.push_back(
          join.add(whenTrue.values[i], whenFalse.values[i], "'" + variables[i]->name + "'"));
  std::optional<size_t> live, result;
  if (flow == Flow::Maybe)
    live = join.add(liveness(emit, whenTrue), liveness(emit, whenFalse), "");
  if (whenTrue.result && whenFalse.result)
    result = join.add(*whenTrue.result, *whenFalse.result, "what is returned");
  else if (whenTrue.result)
    result = join.add(*whenTrue.result, join.filler(*whenTrue.result, whenFalse), "");
  else if (whenFalse.result)
    result = join.add(join.filler(*whenFalse.result, whenTrue), *whenFalse.result, "");
  join.finish(condition);
  for (size_t i = 0; i < changed.size(); ++i)
    variables[i]->value = join.value(changed[i]);
  frame().live = nullptr;
  if (live) {
    Value value = join.value(*live);
    if (const RuntimeValue *runtime = value.runtime())
      frame().live = runtime->ir;
    else // both sides end alike
      frame().live = emit.constant(*value.constant(), Scalar::Bool).ir;
  }
  frame().result.reset();
  if (result)
    frame().result = join.value(*result);
  return flow;
}

} // namespace tilec::sema
