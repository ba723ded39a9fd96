// Elementwise operations against references, over special and random operands of every type.
#include "elementwise.tile.h"
#include "harness.hpp"

using namespace test;

TEST_SUITE_BEGIN("elementwise");

namespace {

constexpr int kCount = 1000; // no multiple of a program's 128

using Wide = __int128; // holds every product of two 64-bit integers

template <typename T> std::vector<T> wrapped(const Pairs<T> &in, Wide (*op)(Wide, Wide)) {
  return mapped<T>(in.a, in.b, [&](T x, T y) { return static_cast<T>(op(x, y)); });
}

template <typename T> std::vector<std::uint8_t> flags(const Pairs<T> &in, bool (*op)(T, T)) {
  return mapped<std::uint8_t>(in.a, in.b, [&](T x, T y) { return std::uint8_t(op(x, y)); });
}

/// References in double (long double for f64), rounded once.
template <typename T> T rounded(long double value) {
  if constexpr (std::is_same_v<T, double>)
    return static_cast<double>(value);
  else
    return nearest<T>(static_cast<double>(value));
}

template <typename T> std::vector<T> floats(const Pairs<T> &in, double (*op)(double, double)) {
  return mapped<T>(in.a, in.b, [&](T x, T y) { return nearest<T>(op(toDouble(x), toDouble(y))); });
}

double smaller(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? y : x;
  return x < y || (x == y && std::signbit(x)) ? x : y; // -0 is below +0
}
double larger(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? smaller(x, y) : -smaller(-x, -y);
}
double smallerOrNan(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? NAN : smaller(x, y);
}
double largerOrNan(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? NAN : larger(x, y);
}

template <typename T> void checkFlags(const Guarded<bool> &out, const Pairs<T> &in) {
  std::vector<std::uint8_t> got = out.read();
  auto want = [&](auto op) {
    return mapped<std::uint8_t>(in.a, in.b, [&](T x, T y) {
      if constexpr (isFloat<T>)
        return std::uint8_t(op(toDouble(x), toDouble(y)));
      else
        return std::uint8_t(op(x, y));
    });
  };
  checkSame(part(got, 0, kCount), want([](auto x, auto y) { return x == y; }), "==");
  checkSame(part(got, 1, kCount), want([](auto x, auto y) { return x != y; }), "!=");
  checkSame(part(got, 2, kCount), want([](auto x, auto y) { return x < y; }), "<");
  checkSame(part(got, 3, kCount), want([](auto x, auto y) { return x <= y; }), "<=");
  checkSame(part(got, 4, kCount), want([](auto x, auto y) { return x > y; }), ">");
  checkSame(part(got, 5, kCount), want([](auto x, auto y) { return x >= y; }), ">=");
}

} // namespace

TEST_CASE_TEMPLATE("integer operations wrap and compare by signedness", T, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  Pairs<T> in = operandPairs<T>(kCount, 1);
  Guarded<T> a(in.a), b(in.b), out(12 * kCount);
  Guarded<bool> flags(6 * kCount);
  require(tiles::integer_ops(stream(), out, flags, a, b, kCount));
  std::vector<T> got = out.read();
  auto check = [&](int k, const char *what, Wide (*op)(Wide, Wide)) {
    checkSame(part(got, k, kCount), wrapped<T>(in, op), what);
  };
  check(0, "+", [](Wide x, Wide y) { return x + y; });
  check(1, "-", [](Wide x, Wide y) { return x - y; });
  check(2, "*", [](Wide x, Wide y) { return Wide((unsigned __int128)(x)*y); });
  check(3, "&", [](Wide x, Wide y) { return x & y; });
  check(4, "|", [](Wide x, Wide y) { return x | y; });
  check(5, "^", [](Wide x, Wide y) { return x ^ y; });
  check(6, "~", [](Wide x, Wide) { return ~x; });
  check(7, "negate", [](Wide x, Wide) { return -x; });
  check(8, "minimum", [](Wide x, Wide y) { return std::min(x, y); });
  check(9, "maximum", [](Wide x, Wide y) { return std::max(x, y); });
  check(10, "abs", [](Wide x, Wide) { return x < 0 ? -x : x; });
  check(11, "where", [](Wide x, Wide y) { return x < y ? x : y * 3; });
  checkFlags(flags, in);
}

