// Operators on compile-time numbers; see constants.h for the rules.
#include "compiler/sema/constants.h"

namespace tilec::sema {

using ast::BinaryOp;
using ast::UnaryOp;

static ConstantResult failure(std::string problem) {
  return {std::nullopt, std::move(problem)};
}

/// Untyped integers have the range of i64 and u64 together.
static ConstantResult integerResult(Wide value, std::optional<Scalar> type) {
  if (type)
    return {IntConstant{wrap(value, *type), type}, {}};
  if (!fits(value, Scalar::I64) && !fits(value, Scalar::U64))
    return failure("the constant does not fit 64 bits");
  return {IntConstant{value, type}, {}};
}

template <typename Number> static std::optional<bool> compare(BinaryOp op, Number a, Number b) {
  switch (op) {
  case BinaryOp::Eq:
    return a == b;
  case BinaryOp::Ne:
    return a != b;
  case BinaryOp::Lt:
    return a < b;
  case BinaryOp::Le:
    return a <= b;
  case BinaryOp::Gt:
    return a > b;
  case BinaryOp::Ge:
    return a >= b;
  default:
    return std::nullopt;
  }
}

static ConstantResult integerBinary(BinaryOp op, IntConstant left, IntConstant right) {
  Wide a = left.value, b = right.value;
  switch (op) {
  case BinaryOp::Add:
    return integerResult(a + b, left.type);
  case BinaryOp::Sub:
    return integerResult(a - b, left.type);
  case BinaryOp::Mul: {
    // The exact product of two 64-bit magnitudes may need 129 bits; its low 64 bits are what
    // counts.
    Wide product = 0;
    if (__builtin_mul_overflow(a, b, &product)) {
      if (!left.type)
        return failure("the constant does not fit 64 bits");
      product =
          static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
    }
    return integerResult(product, left.type);
  }
  case BinaryOp::Div:
  case BinaryOp::Rem:
    if (b == 0)
      return failure("division by the constant 0");
    return integerResult(op == BinaryOp::Div ? a / b : a % b, left.type);
  case BinaryOp::BitAnd:
    return integerResult(a & b, left.type);
  case BinaryOp::BitOr:
    return integerResult(a | b, left.type);
  case BinaryOp::BitXor:
    return integerResult(a ^ b, left.type);
  default:
    return failure("this operator needs other operands");
  }
}

static ConstantResult integerShift(BinaryOp op, IntConstant left, Wide amount) {
  unsigned width = left.type ? bitWidth(*left.type) : 64;
  if (amount < 0 || amount >= width)
    return failure("shift by " + str(amount) + " of a value that has " + std::to_string(width) +
                   " bits");
  if (op == BinaryOp::Shr)
    return integerResult(left.value >> static_cast<int>(amount), left.type);
  return integerBinary(BinaryOp::Mul, left, {Wide(1) << static_cast<int>(amount), left.type});
}

static ConstantResult floatBinary(BinaryOp op, FloatConstant left, FloatConstant right) {
  double a = left.value, b = right.value, result = 0;
  // A double holds more than twice the digits of f32, so rounding its result is rounding once.
  switch (op) {
  case BinaryOp::Add:
    result = a + b;
    break;
  case BinaryOp::Sub:
    result = a - b;
    break;
  case BinaryOp::Mul:
    result = a * b;
    break;
  case BinaryOp::Div:
    result = a / b; // IEEE: by zero gives inf or nan
    break;
  default:
    return failure(std::string("'") + ast::spelling(op) + "' needs integers");
  }
  return {FloatConstant{left.type ? roundTo(result, *left.type) : result, left.type}, {}};
}

static ConstantResult boolBinary(BinaryOp op, bool a, bool b) {
  switch (op) {
  case BinaryOp::BitAnd:
  case BinaryOp::LogicalAnd:
    return {a && b, {}};
  case BinaryOp::BitOr:
  case BinaryOp::LogicalOr:
    return {a || b, {}};
  case BinaryOp::BitXor:
    return {a != b, {}};
  default:
    return integerBinary(op, {a, Scalar::I32}, {b, Scalar::I32});
  }
}

ConstantResult evaluateBinary(BinaryOp op, const Constant &left, const Constant &right) {
  if (op == BinaryOp::LogicalAnd || op == BinaryOp::LogicalOr) {
    if (!std::holds_alternative<bool>(left) || !std::holds_alternative<bool>(right))
      return failure(std::string("'") + ast::spelling(op) +
                     "' needs bool operands; compare with 0 to get one");
    return boolBinary(op, std::get<bool>(left), std::get<bool>(right));
  }
  if (op == BinaryOp::Shl || op == BinaryOp::Shr) {
    auto asInteger = [](const Constant &value) -> std::optional<IntConstant> {
      if (const bool *boolean = std::get_if<bool>(&value))
        return IntConstant{*boolean, Scalar::I32};
      if (const auto *integer = std::get_if<IntConstant>(&value))
        return *integer;
      return std::nullopt;
    };
    std::optional<IntConstant> value = asInteger(left), amount = asInteger(right);
    if (!value || !amount)
      return failure(std::string("'") + ast::spelling(op) + "' needs integers");
    if (!value->type && amount->type)
      value->type = amount->type;
    return integerShift(op, *value, amount->value);
  }
  ConstantPair pair = unify(left, right);
  if (!pair.first)
    return failure(pair.problem);
  if (const bool *boolean = std::get_if<bool>(&*pair.first)) {
    bool other = std::get<bool>(*pair.second);
    if (std::optional<bool> result = compare(op, *boolean, other))
      return {*result, {}};
    return boolBinary(op, *boolean, other);
  }
  if (const auto *integer = std::get_if<IntConstant>(&*pair.first)) {
    IntConstant other = std::get<IntConstant>(*pair.second);
    if (std::optional<bool> result = compare(op, integer->value, other.value))
      return {*result, {}};
    return integerBinary(op, *integer, other);
  }
  FloatConstant real = std::get<FloatConstant>(*pair.first);
  FloatConstant other = std::get<FloatConstant>(*pair.second);
  if (std::optional<bool> result = compare(op, real.value, other.value))
    return {*result, {}};
  return floatBinary(op, real, other);
}

ConstantResult evaluateUnary(UnaryOp op, const Constant &operand) {
  if (op == UnaryOp::Not) {
    if (const bool *boolean = std::get_if<bool>(&operand))
      return {!*boolean, {}};
    return failure("'!' needs a bool; compare with 0 to get one");
  }
  if (const auto *real = std::get_if<FloatConstant>(&operand)) {
    if (op == UnaryOp::BitNot)
      return failure("'~' needs integers");
    return {FloatConstant{op == UnaryOp::Neg ? -real->value : real->value, real->type}, {}};
  }
  if (const bool *boolean = std::get_if<bool>(&operand)) {
    if (op == UnaryOp::BitNot)
      return {!*boolean, {}};
    return integerResult(op == UnaryOp::Neg ? -Wide(*boolean) : Wide(*boolean), Scalar::I32);
  }
  IntConstant integer = std::get<IntConstant>(operand);
  switch (op) {
  case UnaryOp::Neg:
    return integerResult(-integer.value, integer.type);
  case UnaryOp::BitNot:
    return integerResult(~integer.value, integer.type);
  default:
    return {operand, {}};
  }
}

} // namespace tilec::sema
