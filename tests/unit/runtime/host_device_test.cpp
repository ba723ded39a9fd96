// Alone: build/release/bin/unit_runtime --test-case='host device*'
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <set>

using namespace tilert;
using namespace tilert::test;

namespace {

using Thread = tilert_host_thread;

/// What the host functions below write; big enough for every test.
struct Results {
  std::atomic<uint32_t> values[1 << 16];
  std::atomic<uint32_t> calls{0};
} results;

void reset() {
  for (auto &value : results.values)
    value = 0;
  results.calls = 0;
}

uint32_t lane(const Thread *self) {
  return self->thread & 31;
}

using Checks = HostChecksGuard;

/// The sum of a program's thread ids: shuffles within warps, shared memory across them.
void programSum(Thread *self, void *const *) {
  uint32_t sum = self->thread;
  for (uint32_t mask = 16; mask; mask /= 2)
    sum += tilert_host_shuffle_xor(self, sum, mask);
  auto *shared = static_cast<uint32_t *>(self->shared);
  shared[self->thread / 32] = sum;
  tilert_host_barrier(self);
  uint32_t total = 0;
  for (uint32_t warp = 0; warp < 4; ++warp)
    total += shared[warp];
  tilert_host_barrier(self);
  if (self->thread == 0)
    results.values[self->program[0]] = total;
}

} // namespace

TEST_CASE("host device: a reduction over four warps in many programs") {
  reset();
  REQUIRE(runHost(programSum, 4, 1000, 16));
  for (unsigned i = 0; i < 1000; ++i)
    CHECK(results.values[i] == 127 * 128 / 2);
}

TEST_CASE("host device: the same in random orders with poisoned memory") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Checks checks(TILERT_HOST_CHECK_ORDER | TILERT_HOST_CHECK_POISON, seed);
    reset();
    REQUIRE(runHost(programSum, 4, 37, 16));
    for (unsigned i = 0; i < 37; ++i)
      CHECK(results.values[i] == 127 * 128 / 2);
  }
}

TEST_CASE("host device: each shuffle reads the lane that PTX says") {
  reset();
  REQUIRE(runHost(
      [](Thread *self, void *const *) {
        const uint32_t own = 100 + lane(self);
        uint32_t *const out = reinterpret_cast<uint32_t *>(results.values) + lane(self) * 8;
        out[0] = tilert_host_shuffle_idx(self, own, lane(self) + 37);
        out[1] = tilert_host_shuffle_xor(self, own, 5);
        out[2] = tilert_host_shuffle_up(self, own, 3);
        out[3] = tilert_host_shuffle_down(self, own, 3);
        out[4] = tilert_host_ballot(self, lane(self) % 3 == 0 ? 8 : 0);
        out[5] = tilert_host_shuffle_up(self, own, 0xffffffff);
        out[6] = tilert_host_shuffle_down(self, own, 0xffffffff);
      },
      1, 1));
  for (uint32_t i = 0; i < 32; ++i) {
    const auto *out = &results.values[i * 8];
    CHECK(out[0] == 100 + (i + 37) % 32);
    CHECK(out[1] == 100 + (i ^ 5));
    CHECK(out[2] == 100 + (i < 3 ? i : i - 3));
    CHECK(out[3] == 100 + (i + 3 > 31 ? i : i + 3));
    CHECK(out[4] == 0x49249249u);
    CHECK(out[5] == 100 + i);
    CHECK(out[6] == 100 + i);
  }
}

TEST_CASE("host device: threads that return early no longer take part") {
  reset();
  REQUIRE(runHost(
      [](Thread *self, void *const *) {
        if (self->thread >= 32 || lane(self) % 2)
          return;
        tilert_host_barrier(self);
        tilert_host_warp_barrier(self);
        results.values[lane(self)] = tilert_host_ballot(self, 1);
        results.values[32 + lane(self)] = tilert_host_shuffle_xor(self, 7, 1);
      },
      2, 1));
  CHECK(results.values[0] == 0x55555555u);
  CHECK(results.values[32] == 0xA5A5A5A5u); // lane 1 has returned
}

TEST_CASE("host device: lanes at different operations are an error that says who is where") {
  const Status status = runHost(
      [](Thread *self, void *const *) {
        if (lane(self) < 16)
          tilert_host_shuffle_xor(self, 0, 1);
        else
          tilert_host_barrier(self);
      },
      2, 1);
  CHECK(status.code() == TILERT_ERROR_HOST_DIVERGENCE);
  CHECK(status.message() == "k__0: program (0, 0, 0), warp 0 is divergent: lanes 0-15 at a "
                            "shuffle; lanes 16-31 at the program barrier");
}

TEST_CASE("host device: a divergent launch leaves the device usable") {
  for (int i = 0; i < 3; ++i) {
    CHECK_FALSE(runHost(
        [](Thread *self, void *const *) {
          if (self->thread == 40)
            tilert_host_warp_barrier(self);
          else
            tilert_host_ballot(self, 1);
        },
        2, 50));
    reset();
    REQUIRE(runHost(programSum, 4, 20, 16));
    CHECK(results.values[19] == 127 * 128 / 2);
  }
}

