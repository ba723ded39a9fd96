// Products of matrices as a warp computes them on the host device: mma.sync's shapes and the places
// of their elements (PTX ISA, "Warp-level matrix instructions"; docs/host_device.md).
//
// Every lane hands its words of a and b to the others and computes its own elements of c: the rows
// g and g + 8 and the columns 2t and 2t + 1, where g = lane / 4 and t = lane % 4. Products are
// exact, and each sum is rounded to the type of the result; halves are summed in f32 and rounded
// once an instruction. k runs upward.
#include "host_crew.h"
#include "numeric.h"

#include "tilert/numeric.hpp"

#include <bit>
#include <cmath>
#include <cstring>

using tilert::Crew;
using tilert::Stop;

namespace {

constexpr unsigned kWordsOfA = 4, kWordsOfB = 2;
/// Lanes that share a row of a, or a column of b.
constexpr unsigned kGroup = 4;

// Formats of operands: elements in a word, from the lowest bits, and their values.
struct F16 {
  static constexpr unsigned perWord = 2;
  static float decode(uint32_t word, unsigned index) {
    return tilert::half::fromBits(static_cast<uint16_t>(word >> 16 * index));
  }
};
struct Bf16 {
  static constexpr unsigned perWord = 2;
  static float decode(uint32_t word, unsigned index) {
    return tilert::bfloat16::fromBits(static_cast<uint16_t>(word >> 16 * index));
  }
};
struct Tf32 {
  static constexpr unsigned perWord = 1;
  static float decode(uint32_t word, unsigned) {
    return std::bit_cast<float>(word & 0xffffe000u); // the rest is not looked at
  }
};
template <const tilert::FloatFormat &Format> struct F8 {
  static constexpr unsigned perWord = 4;
  static float decode(uint32_t word, unsigned index) {
    return static_cast<float>(tilert::decodeFloat(word >> 8 * index & 0xff, Format));
  }
};
using E4m3 = F8<tilert::kF8e4m3>;
using E5m2 = F8<tilert::kF8e5m2>;
template <typename Byte> struct I8 {
  static constexpr unsigned perWord = 4;
  static uint32_t decode(uint32_t word, unsigned index) {
    return static_cast<uint32_t>(int32_t{static_cast<Byte>(word >> 8 * index)});
  }
};

float addProduct(float sum, float a, float b) {
  return static_cast<float>(double{sum} + double{a} * double{b});
}
uint32_t addProduct(uint32_t sum, uint32_t a, uint32_t b) {
  return sum + a * b;
}

/// Words of lane `lane`; of a lane that has returned, what a read of poison gives.
const uint32_t *wordsOf(const Crew::Exchange &exchange, unsigned lane) {
  static constexpr uint32_t absent[tilert::kSlotWords] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
  return exchange.present >> lane & 1 ? exchange.slots[lane] : absent;
}

/// c += a x b for the four elements (row half, column) of this lane.
template <typename A, typename B, typename Sum>
void multiply(tilert_host_thread *self, const uint32_t *operands, Sum (&c)[4]) {
  static_assert(A::perWord == B::perWord);
  const Crew::Exchange exchange =
      Crew::exchange(self, Stop::MultiplyMatrix, operands, kWordsOfA + kWordsOfB);
  const unsigned row = exchange.lane / kGroup, column = exchange.lane % kGroup * 2;
  for (unsigned half = 0; half < 2; ++half) // of k
    for (unsigned member = 0; member < kGroup; ++member) {
      const uint32_t *a = wordsOf(exchange, row * kGroup + member) + 2 * half;
      for (unsigned index = 0; index < A::perWord; ++index)
        for (unsigned j = 0; j < 2; ++j) {
          const uint32_t *b = wordsOf(exchange, (column + j) * kGroup + member) + kWordsOfA + half;
          const auto right = B::decode(*b, index);
          c[j] = addProduct(c[j], A::decode(a[0], index), right);
          c[2 + j] = addProduct(c[2 + j], A::decode(a[1], index), right);
        }
    }
}

/// Sums of four bytes each: f32 or i32.
template <typename A, typename B, typename Sum>
void multiplyWords(tilert_host_thread *self, void *block) {
  auto *words = static_cast<uint32_t *>(block);
  uint32_t *results = words + kWordsOfA + kWordsOfB;
  Sum c[4];
  std::memcpy(c, results, sizeof c);
  multiply<A, B>(self, words, c);
  std::memcpy(results, c, sizeof c);
}

/// Sums of f16, two a word.
template <typename A, typename B> void multiplyHalves(tilert_host_thread *self, void *block) {
  auto *words = static_cast<uint32_t *>(block);
  uint32_t *results = words + kWordsOfA + kWordsOfB;
  float c[4];
  for (unsigned i = 0; i < 4; ++i)
    c[i] = F16::decode(results[i / 2], i % 2);
  multiply<A, B>(self, words, c);
  for (unsigned i = 0; i < 2; ++i)
    results[i] = tilert::half(c[2 * i]).bits() | uint32_t{tilert::half(c[2 * i + 1]).bits()} << 16;
}

} // namespace

