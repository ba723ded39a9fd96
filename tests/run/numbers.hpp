// The scalar types of the language as numbers: their bits, rounding, comparison, and data that
// holds the values which go wrong. Rounding is done in double with nearbyint(), unlike anywhere
// else.
#pragma once

#include "tilert/numeric.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace test {

using tilert::bfloat16;
using tilert::half;

/// What a T is in a std::vector: vector<bool> has no data().
template <typename T> using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <typename T>
inline constexpr bool isFloat =
    std::is_same_v<T, half> || std::is_same_v<T, bfloat16> || std::is_floating_point_v<T>;

template <typename T>
using Bits = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Fraction bits, and the exponent of the smallest normal number.
template <typename T> struct Format;
template <> struct Format<half> {
  static constexpr int fraction = 10, smallest = -14, largest = 15;
};
template <> struct Format<bfloat16> {
  static constexpr int fraction = 7, smallest = -126, largest = 127;
};
template <> struct Format<float> {
  static constexpr int fraction = 23, smallest = -126, largest = 127;
};
template <> struct Format<double> {
  static constexpr int fraction = 52, smallest = -1022, largest = 1023;
};

template <typename T> Bits<T> bitsOf(T value) {
  return std::bit_cast<Bits<T>>(value);
}
template <typename T> T fromBits(Bits<T> bits) {
  return std::bit_cast<T>(bits);
}

/// The value of a float's bits, by the definition of the format.
template <typename T> double toDouble(T value) {
  if constexpr (!isFloat<T> || std::is_same_v<T, double> || std::is_same_v<T, float>) {
    return static_cast<double>(value);
  } else {
    constexpr int fractionBits = Format<T>::fraction;
    unsigned bits = bitsOf(value), fraction = bits & ((1u << fractionBits) - 1);
    int exponent = (bits & 0x7fff) >> fractionBits;
    double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 2 * Format<T>::largest + 1)
      return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
    if (exponent == 0)
      return sign * std::ldexp(fraction, Format<T>::smallest - fractionBits);
    return sign * std::ldexp(fraction + (1u << fractionBits),
                             exponent - Format<T>::largest - fractionBits);
  }
}

/// The distance of neighbouring Ts around `value`.
template <typename T> double unitInLastPlace(double value) {
  int exponent = Format<T>::smallest;
  if (value != 0 && std::isfinite(value))
    exponent = std::max(exponent, std::min(std::ilogb(value), Format<T>::largest));
  return std::ldexp(1.0, exponent - Format<T>::fraction);
}

/// `value` rounded to T's precision and range, to nearest even or (`towardZero`) toward zero.
template <typename T> double roundedTo(double value, bool towardZero = false) {
  if (!std::isfinite(value) || value == 0)
    return value;
  double unit = unitInLastPlace<T>(value), scaled = value / unit;
  double result = (towardZero ? std::trunc(scaled) : std::nearbyint(scaled)) * unit;
  double limit = std::ldexp(2.0 - std::ldexp(1.0, -Format<T>::fraction), Format<T>::largest);
  if (std::fabs(result) > limit)
    result = towardZero ? std::copysign(limit, result) : std::copysign(INFINITY, result);
  return std::copysign(result, value);
}

/// A T from a double that it holds exactly (or NaN).
template <typename T> T exactly(double value) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return static_cast<T>(value);
  } else {
    unsigned sign = std::signbit(value) ? 0x8000u : 0u;
    constexpr unsigned infinity = (2u * Format<T>::largest + 1) << Format<T>::fraction;
    if (std::isnan(value))
      return fromBits<T>(infinity | (1u << (Format<T>::fraction - 1)));
    if (std::isinf(value))
      return fromBits<T>(sign | infinity);
    double magnitude = std::fabs(value);
    int exponent =
        magnitude == 0 ? Format<T>::smallest : std::max(std::ilogb(magnitude), Format<T>::smallest);
    // A subnormal number has no hidden bit, which is what is subtracted otherwise.
    unsigned significand = std::ldexp(magnitude, Format<T>::fraction - exponent);
    unsigned biased = exponent - Format<T>::smallest;
    return fromBits<T>(sign | ((biased << Format<T>::fraction) + significand));
  }
}

/// What fills outputs of floats before a run: a NaN that no device makes (all bits but the lowest).
template <typename T> inline constexpr Bits<T> kPoison = static_cast<Bits<T>>(-2);

/// The T nearest to `value`.
template <typename T> T nearest(double value) {
  if constexpr (isFloat<T>)
    return exactly<T>(roundedTo<T>(value));
  else if (value < 0)
    return static_cast<T>(static_cast<std::int64_t>(value)); // which wraps in unsigned types
  else
    return static_cast<T>(value);
}

