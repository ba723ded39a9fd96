// The evaluator: one switch over a stack of 8-byte slots. Integers are 64-bit and checked; an
// operation that has no value ends the evaluation with the reason.
#include "expression.h"

#include "numeric.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstring>

namespace tilert {

namespace {

/// A tree of the greatest depth keeps one pending operand a level.
constexpr unsigned kStackSlots = kMaxExpressionDepth + 3;

template <typename T> T readAs(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

} // namespace

uintptr_t addressOf(const LaunchValues &values, uint32_t parameter) {
  const void *argument = values.arguments[parameter];
  if (values.parameters[parameter].type == TILERT_TYPE_VIEW)
    return reinterpret_cast<uintptr_t>(static_cast<const tilert_view *>(argument)->data);
  return readAs<uintptr_t>(argument);
}

namespace {

struct Range {
  uintptr_t first, last; ///< bytes, inclusive
  bool empty;
};

/// The bytes a view spans; of a pointer, whose extent nobody knows, those of one element.
Range rangeOf(const LaunchValues &values, uint32_t parameter, unsigned elementSize) {
  const uintptr_t base = addressOf(values, parameter);
  uintptr_t below = 0, above = 0;
  if (values.parameters[parameter].type == TILERT_TYPE_VIEW) {
    const auto *view = static_cast<const tilert_view *>(values.arguments[parameter]);
    for (unsigned axis = 0; axis < values.ranks[parameter]; ++axis) {
      if (view->extents[axis] <= 0)
        return {base, base, true};
      const uint64_t reach = static_cast<uint64_t>(view->extents[axis] - 1) * elementSize;
      if (view->strides[axis] < 0)
        below += reach * (0 - static_cast<uint64_t>(view->strides[axis]));
      else
        above += reach * static_cast<uint64_t>(view->strides[axis]);
    }
  }
  return {base - below, base + above + elementSize - 1, false};
}

bool disjoint(const LaunchValues &values, const Instruction &instruction) {
  const auto other = static_cast<uint32_t>(instruction.value.integer);
  const Range a = rangeOf(values, instruction.index, instruction.sizeA);
  const Range b = rangeOf(values, other, instruction.sizeB);
  return a.empty || b.empty || a.last < b.first || b.last < a.first;
}

int64_t wrapTo(int64_t value, uint8_t type) {
  switch (type) {
  case TILERT_TYPE_I8:
    return static_cast<int8_t>(value);
  case TILERT_TYPE_I16:
    return static_cast<int16_t>(value);
  case TILERT_TYPE_I32:
    return static_cast<int32_t>(value);
  case TILERT_TYPE_U8:
    return static_cast<uint8_t>(value);
  case TILERT_TYPE_U16:
    return static_cast<uint16_t>(value);
  case TILERT_TYPE_U32:
    return static_cast<uint32_t>(value);
  default:
    return value;
  }
}

/// Toward zero, saturated in `type` (u64 in i64, the evaluator's integer); NaN gives 0.
int64_t saturateTo(double value, uint8_t type) {
  if (std::isnan(value))
    return 0;
  const unsigned bits = typeSize(type) * CHAR_BIT;
  const bool isUnsigned = type >= TILERT_TYPE_U8 && type <= TILERT_TYPE_U64;
  int64_t low = INT64_MIN, high = INT64_MAX;
  if (isUnsigned)
    low = 0;
  if (bits < 64) {
    high = (int64_t{1} << (isUnsigned ? bits : bits - 1)) - 1;
    low = isUnsigned ? 0 : -high - 1;
  }
  if (value <= static_cast<double>(low))
    return low;
  if (value >= static_cast<double>(high))
    return high;
  return static_cast<int64_t>(value);
}

bool compare(Operator op, int64_t a, int64_t b) {
  switch (op) {
  case Operator::Equal:
    return a == b;
  case Operator::NotEqual:
    return a != b;
  case Operator::Less:
    return a < b;
  case Operator::LessEqual:
    return a <= b;
  case Operator::Greater:
    return a > b;
  default:
    return a >= b;
  }
}

bool shiftLeft(int64_t value, int64_t by, int64_t &result) {
  result = static_cast<int64_t>(static_cast<uint64_t>(value) << by);
  return (result >> by) == value;
}

} // namespace

const char *outcomeText(Outcome outcome) {
  switch (outcome) {
  case Outcome::DivisionByZero:
    return "division by zero";
  case Outcome::Overflow:
    return "integer overflow";
  case Outcome::ShiftRange:
    return "shift out of range";
  case Outcome::Value:
    break;
  }
  return "";
}

Outcome loadScalar(const void *from, uint32_t type, Slot &result) {
  switch (type) {
  case TILERT_TYPE_BOOL:
    result.integer = readAs<uint8_t>(from) != 0;
    break;
  case TILERT_TYPE_I8:
    result.integer = readAs<int8_t>(from); // NOLINT(bugprone-signed-char-misuse): a number
    break;
  case TILERT_TYPE_I16:
    result.integer = readAs<int16_t>(from);
    break;
  case TILERT_TYPE_I32:
    result.integer = readAs<int32_t>(from);
    break;
  case TILERT_TYPE_I64:
    result.integer = readAs<int64_t>(from);
    break;
  case TILERT_TYPE_U8:
    result.integer = readAs<uint8_t>(from);
    break;
  case TILERT_TYPE_U16:
    result.integer = readAs<uint16_t>(from);
    break;
  case TILERT_TYPE_U32:
    result.integer = readAs<uint32_t>(from);
    break;
  case TILERT_TYPE_U64:
    result.integer = readAs<int64_t>(from);
    return result.integer < 0 ? Outcome::Overflow : Outcome::Value;
  case TILERT_TYPE_F32:
    result.real = static_cast<double>(readAs<float>(from));
    break;
  case TILERT_TYPE_F64:
    result.real = readAs<double>(from);
    break;
  default:
    result.real = decodeReal(from, type);
  }
  return Outcome::Value;
}

Outcome evaluate(const Instruction *first, uint32_t count, const LaunchValues &values,
                 Slot &result) {
  Slot stack[kStackSlots]; // left uninitialised: most programs use a few slots
  Slot *top = stack;       // the last operand; the first slot is below the first one
  for (uint32_t at = 0; at < count; ++at) {
    const Instruction &instruction = first[at];
    switch (instruction.code) {
    case Code::PushInteger:
    case Code::PushReal:
      *++top = instruction.value;
      break;
    case Code::LoadArgument:
      if (Outcome outcome =
              loadScalar(values.arguments[instruction.index], instruction.type, *++top);
          outcome != Outcome::Value)
        return outcome;
      break;
    case Code::LoadDim:
    case Code::LoadStride: {
      const auto *view = static_cast<const tilert_view *>(values.arguments[instruction.index]);
      const int64_t *from = instruction.code == Code::LoadDim ? view->extents : view->strides;
      (++top)->integer = from[instruction.value.integer];
      break;
    }
    case Code::LoadAligned:
      (++top)->integer =
          addressOf(values, instruction.index) % static_cast<uint64_t>(instruction.value.integer) ==
          0;
      break;
    case Code::LoadNoAlias:
      (++top)->integer = disjoint(values, instruction);
      break;
    case Code::LoadNumSms:
      (++top)->integer = values.numSms;
      break;
    case Code::LoadOccupancy:
      (++top)->integer = values.occupancy;
      break;
    case Code::AddInteger:
      --top;
      if (__builtin_add_overflow(top[0].integer, top[1].integer, &top->integer))
        return Outcome::Overflow;
      break;
    case Code::SubInteger:
      --top;
      if (__builtin_sub_overflow(top[0].integer, top[1].integer, &top->integer))
        return Outcome::Overflow;
      break;
    case Code::MulInteger:
      --top;
      if (__builtin_mul_overflow(top[0].integer, top[1].integer, &top->integer))
        return Outcome::Overflow;
      break;
    case Code::DivInteger:
    case Code::RemInteger:
    case Code::CeilDivInteger: {
      --top;
      const int64_t a = top[0].integer, b = top[1].integer;
      if (b == 0)
        return Outcome::DivisionByZero;
      if (a == INT64_MIN && b == -1)
        return Outcome::Overflow;
      const bool positive = (a < 0) == (b < 0);
      if (instruction.code == Code::RemInteger)
        top->integer = a % b;
      else
        top->integer = a / b + (instruction.code == Code::CeilDivInteger && a % b != 0 && positive);
      break;
    }
    case Code::MinInteger:
      --top;
      top->integer = std::min(top[0].integer, top[1].integer);
      break;
    case Code::MaxInteger:
      --top;
      top->integer = std::max(top[0].integer, top[1].integer);
      break;
    case Code::BitAnd:
      --top;
      top->integer &= top[1].integer;
      break;
    case Code::BitOr:
      --top;
      top->integer |= top[1].integer;
      break;
    case Code::BitXor:
      --top;
      top->integer ^= top[1].integer;
      break;
    case Code::ShiftLeft:
      --top;
      if (static_cast<uint64_t>(top[1].integer) >= 64)
        return Outcome::ShiftRange;
      if (!shiftLeft(top[0].integer, top[1].integer, top->integer))
        return Outcome::Overflow;
      break;
    case Code::ShiftRight:
      --top;
      if (static_cast<uint64_t>(top[1].integer) >= 64)
        return Outcome::ShiftRange;
      top->integer >>= top[1].integer;
      break;
    case Code::NegateInteger:
    case Code::AbsInteger:
      if (top->integer == INT64_MIN)
        return Outcome::Overflow;
      if (instruction.code == Code::NegateInteger || top->integer < 0)
        top->integer = -top->integer;
      break;
    case Code::BitNot:
      top->integer = ~top->integer;
      break;
    case Code::NextPow2:
      if (top->integer > (int64_t{1} << 62))
        return Outcome::Overflow;
      top->integer = top->integer <= 1
                         ? 1
                         : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(top->integer)));
      break;
    case Code::AddReal:
      --top;
      top->real += top[1].real;
      break;
    case Code::SubReal:
      --top;
      top->real -= top[1].real;
      break;
    case Code::MulReal:
      --top;
      top->real *= top[1].real;
      break;
    case Code::DivReal:
    case Code::RemReal:
    case Code::CeilDivReal: {
      --top;
      const double a = top[0].real, b = top[1].real;
      if (b == 0)
        return Outcome::DivisionByZero;
      top->real = instruction.code == Code::RemReal   ? std::fmod(a, b)
                  : instruction.code == Code::DivReal ? a / b
                                                      : std::ceil(a / b);
      break;
    }
    case Code::MinReal:
      --top;
      top->real = std::fmin(top[0].real, top[1].real);
      break;
    case Code::MaxReal:
      --top;
      top->real = std::fmax(top[0].real, top[1].real);
      break;
    case Code::NegateReal:
      top->real = -top->real;
      break;
    case Code::AbsReal:
      top->real = std::fabs(top->real);
      break;
    case Code::EqualInteger:
      --top;
      top->integer = top[0].integer == top[1].integer;
      break;
    case Code::NotEqualInteger:
      --top;
      top->integer = top[0].integer != top[1].integer;
      break;
    case Code::LessInteger:
      --top;
      top->integer = top[0].integer < top[1].integer;
      break;
    case Code::LessEqualInteger:
      --top;
      top->integer = top[0].integer <= top[1].integer;
      break;
    case Code::EqualReal:
      --top;
      top->integer = top[0].real == top[1].real;
      break;
    case Code::NotEqualReal:
      --top;
      top->integer = top[0].real != top[1].real;
      break;
    case Code::LessReal:
      --top;
      top->integer = top[0].real < top[1].real;
      break;
    case Code::LessEqualReal:
      --top;
      top->integer = top[0].real <= top[1].real;
      break;
    case Code::CompareArgument: {
      Slot argument;
      if (const Outcome outcome =
              loadScalar(values.arguments[instruction.index], instruction.type, argument);
          outcome != Outcome::Value)
        return outcome;
      (++top)->integer = compare(static_cast<Operator>(instruction.sizeA), argument.integer,
                                 instruction.value.integer);
      break;
    }
    case Code::Not:
      top->integer = !top->integer;
      break;
    case Code::IntegerToReal:
      top->real = static_cast<double>(top->integer);
      break;
    case Code::IntegerToBoolean:
      top->integer = top->integer != 0;
      break;
    case Code::RealToBoolean:
      top->integer = top->real != 0;
      break;
    case Code::NarrowInteger:
      top->integer = wrapTo(top->integer, instruction.type);
      break;
    case Code::RoundReal:
      top->real = roundReal(top->real, instruction.type);
      break;
    case Code::RealToInteger:
      top->integer = saturateTo(top->real, instruction.type);
      break;
    case Code::JumpIfFalse:
      if (!(top--)->integer)
        at = instruction.index - 1;
      break;
    case Code::JumpIfFalseOrPop:
      if (top->integer)
        --top;
      else
        at = instruction.index - 1;
      break;
    case Code::JumpIfTrueOrPop:
      if (top->integer)
        at = instruction.index - 1;
      else
        --top;
      break;
    case Code::Jump:
      at = instruction.index - 1;
      break;
    }
  }
  result = *top;
  return Outcome::Value;
}

} // namespace tilert
