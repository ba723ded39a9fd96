// Boxes that tensor copies bring, byte by byte.
// Alone: build/release/bin/unit_runtime --test-case='host tensor*'
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>

using namespace tilert;
using namespace tilert::test;

namespace {

using Thread = tilert_host_thread;

constexpr uint32_t kBarrierAt = 0, kBoxAt = 1024 + 128, kShared = 1 << 16;
alignas(16) unsigned char array[1 << 15];
tilert_host_tensor_map map;
int32_t at[5];
uint32_t boxBytes;
unsigned char box[kShared];

/// Copies the box of `map` at `at` into shared memory, waits for it, and shows all of that.
void copyBox(Thread *self, void *const *) {
  auto *shared = static_cast<unsigned char *>(self->shared);
  const uint32_t first = self->thread == 0;
  if (first)
    std::memset(shared, 0x77, kShared);
  tilert_host_mbarrier_init(self, shared + kBarrierAt, 1, first);
  tilert_host_barrier(self);
  tilert_host_mbarrier_arrive_expect(self, shared + kBarrierAt, boxBytes, first);
  tilert_host_tensor_copy(self, &map, shared + kBoxAt, shared + kBarrierAt, at[0], at[1], at[2],
                          at[3], at[4], first);
  tilert_host_mbarrier_wait(self, shared + kBarrierAt, 0);
  if (self->thread == 7)
    std::memcpy(box, shared, kShared);
}

/// A view of `array` without gaps but for the padding that rows need, and a box.
void setMap(uint32_t elementBytes, std::vector<int64_t> extents, std::vector<uint32_t> sides,
            uint32_t swizzle) {
  map = {array, static_cast<uint32_t>(extents.size()), elementBytes, {}, {}, {}, swizzle};
  int64_t stride = elementBytes;
  boxBytes = elementBytes;
  for (size_t i = 0; i < 5; ++i) {
    map.extents[i] = i < extents.size() ? extents[i] : 1;
    map.strides[i] = i < extents.size() ? stride : 0;
    map.box[i] = i < extents.size() ? sides[i] : 1;
    stride = (stride * map.extents[i] + 15) / 16 * 16;
    boxBytes *= map.box[i];
  }
  REQUIRE(stride <= static_cast<int64_t>(sizeof array));
}

/// Where the byte at `address` goes, from the definition.
size_t swizzled(size_t address) {
  const auto bit = [&](unsigned index) { return address >> index & 1; };
  switch (map.swizzle) {
  case 32:
    return address ^ bit(7) << 4;
  case 64:
    return address ^ bit(7) << 4 ^ bit(8) << 5;
  case 128:
    return address ^ bit(7) << 4 ^ bit(8) << 5 ^ bit(9) << 6;
  default:
    return address;
  }
}

/// Compares all of shared memory behind the barrier with what the definition says.
void checkBox() {
  std::vector<unsigned char> expected(kShared, 0x77);
  uint32_t index[5] = {};
  for (size_t to = kBoxAt; to < kBoxAt + boxBytes; to += map.element_bytes) {
    const unsigned char *from = array;
    for (unsigned axis = 0; axis < 5; ++axis) {
      const int64_t place = int64_t{at[axis]} + index[axis];
      if (place < 0 || place >= map.extents[axis])
        from = nullptr;
      if (from)
        from += place * map.strides[axis];
    }
    for (uint32_t byte = 0; byte < map.element_bytes; ++byte)
      expected[swizzled(to + byte)] = from ? from[byte] : 0;
    for (unsigned axis = 0; axis < 5 && ++index[axis] == map.box[axis]; ++axis)
      index[axis] = 0;
  }
  CHECK(std::memcmp(box + 8, expected.data() + 8, kShared - 8) == 0);
}

void copyAndCheck(std::vector<int32_t> coordinates) {
  constexpr int kAsync = TILERT_HOST_CHECK_ASYNC;
  for (const int flags : {0, kAsync, kAsync | TILERT_HOST_CHECK_ORDER}) {
    const HostChecksGuard checks(static_cast<uint32_t>(flags));
    std::fill(std::begin(at), std::end(at), 0);
    std::copy(coordinates.begin(), coordinates.end(), at);
    REQUIRE(runHost(copyBox, 1, 1, kShared));
    checkBox();
  }
}

void fillArray() {
  std::mt19937 random(1);
  for (unsigned char &byte : array)
    byte = static_cast<unsigned char>(random());
}

/// The failure of a copy with `map` to `offset` of shared memory, from element `start` of a row on.
Status copyTo(int64_t offset, int32_t start = 0) {
  static int64_t place;
  static int32_t first0;
  place = offset;
  first0 = start;
  return runHost(
      [](Thread *self, void *const *) {
        auto *shared = static_cast<unsigned char *>(self->shared);
        const uint32_t first = self->thread == 0;
        tilert_host_mbarrier_init(self, shared, 1, first);
        tilert_host_tensor_copy(self, &map, shared + place, shared, first0, 0, 0, 0, 0, first);
      },
      1, 1, 1024);
}

} // namespace

