// Products of fp8 against sums in double. Alone: run_tests --test-suite=dot_float8. The program
// run_dot_float8_native is the same through instructions that multiply fp8 (the lowering of sm_89).
#include "dot_float8.tile.h"
#include "harness.hpp"

#include <array>

using namespace test;

TEST_SUITE_BEGIN("dot_float8");

namespace {

using Byte = std::uint8_t;
constexpr int m = 32, n = 16, k = 64;

/// The finite value of an fp8 with that many fraction bits.
double value(Byte bits, int fractionBits) {
  int bias = (1 << (6 - fractionBits)) - 1, exponent = (bits & 0x7f) >> fractionBits;
  int fraction = bits & ((1 << fractionBits) - 1);
  double magnitude = exponent ? std::ldexp(fraction + (1 << fractionBits), exponent - bias)
                              : std::ldexp(fraction, 1 - bias);
  return std::ldexp(bits & 0x80 ? -magnitude : magnitude, -fractionBits);
}

/// Random fp8 below 2 in magnitude, and their values; denormals included.
struct Operand {
  std::vector<Byte> bytes;
  std::vector<double> values;

  Operand(int count, int fractionBits, unsigned seed) {
    std::mt19937 random(seed);
    int two = ((1 << (6 - fractionBits)) << fractionBits);
    for (int i = 0; i < count; ++i) {
      bytes.push_back(static_cast<Byte>(random() % two | (random() % 2 ? 0x80 : 0)));
      values.push_back(value(bytes.back(), fractionBits));
    }
  }
};

/// a x b of row-major values, and of their magnitudes.
std::array<std::vector<double>, 2> products(const Operand &a, const Operand &b) {
  std::array<std::vector<double>, 2> result;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0, scale = 0;
      for (int i = 0; i < k; ++i) {
        double term = a.values[row * k + i] * b.values[i * n + column];
        sum += term;
        scale += std::fabs(term);
      }
      result[0].push_back(sum);
      result[1].push_back(scale);
    }
  return result;
}

template <typename Kernel> void check(int fractionOfA, int fractionOfB, Kernel kernel) {
  Operand a(m * k, fractionOfA, 1), b(k * n, fractionOfB, 2);
  Guarded<Byte> left(a.bytes), right(b.bytes);
  Guarded<float> wide(m * n);
  Guarded<half> narrow(m * n);
  require(kernel(wide, narrow, left, right));
  auto [want, scale] = products(a, b);
  auto compareTo = [&](const auto &got, double error, const char *what) {
    compare(got, want, what, [&, &want = want, &scale = scale](std::size_t i) {
      return std::fabs(toDouble(got[i]) - want[i]) <= error * scale[i];
    });
  };
  compareTo(wide.read(), std::ldexp(1, -18), "into f32");
  compareTo(narrow.read(), std::ldexp(1, -9), "into f16");
}

} // namespace

TEST_CASE("dots of fp8, alike") {
  check(3, 3, [](auto &...x) { return tiles::dot_float8_f8e4m3_f8e4m3(stream(), x...); });
  check(2, 2, [](auto &...x) { return tiles::dot_float8_f8e5m2_f8e5m2(stream(), x...); });
}

TEST_CASE("dots of fp8, mixed") {
  check(3, 2, [](auto &...x) { return tiles::dot_float8_f8e4m3_f8e5m2(stream(), x...); });
  check(2, 3, [](auto &...x) { return tiles::dot_float8_f8e5m2_f8e4m3(stream(), x...); });
}

TEST_CASE("a result cast to fp8 is an operand again") {
  // Powers of two on the diagonal: products are exact.
  std::vector<Byte> diagonal(32 * 32), ones(32 * 32, 0x38); // 1.0
  for (int i = 0; i < 32; ++i)
    diagonal[i * 33] = static_cast<Byte>(0x38 + 8 * (i % 4)); // 1, 2, 4, 8
  Guarded<Byte> a(diagonal), b(ones);
  Guarded<float> out(32 * 32);
  require(tiles::dot_float8_chain(stream(), out, a, b));
  std::vector<double> want;
  for (int i = 0; i < 32 * 32; ++i)
    want.push_back(32 << i / 32 % 4);
  checkClose(out.read(), want, 0, 0, "chain");
}