TEST_CASE("host device: barriers separate what threads write and read") {
  const Checks checks(TILERT_HOST_CHECK_ORDER, 7);
  reset();
  REQUIRE(runHost(
      [](Thread *self, void *const *) {
        auto *shared = static_cast<uint32_t *>(self->shared);
        for (uint32_t round = 0; round < 10; ++round) {
          shared[self->thread] = round * 1000 + self->thread;
          tilert_host_barrier(self);
          if (shared[(self->thread + 77) % 256] != round * 1000 + (self->thread + 77) % 256)
            ++results.calls;
          tilert_host_barrier(self);
        }
      },
      8, 5, 1024));
  CHECK(results.calls == 0);
}

TEST_CASE("host device: poison fills shared memory of each program") {
  const Checks checks(TILERT_HOST_CHECK_POISON);
  reset();
  REQUIRE(runHost(
      [](Thread *self, void *const *) {
        auto *shared = static_cast<uint32_t *>(self->shared);
        if (self->thread == 0) {
          results.values[self->program[0]] = shared[3];
          shared[3] = 1;
        }
      },
      1, 8, 16));
  for (unsigned i = 0; i < 8; ++i)
    CHECK(results.values[i] == 0xA5A5A5A5u);
}

TEST_CASE("host device: random order runs threads in other orders, every program once") {
  const auto record = [](Thread *self, void *const *) {
    results.values[results.calls++] = self->program[0] * 32 + self->thread;
  };
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed : {1, 2, 3}) {
    const Checks checks(TILERT_HOST_CHECK_ORDER, seed);
    reset();
    REQUIRE(runHost(record, 1, 12));
    std::vector<uint32_t> order(results.values, results.values + 12 * 32);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    std::vector<uint32_t> all(12 * 32);
    std::iota(all.begin(), all.end(), 0u);
    CHECK(order == all);
  }
  CHECK(orders.size() == 3);
}

TEST_CASE("host device: a grid of 2^33 programs has programs past 2^32") {
  // In random order half of the first ones are; the launch ends at the first that fails.
  const Checks checks(TILERT_HOST_CHECK_ORDER, 5);
  TestLibrary library;
  library.host(
      R"({"schema": 1, "arch": "host", "kernels": [{"name": "k", "params": [],
                   "grid": [{"text": "", "expr": 1048576}, {"text": "", "expr": 8192}],
                   "variants": [{"symbol": "k", "values": [], "warps": 1, "shared": 0}]}]})",
      {{"k", [](Thread *self, void *const *) {
          const uint64_t index = uint64_t{self->program[1]} * 1048576 + self->program[0];
          if (index >> 32 && lane(self) == 0)
            tilert_host_barrier(self);
          else if (index >> 32)
            tilert_host_ballot(self, 1);
        }}});
  tilert_kernel_ref kernel = library.ref("k");
  CHECK(tilert_launch_ref(&kernel, TILERT_HOST_STREAM, nullptr, 0, nullptr, 0) ==
        TILERT_ERROR_HOST_DIVERGENCE);
}

TEST_CASE("host device: a program sees its place in a grid of three axes, aligned shared memory") {
  reset();
  TestLibrary library;
  library.host(
      R"({"schema": 1, "arch": "host", "kernels": [{"name": "k", "params": [],
                   "grid": [{"text": "", "expr": 3}, {"text": "", "expr": 4}, {"text": "", "expr": 5}],
                   "variants": [{"symbol": "k", "values": [], "warps": 1, "shared": 4}]}]})",
      {{"k", [](Thread *self, void *const *) {
          const bool right = self->programs[0] == 3 && self->programs[1] == 4 &&
                             self->programs[2] == 5 &&
                             reinterpret_cast<uintptr_t>(self->shared) % 128 == 0;
          results.values[(self->program[2] * 4 + self->program[1]) * 3 + self->program[0]] += right;
        }}});
  tilert_kernel_ref kernel = library.ref("k");
  REQUIRE(tilert_launch_ref(&kernel, TILERT_HOST_STREAM, nullptr, 0, nullptr, 0) == TILERT_OK);
  for (unsigned i = 0; i < 60; ++i)
    CHECK(results.values[i] == 32);
}

TEST_CASE("host device: the largest program and deep stacks") {
  reset();
  REQUIRE(runHost(
      [](Thread *self, void *const *) {
        volatile char frame[200 << 10]; // as a kernel with many live tiles
        std::memset(const_cast<char *>(frame), static_cast<int>(self->thread), sizeof frame);
        tilert_host_barrier(self);
        results.calls += frame[100] == static_cast<char>(self->thread);
      },
      32, 2));
  CHECK(results.calls == 2048);
}

TEST_CASE("host device: rounding to bf16") {
  CHECK(tilert_host_f32_to_bf16(1.0f) == 0x3f80);
  CHECK(tilert_host_f32_to_bf16(1.00390625f) == 0x3f80); // a tie goes to even
  CHECK(tilert_host_f32_to_bf16(1.01171875f) == 0x3f82);
  CHECK(tilert_host_f32_to_bf16(3.4e38f) == 0x7f80);
  CHECK(tilert_host_f32_to_bf16(-0.0f) == 0x8000);
  CHECK((tilert_host_f32_to_bf16(__builtin_nanf("")) & 0x7fff) > 0x7f80);
  CHECK(tilert_host_f64_to_bf16(1.00390625 + 1e-12) == 0x3f81); // by way of f32 it would be 0x3f80
  CHECK(tilert_host_f64_to_bf16(-1e300) == 0xff80);
}
