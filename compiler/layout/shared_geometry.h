// Shared memory in numbers, and spaces as lists of vectors; private to this folder.
//
// Shared memory has 32 banks of 4 bytes. An access of up to 4 bytes a lane is served for a whole
// warp at once, one of 8 bytes for half a warp, of 16 bytes for a quarter: 128 bytes at a time, in
// one wavefront when all words in one bank are the same word.
#pragma once

#include "compiler/layout/linear_layout.h"

#include <algorithm>
#include <bit>

namespace tilec {

using Space = std::vector<Bits>; // a list of vectors that span it

inline constexpr unsigned kWordBytes = 4;        // a bank's width
inline constexpr unsigned kWavefrontBytes = 128; // 32 banks
inline constexpr unsigned kMaxAccessBytes = 16;  // of one lane

inline Space operator+(const Space &left, const Space &right) {
  Space sum = left;
  sum.insert(sum.end(), right.begin(), right.end());
  return sum;
}

inline Space firstOf(const Space &space, size_t count) {
  return {space.begin(), space.begin() + std::min(count, space.size())};
}

inline unsigned log2Of(unsigned powerOfTwo) {
  return std::countr_zero(powerOfTwo);
}

/// The sizes of one element type, as powers of two in elements.
struct SharedGeometry {
  unsigned elementBytes;
  unsigned maxVector; ///< bits of the widest access
  unsigned word;      ///< bits inside a word
  unsigned wavefront; ///< bits inside a wavefront

  explicit SharedGeometry(unsigned bytes)
      : elementBytes(bytes), maxVector(log2Of(kMaxAccessBytes / bytes)),
        word(bytes < kWordBytes ? log2Of(kWordBytes / bytes) : 0),
        wavefront(log2Of(kWavefrontBytes / bytes)) {}

  /// Lane bits served together when an access moves 2^vector elements.
  unsigned groupLanes(unsigned vector) const {
    return std::min(kLaneBits, wavefront - std::max(vector, word));
  }
};

/// Registers of `layout` in access order: groups of 2^vector at consecutive offsets, aligned.
/// `columns` is a memory layout and `offsetColumns` its inverse; the first `vector` columns are in
/// the span of the registers, and no lane or warp reaches their offsets.
std::vector<unsigned> accessOrder(const LinearLayout &layout, const Space &columns,
                                  const Space &offsetColumns, unsigned vector);

} // namespace tilec
