// Elementwise functions that are not float-only: where, abs, minimum, maximum, umulhi, casts,
// next_pow2.
#include "compiler/sema/builtins.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tilec::sema {

static Value where(Evaluator &evaluator, const BoundCall &call) {
  const Value &condition = call[0].value;
  bool isBoolLike = condition.isNumeric() && !condition.isUntyped() &&
                    !typeOf(condition).isPointer() && isBool(typeOf(condition).element.scalar);
  if (!isBoolLike)
    return evaluator.fail(call[0].range, "the condition of where must be bool, but is " +
                                             describe(condition) +
                                             "; compare it, for example with != 0");
  if (const bool *known = condition.as<bool>();
      known && call[1].value.constant() && call[2].value.constant()) {
    ConstantPair pair = unify(*call[1].value.constant(), *call[2].value.constant());
    if (!pair.first)
      return evaluator.fail(call.range, pair.problem);
    return *known ? *pair.first : *pair.second;
  }
  std::optional<TileType> type = evaluator.commonType(call[1].value, call[2].value, call.range);
  std::optional<RuntimeValue> test = evaluator.asRuntime(condition, call[0].range);
  if (!type || !test)
    return ErrorValue{};
  std::optional<Shape> shape = broadcastShapes(type->shape, test->type.shape);
  if (!shape)
    return evaluator.fail(call.range, "the condition of shape " +
                                          str(llvm::ArrayRef<int64_t>(test->type.shape)) +
                                          " does not broadcast with values of shape " +
                                          str(llvm::ArrayRef<int64_t>(type->shape)));
  if (!evaluator.checkShape(*shape, call.range))
    return ErrorValue{};
  TileType result = type->withShape(*shape);
  // A scalar condition chooses whole tiles.
  if (test->type.isTile())
    test = evaluator.emit.broadcast(*test, *shape);
  return evaluator.emit.select(*test, evaluator.convertTo(call[1].value, result),
                               evaluator.convertTo(call[2].value, result));
}

static Value absolute(Evaluator &evaluator, const BoundCall &call) {
  Value operand = call[0].value;
  evaluator.widenFloat8(operand, call.range);
  if (std::optional<Constant> constant = operand.constant()) {
    if (const auto *integer = std::get_if<IntConstant>(&*constant); integer && integer->value < 0)
      return evaluator.unary(ast::UnaryOp::Neg, operand, call.range);
    if (const auto *number = std::get_if<FloatConstant>(&*constant))
      return FloatConstant{std::abs(number->value), number->type};
    return operand;
  }
  std::optional<RuntimeValue> value = evaluator.asRuntime(operand, call[0].range);
  if (!value)
    return ErrorValue{};
  if (value->type.isPointer())
    return evaluator.fail(call[0].range, "'abs' does not apply to " + str(value->type));
  Emitter &emit = evaluator.emit;
  if (isUnsigned(value->scalar()))
    return *value;
  if (isFloat(value->scalar()))
    return emit.leaf(mlir::math::AbsFOp::create(emit.builder, emit.loc, value->ir), value->type);
  return emit.leaf(mlir::math::AbsIOp::create(emit.builder, emit.loc, value->ir), value->type);
}

/// Both sides known: the smaller or larger, NaN ignored unless it propagates.
static Value constantExtremum(Evaluator &evaluator, const Value &left, const Value &right,
                              bool largest, bool propagateNan, SourceRange range) {
  ConstantPair pair = unify(*left.constant(), *right.constant());
  if (!pair.first)
    return evaluator.fail(range, pair.problem);
  auto isNan = [](const Constant &value) {
    const auto *number = std::get_if<FloatConstant>(&value);
    return number && std::isnan(number->value);
  };
  if (isNan(*pair.first) || isNan(*pair.second))
    return isNan(*pair.first) == propagateNan ? *pair.first : *pair.second;
  ConstantResult less = evaluateBinary(ast::BinaryOp::Lt, *pair.first, *pair.second);
  return std::get<bool>(*less.value) != largest ? *pair.first : *pair.second;
}

