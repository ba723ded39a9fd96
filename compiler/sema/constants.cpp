#include "compiler/sema/constants.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallString.h"

#include <algorithm>
#include <cmath>

using llvm::APFloat;

namespace tilec::sema {

static Wide lowest(Scalar type) {
  return isSigned(type) ? -(Wide(1) << (bitWidth(type) - 1)) : 0;
}
static Wide highest(Scalar type) {
  return (Wide(1) << (bitWidth(type) - (isSigned(type) ? 1 : 0))) - 1;
}

static const llvm::fltSemantics &semantics(Scalar type) {
  switch (type) {
  case Scalar::F8E4M3:
    return APFloat::Float8E4M3FN();
  case Scalar::F8E5M2:
    return APFloat::Float8E5M2();
  case Scalar::F16:
    return APFloat::IEEEhalf();
  case Scalar::BF16:
    return APFloat::BFloat();
  case Scalar::F32:
    return APFloat::IEEEsingle();
  default:
    return APFloat::IEEEdouble();
  }
}

/// Beyond the largest number: what IEEE has, inf, or in f8e4m3 nan.
static double roundedUnbounded(double value, Scalar type, APFloat::roundingMode mode) {
  APFloat number(value);
  bool lossy = false;
  number.convert(semantics(type), mode, &lossy);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

/// To fp8 saturating.
static double rounded(double value, Scalar type, APFloat::roundingMode mode) {
  double result = roundedUnbounded(value, type, mode);
  if (!isFloat8(type) || std::isnan(value) || std::isfinite(result))
    return result;
  APFloat largest = APFloat::getLargest(semantics(type), std::signbit(value));
  bool lossy = false;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return largest.convertToDouble();
}

/// Whether a finite number is, rounded to the nearest, still within the type's range.
static bool isInRange(double value, Scalar type) {
  return std::isfinite(roundedUnbounded(value, type, APFloat::rmNearestTiesToEven));
}

Wide wrap(Wide value, Scalar type) {
  unsigned __int128 mask = (static_cast<unsigned __int128>(1) << bitWidth(type)) - 1;
  Wide low = static_cast<Wide>(static_cast<unsigned __int128>(value) & mask);
  return isSigned(type) && low > highest(type) ? low - (Wide(1) << bitWidth(type)) : low;
}

bool fits(Wide value, Scalar type) {
  if (isFloat(type))
    return isInRange(static_cast<double>(value), type);
  return value >= lowest(type) && value <= highest(type);
}

double roundTo(double value, Scalar type) {
  return rounded(value, type, APFloat::rmNearestTiesToEven);
}
double roundToZero(double value, Scalar type) {
  return rounded(value, type, APFloat::rmTowardZero);
}

std::string str(Wide value) {
  bool negative = value < 0;
  auto magnitude = static_cast<unsigned __int128>(negative ? -value : value);
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(magnitude % 10)));
    magnitude /= 10;
  } while (magnitude != 0);
  if (negative)
    digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string str(const Constant &value) {
  if (const bool *boolean = std::get_if<bool>(&value))
    return *boolean ? "true" : "false";
  if (const auto *integer = std::get_if<IntConstant>(&value))
    return str(integer->value);
  double number = std::get<FloatConstant>(value).value;
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  llvm::SmallString<32> text;
  APFloat(number).toString(text, 0, 3);
  return text.str().str();
}

static std::optional<Scalar> typeOf(const Constant &value) {
  if (std::holds_alternative<bool>(value))
    return Scalar::Bool;
  if (const auto *integer = std::get_if<IntConstant>(&value))
    return integer->type;
  return std::get<FloatConstant>(value).type;
}

Scalar defaultType(const Constant &value) {
  if (std::optional<Scalar> type = typeOf(value))
    return *type;
  if (const auto *integer = std::get_if<IntConstant>(&value))
    return fits(integer->value, Scalar::I32)   ? Scalar::I32
           : fits(integer->value, Scalar::I64) ? Scalar::I64
                                               : Scalar::U64;
  return Scalar::F32;
}

static double asDouble(const Constant &value) {
  if (const bool *boolean = std::get_if<bool>(&value))
    return *boolean ? 1 : 0;
  if (const auto *integer = std::get_if<IntConstant>(&value))
    return static_cast<double>(integer->value);
  return std::get<FloatConstant>(value).value;
}

