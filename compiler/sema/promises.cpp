// What a contract promises, as facts for the compiler.
//
// The launcher evaluates contracts with 64-bit integers, so the promise must be made in 64 bits
// too: in the argument's own width a product that wraps would promise something the launcher never
// checked. A bare argument (an extent or stride of a view counts as one), or its remainder by a
// constant, cannot wrap and stays in its own type, the form that fact analysis reads. Floats are
// left out: the launcher compares doubles.
#include "compiler/sema/contract_folding.h"
#include "compiler/sema/contracts.h"

namespace tilec::sema {

using ast::BinaryOp;

namespace {
class PromiseEmitter {
public:
  PromiseEmitter(Evaluator &evaluator, const std::vector<Value> &parameters, SourceRange range)
      : evaluator_(evaluator), parameters_(parameters), range_(range) {}

  void promise(const ContractExpr &expr);

private:
  std::optional<Value> condition(const ContractExpr &expr);
  std::optional<Value> comparison(BinaryOp op, const ContractExpr &left, const ContractExpr &right);
  std::optional<Value> narrow(const ContractExpr &expr, Scalar type);
  std::optional<Value> wide(const ContractExpr &expr);
  std::optional<Value> operation(BinaryOp op, const std::optional<Value> &left,
                                 const std::optional<Value> &right);
  const RuntimeValue *argument(const ContractExpr &expr) const;