TEST_CASE_TEMPLATE("float arithmetic is correctly rounded, with its zeros, infinities and NaNs", T,
                   half, bfloat16, float, double) {
  Pairs<T> in = operandPairs<T>(kCount, 2);
  Guarded<T> a(in.a), b(in.b), out(18 * kCount);
  Guarded<bool> flags(7 * kCount);
  require(tiles::float_ops(stream(), out, flags, a, b, kCount));
  std::vector<T> got = out.read();
  auto check = [&](int k, const char *what, double (*op)(double, double)) {
    checkSame(part(got, k, kCount), floats<T>(in, op), what);
  };
  check(0, "+", [](double x, double y) { return x + y; });
  check(1, "-", [](double x, double y) { return x - y; });
  check(2, "*", [](double x, double y) { return x * y; });
  check(3, "/", [](double x, double y) { return x / y; });
  check(4, "negate", [](double x, double) { return -x; });
  check(5, "abs", [](double x, double) { return std::fabs(x); });
  check(6, "minimum", smaller);
  check(7, "maximum", larger);
  check(8, "minimum, NaN propagated", smallerOrNan);
  check(9, "maximum, NaN propagated", largerOrNan);
  check(10, "sqrt", [](double x, double) { return std::sqrt(x); });
  check(11, "floor", [](double x, double) { return std::floor(x); });
  check(12, "ceil", [](double x, double) { return std::ceil(x); });
  check(13, "trunc", [](double x, double) { return std::trunc(x); });
  check(14, "round", [](double x, double) { return std::round(x); });
  check(16, "where", [](double x, double y) { return x < y ? x : y; });
  check(17, "clamp", [](double x, double) { return smaller(larger(x, -1.0), 2.0); });
  checkFlags(flags, in);
  checkSame(part(flags.read(), 6, kCount),
            mapped<std::uint8_t>(in.a, [](T x) { return std::uint8_t(std::isnan(toDouble(x))); }),
            "isnan");
}

TEST_CASE_TEMPLATE("fma rounds once", T, half, bfloat16, float, double) {
  Pairs<T> in = operandPairs<T>(kCount, 3);
  Guarded<T> a(in.a), b(in.b), out(18 * kCount);
  Guarded<bool> flags(7 * kCount);
  require(tiles::float_ops(stream(), out, flags, a, b, kCount));
  std::vector<T> want = mapped<T>(in.a, in.b, [](T x, T y) {
    if constexpr (std::is_same_v<T, float>)
      return std::fmaf(x, y, x);
    else if constexpr (std::is_same_v<T, double>)
      return std::fma(x, y, x);
    else // a product is exact in double; long double holds the sum or enough of it
      return rounded<T>(static_cast<long double>(toDouble(x)) * toDouble(y) + toDouble(x));
  });
  checkSame(part(out.read(), 15, kCount), want, "fma");
}

namespace {

/// Operands for functions that grow fast or oscillate: moderate ones, then the special values.
template <typename T> std::vector<T> mathOperands() {
  std::vector<T> values = uniformValues<T>(kCount, 4, 12);
  std::vector<T> wide = uniformValues<T>(200, 5, 1000), special = specialValues<T>();
  std::copy(wide.begin(), wide.end(), values.begin());
  std::copy(special.begin(), special.end(), values.begin() + 200);
  return values;
}

/// The documented bound of f32 in units of T: half floats are computed in f32 and rounded, and the
/// reference of f64 has an error of its own.
template <typename T> constexpr double ulpBound(double single) {
  return sizeof(T) == 2 ? 0.51 : sizeof(T) == 8 ? single + 1 : single;
}

} // namespace

