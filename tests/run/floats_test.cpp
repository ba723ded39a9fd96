// Floats: signed zeros, contraction, subnormal numbers, data that only moves.
#include "floats.tile.h"
#include "harness.hpp"

using namespace test;

TEST_SUITE_BEGIN("floats");

namespace {
/// op on values of T, rounded to T: exact enough for + - * / of two Ts.
template <typename T> T once(double value) {
  return nearest<T>(value);
}
} // namespace

TEST_CASE_TEMPLATE("the sign of zero survives negation, selection, folding and casts", T, half,
                   bfloat16, float, double) {
  std::vector<T> x = specialValues<T>();
  std::vector<T> more = randomValues<T>(32 - x.size(), 30);
  x.insert(x.end(), more.begin(), more.end());
  Guarded<T> in(x), out(16 * 32);
  for (double zero : {0.0, -0.0}) {
    require(tiles::signed_zeros(stream(), out, in, float(zero)));
    std::vector<T> got = out.read();
    auto check = [&](int k, const char *what, auto op) {
      checkSame(part(got, k, 32), mapped<T>(x, [&](T v) { return once<T>(op(toDouble(v))); }),
                what);
    };
    check(0, "-v", [](double v) { return -v; });
    check(1, "0.0 - v", [](double v) { return 0.0 - v; });
    check(2, "v + 0.0", [](double v) { return v + 0.0; });
    check(3, "v - 0.0", [](double v) { return v - 0.0; });
    check(4, "v * 1.0", [](double v) { return v; });
    check(5, "v * -1.0", [](double v) { return v * -1.0; });
    check(6, "v * zero", [&](double v) { return v * zero; });
    check(7, "where", [&](double v) { return v == 0 ? v : zero; });
    check(8, "v - v", [](double v) { return v - v; });
    check(9, "v / v", [](double v) { return v / v; });
    check(10, "v + zero", [&](double v) { return v + zero; });
    check(11, "-0.0 + v", [](double v) { return v; });
    check(12, "to f64 and back", [](double v) { return v; });
    check(13, "-(-v)", [](double v) { return v; });
    check(14, "-(v - zero)", [&](double v) { return -(v - zero); });
    check(15, "v * 2 / 2", [](double v) { return toDouble(once<T>(v * 2)) / 2; });
  }
}

TEST_CASE_TEMPLATE("option fma = false rounds product and sum", T, half, bfloat16, float, double) {
  std::vector<T> x = uniformValues<T>(256, 31), y = uniformValues<T>(256, 32),
                 z = uniformValues<T>(256, 33);
  for (int i = 0; i < 128; ++i) // cancellation: the sum is the product's rounding error
    z[i] = once<T>(-toDouble(once<T>(toDouble(x[i]) * toDouble(y[i]))));
  Guarded<T> a(x), b(y), c(z), out(3 * 256);
  require(tiles::multiply_add(stream(), out, a, b, c));
  std::vector<T> got = out.read(), sums(256), differences(256), squares(256);
  auto product = [](T v, T w) { return toDouble(once<T>(toDouble(v) * toDouble(w))); };
  for (int i = 0; i < 256; ++i) {
    sums[i] = once<T>(product(x[i], y[i]) + toDouble(z[i]));
    differences[i] = once<T>(toDouble(z[i]) - product(x[i], y[i]));
    squares[i] = once<T>(product(x[i], x[i]) - product(y[i], y[i]));
  }
  checkSame(part(got, 0, 256), sums, "x * y + c");
  checkSame(part(got, 1, 256), differences, "c - x * y");
  checkSame(part(got, 2, 256), squares, "x * x - y * y");
}

