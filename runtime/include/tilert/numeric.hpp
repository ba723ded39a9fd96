// The element types of the tile language in C++: half and bfloat16 as values of two bytes, and the
// language's name of a C++ type.
//
// half and bfloat16 have the layout of CUDA's __half and __nv_bfloat16; they convert to and from
// float (rounding to nearest even) and do no arithmetic of their own.
#pragma once

#include "tilert/tilert.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tilert {

/// IEEE binary16.
class half {
public:
  half() = default;
  explicit constexpr half(float value) : bits_(encode(value)) {}
  constexpr operator float() const { return decode(bits_); }
  static constexpr half fromBits(std::uint16_t bits) {
    half result(0.0f);
    result.bits_ = bits;
    return result;
  }
  constexpr std::uint16_t bits() const { return bits_; }

private:
  static constexpr std::uint16_t encode(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) // NaN: quiet, upper payload bits kept
      return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
    if (magnitude >= 0x477ff000u) // rounds past the largest finite value, 65504
      return static_cast<std::uint16_t>(sign | 0x7c00u);
    if (magnitude < 0x33000001u) // at most half of the smallest subnormal
      return sign;
    std::uint32_t significand = magnitude;
    unsigned dropped = 13;         // float has 23 fraction bits, binary16 has 10
    if (magnitude < 0x38800000u) { // subnormal result: below 2^-14
      significand = (magnitude & 0x7fffffu) | 0x800000u;
      dropped = 126 - (magnitude >> 23);
    } else {
      significand -= 112u << 23; // exponent bias 127 -> 15
    }
    std::uint32_t result = significand >> dropped;
    const std::uint32_t rest = significand & ((1u << dropped) - 1);
    const std::uint32_t tie = 1u << (dropped - 1);
    if (rest > tie || (rest == tie && (result & 1)))
      ++result; // a carry into the exponent is right
    return static_cast<std::uint16_t>(sign | result);
  }
  static constexpr float decode(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    std::uint32_t exponent = (bits >> 10) & 31u;
    std::uint32_t fraction = bits & 0x3ffu;
    if (exponent == 31)
      return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
    if (exponent == 0) {
      if (fraction == 0)
        return std::bit_cast<float>(sign);
      exponent = 1;
      while (!(fraction & 0x400u)) {
        fraction <<= 1;
        --exponent;
      }
      fraction &= 0x3ffu;
    }
    return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (fraction << 13));
  }

  std::uint16_t bits_;
};

/// The upper half of a float.
class bfloat16 {
public:
  bfloat16() = default;
  explicit constexpr bfloat16(float value) : bits_(encode(value)) {}
  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16);
  }
  static constexpr bfloat16 fromBits(std::uint16_t bits) {
    bfloat16 result(0.0f);
    result.bits_ = bits;
    return result;
  }
  constexpr std::uint16_t bits() const { return bits_; }

private:
  static constexpr std::uint16_t encode(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) // NaN: quiet; rounding could make it infinite
      return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }

  std::uint16_t bits_;
};

static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half>);
static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);

/// The tile language's type of a C++ type; const does not matter. TILERT_TYPE_ANY for others.
template <typename T> constexpr tilert_type typeOf() {
  using Plain = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<Plain, bool>)
    return TILERT_TYPE_BOOL;
  else if constexpr (std::is_same_v<Plain, half>)
    return TILERT_TYPE_F16;
  else if constexpr (std::is_same_v<Plain, bfloat16>)
    return TILERT_TYPE_BF16;
  else if constexpr (std::is_same_v<Plain, float>)
    return TILERT_TYPE_F32;
  else if constexpr (std::is_same_v<Plain, double>)
    return TILERT_TYPE_F64;
  else if constexpr (std::is_integral_v<Plain>) {
    constexpr bool isSigned = std::is_signed_v<Plain>;
    if constexpr (sizeof(Plain) == 1)
      return isSigned ? TILERT_TYPE_I8 : TILERT_TYPE_U8;
    else if constexpr (sizeof(Plain) == 2)
      return isSigned ? TILERT_TYPE_I16 : TILERT_TYPE_U16;
    else if constexpr (sizeof(Plain) == 4)
      return isSigned ? TILERT_TYPE_I32 : TILERT_TYPE_U32;
    else
      return isSigned ? TILERT_TYPE_I64 : TILERT_TYPE_U64;
  } else
    return TILERT_TYPE_ANY;
}

/// Its name, as a tilert_selection takes it ("f16"), or nullptr.
template <typename T> constexpr const char *typeName() {
  constexpr const char *names[] = {nullptr, "bool", "i8",  "i16", "i32",    "i64",
                                   "u8",    "u16",  "u32", "u64", "f8e4m3", "f8e5m2",
                                   "f16",   "bf16", "f32", "f64"};
  return names[typeOf<T>()];
}

} // namespace tilert