template <typename T> bool isNan(T value) {
  if constexpr (isFloat<T>)
    return std::isnan(toDouble(value)) && bitsOf(value) != kPoison<T>;
  else
    return false;
}

template <typename T> bool isSame(T got, T want) {
  if constexpr (isFloat<T>)
    return std::isnan(toDouble(want)) ? isNan(got) : bitsOf(got) == bitsOf(want);
  else
    return got == want;
}

template <typename T> bool isWithinUlps(T got, double want, double ulps) {
  double value = toDouble(got), rounded = roundedTo<T>(want);
  if (std::isnan(want))
    return isNan(got);
  if (want == 0)
    return value == 0 && std::signbit(value) == std::signbit(want);
  if (std::isinf(want) || std::isinf(value) || std::isinf(rounded))
    return value == rounded;
  double smallestNormal = std::ldexp(1.0, Format<T>::smallest);
  double allowed = ulps + (std::fabs(want) < smallestNormal ? 1 : 0);
  return std::fabs(value - want) <= allowed * unitInLastPlace<T>(want);
}

template <typename T> std::string show(T value) {
  std::ostringstream text;
  text.precision(17);
  if constexpr (isFloat<T>)
    text << toDouble(value) << " (0x" << std::hex << static_cast<std::uint64_t>(bitsOf(value))
         << ")";
  else
    text << +value;
  return text.str();
}

// --- Data ----------------------------------------------------------------------------------------

/// Values at the edges of T: zeros, ones, limits; infinities, NaN, subnormal numbers.
template <typename T> std::vector<Stored<T>> specialValues() {
  if constexpr (std::is_same_v<T, bool>) {
    return {0, 1};
  } else if constexpr (isFloat<T>) {
    double least = std::ldexp(1.0, Format<T>::smallest - Format<T>::fraction);
    double normal = std::ldexp(1.0, Format<T>::smallest);
    double most = std::ldexp(2.0 - std::ldexp(1.0, -Format<T>::fraction), Format<T>::largest);
    std::vector<T> values;
    for (double magnitude : {0.0, least, normal - least, normal, 0.5, 1.0, 1.5, 2.5, 3.0, most,
                             std::numeric_limits<double>::infinity()})
      for (double sign : {1.0, -1.0})
        values.push_back(exactly<T>(sign * magnitude));
    values.push_back(exactly<T>(std::numeric_limits<double>::quiet_NaN()));
    return values;
  } else {
    constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    return {T(0),  T(1), T(2),       T(3), T(7),        T(-1),       T(-2),
            T(-7), low,  T(low + 1), high, T(high - 1), T(high / 2), T(high / 2 + 1)};
  }
}

/// `count` values: uniform bits for integers; floats of all signs around 1 and of any exponent.
template <typename T> std::vector<Stored<T>> randomValues(std::size_t count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<Stored<T>> values(count);
  for (Stored<T> &value : values) {
    if constexpr (std::is_same_v<T, bool>) {
      value = generator() & 1;
    } else if constexpr (isFloat<T>) {
      double magnitude = std::ldexp(double(generator() >> 11), -52) + 0x1p-60;
      int range = generator() % 4 == 0 ? Format<T>::largest - 2 : 4;
      int exponent = int(generator() % (2 * range)) - range;
      value = nearest<T>((generator() & 1 ? 1 : -1) * std::ldexp(magnitude, exponent));
    } else {
      // Half of them small, so that quotients and comparisons are not all trivial.
      value = generator() & 1 ? T(generator()) : T(T(generator() % 41) - T(20));
    }
  }
  return values;
}

/// Values in (-limit, limit), spread evenly: sums of them do not overflow or cancel badly.
template <typename T>
std::vector<T> uniformValues(std::size_t count, unsigned seed, double limit = 1) {
  std::mt19937_64 generator(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = nearest<T>((std::ldexp(double(generator() >> 11), -52) - 1) * limit);
  return values;
}

/// Pairs of operands: every special value with every other, then random ones, `count` in all.
template <typename T> struct Pairs {
  std::vector<Stored<T>> a, b;
};
template <typename T> Pairs<T> operandPairs(std::size_t count, unsigned seed) {
  Pairs<T> pairs{randomValues<T>(count, seed), randomValues<T>(count, seed + 1)};
  std::vector<Stored<T>> specials = specialValues<T>();
  std::size_t i = 0;
  for (Stored<T> x : specials)
    for (Stored<T> y : specials)
      if (i < count) {
        pairs.a[i] = x;
        pairs.b[i++] = y;
      }
  return pairs;
}

/// 0, 1, 2, ...
template <typename T> std::vector<T> iota(std::size_t count, T first = T(0)) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = T(first + T(i));
  return values;
}

} // namespace test
