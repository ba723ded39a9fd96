// Narrow floats in software: what the evaluator and the host device need of f16, bf16 and fp8.
#pragma once

#include <cstdint>

namespace tilert {

/// A narrow format: 1 sign bit, `exponentBits`, `fractionBits`.
struct FloatFormat {
  unsigned exponentBits, fractionBits;
  bool hasInfinity; ///< f8e4m3 has none: its largest exponent holds values, all ones is NaN
  bool saturates;   ///< beyond the range: the largest finite value, else infinity
};
constexpr FloatFormat kF16{5, 10, true, false}, kBf16{8, 7, true, false}, kF8e5m2{5, 2, true, true},
    kF8e4m3{4, 3, false, true};

/// `value` rounded once, to nearest even.
uint32_t encodeFloat(double value, FloatFormat format);
double decodeFloat(uint32_t bits, FloatFormat format);

/// The f8, f16, bf16 value at `from` (`type` as tilert_type).
double decodeReal(const void *from, uint32_t type);
/// `value` rounded to a real type and widened again.
double roundReal(double value, uint32_t type);
/// What stands for a value of a real const param where values are compared: the bits of the double
/// that `value`, rounded to the type, is. One NaN stands for all.
int64_t realKey(double value, uint32_t type);

} // namespace tilert