/// Integer to float, rounded once.
static double integerToFloat(Wide value, Scalar type) {
  if (isFloat8(type)) // f64 loses only what saturates
    return roundTo(integerToFloat(value, Scalar::F64), type);
  bool negative = value < 0;
  auto magnitude = static_cast<unsigned __int128>(negative ? -value : value);
  uint64_t words[] = {static_cast<uint64_t>(magnitude), static_cast<uint64_t>(magnitude >> 64)};
  APFloat number(semantics(type));
  number.convertFromAPInt(llvm::APInt(128, words), false, APFloat::rmNearestTiesToEven);
  if (negative)
    number.changeSign();
  bool lossy = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

Constant castConstant(const Constant &value, Scalar type, bool towardZero) {
  if (isFloat(type)) {
    if (const auto *integer = std::get_if<IntConstant>(&value))
      return FloatConstant{integerToFloat(integer->value, type), type};
    double number = asDouble(value);
    return FloatConstant{towardZero ? roundToZero(number, type) : roundTo(number, type), type};
  }
  if (isBool(type))
    return asDouble(value) != 0;
  if (const auto *real = std::get_if<FloatConstant>(&value)) {
    llvm::APSInt bits(bitWidth(type), isUnsigned(type));
    bool exact = false;
    APFloat(real->value).convertToInteger(bits, APFloat::rmTowardZero, &exact);
    if (std::isnan(real->value))
      return IntConstant{0, type};
    return IntConstant{isSigned(type) ? Wide(bits.getSExtValue()) : Wide(bits.getZExtValue()),
                       type};
  }
  Wide integer = std::holds_alternative<bool>(value) ? Wide(std::get<bool>(value))
                                                     : std::get<IntConstant>(value).value;
  return IntConstant{wrap(integer, type), type};
}

ConstantResult adapt(const Constant &value, Scalar type) {
  bool literal = !typeOf(value);
  if (const auto *integer = std::get_if<IntConstant>(&value); integer && literal) {
    if (isBool(type) || !fits(integer->value, type))
      return {std::nullopt, "the literal " + str(value) + " does not fit " + name(type)};
  }
  if (const auto *real = std::get_if<FloatConstant>(&value); real && literal) {
    if (!isFloat(type))
      return {std::nullopt, "the literal " + str(value) + " is not an integer; write " +
                                std::string(name(type)) + "(...) to convert it"};
    if (std::isfinite(real->value) && !isInRange(real->value, type))
      return {std::nullopt, "the literal " + str(value) + " does not fit " + name(type)};
  }
  return {castConstant(value, type), {}};
}

ConstantPair unify(const Constant &first, const Constant &second) {
  std::optional<Scalar> a = typeOf(first), b = typeOf(second);
  auto isReal = [](const Constant &value) { return std::holds_alternative<FloatConstant>(value); };
  auto untyped = [](const Constant &value, bool real) -> Constant {
    if (real)
      return FloatConstant{asDouble(value), std::nullopt};
    if (const bool *boolean = std::get_if<bool>(&value))
      return IntConstant{*boolean, std::nullopt};
    return value;
  };
  // A compile-time bool beside a literal stays a literal: it is 0 or 1 of whatever type comes.
  bool untypedPair = (!a || *a == Scalar::Bool) && (!b || *b == Scalar::Bool) && (!a || !b);
  if (untypedPair) {
    bool real = isReal(first) || isReal(second);
    return {untyped(first, real), untyped(second, real), {}};
  }
  Scalar type;
  if (a && b) {
    Promotion promotion = promote(*a, *b);
    if (!promotion.type)
      return {std::nullopt, std::nullopt, promotion.problem};
    type = *promotion.type;
  } else {
    Scalar known = a ? *a : *b;
    type = isReal(a ? second : first) && !isFloat(known) ? Scalar::F32 : known;
  }
  ConstantResult left = adapt(first, type), right = adapt(second, type);
  if (!left.value || !right.value)
    return {std::nullopt, std::nullopt, left.value ? right.problem : left.problem};
  return {left.value, right.value, {}};
}

uint64_t bitsOf(const Constant &value, Scalar type) {
  Constant typed = castConstant(value, type);
  if (const bool *boolean = std::get_if<bool>(&typed))
    return *boolean;
  if (const auto *integer = std::get_if<IntConstant>(&typed))
    return static_cast<uint64_t>(integer->value);
  APFloat number(std::get<FloatConstant>(typed).value);
  if (isFloat8(type) && number.isNaN())
    return 0x7f; // as a cast at run time makes it
  bool lossy = false;
  number.convert(semantics(type), APFloat::rmNearestTiesToEven, &lossy);
  return number.bitcastToAPInt().getZExtValue();
}

Constant fromBits(uint64_t bits, Scalar type) {
  if (isBool(type))
    return (bits & 1) != 0;
  if (!isFloat(type))
    return IntConstant{wrap(static_cast<Wide>(bits), type), type};
  APFloat number(semantics(type), llvm::APInt(bitWidth(type), bits, false, true));
  bool lossy = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return FloatConstant{number.convertToDouble(), type};
}

} // namespace tilec::sema
