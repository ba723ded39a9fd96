// Phases of mbarriers, waits for them, and what the checks find.
// Alone: build/release/bin/unit_runtime --test-case='host mbarrier*'
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

using namespace tilert;
using namespace tilert::test;

namespace {

using Thread = tilert_host_thread;

constexpr uint32_t kBoxBytes = 128, kBoxAt = 128, kShared = 1024;
constexpr uint32_t kRounds = 12;

/// Row r holds 32 times 100 + r.
alignas(16) uint32_t array[kRounds][32];
const tilert_host_tensor_map map = {
    array, 2, 4, {32, kRounds, 1, 1, 1}, {4, 128, 0, 0, 0}, {32, 1, 1, 1, 1}, 0};
std::atomic<uint32_t> seen[128];
/// What a kernel found to be otherwise than it should.
std::atomic<uint32_t> wrong;

void expect(bool holds) {
  wrong += !holds;
}

unsigned char *mbarrier(Thread *self, uint32_t index = 0) {
  return static_cast<unsigned char *>(self->shared) + 8 * index;
}
uint32_t *slot(Thread *self, uint32_t index = 0) {
  return reinterpret_cast<uint32_t *>(static_cast<unsigned char *>(self->shared) + kBoxAt +
                                      kBoxBytes * index);
}
uint32_t get(Thread *self, uint32_t slotIndex, uint32_t index) {
  uint32_t *place = slot(self, slotIndex) + index;
  tilert_host_shared_access(self, place, 4, 0);
  return *place;
}
void put(Thread *self, uint32_t slotIndex, uint32_t index, uint32_t value) {
  uint32_t *place = slot(self, slotIndex) + index;
  tilert_host_shared_access(self, place, 4, 1);
  *place = value;
}
/// Thread 0 makes `count` mbarriers of one arrival.
void start(Thread *self, uint32_t count = 1) {
  for (uint32_t i = 0; i < count; ++i)
    tilert_host_mbarrier_init(self, mbarrier(self, i), 1, self->thread == 0);
  tilert_host_barrier(self);
}
/// Thread `issuer` copies a row to a slot.
void issue(Thread *self, uint32_t row, uint32_t slotIndex = 0, uint32_t mbarrierIndex = 0,
           uint32_t issuer = 0) {
  const uint32_t first = self->thread == issuer;
  tilert_host_mbarrier_arrive_expect(self, mbarrier(self, mbarrierIndex), kBoxBytes, first);
  tilert_host_tensor_copy(self, &map, slot(self, slotIndex), mbarrier(self, mbarrierIndex), 0,
                          static_cast<int32_t>(row), 0, 0, 0, first);
}
void wait(Thread *self, uint32_t parity, uint32_t mbarrierIndex = 0) {
  tilert_host_mbarrier_wait(self, mbarrier(self, mbarrierIndex), parity);
}

/// The status under every check, with several seeds: the same for all.
Status runChecked(tilert_host_function function, unsigned warps) {
  for (uint32_t row = 0; row < kRounds; ++row)
    std::fill_n(array[row], 32, 100 + row);
  Status status;
  wrong = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const HostChecksGuard checks(kAllChecks, seed);
    const Status now = runHost(function, warps, 4, kShared);
    if (seed > 1)
      CHECK(now.code() == status.code());
    status = now;
  }
  CHECK(wrong == 0);
  return status;
}

void checkFailure(tilert_host_function function, unsigned warps, tilert_status code,
                  const std::string &part) {
  const Status status = runChecked(function, warps);
  INFO(status.message());
  CHECK(status.code() == code);
  CHECK(contains(status.message(), part));
}
void checkRace(tilert_host_function function, unsigned warps, const std::string &part) {
  checkFailure(function, warps, TILERT_ERROR_HOST_RACE, part);
}
void checkAccess(tilert_host_function function, const std::string &part) {
  checkFailure(function, 1, TILERT_ERROR_HOST_ACCESS, part);
}

/// A ring of `Slots` slots, refilled behind a barrier: three warps sum up all rows.
template <uint32_t Slots> void ring(Thread *self, void *const *) {
  uint32_t sum = 0;
  start(self, Slots);
  for (uint32_t round = 0; round < Slots; ++round)
    issue(self, round, round, round);
  for (uint32_t round = 0; round < kRounds; ++round) {
    wait(self, round / Slots & 1, round % Slots);
    sum += get(self, round % Slots, self->thread % 32);
    tilert_host_barrier(self);
    if (round + Slots < kRounds)
      issue(self, round + Slots, round % Slots, round % Slots, round % 3 * 32);
  }
  for (uint32_t i = 0; i < Slots; ++i)
    tilert_host_mbarrier_invalidate(self, mbarrier(self, i), self->thread == 0);
  seen[self->thread] = sum;
}

} // namespace