TEST_CASE("host tensor: every swizzle and element size, inside the view") {
  fillArray();
  for (const uint32_t elementBytes : {1u, 2u, 4u, 8u})
    for (const uint32_t swizzle : {0u, 32u, 64u, 128u}) {
      const uint32_t row = (swizzle ? swizzle : 48) / elementBytes;
      setMap(elementBytes, {200 / elementBytes * 2, 20}, {row, 13}, swizzle);
      copyAndCheck({static_cast<int32_t>(16 / elementBytes), 3});
    }
}

TEST_CASE("host tensor: a box that is narrower than its swizzle") {
  fillArray();
  setMap(2, {64, 32}, {8, 32}, 128);
  copyAndCheck({8, 0});
}

TEST_CASE("host tensor: elements outside the view are zeros, on both sides of every axis") {
  fillArray();
  setMap(4, {30, 10}, {32, 8}, 128);
  for (const int32_t x : {-28, -4, 0, 4, 28, 32, -32, INT32_MAX - 3, INT32_MIN})
    for (const int32_t y : {-8, -3, 0, 7, 10})
      copyAndCheck({x, y});
}

TEST_CASE("host tensor: views of one to five axes") {
  fillArray();
  setMap(4, {100}, {64}, 0);
  copyAndCheck({72});
  copyAndCheck({-4});
  setMap(2, {40, 9, 5}, {32, 4, 3}, 64);
  copyAndCheck({-8, 6, 3});
  setMap(1, {48, 5, 4, 6}, {32, 3, 2, 4}, 32);
  copyAndCheck({16, -1, 3, -2});
  setMap(8, {10, 4, 3, 5, 4}, {4, 2, 3, 2, 3}, 32);
  copyAndCheck({-2, 3, -1, 4, 2});
  setMap(8, {10, 4, 3, 5, 4}, {4, 2, 3, 2, 3}, 0);
  copyAndCheck({2, 1, 0, 1, 1});
}

TEST_CASE("host tensor: a predicate of 0 does nothing") {
  REQUIRE(runHost(
      [](Thread *self, void *const *) {
        tilert_host_mbarrier_init(self, nullptr, 0, 0);
        tilert_host_mbarrier_arrive_expect(self, nullptr, 1, 0);
        tilert_host_tensor_copy(self, nullptr, nullptr, nullptr, 0, 0, 0, 0, 0, 0);
        tilert_host_mbarrier_invalidate(self, nullptr, 0);
      },
      1, 1, 128));
}

TEST_CASE("host tensor: boxes outside shared memory or misaligned, and misaligned views") {
  setMap(4, {32, 4}, {32, 4}, 128);
  for (const int64_t outside : {int64_t{1024}, int64_t{640}, int64_t{-128}})
    CHECK(contains(copyTo(outside).message(),
                   "thread 0 (warp 0, lane 0) copies a box of 512 bytes to offset " +
                       std::to_string(outside) + " of shared memory, which has 1024"));
  CHECK(copyTo(1024).code() == TILERT_ERROR_HOST_ACCESS);
  CHECK(contains(copyTo(64).message(), "which is no multiple of 128"));
  CHECK(contains(copyTo(128, 3).message(),
                 "starts at element 3 of a row, which is no multiple of 16"));
  CHECK(contains(copyTo(128, -2).message(), "starts at element -2 of a row"));
  map.base = array + 8;
  CHECK(contains(copyTo(128).message(), "from a view whose address is no multiple of 16"));
}
