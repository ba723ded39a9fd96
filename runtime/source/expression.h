// Contract expressions: the trees of a manifest (docs/manifest.md, "Expressions") and the flat
// programs they become.
//
// A tree is checked and typed once, when the manifest is read. Each variant's form of it - const
// params replaced by their values - is a postfix program over a small stack, whose evaluation at a
// launch allocates nothing and cannot fail but for the three reasons of `Outcome`.
#pragma once

#include "types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilert {

enum class Operator : uint8_t {
  // leaves
  Integer,
  Real,
  Boolean,
  Name, ///< a type name
  Argument,
  Const,
  Dim,
  Stride,
  Aligned,
  NoAlias,
  NumSms,
  Occupancy,
  // arithmetic
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Min,
  Max,
  CeilDiv,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
  Negate,
  BitNot,
  NextPow2,
  Abs,
  // comparisons and logic
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Not,
  Select,
  Cast
};

/// What an expression's value is. Type names exist in comparisons only.
enum class ValueKind : uint8_t { Integer, Real, Boolean, Name };

/// A node of a tree. Deeper trees than kMaxExpressionDepth are refused, so recursion over one is
/// bounded.
struct Expression {
  Operator op = Operator::Integer;
  ValueKind kind = ValueKind::Integer;
  tilert_type castTo = TILERT_TYPE_ANY;
  uint32_t index = 0; ///< parameter or const param
  /// Literal; dim, stride: axis; aligned: bytes; noalias: the second parameter; type name: its
  /// tilert_type.
  int64_t integer = 0;
  double real = 0;
  std::vector<Expression> operands;
};
constexpr unsigned kMaxExpressionDepth = 500;

/// The value of a const param in a variant.
struct ConstValue {
  ValueKind kind = ValueKind::Integer;
  int64_t integer = 0; ///< also booleans, and type names as tilert_type
  double real = 0;
};

/// Whether the value depends on the variant: mentions a const param or occupancy.
bool dependsOnVariant(const Expression &expression);
bool mentions(const Expression &expression, Operator op);

// --- Programs --------------------------------------------------------------------------------

union Slot {
  int64_t integer; ///< also booleans: 0 or 1
  double real;
};

enum class Code : uint8_t {
  PushInteger,
  PushReal,
  LoadArgument, ///< `type` says which scalar
  LoadDim,
  LoadStride,
  LoadAligned,
  LoadNoAlias,
  LoadNumSms,
  LoadOccupancy,
  AddInteger,
  SubInteger,
  MulInteger,
  DivInteger,
  RemInteger,
  MinInteger,
  MaxInteger,
  CeilDivInteger,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
  NegateInteger,
  BitNot,
  NextPow2,
  AbsInteger,
  AddReal,
  SubReal,
  MulReal,
  DivReal,
  RemReal,
  MinReal,
  MaxReal,
  CeilDivReal,
  NegateReal,
  AbsReal,
  EqualInteger,
  NotEqualInteger,
  LessInteger,
  LessEqualInteger,
  EqualReal,
  NotEqualReal,
  LessReal,
  LessEqualReal,
  CompareArgument, ///< an integer argument with a literal, the commonest condition, in one step
  Not,
  IntegerToReal,
  IntegerToBoolean,
  RealToBoolean,
  NarrowInteger,    ///< wraps to `type`
  RoundReal,        ///< rounds to `type`
  RealToInteger,    ///< saturates in `type`; NaN gives 0
  JumpIfFalse,      ///< pops
  JumpIfFalseOrPop, ///< `and`: keeps the false
  JumpIfTrueOrPop,  ///< `or`: keeps the true
  Jump
};

struct Instruction {
  Code code;
  uint8_t type = 0;
  /// noalias: bytes of an element of the first and second parameter. CompareArgument: `sizeA` is
  /// the comparison's Operator.
  uint8_t sizeA = 0, sizeB = 0;
  uint32_t index = 0; ///< parameter; jump target, counted from the program's start
  Slot value{0};      ///< literal; axis; bytes; second parameter
};

/// A slice of a kernel's instructions.
struct Program {
  uint32_t first = 0, count = 0;
};

/// What a program needs of the parameters it names.
struct ParameterShape {
  tilert_type type = TILERT_TYPE_ANY;
  unsigned elementSize = 1; ///< bytes; ptr, view
};

/// Appends `expression`'s program with const params replaced by `values`.
Program compileExpression(const Expression &expression, const std::vector<ConstValue> &values,
                          const std::vector<ParameterShape> &parameters,
                          std::vector<Instruction> &code);

/// What a launch gives.
struct LaunchValues {
  void *const *arguments; ///< by source parameter, as tilert_launch_ref()
  const ParameterShape *parameters;
  const uint8_t *ranks;
  int64_t numSms;
  int64_t occupancy;
};

/// Where the ptr or view argument `parameter` points.
uintptr_t addressOf(const LaunchValues &values, uint32_t parameter);

enum class Outcome : uint8_t { Value, DivisionByZero, Overflow, ShiftRange };
const char *outcomeText(Outcome outcome);

Outcome evaluate(const Instruction *first, uint32_t count, const LaunchValues &values,
                 Slot &result);

/// Reads the scalar at `from` as the evaluator does. A u64 beyond i64 overflows.
Outcome loadScalar(const void *from, uint32_t type, Slot &result);

} // namespace tilert
