// Compile-time numbers, computed exactly as run-time ones would be: a typed integer wraps at its
// width, a typed float is rounded to its type after each operation, an untyped integer has 64 bits
// and overflow is an error. Plain functions; a failure says why in words.
#pragma once

#include "compiler/sema/types.h"
#include "compiler/syntax/ast.h"

#include <variant>

namespace tilec::sema {

/// Wide enough for the exact result of any operation on two 64-bit integers.
using Wide = __int128;

/// An integer; `type` is absent for an untyped literal. `value` is the mathematical value.
struct IntConstant {
  Wide value = 0;
  std::optional<Scalar> type;
  bool operator==(const IntConstant &) const = default;
};

/// A float; already rounded to `type`. An untyped literal is a double.
struct FloatConstant {
  double value = 0;
  std::optional<Scalar> type;
};

/// bool, integer or float.
using Constant = std::variant<bool, IntConstant, FloatConstant>;

/// A result or, when `value` is absent, the reason in words.
struct ConstantResult {
  std::optional<Constant> value;
  std::string problem;
};

/// The value of `type` that has the low bits of `value`.
Wide wrap(Wide value, Scalar type);
/// Whether `type` can hold `value` exactly (integers), or finitely (floats).
bool fits(Wide value, Scalar type);
/// Rounded to nearest even.
double roundTo(double value, Scalar type);
/// Rounded toward zero.
double roundToZero(double value, Scalar type);

std::string str(Wide value);
std::string str(const Constant &value);

/// The type a constant has when nothing else decides: untyped integers i32 (i64 when too large),
/// untyped floats f32.
Scalar defaultType(const Constant &value);

/// `value` adapted to `type` as an untyped literal must be (it must fit), or converted when typed
/// (`explicitCast`: as a cast does: wrap, saturate, round).
ConstantResult adapt(const Constant &value, Scalar type);
Constant castConstant(const Constant &value, Scalar type, bool towardZero = false);

/// Brings two constants to their common type (both untyped: integer or float).
struct ConstantPair {
  std::optional<Constant> first, second;
  std::string problem;
};
ConstantPair unify(const Constant &first, const Constant &second);

ConstantResult evaluateBinary(ast::BinaryOp op, const Constant &left, const Constant &right);
ConstantResult evaluateUnary(ast::UnaryOp op, const Constant &operand);

/// The bits of a typed constant, low bits first; and back.
uint64_t bitsOf(const Constant &value, Scalar type);
Constant fromBits(uint64_t bits, Scalar type);

} // namespace tilec::sema
