// Alone: build/release/bin/unit_lowering --test-case='elementwise*'
#include "elementwise_harness.h"

#include <cmath>
#include <limits>

using namespace tilec::test;

/// All pairs of these values.
template <typename T>
static std::pair<std::vector<T>, std::vector<T>> pairs(const std::vector<T> &values) {
  std::pair<std::vector<T>, std::vector<T>> result;
  for (T a : values)
    for (T b : values) {
      result.first.push_back(a);
      result.second.push_back(b);
    }
  return result;
}

TEST_CASE("elementwise: signed division and remainder truncate, wrap and never trap") {
  auto [a, b] = pairs<int32_t>({INT32_MIN, INT32_MIN + 1, -7, -1, 0, 1, 2, 7, INT32_MAX});
  auto quotients = apply<int32_t>("%r = arith.divsi %a, %b : $I", "i32", "i32", a, b);
  auto remainders = apply<int32_t>("%r = arith.remsi %a, %b : $I", "i32", "i32", a, b);
  for (size_t i = 0; i < a.size(); ++i)
    if (b[i] != 0) { // any value is right for 0, the program just has to go on
      CHECK(quotients[i] == static_cast<int32_t>(int64_t(a[i]) / b[i]));
      CHECK(remainders[i] == static_cast<int32_t>(int64_t(a[i]) % b[i]));
    }
}

TEST_CASE("elementwise: division by constants, -1 and 0 among them") {
  std::vector<int32_t> a = {INT32_MIN, -8, -7, -1, 0, 1, 7, 8, INT32_MAX};
  for (int divisor : {-1, -3, 0, 1, 5}) {
    auto r = apply<int32_t>("%c = arith.constant dense<" + std::to_string(divisor) +
                                "> : $I %r = arith.divsi %a, %c : $I",
                            "i32", "i32", a);
    for (size_t i = 0; i < a.size(); ++i)
      if (divisor != 0)
        CHECK(r[i] == static_cast<int32_t>(int64_t(a[i]) / divisor));
  }
}

TEST_CASE("elementwise: unsigned division takes the whole range") {
  auto [a, b] = pairs<uint8_t>({0, 1, 2, 127, 128, 200, 255});
  auto quotients = apply<uint8_t>("%r = arith.divui %a, %b : $I", "i8", "i8", a, b);
  auto remainders = apply<uint8_t>("%r = arith.remui %a, %b : $I", "i8", "i8", a, b);
  for (size_t i = 0; i < a.size(); ++i)
    if (b[i] != 0) {
      CHECK(quotients[i] == a[i] / b[i]);
      CHECK(remainders[i] == a[i] % b[i]);
    }
}

TEST_CASE("elementwise: ceiling and floor division round by the exact quotient") {
  auto [a, b] = pairs<int16_t>({-32767, -7, -6, -1, 0, 1, 6, 7, 32767});
  auto up = apply<int16_t>("%r = arith.ceildivsi %a, %b : $I", "i16", "i16", a, b);
  auto down = apply<int16_t>("%r = arith.floordivsi %a, %b : $I", "i16", "i16", a, b);
  for (size_t i = 0; i < a.size(); ++i)
    if (b[i] != 0) {
      CHECK(up[i] == static_cast<int16_t>(std::ceil(double(a[i]) / b[i])));
      CHECK(down[i] == static_cast<int16_t>(std::floor(double(a[i]) / b[i])));
    }
}

TEST_CASE("elementwise: the high half of a product") {
  auto [a, b] = pairs<uint32_t>({0, 1, 3, 0x7fffffff, 0x80000000, 0xd2511f53, 0xffffffff});
  auto high = apply<uint32_t>("%l, %r = arith.mului_extended %a, %b : $I", "i32", "i32", a, b);
  for (size_t i = 0; i < a.size(); ++i)
    CHECK(high[i] == static_cast<uint32_t>(uint64_t(a[i]) * b[i] >> 32));
}