TEST_CASE_TEMPLATE("mathematical functions keep their bounds", T, half, bfloat16, float, double) {
  std::vector<T> x = mathOperands<T>();
  Guarded<T> a(x), out(10 * kCount);
  require(tiles::float_math(stream(), out, a, kCount));
  std::vector<T> got = out.read();
  auto check = [&](int k, const char *what, double ulps, double (*f)(double)) {
    checkUlps(part(got, k, kCount), mapped<double>(x, [&](T v) { return f(toDouble(v)); }),
              ulpBound<T>(ulps), what);
  };
  check(0, "exp", 3, std::exp);
  check(1, "exp2", 3, std::exp2);
  check(2, "log", 2, std::log);
  check(3, "log2", 2, std::log2);
  check(4, "rsqrt", 2, [](double v) { return 1 / std::sqrt(v); });
  check(7, "tanh", 3, std::tanh);
  check(8, "erf", 3, std::erf);
  // 1 / (1 + exp(-v)): what is below the normal numbers may become 0.
  double smallest = std::ldexp(1.0, Format<T>::smallest);
  checkClose(part(got, 9, kCount),
             mapped<double>(x, [](T v) { return 1 / (1 + std::exp(-toDouble(v))); }),
             ulpBound<T>(7) * unitInLastPlace<T>(1), smallest, "sigmoid");
}

TEST_CASE_TEMPLATE("sine and cosine keep their bounds", T, half, bfloat16, float, double) {
  std::vector<T> x = mathOperands<T>();
  Guarded<T> a(x), out(10 * kCount);
  require(tiles::float_math(stream(), out, a, kCount));
  std::vector<T> got = out.read();
  auto reference = [&](double (*f)(double)) {
    return mapped<double>(x, [&](T v) { return f(toDouble(v)); });
  };
  checkUlps(part(got, 5, kCount), reference(std::sin), ulpBound<T>(2), "sin");
  checkUlps(part(got, 6, kCount), reference(std::cos), ulpBound<T>(2), "cos");
}

TEST_CASE("fast_exp and fast_div are near") {
  std::vector<float> x = uniformValues<float>(kCount, 6, 20),
                     y = uniformValues<float>(kCount, 7, 9);
  Guarded<float> a(x), b(y), out(2 * kCount);
  require(tiles::fast_math(stream(), out, a, b, kCount));
  std::vector<float> got = out.read();
  checkClose(part(got, 0, kCount), mapped<double>(x, [](float v) { return std::exp(double(v)); }),
             5e-6, 0, "fast_exp");
  checkClose(part(got, 1, kCount),
             mapped<double>(x, y, [](float v, float w) { return double(v) / w; }), 1e-6, 0,
             "fast_div");
}

TEST_CASE("operations on bool keep to 0 and 1") {
  std::vector<std::uint8_t> x = {0, 0, 1, 1}, y = {0, 1, 0, 1};
  Guarded<bool> a(x), b(y), out(40);
  require(tiles::bool_ops(stream(), out, a, b));
  std::vector<std::uint8_t> want = {0,
                                    0,
                                    0,
                                    1,
                                    /* | */ 0,
                                    1,
                                    1,
                                    1,
                                    /* ^ */ 0,
                                    1,
                                    1,
                                    0,
                                    /* ~ */ 1,
                                    1,
                                    0,
                                    0,
                                    /* && */ 0,
                                    0,
                                    0,
                                    1,
                                    /* || */ 0,
                                    1,
                                    1,
                                    1,
                                    /* ! */ 1,
                                    1,
                                    0,
                                    0,
                                    /* == */ 1,
                                    0,
                                    0,
                                    1,
                                    /* != */ 0,
                                    1,
                                    1,
                                    0,
                                    /* where */ 1,
                                    0,
                                    0,
                                    1};
  checkSame(out.read(), want, "bool");
}

TEST_CASE_TEMPLATE("scalars take the operations that tiles take", T, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, half, bfloat16, float, double) {
  std::vector<T> x(8);
  for (int i = 0; i < 8; ++i)
    x[i] = nearest<T>(2 + i);
  Guarded<T> a(x), out(16);
  require(tiles::scalar_ops(stream(), out, a, 5));
  std::vector<T> got = out.read();
  std::vector<T> want;
  for (int v : {7, 10, 2, 2, 5, 10, 15, 20, 25, 30, 35, 40, 45})
    want.push_back(nearest<T>(v));
  got.erase(got.begin() + 5, got.begin() + 8); // not written
  checkSame(got, want, "scalars");
}

TEST_SUITE_END();