TEST_CASE_TEMPLATE("contraction gives the fused result or the rounded one", T, float, double) {
  std::vector<T> x = uniformValues<T>(256, 34), y = uniformValues<T>(256, 35),
                 z = uniformValues<T>(256, 36);
  Guarded<T> a(x), b(y), c(z), out(3 * 256);
  require(tiles::multiply_add_fused(stream(), out, a, b, c));
  std::vector<T> got = out.read();
  for (int i = 0; i < 256; ++i) {
    T product = x[i] * y[i]; // built with -ffp-contract=off
    bool isEither = got[i] == std::fma(x[i], y[i], z[i]) || got[i] == product + z[i];
    CHECK_MESSAGE(isEither, "x * y + c at ", i);
    isEither = got[256 + i] == std::fma(-x[i], y[i], z[i]) || got[256 + i] == z[i] - product;
    CHECK_MESSAGE(isEither, "c - x * y at ", i);
  }
}

TEST_CASE("contraction does not cross a cast") {
  std::vector<half> x = uniformValues<half>(256, 37), y = uniformValues<half>(256, 38);
  std::vector<float> z = uniformValues<float>(256, 39);
  Guarded<half> a(x), b(y), halfOut(256);
  Guarded<float> c(z), out(256);
  require(tiles::multiply_cast_add(stream(), out, halfOut, a, b, c));
  std::vector<float> want(256);
  std::vector<half> halfWant(256);
  for (int i = 0; i < 256; ++i) {
    double product = toDouble(once<half>(toDouble(x[i]) * toDouble(y[i])));
    want[i] = once<float>(product + z[i]);
    halfWant[i] = once<half>(product + toDouble(once<half>(z[i])));
  }
  checkSame(out.read(), want, "f32");
  checkSame(halfOut.read(), halfWant, "f16");
}

TEST_CASE_TEMPLATE("subnormal numbers are kept", T, half, bfloat16, float, double) {
  std::vector<T> x(256);
  double least = std::ldexp(1.0, Format<T>::smallest - Format<T>::fraction);
  for (int i = 0; i < 256; ++i)
    x[i] = exactly<T>((i % 2 ? -1 : 1) * least * (i < 128 ? i : std::ldexp(1.0, i % 20)));
  Guarded<T> in(x), out(5 * 256);
  require(tiles::subnormals(stream(), out, in));
  std::vector<T> got = out.read();
  auto check = [&](int k, const char *what, auto op) {
    checkSame(part(got, k, 256), mapped<T>(x, [&](T v) { return once<T>(op(toDouble(v))); }), what);
  };
  check(0, "v * 0.5", [](double v) { return v * 0.5; });
  check(1, "v + v", [](double v) { return v + v; });
  check(2, "v / 4", [](double v) { return v / 4; });
  check(3, "maximum", [](double v) { return std::max(v, toDouble(once<T>(v * 0.25))); });
  check(4, "sqrt", [](double v) { return std::sqrt(std::fabs(v)); });
}

TEST_CASE_TEMPLATE("moving data keeps every bit", T, half, bfloat16, float, double) {
  std::vector<T> x(1024), special = specialValues<T>();
  for (int i = 0; i < 1024; ++i)
    x[i] = special[i * 7 % special.size()];
  Guarded<T> in(x), out(1024);
  require(tiles::moved(stream(), out, in));
  std::vector<T> got = out.read();
  int wrong = 0;
  for (int a = 0; a < 8; ++a) // transposed is [64, 16], seen as [8, 8, 16] = [a, b, c]
    for (int b = 0; b < 8; ++b)
      for (int c = 0; c < 16; ++c)
        wrong += bitsOf(got[(b * 16 + c) * 8 + a]) != bitsOf(x[c * 64 + a * 8 + b]);
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("literals are rounded once to their type", T, half, bfloat16, float, double) {
  Guarded<T> out(8);
  require(tiles::literals(stream(), out));
  std::vector<T> want = {once<T>(0.1), once<T>(1e-5),      once<T>(-0.0),     once<T>(INFINITY),
                         once<T>(NAN), once<T>(1.0 / 3.0), once<T>(16777217), once<T>(-0.0)};
  checkSame(out.read(), want, "literals");
}

TEST_SUITE_END();