TEST_CASE("host mbarrier: rings of one to three slots bring every row in order") {
  for (const tilert_host_function function : {ring<1>, ring<2>, ring<3>}) {
    CHECK(runChecked(function, 3));
    REQUIRE(runHost(function, 3, 1, kShared));
    for (uint32_t thread = 0; thread < 96; ++thread)
      CHECK(seen[thread] == 100 * kRounds + kRounds * (kRounds - 1) / 2);
  }
}

TEST_CASE("host mbarrier: a phase needs all arrivals and all bytes, in any order") {
  CHECK(runChecked(
      [](Thread *self, void *const *) {
        tilert_host_mbarrier_init(self, mbarrier(self), 64, self->thread == 0);
        tilert_host_barrier(self);
        wait(self, 1); // of the phase before the first: over
        tilert_host_tensor_copy(self, &map, slot(self), mbarrier(self), 0, 5, 0, 0, 0,
                                self->thread == 63); // lands before it is expected
        tilert_host_mbarrier_arrive_expect(self, mbarrier(self), self->thread == 3 ? kBoxBytes : 0,
                                           1);
        wait(self, 0);
        expect(get(self, 0, self->thread % 32) == 105);
      },
      2));
}

TEST_CASE("host mbarrier: warps wait before another one issues") {
  CHECK(runChecked(
      [](Thread *self, void *const *) {
        start(self);
        if (self->thread >= 64)
          issue(self, 3, 0, 0, 64);
        wait(self, 0);
        seen[self->thread] = get(self, 0, self->thread % 32);
      },
      3));
  for (uint32_t thread = 0; thread < 96; ++thread)
    CHECK(seen[thread] == 103);
}

TEST_CASE("host mbarrier: a warp's lanes may wait for different ones") {
  CHECK(runChecked(
      [](Thread *self, void *const *) {
        start(self, 2);
        const uint32_t half = self->thread / 16 % 2;
        if (self->thread < 32)
          wait(self, 0, half);
        if (self->thread >= 32) {
          issue(self, 0, 0, 0, 32);
          tilert_host_warp_barrier(self);
          issue(self, 1, 1, 1, 33);
          wait(self, 0, half);
        }
        expect(get(self, half, 0) == 100 + half);
        wait(self, 0, half ^ 1);
      },
      2));
}

TEST_CASE("host mbarrier: a wait that nobody ends is an error that says for what") {
  checkFailure(
      [](Thread *self, void *const *) {
        start(self, 2);
        issue(self, 0);
        wait(self, 0);
        if (self->thread >= 32)
          wait(self, 0, 1);
        tilert_host_barrier(self);
      },
      2, TILERT_ERROR_HOST_DIVERGENCE,
      "thread 32 (warp 1, lane 0) waits for the phase of parity 0 of the mbarrier at offset 8 of "
      "shared memory, which nobody completes: 1 of 1 arrivals and 0 bytes are missing");
  checkFailure(
      [](Thread *self, void *const *) {
        start(self);
        tilert_host_mbarrier_arrive_expect(self, mbarrier(self), 64, self->thread == 0);
        wait(self, 0);
      },
      1, TILERT_ERROR_HOST_DIVERGENCE, "0 of 1 arrivals and 64 bytes are missing");
}

TEST_CASE("host mbarrier: lanes elsewhere than at the wait are an error") {
  checkFailure(
      [](Thread *self, void *const *) {
        start(self);
        if (self->thread < 31)
          wait(self, 1);
        else
          tilert_host_warp_barrier(self);
      },
      1, TILERT_ERROR_HOST_DIVERGENCE, "lanes 0-30 at a wait for an mbarrier");
}

TEST_CASE("host mbarrier: after a failure the next launch is whole") {
  CHECK_FALSE(
      runHost([](Thread *self, void *const *) { start(self), wait(self, 0); }, 2, 4, kShared));
  CHECK(runHost(ring<2>, 3, 4, kShared));
}

