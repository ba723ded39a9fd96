#include "numeric.h"

#include "tilert/tilert.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilert {
namespace {

const FloatFormat *formatOf(uint32_t type) {
  switch (type) {
  case TILERT_TYPE_F16:
    return &kF16;
  case TILERT_TYPE_BF16:
    return &kBf16;
  case TILERT_TYPE_F8E5M2:
    return &kF8e5m2;
  case TILERT_TYPE_F8E4M3:
    return &kF8e4m3;
  default:
    return nullptr;
  }
}

} // namespace

// The quotient by the spacing of representable numbers at this magnitude is exact (a power of two),
// so rounding it to an integer by nearbyint - to nearest even in the default environment, which
// tilert never changes - rounds the value once.
uint32_t encodeFloat(double value, FloatFormat format) {
  const int fractionBits = static_cast<int>(format.fractionBits);
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const uint32_t maxExponent = (1u << format.exponentBits) - 1;
  const uint32_t infinity = maxExponent << fractionBits;
  const uint32_t fractionMask = (1u << fractionBits) - 1;
  const uint32_t nan =
      format.hasInfinity ? infinity | (1u << (fractionBits - 1)) : infinity | fractionMask;
  const uint32_t sign = std::signbit(value) ? 1u << (format.exponentBits + format.fractionBits) : 0;
  if (std::isnan(value))
    return sign | nan;
  const uint32_t largest = (format.hasInfinity ? infinity : nan) - 1;
  const uint32_t overflow = format.saturates ? largest : infinity;
  if (std::isinf(value))
    return sign | overflow;
  const double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  int exponent = std::ilogb(magnitude);
  if (exponent < 1 - bias)
    exponent = 1 - bias; // subnormal spacing
  const double units = std::nearbyint(std::scalbn(magnitude, fractionBits - exponent));
  // units counts from 0 (subnormal) or has the implicit bit; adding lets a carry move the exponent.
  const int64_t bits =
      (static_cast<int64_t>(exponent + bias - 1) << fractionBits) + static_cast<int64_t>(units);
  return sign | (bits > largest ? overflow : static_cast<uint32_t>(bits));
}

double decodeFloat(uint32_t bits, FloatFormat format) {
  const int fractionBits = static_cast<int>(format.fractionBits);
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const uint32_t maxExponent = (1u << format.exponentBits) - 1;
  const uint32_t fraction = bits & ((1u << fractionBits) - 1);
  const uint32_t exponent = (bits >> fractionBits) & maxExponent;
  const bool negative = (bits >> (format.exponentBits + format.fractionBits)) & 1;
  double magnitude;
  if (format.hasInfinity && exponent == maxExponent)
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (!format.hasInfinity && exponent == maxExponent && fraction == (1u << fractionBits) - 1)
    magnitude = std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude = std::scalbn(static_cast<double>(fraction), 1 - bias - fractionBits);
  else
    magnitude = std::scalbn(static_cast<double>(fraction | (1u << fractionBits)),
                            static_cast<int>(exponent) - bias - fractionBits);
  return negative ? -magnitude : magnitude;
}

double decodeReal(const void *from, uint32_t type) {
  const FloatFormat *format = formatOf(type);
  if (!format)
    return 0;
  uint16_t bits = 0;
  std::memcpy(&bits, from, format->exponentBits + format->fractionBits + 1 > 8 ? 2 : 1);
  return decodeFloat(bits, *format);
}

double roundReal(double value, uint32_t type) {
  if (type == TILERT_TYPE_F32)
    return static_cast<double>(static_cast<float>(value));
  const FloatFormat *format = formatOf(type);
  return format ? decodeFloat(encodeFloat(value, *format), *format) : value;
}

int64_t realKey(double value, uint32_t type) {
  value = roundReal(value, type);
  return std::bit_cast<int64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN()
                                                  : value);
}

} // namespace tilert

extern "C" {

uint16_t tilert_host_f32_to_bf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) // NaN: quiet; rounding could make it infinite
    return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

uint16_t tilert_host_f64_to_bf16(double value) {
  return static_cast<uint16_t>(tilert::encodeFloat(value, tilert::kBf16));
}

// What LLVM calls where it moves bf16 values through f32 (selections, for one). libgcc has it from
// version 13 on. The result is the low half of a float register, on x86-64 and on Arm.
// NOLINTBEGIN(bugprone-reserved-identifier)
__attribute__((weak, visibility("default"))) float __truncsfbf2(float value) {
  const uint32_t bits = tilert_host_f32_to_bf16(value);
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

__attribute__((weak, visibility("default"))) float __truncdfbf2(double value) {
  const uint32_t bits = tilert_host_f64_to_bf16(value);
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}
// NOLINTEND(bugprone-reserved-identifier)

} // extern "C"