TEST_CASE("elementwise: f32 division is correctly rounded and negation flips the sign") {
  auto [a, b] = pairs<float>({-0.0f, 0.0f, 1.0f, 3.0f, -1e-40f, 1e38f, INFINITY});
  auto quotients = apply<float>("%r = arith.divf %a, %b : $I", "f32", "f32", a, b);
  auto negated =
      apply<uint32_t>("%n = arith.negf %a : $I %r = tile.bitcast %n : $I -> $O", "f32", "i32", a);
  for (size_t i = 0; i < a.size(); ++i) {
    volatile float expected = a[i] / b[i];
    CHECK((std::isnan(expected)
               ? std::isnan(quotients[i])
               : bitsOf<uint32_t>(float(expected)) == bitsOf<uint32_t>(quotients[i])));
    CHECK(negated[i] == (bitsOf<uint32_t>(a[i]) ^ 0x80000000u));
  }
}

TEST_CASE("elementwise: minimum ignores NaN or propagates it, as asked") {
  float nan = std::nanf("");
  auto [a, b] = pairs<float>({nan, -1.0f, 2.0f, -INFINITY});
  auto number = apply<float>("%r = arith.minnumf %a, %b : $I", "f32", "f32", a, b);
  auto strict = apply<float>("%r = arith.minimumf %a, %b : $I", "f32", "f32", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    bool anyNan = std::isnan(a[i]) || std::isnan(b[i]);
    float least = std::isnan(a[i]) ? b[i] : std::isnan(b[i]) ? a[i] : std::min(a[i], b[i]);
    CHECK((std::isnan(least) ? std::isnan(number[i]) : number[i] == least));
    CHECK((anyNan ? std::isnan(strict[i]) : strict[i] == least));
  }
}

TEST_CASE("elementwise: comparisons with NaN, and select moves bits") {
  float nan = std::nanf("");
  auto [a, b] = pairs<float>({nan, -0.0f, 0.0f, 1.0f});
  auto less = apply<uint8_t>("%r = arith.cmpf olt, %a, %b : $I", "f32", "i1", a, b);
  auto unequal = apply<uint8_t>("%r = arith.cmpf une, %a, %b : $I", "f32", "i1", a, b);
  auto chosen = apply<float>("%c = arith.cmpf olt, %a, %b : $I %r = arith.select %c, %a, %b : "
                             "$B, $I",
                             "f32", "f32", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(less[i] == (a[i] < b[i]));
    CHECK(unequal[i] == (a[i] != b[i]));
    CHECK(bitsOf<uint32_t>(chosen[i]) == bitsOf<uint32_t>(a[i] < b[i] ? a[i] : b[i]));
  }
}

TEST_CASE("elementwise: f16 arithmetic rounds every result to f16") {
  auto [a, b] = pairs<_Float16>(
      {_Float16(0.1f), _Float16(3), _Float16(-60000.0f), _Float16(65504.0f), _Float16(6e-8f)});
  auto sums = apply<_Float16>("%r = arith.addf %a, %b : $I", "f16", "f16", a, b);
  auto products = apply<_Float16>("%r = arith.mulf %a, %b : $I", "f16", "f16", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(sums[i] == static_cast<_Float16>(float(a[i]) + float(b[i])));
    CHECK(products[i] == static_cast<_Float16>(float(a[i]) * float(b[i])));
  }
}

TEST_CASE("elementwise: bf16 negation and absolute value only touch the sign bit") {
  std::vector<uint16_t> a = {0x0000, 0x8000, 0x3f80, 0xff80, 0x7fc1, 0xffc1, 0x0001};
  auto negated = apply<uint16_t>("%r = arith.negf %a : $I", "bf16", "bf16", a);
  auto magnitude = apply<uint16_t>("%r = math.absf %a : $I", "bf16", "bf16", a);
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(negated[i] == (a[i] ^ 0x8000));
    CHECK(magnitude[i] == (a[i] & 0x7fff));
  }
}
