// Alone: build/release/bin/unit_runtime --test-case='numeric*'
#include "runtime/source/numeric.h"
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

using namespace tilert;

namespace {

/// The nearest value of a format by search over all of them; ties go to the even one.
uint16_t nearest(double value, FloatFormat format, unsigned count) {
  uint16_t best = 0;
  double distance = INFINITY;
  for (unsigned bits = 0; bits < count; ++bits) {
    const double candidate = decodeFloat(bits, format);
    const double apart = std::fabs(candidate - value);
    if (apart < distance || (apart == distance && bits % 2 == 0))
      distance = apart, best = static_cast<uint16_t>(bits);
  }
  return best;
}

} // namespace

TEST_CASE("numeric: every f16 and bf16 survives the way through float") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const half h = half::fromBits(static_cast<uint16_t>(bits));
    const bfloat16 b = bfloat16::fromBits(static_cast<uint16_t>(bits));
    if (std::isnan(float(h)))
      CHECK(std::isnan(float(half(float(h)))));
    else
      CHECK(half(float(h)).bits() == bits);
    if (std::isnan(float(b)))
      CHECK(std::isnan(float(bfloat16(float(b)))));
    else
      CHECK(bfloat16(float(b)).bits() == bits);
  }
}

TEST_CASE("numeric: half rounds to nearest even at and beside every midpoint") {
  for (unsigned bits = 0; bits < 0x7bff; bits += 7) {
    const float low = half::fromBits(static_cast<uint16_t>(bits));
    const float high = half::fromBits(static_cast<uint16_t>(bits + 1));
    const float middle = (low + high) / 2; // exact: float has more bits
    CHECK(half(middle).bits() == bits + bits % 2);
    CHECK(half(std::nextafter(middle, INFINITY)).bits() == bits + 1);
    CHECK(half(std::nextafter(middle, 0.0f)).bits() == bits);
  }
  CHECK(half(65519.99f).bits() == 0x7bff);
  CHECK(half(65520.0f).bits() == 0x7c00);
  CHECK(half(-INFINITY).bits() == 0xfc00);
}

TEST_CASE("numeric: narrow floats by rounding once, fp8 saturating") {
  for (double value : {0.3, 1.0625, 17.0, 0.001, 0.0009765625, 447.0, 3.1})
    CHECK(encodeFloat(value, kF8e4m3) == nearest(value, kF8e4m3, 0x7f));
  for (double value : {0.3, 1.125, 17.0, 1e-5, 50000.0})
    CHECK(encodeFloat(value, kF8e5m2) == nearest(value, kF8e5m2, 0x7c));
  CHECK(decodeFloat(encodeFloat(1e9, kF8e4m3), kF8e4m3) == 448);
  CHECK(decodeFloat(encodeFloat(-INFINITY, kF8e5m2), kF8e5m2) == -57344);
  CHECK(std::isnan(decodeFloat(encodeFloat(NAN, kF8e4m3), kF8e4m3)));
  for (unsigned bits = 0; bits < 0x7c00; bits += 3)
    CHECK(encodeFloat(decodeFloat(bits, kF16), kF16) == bits);
}

TEST_CASE("numeric: doubles are rounded to f16 once") {
  // Above the midpoint of 1 and 1 + 2^-10 by less than a float can say.
  const double value = 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  CHECK(encodeFloat(value, kF16) == 0x3c01);
  CHECK(half(static_cast<float>(value)).bits() == 0x3c00);
}

TEST_CASE("numeric: the language's names of C++ types") {
  CHECK(std::string(typeName<const float>()) == "f32");
  CHECK(std::string(typeName<half>()) == "f16");
  CHECK(std::string(typeName<bfloat16>()) == "bf16");
  CHECK(std::string(typeName<std::uint16_t>()) == "u16");
  CHECK(std::string(typeName<long long>()) == "i64");
  CHECK(std::string(typeName<bool>()) == "bool");
  CHECK(typeName<void *>() == nullptr);
}