extern "C" {

void tilert_host_mma_f32_f16_f16(tilert_host_thread *self, void *block) {
  multiplyWords<F16, F16, float>(self, block);
}
void tilert_host_mma_f16_f16_f16(tilert_host_thread *self, void *block) {
  multiplyHalves<F16, F16>(self, block);
}
void tilert_host_mma_f32_bf16_bf16(tilert_host_thread *self, void *block) {
  multiplyWords<Bf16, Bf16, float>(self, block);
}
void tilert_host_mma_f32_tf32_tf32(tilert_host_thread *self, void *block) {
  multiplyWords<Tf32, Tf32, float>(self, block);
}
void tilert_host_mma_s32_s8_s8(tilert_host_thread *self, void *block) {
  multiplyWords<I8<int8_t>, I8<int8_t>, uint32_t>(self, block);
}
void tilert_host_mma_s32_u8_u8(tilert_host_thread *self, void *block) {
  multiplyWords<I8<uint8_t>, I8<uint8_t>, uint32_t>(self, block);
}
void tilert_host_mma_f32_e4m3_e4m3(tilert_host_thread *self, void *block) {
  multiplyWords<E4m3, E4m3, float>(self, block);
}
void tilert_host_mma_f32_e4m3_e5m2(tilert_host_thread *self, void *block) {
  multiplyWords<E4m3, E5m2, float>(self, block);
}
void tilert_host_mma_f32_e5m2_e4m3(tilert_host_thread *self, void *block) {
  multiplyWords<E5m2, E4m3, float>(self, block);
}
void tilert_host_mma_f32_e5m2_e5m2(tilert_host_thread *self, void *block) {
  multiplyWords<E5m2, E5m2, float>(self, block);
}
void tilert_host_mma_f16_e4m3_e4m3(tilert_host_thread *self, void *block) {
  multiplyHalves<E4m3, E4m3>(self, block);
}
void tilert_host_mma_f16_e4m3_e5m2(tilert_host_thread *self, void *block) {
  multiplyHalves<E4m3, E5m2>(self, block);
}
void tilert_host_mma_f16_e5m2_e4m3(tilert_host_thread *self, void *block) {
  multiplyHalves<E5m2, E4m3>(self, block);
}
void tilert_host_mma_f16_e5m2_e5m2(tilert_host_thread *self, void *block) {
  multiplyHalves<E5m2, E5m2>(self, block);
}

void tilert_host_mma_f64_f64_f64(tilert_host_thread *self, void *block) {
  auto *doubles = static_cast<double *>(block); // a, b, and two of c
  uint32_t words[4];
  std::memcpy(words, doubles, sizeof words);
  const Crew::Exchange exchange = Crew::exchange(self, Stop::MultiplyMatrix, words, 4);
  const unsigned row = exchange.lane / kGroup, column = exchange.lane % kGroup * 2;
  for (unsigned member = 0; member < kGroup; ++member)
    for (unsigned j = 0; j < 2; ++j) {
      double a, b;
      std::memcpy(&a, wordsOf(exchange, row * kGroup + member), sizeof a);
      std::memcpy(&b, wordsOf(exchange, (column + j) * kGroup + member) + 2, sizeof b);
      doubles[2 + j] = std::fma(a, b, doubles[2 + j]);
    }
}

} // extern "C"
