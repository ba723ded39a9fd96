// Casts: every 16-bit float, ties and their neighbours, saturation, sign and width of integers.
#include "casts.tile.h"
#include "harness.hpp"

using namespace test;

TEST_SUITE_BEGIN("casts");

namespace {

/// The value of `x` as a `To`: integers wrap, floats saturate and NaN is 0, floats round to even.
template <typename To, typename From> Stored<To> converted(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    if constexpr (isFloat<From>)
      return toDouble(x) != 0; // true for NaN
    else
      return x != 0;
  } else if constexpr (isFloat<To>) {
    if constexpr (std::is_integral_v<From> && sizeof(From) == 8) {
      // 64 bits do not fit a double; a long double holds them.
      long double exact = x;
      if constexpr (std::is_same_v<To, double>)
        return static_cast<double>(exact);
      else if constexpr (std::is_same_v<To, float>)
        return static_cast<float>(exact);
      else // nothing of 16 bits ties on bits that only double's rounding loses, save by stickiness
        return nearest<To>(static_cast<double>(exact));
    } else {
      return nearest<To>(toDouble(x));
    }
  } else if constexpr (isFloat<From>) {
    double value = toDouble(x);
    if (std::isnan(value))
      return 0;
    if (value <= double(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (value >= double(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(x);
  }
}

template <typename To, typename From>
void checkTo(const Guarded<To> &out, const std::vector<From> &x, const char *to) {
  std::vector<Stored<To>> want(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    want[i] = converted<To>(x[i]);
  checkSame(out.read(), want, std::string("to ") + to);
}

/// Casts `x` to all types and checks each.
template <typename From> void checkCasts(const std::vector<Stored<From>> &x) {
  std::size_t n = x.size();
  Guarded<From> in(x);
  Guarded<bool> b(n);
  Guarded<std::int8_t> i8(n);
  Guarded<std::int16_t> i16(n);
  Guarded<std::int32_t> i32(n);
  Guarded<std::int64_t> i64(n);
  Guarded<std::uint8_t> u8(n);
  Guarded<std::uint16_t> u16(n);
  Guarded<std::uint32_t> u32(n);
  Guarded<std::uint64_t> u64(n);
  Guarded<half> f16(n);
  Guarded<bfloat16> bf16(n);
  Guarded<float> f32(n);
  Guarded<double> f64(n);
  require(tiles::cast_from(stream(), b, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64,
                           in, int(n)));
  checkTo(b, x, "bool");
  checkTo(i8, x, "i8");
  checkTo(i16, x, "i16");
  checkTo(i32, x, "i32");
  checkTo(i64, x, "i64");
  checkTo(u8, x, "u8");
  checkTo(u16, x, "u16");
  checkTo(u32, x, "u32");
  checkTo(u64, x, "u64");
  checkTo(f16, x, "f16");
  checkTo(bf16, x, "bf16");
  checkTo(f32, x, "f32");
  checkTo(f64, x, "f64");
}

/// All finite T, the midpoints between neighbours, and what lies just beside a midpoint, as
/// `Source`s: `nudge` is relative.
template <typename T, typename Source> std::vector<Source> ties(double nudge) {
  std::vector<Source> values;
  for (unsigned bits = 0; bits < 0x7fff; bits += sizeof(Source) == 8 ? 3 : 2) {
    double low = toDouble(fromBits<T>(bits)), high = toDouble(fromBits<T>(bits + 1));
    if (!std::isfinite(low))
      break;
    if (!std::isfinite(high))
      high = low + unitInLastPlace<T>(low);
    double middle = low + (high - low) / 2;
    for (double value : {middle, middle * (1 + nudge), middle * (1 - nudge)}) {
      values.push_back(Source(value));
      values.push_back(Source(-value));
    }
  }
  return values;
}

template <typename T> std::vector<T> every16Bits() {
  std::vector<T> values;
  for (unsigned bits = 0; bits <= 0xffff; ++bits)
    if (T value = fromBits<T>(bits); bits < 0x8000 || !std::isnan(toDouble(value)))
      values.push_back(value); // a negative NaN can become what poison looks like
  return values;
}

/// Around the limits of the integer types.
template <typename T> std::vector<T> aroundIntegers() {
  std::vector<T> values = specialValues<T>();
  for (int power : {7, 8, 15, 16, 23, 24, 31, 32, 53, 62, 63, 64})
    for (double sign : {1.0, -1.0})
      for (double beside : {0.0, 0.5, -0.5, 1.0, -1.0, 1.5, -1.5})
        values.push_back(nearest<T>(sign * (std::ldexp(1.0, power) + beside)));
  return values;
}

} // namespace

TEST_CASE_TEMPLATE("casts from integers wrap, extend by sign, and round", T, bool, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  std::vector<Stored<T>> x = specialValues<T>(), more = randomValues<T>(1500, 10);
  x.insert(x.end(), more.begin(), more.end());
  checkCasts<T>(x);
}

TEST_CASE_TEMPLATE("casts of every 16-bit float", T, half, bfloat16) {
  checkCasts<T>(every16Bits<T>());
}

TEST_CASE_TEMPLATE("casts from floats to integers saturate, and NaN is 0", T, half, bfloat16, float,
                   double) {
  checkCasts<T>(aroundIntegers<T>());
}

TEST_CASE("f32 to f16 and bf16 rounds ties to even and keeps subnormal numbers") {
  checkCasts<float>(ties<half, float>(0x1p-23));
  checkCasts<float>(ties<bfloat16, float>(0x1p-15));
}

TEST_CASE("f64 to f16, bf16 and f32 rounds once") {
  // A nudge that f32 loses: rounding by way of f32 would see a tie.
  checkCasts<double>(ties<half, double>(0x1p-40));
  checkCasts<double>(ties<bfloat16, double>(0x1p-40));
}

TEST_CASE("64-bit integers to f16, bf16 and f32 round once") {
  std::vector<std::int64_t> x;
  for (int power = 8; power < 62; ++power)
    for (std::int64_t low : {-1, 0, 1})
      for (int bit : {7, 8, 10, 11, 23, 24})
        if (power > bit)
          x.push_back((std::int64_t(1) << power) + (std::int64_t(1) << (power - bit)) + low);
  std::vector<std::int32_t> narrow;
  for (std::int64_t value : x)
    if (value == std::int32_t(value))
      narrow.push_back(std::int32_t(value));
  checkCasts<std::int32_t>(narrow);
  std::vector<float> want = mapped<float>(x, [](std::int64_t v) { return float(v); });
  std::size_t n = x.size();
  Guarded<std::int64_t> in(x), i64(n);
  Guarded<bool> b(n);
  Guarded<std::int8_t> i8(n);
  Guarded<std::int16_t> i16(n);
  Guarded<std::int32_t> i32(n);
  Guarded<std::uint8_t> u8(n);
  Guarded<std::uint16_t> u16(n);
  Guarded<std::uint32_t> u32(n);
  Guarded<std::uint64_t> u64(n);
  Guarded<half> f16(n);
  Guarded<bfloat16> bf16(n);
  Guarded<float> f32(n);
  Guarded<double> f64(n);
  require(tiles::cast_from(stream(), b, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64,
                           in, int(n)));
  checkSame(f32.read(), want, "to f32");
}

TEST_CASE("rounding = rtz cuts off, and never reaches infinity") {
  std::vector<float> single = ties<half, float>(0x1p-23);
  std::vector<float> other = specialValues<float>();
  single.insert(single.end(), other.begin(), other.end());
  std::vector<double> wide = mapped<double>(single, [](float x) { return x * (1 + 0x1p-40); });
  std::size_t n = single.size();
  Guarded<float> s(single), f64ToF32(n);
  Guarded<double> d(wide);
  Guarded<half> f32ToF16(n), f64ToF16(n);
  Guarded<bfloat16> f32ToBf16(n), f64ToBf16(n);
  require(tiles::cast_toward_zero(stream(), f32ToF16, f32ToBf16, f64ToF16, f64ToBf16, f64ToF32, s,
                                  d, int(n)));
  auto check = [&]<typename T>(const Guarded<T> &out, const auto &in, const char *what) {
    std::vector<T> want(n);
    for (std::size_t i = 0; i < n; ++i)
      want[i] = exactly<T>(roundedTo<T>(in[i], true));
    checkSame(out.read(), want, what);
  };
  check(f32ToF16, single, "f32 to f16");
  check(f32ToBf16, single, "f32 to bf16");
  check(f64ToF16, wide, "f64 to f16");
  check(f64ToBf16, wide, "f64 to bf16");
  check(f64ToF32, wide, "f64 to f32");
}

TEST_CASE("bitcast keeps every bit") {
  auto bits16 = randomValues<std::uint16_t>(256, 11);
  auto bits32 = randomValues<std::uint32_t>(256, 12);
  auto bits64 = randomValues<std::int64_t>(256, 13);
  Guarded<std::uint16_t> u16(bits16), toU16(256);
  Guarded<std::uint32_t> u32(bits32);
  Guarded<std::int64_t> i64(bits64);
  Guarded<half> h(mapped<half>(bits16, [](std::uint16_t b) { return fromBits<half>(b); }));
  Guarded<float> f(mapped<float>(bits32, [](std::uint32_t b) { return fromBits<float>(b); }));
  Guarded<double> d(mapped<double>(bits64, [](std::int64_t b) { return fromBits<double>(b); }));
  Guarded<bfloat16> toBf16(256);
  Guarded<std::int32_t> toI32(256);
  Guarded<float> toF32(256);
  Guarded<std::uint64_t> toU64(256);
  Guarded<double> toF64(256);
  require(
      tiles::bitcasts(stream(), toU16, toBf16, toI32, toF32, toU64, toF64, h, u16, f, u32, d, i64));
  auto check = [](const auto &got, const auto &want) {
    for (std::size_t i = 0; i < got.size(); ++i)
      REQUIRE(bitsOf(got[i]) == bitsOf(want[i]));
  };
  check(toU16.read(), bits16);
  check(toBf16.read(), bits16);
  check(toI32.read(), bits32);
  check(toF32.read(), bits32);
  check(toU64.read(), bits64);
  check(toF64.read(), bits64);
}

TEST_SUITE_END();