TEST_CASE("host mbarrier: operations where none is live, and an init where one is") {
  checkAccess([](Thread *self, void *const *) { wait(self, 0); },
              "waits for the mbarrier at offset 0 of shared memory, which is not live");
  checkAccess([](Thread *self, void *const *) { issue(self, 0); }, "arrives at the mbarrier");
  checkAccess(
      [](Thread *self, void *const *) {
        tilert_host_tensor_copy(self, &map, slot(self), mbarrier(self), 0, 0, 0, 0, 0, 1);
      },
      "copies for the mbarrier at offset 0 of shared memory, which is not live");
  checkAccess([](Thread *self,
                 void *const *) { tilert_host_mbarrier_invalidate(self, mbarrier(self, 3), 1); },
              "invalidates the mbarrier at offset 24");
  checkAccess(
      [](Thread *self, void *const *) {
        start(self);
        tilert_host_mbarrier_init(self, mbarrier(self), 1, self->thread == 9);
      },
      "thread 9 (warp 0, lane 9) initialises the mbarrier at offset 0 of shared memory, which is "
      "live already");
  checkAccess(
      [](Thread *self, void *const *) {
        start(self);
        tilert_host_mbarrier_invalidate(self, mbarrier(self), self->thread == 0);
        tilert_host_barrier(self);
        wait(self, 0);
      },
      "which is not live");
  checkAccess([](Thread *self,
                 void *const *) { tilert_host_mbarrier_init(self, mbarrier(self) + 4, 1, 1); },
              "is not a multiple of that");
}

TEST_CASE("host mbarrier: arrivals and counts that no phase has") {
  checkAccess(
      [](Thread *self, void *const *) {
        start(self);
        tilert_host_mbarrier_arrive_expect(self, mbarrier(self), 8, self->thread < 2);
      },
      "arrives at the mbarrier at offset 0 of shared memory, whose phase has all its arrivals");
  checkAccess(
      [](Thread *self, void *const *) {
        tilert_host_mbarrier_init(self, mbarrier(self), 0, self->thread == 0);
      },
      "with a count of arrivals that is not in 1 .. 1048575");
}

TEST_CASE("host mbarrier: one made again at the same place starts with phase 0") {
  CHECK(runChecked(
      [](Thread *self, void *const *) {
        for (uint32_t row = 0; row < 3; ++row) {
          start(self);
          issue(self, row);
          wait(self, 0);
          expect(get(self, 0, self->thread % 32) == 100 + row);
          tilert_host_barrier(self);
          tilert_host_mbarrier_invalidate(self, mbarrier(self), self->thread == 0);
        }
      },
      2));
}

TEST_CASE("host mbarrier: race: a read that no wait precedes, by the issuer too") {
  checkRace(
      [](Thread *self, void *const *) {
        start(self);
        issue(self, 0);
        if (self->thread == 0)
          get(self, 0, 5);
        wait(self, 0);
      },
      1, "thread 0 (warp 0, lane 0) has an asynchronous copy to byte 148 under way");
}

TEST_CASE("host mbarrier: race: a warp that reads without a wait of its own") {
  const tilert_host_function function = [](Thread *self, void *const *) {
    start(self);
    issue(self, 0);
    if (self->thread < 32)
      wait(self, 0);
    else
      get(self, 0, 5);
  };
  checkRace(function, 2, "byte 148");                   // warp 1 may also read before the issue
  const HostChecksGuard checks(TILERT_HOST_CHECK_RACE); // warp 0 first
  CHECK(
      contains(runHost(function, 2, 1, kShared).message(),
               "thread 32 (warp 1, lane 0) reads bytes 148-151 of shared memory; a tensor copy to "
               "byte 148 has landed, which it has not waited for, with no barrier since another "
               "thread did"));
}

TEST_CASE("host mbarrier: race: the wait of one warp and a barrier show the bytes to all") {
  CHECK(runChecked(
      [](Thread *self, void *const *) {
        start(self);
        issue(self, 1);
        if (self->thread < 32)
          wait(self, 0);
        tilert_host_barrier(self);
        expect(get(self, 0, self->thread % 32) == 101);
      },
      2));
}

TEST_CASE("host mbarrier: race: a wait for the phase before covers nothing of this one") {
  unsigned races = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const HostChecksGuard checks(kAllChecks, seed);
    const Status status = runHost(
        [](Thread *self, void *const *) {
          start(self);
          issue(self, 0);
          wait(self, 0);
          issue(self, 1, 1);
          wait(self, 0); // still over, or for the phase after this one, which never comes
          get(self, 1, self->thread);
          wait(self, 1);
        },
        1, 1, kShared);
    races += status.code() == TILERT_ERROR_HOST_RACE;
    CHECK(contains(status.message(), status.code() == TILERT_ERROR_HOST_RACE
                                         ? "which no wait has covered"
                                         : "which nobody completes"));
  }
  CHECK(races >= 3);
}