Value extremum(Evaluator &evaluator, const Value &left, const Value &right, bool largest,
               bool propagateNan, SourceRange range) {
  if (Value wide[] = {left, right}; evaluator.widenFloat8(wide, range))
    return extremum(evaluator, wide[0], wide[1], largest, propagateNan, range);
  if (left.constant() && right.constant())
    return constantExtremum(evaluator, left, right, largest, propagateNan, range);
  RuntimeValue first, second;
  if (!evaluator.unify(left, right, first, second, range))
    return ErrorValue{};
  if (first.type.isPointer())
    return evaluator.fail(range, "pointers have no minimum or maximum");
  return largest ? evaluator.emit.maximum(first, second, propagateNan)
                 : evaluator.emit.minimum(first, second, propagateNan);
}

template <bool largest>
static Value elementwiseExtremum(Evaluator &evaluator, const BoundCall &call) {
  std::optional<bool> propagate = propagatesNan(evaluator, call[2]);
  if (!propagate)
    return ErrorValue{};
  return extremum(evaluator, call[0].value, call[1].value, largest, *propagate, call.range);
}

static Value highProduct(Evaluator &evaluator, const BoundCall &call) {
  RuntimeValue first, second;
  if (!evaluator.unify(call[0].value, call[1].value, first, second, call.range))
    return ErrorValue{};
  if (first.type.isPointer() || !isInteger(first.scalar()))
    return evaluator.fail(call.range,
                          "'umulhi' needs integers, but its arguments are " + str(first.type));
  Emitter &emit = evaluator.emit;
  auto product = mlir::arith::MulUIExtendedOp::create(emit.builder, emit.loc, first.ir, second.ir);
  return emit.leaf(product.getHigh(), first.type);
}

static Value castBuiltin(Evaluator &evaluator, const BoundCall &call) {
  std::optional<Scalar> type = evaluator.typeArgument(call[1].value, call[1].range);
  if (!type)
    return ErrorValue{};
  const std::string &rounding = call[2].word;
  if (call[2].given && rounding != "rtne" && rounding != "rtz")
    return evaluator.fail(call[2].range, "'rounding' is 'rtne' or 'rtz', not '" + rounding + "'");
  return evaluator.cast(call[0].value, *type, rounding == "rtz", call.range);
}

static Value bitcastBuiltin(Evaluator &evaluator, const BoundCall &call) {
  std::optional<Scalar> type = evaluator.typeArgument(call[1].value, call[1].range);
  if (!type)
    return ErrorValue{};
  const Value &value = call[0].value;
  if (!value.isNumeric() || typeOf(value).isPointer())
    return evaluator.fail(call[0].range, "bitcast applies to numbers, not to " + describe(value));
  Scalar from = typeOf(value).element.scalar;
  if (bitWidth(from) != bitWidth(*type))
    return evaluator.fail(call.range, std::string("bitcast keeps the width, but ") + name(from) +
                                          " has " + std::to_string(bitWidth(from)) + " bits and " +
                                          name(*type) + " has " + std::to_string(bitWidth(*type)));
  if (std::optional<Constant> constant = value.constant())
    return fromBits(bitsOf(*constant, from), *type);
  return evaluator.emit.bitcast(*value.runtime(), *type);
}

static Value nextPowerOfTwo(Evaluator &evaluator, const BoundCall &call) {
  std::optional<int64_t> value = evaluator.constantInteger(
      call[0].value, call[0].range, "the argument of next_pow2", 0, int64_t(1) << 62);
  if (!value)
    return ErrorValue{};
  const auto *integer = call[0].value.as<IntConstant>();
  Wide result = *value <= 1 ? 1 : Wide(llvm::PowerOf2Ceil(static_cast<uint64_t>(*value)));
  if (integer->type && !fits(result, *integer->type))
    return evaluator.fail(call.range, str(result) + " does not fit " + name(*integer->type));
  return IntConstant{result, integer->type};
}

static constexpr Builtin kElementwiseBuiltins[] = {
    {"where", "condition, x, y", where},
    {"abs", "x", absolute},
    {"minimum", "x, y, nan?:word", elementwiseExtremum<false>},
    {"maximum", "x, y, nan?:word", elementwiseExtremum<true>},
    {"umulhi", "x, y", highProduct},
    {"cast", "x, dtype, rounding?:word", castBuiltin},
    {"bitcast", "x, dtype", bitcastBuiltin},
    {"next_pow2", "x", nextPowerOfTwo},
};

llvm::ArrayRef<Builtin> elementwiseBuiltins() {
  return kElementwiseBuiltins;
}

} // namespace tilec::sema
