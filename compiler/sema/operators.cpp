// Operators on values: promotion, then either a compile-time result or an operation.
#include "compiler/sema/evaluator.h"

namespace tilec::sema {

using ast::BinaryOp;
using ast::UnaryOp;

//===--- Common types ------------------------------------------------------------------------===//

/// The type two scalars meet in when one is a literal: the other's, unless the literal is of a
/// higher kind (1 beside a bool, 1.5 beside an integer).
static Scalar literalMeets(const Value &literal, Scalar other) {
  bool isReal = literal.as<FloatConstant>() != nullptr;
  if (isReal && !isFloat(other))
    return Scalar::F32;
  if (!isReal && isBool(other))
    return Scalar::I32;
  return other;
}

std::optional<TileType> Evaluator::commonType(const Value &left, const Value &right,
                                              SourceRange range) {
  if (left.isError() || right.isError())
    return std::nullopt;
  for (const Value *value : {&left, &right}) {
    if (!value->isNumeric()) {
      error(range, "expected numbers or tiles, but one side is " + describe(*value));
      return std::nullopt;
    }
  }
  TileType first = typeOf(left), second = typeOf(right);
  std::optional<Shape> shape = broadcastShapes(first.shape, second.shape);
  if (!shape) {
    error(range, "shapes " + str(llvm::ArrayRef<int64_t>(first.shape)) + " and " +
                     str(llvm::ArrayRef<int64_t>(second.shape)) + " do not broadcast");
    return std::nullopt;
  }
  if (!checkShape(*shape, range))
    return std::nullopt;
  if (first.isPointer() || second.isPointer()) {
    if (first.element == second.element)
      return TileType(first.element, *shape);
    error(range, "no common type of " + str(first) + " and " + str(second));
    return std::nullopt;
  }
  Scalar a = first.element.scalar, b = second.element.scalar;
  if (left.isUntyped() != right.isUntyped()) {
    const Value &literal = left.isUntyped() ? left : right;
    Scalar type = literalMeets(literal, left.isUntyped() ? b : a);
    ConstantResult adapted = adapt(*literal.constant(), type);
    if (!adapted.value) {
      error(range, adapted.problem);
      return std::nullopt;
    }
    return TileType(type, *shape);
  }
  Promotion promotion = promote(a, b);
  if (!promotion.type) {
    error(range, promotion.problem);
    return std::nullopt;
  }
  return TileType(*promotion.type, *shape);
}

RuntimeValue Evaluator::convertTo(const Value &value, const TileType &type) {
  if (std::optional<Constant> constant = value.constant())
    return emit.constant(castConstant(*constant, type.element.scalar), type.element.scalar,
                         type.shape);
  RuntimeValue converted = *value.runtime();
  if (!type.isPointer())
    converted = emit.convert(converted, type.element.scalar);
  return emit.broadcast(converted, type.shape);
}

bool Evaluator::unify(const Value &left, const Value &right, RuntimeValue &first,
                      RuntimeValue &second, SourceRange range) {
  std::optional<TileType> type = commonType(left, right, range);
  if (!type)
    return false;
  first = convertTo(left, *type);
  second = convertTo(right, *type);
  return true;
}

std::optional<std::vector<RuntimeValue>> Evaluator::unifyAll(const std::vector<Value> &values,
                                                             SourceRange range) {
  // The type of a running pair; a literal alone keeps the type that the others give.
  Value running = values.front();
  TileType type = typeOf(running);
  for (size_t i = 1; i < values.size(); ++i) {
    std::optional<TileType> next = commonType(running, values[i], range);
    if (!next)
      return std::nullopt;
    bool isLiteral = running.isUntyped() && values[i].isUntyped();
    type = *next;
    if (!isLiteral)
      running = emit.leaf(nullptr, type); // stands for a value of the type; never emitted
  }
  std::vector<RuntimeValue> result;
  for (const Value &value : values)
    result.push_back(convertTo(value, type));
  return result;
}

/// A number of a float type, not a literal.
static bool isTypedFloat(const Value &value) {
  return value.isNumeric() && !value.isUntyped() && !typeOf(value).isPointer() &&
         isFloat(typeOf(value).element.scalar);
}

bool Evaluator::widenFloat8(llvm::MutableArrayRef<Value> values, SourceRange range) {
  auto isNarrow = [](const Value &value) {
    return isTypedFloat(value) && isFloat8(typeOf(value).element.scalar);
  };
  auto isWider = [&](const Value &value) { return isTypedFloat(value) && !isNarrow(value); };
  if (llvm::none_of(values, isNarrow) || llvm::any_of(values, isWider))
    return false;
  for (Value &value : values)
    if (isNarrow(value))
      value = cast(value, Scalar::F32, false, range);
  return true;
}

//===--- Binary ------------------------------------------------------------------------------===//

static bool isComparison(BinaryOp op) {
  return op == BinaryOp::Eq || op == BinaryOp::Ne || op == BinaryOp::Lt || op == BinaryOp::Le ||
         op == BinaryOp::Gt || op == BinaryOp::Ge;
}

static bool isBitwise(BinaryOp op) {
  return op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
}

Value Evaluator::binary(BinaryOp op, const Value &left, const Value &right, SourceRange range) {
  if (left.isError() || right.isError())
    return ErrorValue{};
  std::string spelled = std::string("'") + ast::spelling(op) + "'";
  const auto *leftType = left.as<TypeValue>(), *rightType = right.as<TypeValue>();
  if (leftType && rightType && (op == BinaryOp::Eq || op == BinaryOp::Ne))
    return (leftType->scalar == rightType->scalar) == (op == BinaryOp::Eq);
  Value wide[] = {left, right};
  if (!isBitwise(op) && op != BinaryOp::Rem && widenFloat8(wide, range))
    return binary(op, wide[0], wide[1], range);
  std::optional<Constant> leftConstant = left.constant(), rightConstant = right.constant();
  if (leftConstant && rightConstant) {
    ConstantResult result = sema::evaluateBinary(op, *leftConstant, *rightConstant);
    return result.value ? Value(*result.value) : fail(range, result.problem);
  }
  if (!left.isNumeric() || !right.isNumeric())
    return fail(range,
                spelled + " does not apply to " + describe(left) + " and " + describe(right));
  if (op == BinaryOp::LogicalAnd || op == BinaryOp::LogicalOr)
    return logical(op, left, right, range);
  setLocation(range);
  if (typeOf(left).isPointer() || typeOf(right).isPointer())
    return pointerArithmetic(op, left, right, range);
  if (op == BinaryOp::Shl || op == BinaryOp::Shr)
    return shift(op, left, right, range);
  std::optional<TileType> type = commonType(left, right, range);
  if (!type)
    return ErrorValue{};
  Scalar scalar = type->element.scalar;
  bool divides = op == BinaryOp::Div || op == BinaryOp::Rem;
  if (divides && !isFloat(scalar) && right.integer() == Wide(0))
    return fail(range, "division by the constant 0");
  if (isFloat(scalar) && (isBitwise(op) || op == BinaryOp::Rem))
    return fail(range, spelled + " needs integers, but its operands are " + name(scalar));
  // Arithmetic on two bools counts in i32; & | ^ stay bool.
  if (isBool(scalar) && !isComparison(op) && !isBitwise(op))
    type->element.scalar = Scalar::I32;
  RuntimeValue first = convertTo(left, *type), second = convertTo(right, *type);
  if (isComparison(op))
    return emit.compare(op, first, second);
  return emit.arithmetic(op, first, second);
}

Value Evaluator::pointerArithmetic(BinaryOp op, const Value &left, const Value &right,
                                   SourceRange range) {
  bool leftIsPointer = typeOf(left).isPointer();
  const Value &pointer = leftIsPointer ? left : right;
  const Value &offset = leftIsPointer ? right : left;
  bool fits = op == BinaryOp::Add || (op == BinaryOp::Sub && leftIsPointer);
  TileType offsetType = typeOf(offset);
  bool isIndex = !offsetType.isPointer() && isInteger(offsetType.element.scalar);
  if (!fits || !isIndex)
    return fail(range, std::string("'") + ast::spelling(op) + "' does not apply to " +
                           describe(left) + " and " + describe(right) +
                           "; a pointer takes + or - an integer");
  TileType pointerType = typeOf(pointer);
  std::optional<Shape> shape = broadcastShapes(pointerType.shape, offsetType.shape);
  if (!shape)
    return fail(range, "shapes " + str(llvm::ArrayRef<int64_t>(pointerType.shape)) + " and " +
                           str(llvm::ArrayRef<int64_t>(offsetType.shape)) + " do not broadcast");
  if (!checkShape(*shape, range))
    return ErrorValue{};
  std::optional<RuntimeValue> index =
      offset.constant() ? asType(cast(offset, Scalar::I64, false, range), Scalar::I64, range, "")
                        : asRuntime(offset, range);
  if (!index)
    return ErrorValue{};
  setLocation(range);
  RuntimeValue base = emit.broadcast(*pointer.runtime(), *shape);
  return emit.addPointer(base, emit.broadcast(*index, *shape), op == BinaryOp::Sub);
}

Value Evaluator::shift(BinaryOp op, const Value &left, const Value &right, SourceRange range) {
  std::string spelled = std::string("'") + ast::spelling(op) + "'";
  for (const Value *value : {&left, &right})
    if (isFloat(typeOf(*value).element.scalar))
      return fail(range, spelled + " needs integers, but one side is " + describe(*value));
  // The result has the left operand's type; a literal there takes the amount's.
  Scalar type = typeOf(left).element.scalar;
  if (left.isUntyped())
    type = typeOf(right).element.scalar;
  if (isBool(type))
    type = Scalar::I32;
  if (std::optional<Wide> amount = right.integer();
      amount && (*amount < 0 || *amount >= bitWidth(type)))
    return fail(range, "shift by " + str(*amount) + " of a value that has " +
                           std::to_string(bitWidth(type)) + " bits");
  TileType leftType = typeOf(left), rightType = typeOf(right);
  std::optional<Shape> shape = broadcastShapes(leftType.shape, rightType.shape);
  if (!shape)
    return fail(range, "shapes " + str(llvm::ArrayRef<int64_t>(leftType.shape)) + " and " +
                           str(llvm::ArrayRef<int64_t>(rightType.shape)) + " do not broadcast");
  if (!checkShape(*shape, range))
    return ErrorValue{};
  TileType result(type, *shape);
  return emit.arithmetic(op, convertTo(left, result), convertTo(right, result));
}

/// A bool or a tile of bools.
static bool isBoolLike(const Value &value) {
  return value.isNumeric() && !typeOf(value).isPointer() && isBool(typeOf(value).element.scalar) &&
         !value.isUntyped();
}

Value Evaluator::logical(BinaryOp op, const Value &left, const Value &right, SourceRange range) {
  for (const Value *value : {&left, &right})
    if (!isBoolLike(*value))
      return fail(range, std::string("'") + ast::spelling(op) +
                             "' needs bool operands, but one side is " + describe(*value) +
                             "; compare it with 0 to get one");
  setLocation(range);
  RuntimeValue first, second;
  if (!unify(left, right, first, second, range))
    return ErrorValue{};
  return emit.arithmetic(op, first, second);
}

Value Evaluator::evaluateBinary(const ast::Expr &expr) {
  Value left = evaluate(*expr.operands[0]);
  const ast::Expr &rightExpr = *expr.operands[1];
  bool isLogical = expr.binaryOp == BinaryOp::LogicalAnd || expr.binaryOp == BinaryOp::LogicalOr;
  if (!isLogical)
    return binary(expr.binaryOp, left, evaluate(rightExpr), expr.range);
  bool decides = expr.binaryOp == BinaryOp::LogicalOr; // the left value that settles it
  if (const bool *known = left.as<bool>()) {
    if (*known == decides)
      return *known;
    Value right = evaluate(rightExpr);
    return binary(expr.binaryOp, left, right, expr.range);
  }
  const RuntimeValue *runtime = left.runtime();
  if (!runtime || !runtime->type.isScalar(Scalar::Bool))
    return binary(expr.binaryOp, left, evaluate(rightExpr), expr.range);
  // Scalars short-circuit: the right side may load only where the left side allows it.
  return shortCircuit(expr.binaryOp, *runtime, rightExpr, expr.range);
}

//===--- Unary -------------------------------------------------------------------------------===//

Value Evaluator::unary(UnaryOp op, const Value &operand, SourceRange range) {
  if (operand.isError())
    return operand;
  if (Value wide = operand; op != UnaryOp::BitNot && op != UnaryOp::Not && widenFloat8(wide, range))
    return unary(op, wide, range);
  if (std::optional<Constant> constant = operand.constant()) {
    ConstantResult result = evaluateUnary(op, *constant);
    return result.value ? Value(*result.value) : fail(range, result.problem);
  }
  const RuntimeValue *runtime = operand.runtime();
  std::string spelled = std::string("'") + ast::spelling(op) + "'";
  if (!runtime || runtime->type.isPointer())
    return fail(range, spelled + " does not apply to " + describe(operand));
  Scalar scalar = runtime->scalar();
  setLocation(range);
  switch (op) {
  case UnaryOp::Plus:
    return isBool(scalar) ? emit.convert(*runtime, Scalar::I32) : *runtime;
  case UnaryOp::Neg:
    return emit.negate(isBool(scalar) ? emit.convert(*runtime, Scalar::I32) : *runtime);
  case UnaryOp::Not:
    if (!isBool(scalar))
      return fail(range,
                  "'!' needs a bool, but this is " + describe(operand) + "; compare it with == 0");
    return emit.invert(*runtime);
  case UnaryOp::BitNot:
    if (isFloat(scalar))
      return fail(range, "'~' needs integers, but this is " + describe(operand));
    return emit.invert(*runtime);
  }
  return ErrorValue{};
}

//===--- Casts -------------------------------------------------------------------------------===//

Value Evaluator::cast(const Value &value, Scalar type, bool towardZero, SourceRange range) {
  if (value.isError())
    return ErrorValue{};
  if (std::optional<Constant> constant = value.constant())
    return castConstant(*constant, type, towardZero);
  const RuntimeValue *runtime = value.runtime();
  if (!runtime || runtime->type.isPointer())
    return fail(range, std::string("cannot convert ") + describe(value) + " to " + name(type));
  Scalar from = runtime->scalar();
  bool narrows = isFloat(from) && isFloat(type) && bitWidth(from) >= bitWidth(type);
  if (towardZero && !narrows && from != type)
    return fail(range, std::string("'rounding' applies to a float made narrower, not to ") +
                           name(from) + " made " + name(type));
  setLocation(range);
  return emit.convert(*runtime, type, towardZero);
}

} // namespace tilec::sema