TEST_CASE("host mbarrier: race: later phases leave what was waited for readable") {
  CHECK(runChecked(
      [](Thread *self, void *const *) {
        start(self, 2);
        issue(self, 0);
        wait(self, 0);
        tilert_host_mbarrier_arrive_expect(self, mbarrier(self, 1), 0, self->thread == 32);
        wait(self, 0, 1); // both warps have seen the first phase
        issue(self, 1, 1);
        if (self->thread < 32)
          wait(self, 1);
        expect(get(self, 0, self->thread % 32) == 100);
        wait(self, 1);
        expect(get(self, 1, self->thread % 32) == 101);
      },
      2));
}

TEST_CASE("host mbarrier: race: a refill of what others read or wrote with no barrier between") {
  checkRace(
      [](Thread *self, void *const *) {
        start(self);
        issue(self, 0);
        wait(self, 0);
        get(self, 0, self->thread % 32);
        issue(self, 1);
        wait(self, 1);
      },
      2, "with no barrier between");
  checkRace(
      [](Thread *self, void *const *) {
        start(self);
        put(self, 0, self->thread, 0);
        issue(self, 0);
        wait(self, 0);
      },
      1, "asynchronous copy");
}

TEST_CASE("host mbarrier: race: a write after the wait is a write as any other") {
  checkRace(
      [](Thread *self, void *const *) {
        start(self);
        issue(self, 0);
        wait(self, 0);
        put(self, 0, self->thread, 1);
        get(self, 0, self->thread ^ 1);
      },
      1, "with no barrier between");
}

TEST_CASE("host mbarrier: race: no barrier between the init and what others do") {
  const tilert_host_function function = [](Thread *self, void *const *) {
    tilert_host_mbarrier_init(self, mbarrier(self), 1, self->thread == 0);
    issue(self, 0, 0, 0, 0);
    wait(self, 0);
  };
  const HostChecksGuard checks(TILERT_HOST_CHECK_RACE); // in another order, it is not live yet
  CHECK(contains(runHost(function, 1, 1, kShared).message(),
                 "thread 1 (warp 0, lane 1) reads bytes 0-7 of shared memory; thread 0 (warp 0, "
                 "lane 0) wrote byte 0 with no barrier between"));
}

TEST_CASE("host mbarrier: race: a program ends with a tensor copy under way") {
  checkRace(
      [](Thread *self, void *const *) {
        start(self);
        issue(self, 0, 1, 0, 5);
      },
      1,
      "the program ends while the copy of a box of 128 bytes to offset 256 of shared memory by "
      "thread 5 (warp 0, lane 5) is under way");
}

TEST_CASE("host mbarrier: an invalidation under a copy that no wait has covered") {
  checkAccess(
      [](Thread *self, void *const *) {
        start(self);
        issue(self, 0);
        tilert_host_barrier(self);
        tilert_host_mbarrier_invalidate(self, mbarrier(self), self->thread == 0);
      },
      "on which a tensor copy is under way that no wait has covered");
}

namespace {

uint32_t before[32], after[32];

/// Looks at the box before and after the wait; the source changes in between.
void lookTwice(Thread *self, void *const *) {
  start(self);
  if (self->thread == 0)
    std::fill_n(array[0], 32, 1);
  issue(self, 0);
  tilert_host_barrier(self);
  before[self->thread] = slot(self)[self->thread];
  tilert_host_barrier(self);
  if (self->thread == 0)
    std::fill_n(array[0], 32, 2);
  wait(self, 0);
  after[self->thread] = slot(self)[self->thread];
}

} // namespace

TEST_CASE("host mbarrier: without checks a tensor copy lands where it is issued") {
  REQUIRE(runHost(lookTwice, 1, 1, kShared));
  for (uint32_t i = 0; i < 32; ++i)
    CHECK((before[i] == 1 && after[i] == 1));
}

TEST_CASE("host mbarrier: under `async` tensor copies are late, and in some programs earlier") {
  unsigned late = 0, early = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const HostChecksGuard checks(TILERT_HOST_CHECK_ASYNC, seed);
    REQUIRE(runHost(lookTwice, 1, 1, kShared));
    const bool poisoned = before[7] == 0xA5A5A5A5u;
    CHECK((poisoned || (before[7] == 1 && after[7] == 1)));
    late += poisoned && after[7] == 2;
    early += !poisoned;
  }
  CHECK(late >= 5);
  CHECK(early >= 5);
}
