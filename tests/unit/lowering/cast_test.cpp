// Alone: build/release/bin/unit_lowering --test-case='casts*'
#include "elementwise_harness.h"

#include <cmath>

using namespace tilec::test;

/// The value of a bf16, and of a finite f16, in double.
static double bf16Value(uint16_t bits) {
  return bitsOf<float>(uint32_t(bits) << 16);
}

/// Nearest bf16 by search among all of them, even on ties.
static uint16_t nearestBf16(long double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  long double magnitude = std::fabs(value);
  uint16_t low = 0, high = 0x7f80; // the largest bf16 not above, by bisection
  while (high - low > 1) {
    uint16_t middle = (low + high) / 2;
    (bf16Value(middle) <= magnitude ? low : high) = middle;
  }
  long double above = high == 0x7f80 ? 0x1p128L : bf16Value(high);
  long double down = magnitude - bf16Value(low), up = above - magnitude;
  uint16_t nearest = down < up || (down == up && low % 2 == 0) ? low : high;
  return sign | nearest;
}

TEST_CASE("casts: float to integer truncates, saturates, and maps NaN to 0") {
  std::vector<float> a = {NAN,    -INFINITY, INFINITY, -1.9f, -0.5f, 0.5f,
                          127.9f, 128.0f,    255.9f,   3e9f,  -3e9f, 1e30f};
  auto i8 = apply<int8_t>("%r = tile.fp_to_int %a : $I -> $O", "f32", "i8", a);
  auto u8 = apply<uint8_t>("%r = tile.fp_to_int %a unsigned : $I -> $O", "f32", "i8", a);
  auto i32 = apply<int32_t>("%r = tile.fp_to_int %a : $I -> $O", "f32", "i32", a);
  for (size_t i = 0; i < a.size(); ++i) {
    double t = std::isnan(a[i]) ? 0 : std::trunc(double(a[i]));
    CHECK(i8[i] == static_cast<int8_t>(std::fmin(std::fmax(t, -128), 127)));
    CHECK(u8[i] == static_cast<uint8_t>(std::fmin(std::fmax(t, 0), 255)));
    CHECK(i32[i] == static_cast<int32_t>(std::fmin(std::fmax(t, INT32_MIN), INT32_MAX)));
  }
}

TEST_CASE("casts: integers to bf16 round once") {
  std::vector<int64_t> a = {0,
                            1,
                            -1,
                            257,
                            0x1010000,
                            0x1010001,
                            -0x1030001,
                            INT64_MAX,
                            INT64_MIN,
                            (int64_t(0x101) << 46) + 1,
                            (int64_t(0x101) << 46) - 1,
                            int64_t(0x101) << 46,
                            -(int64_t(0x103) << 54) + 1};
  auto r = apply<uint16_t>("%r = arith.sitofp %a : $I to $O", "i64", "bf16", a);
  std::vector<int32_t> narrow = {0x1010000, 0x1010001, 0x100ffff, -0x1030001, INT32_MAX};
  auto s = apply<uint16_t>("%r = arith.sitofp %a : $I to $O", "i32", "bf16", narrow);
  for (size_t i = 0; i < a.size(); ++i)
    CHECK(r[i] == nearestBf16(a[i]));
  for (size_t i = 0; i < narrow.size(); ++i)
    CHECK(s[i] == nearestBf16(narrow[i]));
}

TEST_CASE("casts: unsigned integers to f32 and bf16") {
  std::vector<uint64_t> a = {0,
                             1,
                             0x8000000000000000u,
                             0xffffffffffffffffu,
                             0xfeffffffffffffffu,
                             (uint64_t(0x101) << 55) + 1};
  auto f = apply<float>("%r = arith.uitofp %a : $I to $O", "i64", "f32", a);
  auto b = apply<uint16_t>("%r = arith.uitofp %a : $I to $O", "i64", "bf16", a);
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(f[i] == static_cast<float>(a[i]));
    CHECK(b[i] == nearestBf16(static_cast<long double>(a[i])));
  }
}

/// Extends every value of a 16-bit type to `wide` and truncates it back: the same, NaN stays NaN.
static void checkRoundTrip(const std::string &type, const std::string &wide, uint16_t infinity) {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  auto isNan = [&](uint16_t bits) { return (bits & 0x7fff) > infinity; };
  // Denormals, small, around one, large and not finite; positive and negative.
  for (size_t block : {0, 0x1000, 0x3c00, 0x7800, 0x8000, 0xbc00, 0xf800}) {
    std::vector<uint16_t> a(all.begin() + block, all.begin() + block + 2048);
    auto r = apply<uint16_t>("%w = arith.extf %a : $I to " + wide +
                                 " %r = arith.truncf %w : " + wide + " to $O",
                             type, type, a);
    size_t wrong = 0;
    for (size_t i = 0; i < a.size(); ++i)
      wrong += isNan(a[i]) ? !isNan(r[i]) : r[i] != a[i];
    CHECK_MESSAGE(wrong == 0, type << " from " << block);
  }
}

TEST_CASE("casts: f16 and bf16 values survive f32 and f64") {
  checkRoundTrip("f16", "$F", 0x7c00);
  checkRoundTrip("f16", "$D", 0x7c00);
  checkRoundTrip("bf16", "$F", 0x7f80);
  checkRoundTrip("bf16", "$D", 0x7f80);
}

TEST_CASE("casts: f64 to f16 and bf16 rounds once") {
  // Just above a tie of the narrow type, by less than f32 can see.
  std::vector<double> a = {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-11,
                           1 + 3 * 0x1p-11,       65519.999999,         65520.0};
  auto h = apply<_Float16>("%r = arith.truncf %a : $I to $O", "f64", "f16", a);
  auto b = apply<uint16_t>("%r = arith.truncf %a : $I to $O", "f64", "bf16", a);
  CHECK(double(h[0]) == 1 + 0x1p-10);
  CHECK(double(h[2]) == 1.0);
  CHECK(double(h[3]) == 1 + 0x1p-9);
  CHECK(double(h[4]) == 65504);
  CHECK(std::isinf(double(h[5])));
  for (size_t i = 0; i < a.size(); ++i)
    CHECK(b[i] == nearestBf16(a[i]));
}

TEST_CASE("casts: rounding toward zero never leaves the magnitude") {
  std::vector<float> a = {1.0f + 0x1p-11f,
                          -1.0f - 0x1.8p-10f,
                          1e10f,
                          -1e10f,
                          0x1p-25f,
                          INFINITY,
                          NAN,
                          -INFINITY,
                          65519,
                          1.5f};
  auto h = apply<_Float16>("%r = tile.truncf %a, \"rtz\" : $I -> $O", "f32", "f16", a);
  std::vector<float> expected = {1,   -1.0f - 0x1p-10f, 65504, -65504, 0, INFINITY,
                                 NAN, -INFINITY,        65504, 1.5f};
  for (size_t i = 0; i < a.size(); ++i)
    CHECK((std::isnan(expected[i]) ? std::isnan(float(h[i])) : float(h[i]) == expected[i]));
}

TEST_CASE("casts: any non-zero byte is true, and true is stored as 1") {
  std::vector<uint8_t> a = {0, 1, 2, 128, 255};
  auto r = apply<uint8_t>("%r = tile.bitcast %a : $I -> $O", "i1", "i1", a);
  auto wide = apply<int32_t>("%r = arith.extui %a : $I to $O", "i1", "i32", a);
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(r[i] == (a[i] != 0));
    CHECK(wide[i] == (a[i] != 0));
  }
}
