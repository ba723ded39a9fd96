// Products of matrices on the host device. Alone: unit_runtime --test-case='host matrix*'
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace tilert;
using namespace tilert::test;

namespace {

using Thread = tilert_host_thread;

uint32_t products[32][4];

/// a is the identity's first rows, of `one`s in elements of `bits`; b's element (k, n) is `value`
/// of k + n; c is its own number. `element(row or column, k)` of a lane's word, as the PTX ISA
/// places it.
template <typename Value, typename One>
void fill(unsigned lane, unsigned bits, One one, Value value, uint32_t *words) {
  const unsigned perWord = 32 / bits, group = lane / 4, member = lane % 4;
  for (unsigned word = 0; word < 6; ++word) {
    words[word] = 0;
    for (unsigned index = 0; index < perWord; ++index) {
      const bool isA = word < 4;
      const unsigned half = isA ? word / 2 : word - 4;
      const unsigned k = (half * 4 + member) * perWord + index;
      const unsigned row = group + (isA && word % 2 ? 8 : 0);
      const uint32_t element = isA ? (row == k ? one : 0) : value(k + group);
      words[word] |= element << bits * index;
    }
  }
}

void multiplyBytes(Thread *self, void *const *) {
  uint32_t block[10] = {};
  fill(self->thread, 8, 1u, [](unsigned sum) { return (sum - 20) & 0xff; }, block);
  block[6] = 1000;
  tilert_host_mma_s32_s8_s8(self, block);
  std::memcpy(products[self->thread], block + 6, sizeof products[0]);
}

void multiplyTf32(Thread *self, void *const *) {
  uint32_t block[10] = {};
  // Bits below the 11 significant ones are not looked at.
  fill(self->thread, 32, 0x3f801fffu, [](unsigned) { return 0x40000001u; }, block);
  tilert_host_mma_f32_tf32_tf32(self, block);
  std::memcpy(products[self->thread], block + 6, sizeof products[0]);
}

void multiplyHalves(Thread *self, void *const *) {
  uint32_t block[8] = {};
  fill(self->thread, 16, 0x3c00u, [](unsigned sum) { return 0x6400u + sum; }, block);
  block[6] = 0x3c003c00; // 1, 1
  tilert_host_mma_f16_f16_f16(self, block);
  std::memcpy(products[self->thread], block + 6, 2 * sizeof products[0][0]);
}

void leaveEarly(Thread *self, void *const *) {
  uint32_t block[10] = {};
  if (self->thread % 2)
    tilert_host_mma_s32_s8_s8(self, block);
  else
    tilert_host_warp_barrier(self);
}

} // namespace

TEST_CASE("host matrix: a lane gets rows l / 4 and 8 more, columns 2 (l % 4) and the next") {
  REQUIRE(runHost(multiplyBytes, 1, 1));
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i) {
      const int sum = static_cast<int>(lane / 4 + i / 2 * 8 + lane % 4 * 2 + i % 2);
      CHECK(static_cast<int32_t>(products[lane][i]) == sum - 20 + (i == 0 ? 1000 : 0));
    }
}

TEST_CASE("host matrix: operands of tf32 have 11 significant bits") {
  REQUIRE(runHost(multiplyTf32, 1, 1));
  CHECK(products[0][0] == 0x40000000u); // 2
  CHECK(products[31][3] == 0u);         // row 15: the identity has 8 here
}

TEST_CASE("host matrix: halves are rounded to nearest even after an instruction") {
  REQUIRE(runHost(multiplyHalves, 1, 1));
  // 1024 + row + column, and 1 more in the first two: exact in f16.
  CHECK(products[0][0] == (0x6401u | 0x6402u << 16));
  CHECK(products[0][1] == (0x6408u | 0x6409u << 16));
}

TEST_CASE("host matrix: lanes elsewhere than at a product are an error") {
  const Status status = runHost(leaveEarly, 1, 1);
  CHECK_FALSE(bool(status));
  CHECK(contains(status.message(), "a product of matrices"));
}