  Evaluator &evaluator_;
  const std::vector<Value> &parameters_;
  SourceRange range_;
};
} // namespace

static std::optional<BinaryOp> binaryOperator(llvm::StringRef op) {
  static constexpr std::pair<const char *, BinaryOp> kOperators[] = {
      {"add", BinaryOp::Add},     {"sub", BinaryOp::Sub}, {"mul", BinaryOp::Mul},
      {"div", BinaryOp::Div},     {"rem", BinaryOp::Rem}, {"eq", BinaryOp::Eq},
      {"ne", BinaryOp::Ne},       {"lt", BinaryOp::Lt},   {"le", BinaryOp::Le},
      {"gt", BinaryOp::Gt},       {"ge", BinaryOp::Ge},   {"and", BinaryOp::LogicalAnd},
      {"or", BinaryOp::LogicalOr}};
  for (const auto &[name, value] : kOperators)
    if (op == name)
      return value;
  return std::nullopt;
}

/// A leaf that stands for a number of the launch.
static bool isArgument(const ContractExpr &expr) {
  return expr.op == "arg" || expr.op == "dim" || expr.op == "stride";
}

const RuntimeValue *PromiseEmitter::argument(const ContractExpr &expr) const {
  if (!isArgument(expr))
    return nullptr;
  const Value &parameter = parameters_[static_cast<size_t>(expr.operands[0].intValue)];
  if (const auto *view = parameter.as<ViewValue>()) {
    const auto &values = expr.op == "dim" ? view->view->extents : view->view->strides;
    return &values[static_cast<size_t>(expr.operands[1].intValue)];
  }
  const RuntimeValue *value = parameter.runtime();
  return value->type.isPointer() || isFloat(value->scalar()) ? nullptr : value;
}

std::optional<Value> PromiseEmitter::operation(BinaryOp op, const std::optional<Value> &left,
                                               const std::optional<Value> &right) {
  if (!left || !right)
    return std::nullopt;
  bool divides = op == BinaryOp::Div || op == BinaryOp::Rem;
  std::optional<Wide> divisor = right->integer();
  if (divides && (!divisor || *divisor == 0))
    return std::nullopt; // the launcher checks; a promise must not divide by 0 itself
  if (left->constant() && right->constant()) {
    ConstantResult result = evaluateBinary(op, *left->constant(), *right->constant());
    return result.value ? std::optional<Value>(*result.value) : std::nullopt;
  }
  for (const std::optional<Value> *side : {&left, &right})
    if (std::optional<Wide> integer = (*side)->integer(); integer && !fits(*integer, Scalar::I64))
      return std::nullopt;
  Value result = evaluator_.binary(op, *left, *right, range_);
  return result.isError() ? std::nullopt : std::optional<Value>(result);
}

/// An integer expression in 64 bits; literals stay constants.
std::optional<Value> PromiseEmitter::wide(const ContractExpr &expr) {
  if (expr.op == "int")
    return IntConstant{expr.intValue, std::nullopt};
  if (const RuntimeValue *value = argument(expr)) {
    if (isBool(value->scalar()) || value->scalar() == Scalar::U64)
      return std::nullopt;
    return evaluator_.emit.inI64(*value);
  }
  std::optional<BinaryOp> op = binaryOperator(expr.op);
  bool isArithmetic = op && (*op == BinaryOp::Add || *op == BinaryOp::Sub || *op == BinaryOp::Mul ||
                             *op == BinaryOp::Div || *op == BinaryOp::Rem);
  if (!isArithmetic)
    return std::nullopt;
  return operation(*op, wide(expr.operands[0]), wide(expr.operands[1]));
}

/// The expression in `type`, when that is exact: the argument, its remainder by a constant, or a
/// constant that fits.
std::optional<Value> PromiseEmitter::narrow(const ContractExpr &expr, Scalar type) {
  if (const RuntimeValue *value = argument(expr))
    return value->scalar() == type ? std::optional<Value>(*value) : std::nullopt;
  if (expr.op == "rem") {
    std::optional<Value> divisor = narrow(expr.operands[1], type);
    if (!argument(expr.operands[0]) || !divisor || !divisor->constant())
      return std::nullopt;
    return operation(BinaryOp::Rem, narrow(expr.operands[0], type), divisor);
  }
  if (binaryOperator(expr.op) && !expr.operands.empty() && argument(expr.operands[0]))
    return std::nullopt;
  std::optional<Value> value = wide(expr);
  if (!value || !value->integer() || !fits(*value->integer(), type))
    return std::nullopt;
  return value;
}

/// The first argument in the expression.
static const ContractExpr *firstArgument(const ContractExpr &expr) {
  if (isArgument(expr))
    return &expr;
  for (const ContractExpr &operand : expr.operands)
    if (const ContractExpr *found = firstArgument(operand))
      return found;
  return nullptr;
}

std::optional<Value> PromiseEmitter::comparison(BinaryOp op, const ContractExpr &left,
                                                const ContractExpr &right) {
  const ContractExpr *subject = firstArgument(left);
  if (!subject)
    subject = firstArgument(right);
  const RuntimeValue *value = subject ? argument(*subject) : nullptr;
  if (!value || isBool(value->scalar()))
    return std::nullopt;
  std::optional<Value> first = narrow(left, value->scalar()), second;
  if (first)
    second = narrow(right, value->scalar());
  if (!first || !second) {
    first = wide(left);
    second = first ? wide(right) : std::nullopt;
  }
  return operation(op, first, second);
}

std::optional<Value> PromiseEmitter::condition(const ContractExpr &expr) {
  if (const RuntimeValue *value = argument(expr))
    return isBool(value->scalar()) ? std::optional<Value>(*value) : std::nullopt;
  std::optional<BinaryOp> op = binaryOperator(expr.op);
  if (!op)
    return std::nullopt;
  if (*op == BinaryOp::LogicalOr || *op == BinaryOp::LogicalAnd)
    return operation(*op, condition(expr.operands[0]), condition(expr.operands[1]));
  return comparison(*op, expr.operands[0], expr.operands[1]);
}

void PromiseEmitter::promise(const ContractExpr &expr) {
  if (expr.op == "and") {
    promise(expr.operands[0]);
    promise(expr.operands[1]);
    return;
  }
  Emitter &emit = evaluator_.emit;
  if (expr.op == "aligned") {
    const Value &parameter = parameters_[static_cast<size_t>(expr.operands[0].intValue)];
    const auto *view = parameter.as<ViewValue>();
    const RuntimeValue &pointer = view ? view->view->base : *parameter.runtime();
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a parameter is a view or one value.
    tile::AssumeAlignedOp::create(emit.builder, emit.loc, pointer.ir,
                                  emit.builder.getI64IntegerAttr(expr.operands[1].intValue));
    return;
  }
  std::optional<Value> value = condition(expr);
  if (value && value->runtime())
    tile::AssumeOp::create(emit.builder, emit.loc, value->runtime()->ir);
}

void emitPromises(Evaluator &evaluator, const ContractExpr &clause,
                  const std::vector<Value> &parameters,
                  const std::map<std::string, Value> &constants, SourceRange range) {
  evaluator.setLocation(range);
  PromiseEmitter(evaluator, parameters, range).promise(foldContract(clause, constants));
}

void emitExtentPromises(Evaluator &evaluator, const View &view, SourceRange range) {
  evaluator.setLocation(range);
  Emitter &emit = evaluator.emit;
  auto promise = [&](const RuntimeValue &extent, BinaryOp op, int64_t bound) {
    RuntimeValue limit = emit.constant(IntConstant{bound, extent.scalar()}, extent.scalar());
    tile::AssumeOp::create(emit.builder, emit.loc, emit.compare(op, extent, limit).ir);
  };
  for (const RuntimeValue &extent : view.extents) {
    promise(extent, BinaryOp::Ge, 0);
    if (extent.scalar() == Scalar::I64)
      promise(extent, BinaryOp::Le, kMaxExtent);
  }
}

} // namespace tilec::sema
