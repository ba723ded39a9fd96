// fp8 against tables of its values: a cast down is the nearest of all 256, found by search.
#include "float8.tile.h"
#include "harness.hpp"

using namespace test;

TEST_SUITE_BEGIN("float8");

namespace {

using Byte = std::uint8_t;

/// An fp8 format, by definition: sign, `exponentBits`, `fractionBits`; e4m3 has no infinity.
struct Float8 {
  int fractionBits, bias;
  bool hasInfinity;

  double value(Byte bits) const {
    int fraction = bits & ((1 << fractionBits) - 1), exponent = (bits & 0x7f) >> fractionBits;
    double sign = bits & 0x80 ? -1 : 1;
    if (hasInfinity && exponent == 0x7f >> fractionBits)
      return fraction ? NAN : sign * INFINITY;
    if (!hasInfinity && (bits & 0x7f) == 0x7f)
      return NAN;
    if (exponent == 0)
      return sign * std::ldexp(fraction, 1 - bias - fractionBits);
    return sign * std::ldexp(fraction + (1 << fractionBits), exponent - bias - fractionBits);
  }
  Byte largest() const { return hasInfinity ? 0x7b : 0x7e; }

  /// The nearest number, of two the one with an even code; NaN is 0x7f. Toward zero: the largest
  /// that is not above.
  Byte nearest(long double exact, bool towardZero = false) const {
    if (std::isnan(exact))
      return 0x7f;
    Byte sign = std::signbit(exact) ? 0x80 : 0, best = 0;
    long double magnitude = std::fabs(exact), distance = magnitude;
    if (magnitude > value(largest()))
      return sign | largest();
    for (int code = 1; code <= largest(); ++code) {
      long double next = value(Byte(code));
      if (towardZero && next > magnitude)
        break;
      long double apart = std::fabs(next - magnitude);
      if (apart < distance || (apart == distance && code % 2 == 0)) {
        best = Byte(code);
        distance = apart;
      }
    }
    return sign | best;
  }
};

constexpr Float8 kE4m3{3, 7, false}, kE5m2{2, 15, true};

std::vector<Byte> allBytes() {
  std::vector<Byte> bytes(256);
  for (int i = 0; i < 256; ++i)
    bytes[i] = Byte(i);
  return bytes;
}

template <typename T> T saturated(double value) {
  if (std::isnan(value))
    return 0;
  if (value <= double(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= double(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

/// What `convert` makes of all 256 values of `format`.
template <typename T, typename Convert>
void checkUp(const Guarded<T> &got, const Float8 &format, const char *to, Convert convert) {
  std::vector<Stored<T>> want(256);
  for (int i = 0; i < 256; ++i)
    want[i] = convert(format.value(Byte(i)));
  checkSame(got.read(), want, std::string("to ") + to);
}

template <typename Launch> void checkFrom(const Float8 &format, Launch launch) {
  Guarded<Byte> in(allBytes()), e4m3(256), e5m2(256), u8(256);
  Guarded<half> h(256);
  Guarded<bfloat16> b(256);
  Guarded<float> s(256);
  Guarded<double> d(256);
  Guarded<bool> flag(256);
  Guarded<std::int8_t> i8(256);
  Guarded<std::uint16_t> u16(256);
  Guarded<std::int32_t> i32(256);
  Guarded<std::uint64_t> u64(256);
  require(launch(in, e4m3, e5m2, h, b, s, d, flag, i8, u16, i32, u64));
  const bool isE4m3 = !format.hasInfinity;
  std::vector<Byte> toE4m3 = allBytes(), toE5m2 = allBytes();
  for (int i = 0; i < 256; ++i) {
    toE4m3[i] = isE4m3 ? Byte(i) : kE4m3.nearest(format.value(Byte(i)));
    toE5m2[i] = isE4m3 ? kE5m2.nearest(format.value(Byte(i))) : Byte(i);
  }
  checkSame(e4m3.read(), toE4m3, "to f8e4m3");
  checkSame(e5m2.read(), toE5m2, "to f8e5m2");
  checkUp(h, format, "f16", [](double x) { return nearest<half>(x); });
  checkUp(b, format, "bf16", [](double x) { return nearest<bfloat16>(x); });
  checkUp(s, format, "f32", [](double x) { return nearest<float>(x); });
  checkUp(d, format, "f64", [](double x) { return x; });
  checkUp(flag, format, "bool", [](double x) { return Byte(x != 0); });
  checkUp(i8, format, "i8", saturated<std::int8_t>);
  checkUp(u16, format, "u16", saturated<std::uint16_t>);
  checkUp(i32, format, "i32", saturated<std::int32_t>);
  checkUp(u64, format, "u64", saturated<std::uint64_t>);
}

template <typename From> long double exact(From x) {
  if constexpr (isFloat<From>)
    return toDouble(x);
  else
    return x;
}

template <typename From, typename Launch>
void checkDown(const std::vector<Stored<From>> &x, bool towardZero, Launch launch) {
  Guarded<From> in(x);
  Guarded<Byte> e4m3(x.size()), e5m2(x.size());
  require(launch(stream(), e4m3, e5m2, in, int(x.size())));
  std::vector<Byte> wantE4m3(x.size()), wantE5m2(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    wantE4m3[i] = kE4m3.nearest(exact<From>(x[i]), towardZero);
    wantE5m2[i] = kE5m2.nearest(exact<From>(x[i]), towardZero);
  }
  checkSame(e4m3.read(), wantE4m3, "to f8e4m3");
  checkSame(e5m2.read(), wantE5m2, "to f8e5m2");
}

template <typename From> void checkRounded(const std::vector<Stored<From>> &x) {
  checkDown<From>(x, false, [](auto &&...arguments) { return tiles::to_float8(arguments...); });
}
template <typename From> void checkCut(const std::vector<Stored<From>> &x) {
  checkDown<From>(x, true, [](auto &&...arguments) { return tiles::cut_to_float8(arguments...); });
}

template <typename T> std::vector<T> everyPattern() {
  std::vector<T> values;
  for (unsigned bits = 0; bits <= 0xffff; ++bits)
    values.push_back(fromBits<T>(Bits<T>(bits)));
  return values;
}

/// Every fp8 number and every midpoint between two, the Ts just beside each, and the extremes.
template <typename T> std::vector<T> around() {
  std::vector<T> values = specialValues<T>();
  for (const Float8 &format : {kE4m3, kE5m2})
    for (int code = 0; code <= format.largest(); ++code) {
      double low = format.value(Byte(code));
      double step = code < format.largest() ? format.value(Byte(code + 1)) - low
                                            : low - format.value(Byte(code - 1));
      for (double middle : {low, low + step / 2, low + step})
        for (T value : {T(middle), std::nextafter(T(middle), T(INFINITY)),
                        std::nextafter(T(middle), T(-INFINITY))}) {
          values.push_back(value);
          values.push_back(-value);
        }
    }
  std::vector<T> more = randomValues<T>(3000, 5);
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

template <typename T> std::vector<Stored<T>> integers() {
  std::vector<Stored<T>> values = specialValues<T>();
  for (long long i = -1100; i <= 1100; ++i)
    values.push_back(T(i));
  for (int power = 8; power < 17; ++power) // fp8's midpoints, and beside them
    for (long long eighths = 8; eighths < 16; ++eighths)
      for (long long beside : {-1, 0, 1})
        values.push_back(T((eighths << power) / 8 + beside));
  std::vector<Stored<T>> more = randomValues<T>(1000, 6);
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

} // namespace

TEST_CASE("all 256 values of f8e4m3 to every type") {
  checkFrom(kE4m3, [](const Guarded<Byte> &in, auto &...out) {
    return tiles::from_float8_f8e4m3(stream(), in, out...);
  });
}

TEST_CASE("all 256 values of f8e5m2 to every type") {
  checkFrom(kE5m2, [](const Guarded<Byte> &in, auto &...out) {
    return tiles::from_float8_f8e5m2(stream(), in, out...);
  });
}

TEST_CASE_TEMPLATE("every 16-bit float to fp8", T, half, bfloat16) {
  checkRounded<T>(everyPattern<T>());
  checkCut<T>(everyPattern<T>());
}

TEST_CASE_TEMPLATE("f32 and f64 to fp8 round once, at ties and beside them", T, float, double) {
  checkRounded<T>(around<T>());
  checkCut<T>(around<T>());
}

TEST_CASE_TEMPLATE("integers to fp8 round once and saturate", T, bool, std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
  checkRounded<T>(integers<T>());
}

TEST_CASE("fp8 constants round once and saturate as at run time") {
  Guarded<Byte> out(13);
  require(tiles::float8_constants(stream(), out));
  Byte a = kE4m3.nearest(0.3);
  std::vector<Byte> want = {a,
                            0x7e,
                            0xfe,
                            kE5m2.nearest(61440.0),
                            0x7b,
                            0x7f,
                            kE4m3.nearest(17),
                            0x80,
                            kE5m2.nearest(kE4m3.value(a)),
                            kE4m3.nearest(19),
                            0x7b,
                            kE4m3.nearest(float(kE4m3.value(a)) + 0.01f),
                            kE5m2.nearest(0.99, true)};
  checkSame(out.read(), want, "constants");
}

TEST_CASE("moving fp8 changes no bit, and masked-off elements are `other`") {
  std::vector<Byte> x(1024), want(4096);
  std::vector<Byte> flags(1024);
  for (int i = 0; i < 1024; ++i) {
    x[i] = Byte(i * 37);
    flags[i] = i * 7 % 3 == 0;
  }
  for (int i = 0; i < 1024; ++i) {
    want[i] = x[i % 32 * 32 + i / 32];
    want[1024 + i] = flags[i] ? x[i] : x[i % 32];
    want[2048 + i] = x[i];
    want[3072 + i] = i % 3 == 0 ? x[i] : kE4m3.nearest(0.4375);
  }
  Guarded<Byte> in(x), out(4096);
  Guarded<bool> flag(flags);
  require(tiles::float8_moves(stream(), out, in, flag));
  checkSame(out.read(), want, "moved");
}

TEST_CASE("arithmetic counts fp8 as f32, beside f16 as f16") {
  std::vector<Byte> a = allBytes(), b(256);
  for (int i = 0; i < 256; ++i) {
    a[i] = (a[i] & 0x7f) == 0x7f ? 1 : a[i]; // NaN would be the sum
    b[i] = Byte(255 - i);
  }
  std::vector<half> h = uniformValues<half>(256, 3);
  std::vector<float> want(1024);
  std::vector<Byte> less(256);
  std::vector<half> halves(256);
  double sum = 0;
  int least = 0;
  for (int i = 0; i < 256; ++i) {
    double x = kE4m3.value(a[i]), y = kE5m2.value(b[i]);
    want[i] = float(x * y) + 0.1f;
    want[256 + i] = -float(x);
    want[512 + i] = float(std::fmax(std::fabs(x), y));
    want[768 + i] = float(x * x + x);
    less[i] = x < y;
    halves[i] = nearest<half>(x * toDouble(h[i]));
    sum += x;
    least = x < kE4m3.value(a[least]) ? i : least;
  }
  Guarded<float> out(1024), sums(2);
  Guarded<bool> flags(256);
  Guarded<std::int32_t> index(1);
  Guarded<Byte> rounded(1), left(a), right(b);
  Guarded<half> outHalves(256), inHalves(h);
  require(tiles::float8_counts(stream(), out, flags, sums, index, rounded, outHalves, left, right,
                               inHalves));
  checkSame(out.read(), want, "f32");
  checkSame(flags.read(), less, "less");
  checkSame(sums.read(), std::vector<float>{float(sum), 448}, "sum and max");
  checkSame(index.read(), std::vector<std::int32_t>{least}, "argmin");
  checkSame(rounded.read(), std::vector<Byte>{kE4m3.nearest(sum)}, "rounded sum");
  checkSame(outHalves.read(), halves, "f16");
}

namespace {

template <typename Launch>
void checkProduct(const Float8 &left, const Float8 &right, Launch launch) {
  constexpr int kRows = 29; // of the view; the rest is 0
  std::vector<Byte> a(kRows * 32), b(1024);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = left.nearest((int(i) * 7 % 31 - 15) * 0.25);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = right.nearest((int(i) * 5 % 29 - 14) * 0.5);
  std::vector<float> want(1024);
  for (int i = 0; i < kRows * 32; ++i)
    for (int k = 0; k < 32; ++k) // few bits: every sum is exact
      want[i] += float(left.value(a[i / 32 * 32 + k]) * right.value(b[k * 32 + i % 32]) * -1.5);
  Guarded<Byte> x(a), y(b);
  Guarded<float> out(1024);
  auto view = tilert::contiguous<const Byte, 2>(x.data(), {kRows, 32});
  require(launch(out, view, y, kE5m2.nearest(-1.5)));
  for (float &value : want)
    value += 0.0f; // -0 times a sum of 0 is not what is tested
  std::vector<float> got = out.read();
  for (float &value : got)
    value += 0.0f;
  checkSame(got, want, "product");
}

} // namespace

TEST_CASE("products of fp8 matrices, read through views and pointers") {
  const auto run = [](auto function) {
    return [function](const Guarded<float> &out, auto &view, const Guarded<Byte> &b, Byte s) {
      return function(stream(), out, view, b, s);
    };
  };
  checkProduct(kE4m3, kE4m3, run(tiles::float8_product_f8e4m3_f8e4m3));
  checkProduct(kE4m3, kE5m2, run(tiles::float8_product_f8e4m3_f8e5m2));
  checkProduct(kE5m2, kE4m3, run(tiles::float8_product_f8e5m2_f8e4m3));
  checkProduct(kE5m2, kE5m2, run(tiles::float8_product_f8e5m2_f8e5m2));
}

TEST_SUITE_END();
