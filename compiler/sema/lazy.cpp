// Operands that are evaluated only when needed: `c ? a : b`, `a && b`, `a || b` on scalars.
//
// Both sides are written into regions of their own first. When nothing in them could do harm where
// the program would not have run it, they are moved up and the choice is one arithmetic operation;
// otherwise the choice is an scf.if.
#include "compiler/sema/evaluator.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilec::sema {

using ast::Expr;

Value Evaluator::evaluateConditional(const Expr &expr) {
  const Expr &conditionExpr = *expr.operands[0];
  std::optional<Value> condition =
      this->condition(evaluate(conditionExpr), conditionExpr.range, "the condition of '? :'");
  if (!condition)
    return ErrorValue{};
  if (const bool *known = condition->as<bool>())
    return evaluate(*expr.operands[*known ? 1 : 2]);
  return lazySelect(
      *condition->runtime(), [&] { return evaluate(*expr.operands[1]); },
      [&] { return evaluate(*expr.operands[2]); }, expr.range);
}

/// True when everything in `region` may run although the program would not have run it.
static bool isSpeculatable(mlir::Region &region) {
  return llvm::all_of(region.front(), [](mlir::Operation &operation) {
    return mlir::isMemoryEffectFree(&operation) && mlir::isSpeculatable(&operation);
  });
}

/// Moves the operations of `region` to where `builder` stands.
static void inlineAt(mlir::OpBuilder &builder, mlir::Region &region) {
  mlir::Block *target = builder.getInsertionBlock();
  target->getOperations().splice(builder.getInsertionPoint(), region.front().getOperations());
}

Value Evaluator::lazySelect(const RuntimeValue &condition, llvm::function_ref<Value()> whenTrue,
                            llvm::function_ref<Value()> whenFalse, SourceRange range) {
  mlir::Region thenRegion, elseRegion;
  Value thenValue, elseValue;
  buildIn(thenRegion, [&] { thenValue = whenTrue(); });
  buildIn(elseRegion, [&] { elseValue = whenFalse(); });
  setLocation(range);
  if (isSpeculatable(thenRegion) && isSpeculatable(elseRegion)) {
    inlineAt(emit.builder, thenRegion);
    inlineAt(emit.builder, elseRegion);
    RuntimeValue first, second;
    if (!unify(thenValue, elseValue, first, second, range))
      return ErrorValue{};
    return emit.select(condition, first, second);
  }
  // A branch that loads or divides must not run when it is not taken.
  std::optional<TileType> type = commonType(thenValue, elseValue, range);
  if (!type) {
    discard(thenRegion);
    discard(elseRegion);
    return ErrorValue{};
  }
  auto finish = [&](mlir::Region &region, const Value &value) {
    mlir::OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPointToEnd(&region.front());
    mlir::scf::YieldOp::create(emit.builder, emit.loc, convertTo(value, *type).ir);
  };
  finish(thenRegion, thenValue);
  finish(elseRegion, elseValue);
  auto branch = mlir::scf::IfOp::create(emit.builder, emit.loc, emit.mlirType(*type), condition.ir,
                                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  branch.getThenRegion().takeBody(thenRegion);
  branch.getElseRegion().takeBody(elseRegion);
  return emit.leaf(branch.getResult(0), *type);
}

Value Evaluator::shortCircuit(ast::BinaryOp op, const RuntimeValue &left, const Expr &rightExpr,
                              SourceRange range) {
  mlir::Region region;
  Value right;
  buildIn(region, [&] { right = evaluate(rightExpr); });
  auto takeRight = [&]() -> Value {
    inlineAt(emit.builder, region);
    return right;
  };
  if (isSpeculatable(region)) {
    takeRight();
    return binary(op, left, right, range);
  }
  if (!right.isError() &&
      !(right.isNumeric() && typeOf(right) == typeOf(right).withElement({Scalar::Bool}))) {
    discard(region);
    return fail(range, std::string("'") + ast::spelling(op) +
                           "' needs bool operands, but one side is " + describe(right));
  }
  if (op == ast::BinaryOp::LogicalAnd)
    return lazySelect(left, takeRight, [] { return Value(false); }, range);
  return lazySelect(left, [] { return Value(true); }, takeRight, range);
}

} // namespace tilec::sema
