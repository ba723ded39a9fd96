// Alone: build/release/bin/unit_runtime --test-case='host race*'
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace tilert;
using namespace tilert::test;

namespace {

using Thread = tilert_host_thread;

void put(Thread *self, uint32_t index, uint32_t value) {
  auto *place = static_cast<uint32_t *>(self->shared) + index;
  tilert_host_shared_access(self, place, 4, 1);
  *place = value;
}
uint32_t get(Thread *self, uint32_t index) {
  auto *place = static_cast<uint32_t *>(self->shared) + index;
  tilert_host_shared_access(self, place, 4, 0);
  return *place;
}
void copy(Thread *self, uint32_t index, const uint32_t *source) {
  tilert_host_copy_async(self, static_cast<uint32_t *>(self->shared) + index, source, 4, 1);
}

/// The status under every check, with several seeds: the same for all.
Status runShuffled(tilert_host_function function, unsigned warps, unsigned shared = 1024) {
  Status status;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const HostChecksGuard checks(kAllChecks, seed);
    const Status now = runHost(function, warps, 4, shared);
    if (seed > 1)
      CHECK(now.code() == status.code());
    status = now;
  }
  return status;
}

void checkRace(tilert_host_function function, unsigned warps, const char *part) {
  const Status status = runShuffled(function, warps);
  CHECK(status.code() == TILERT_ERROR_HOST_RACE);
  INFO(status.message());
  CHECK(contains(status.message(), part));
}

const uint32_t source[64] = {};

} // namespace

TEST_CASE("host race: a read of what another thread wrote with no barrier between") {
  const HostChecksGuard checks(TILERT_HOST_CHECK_RACE);
  const Status status = runHost(
      [](Thread *self, void *const *) {
        if (self->thread == 5)
          put(self, 16, 1);
        if (self->thread == 37)
          get(self, 16);
      },
      2, 1, 128);
  CHECK(status.code() == TILERT_ERROR_HOST_RACE);
  CHECK(status.message() == "k__0: program (0, 0, 0): thread 37 (warp 1, lane 5) reads bytes 64-67 "
                            "of shared memory; thread 5 (warp 0, lane 5) wrote byte 64 with no "
                            "barrier between");
}

TEST_CASE("host race: a missing barrier is found in every order of threads") {
  checkRace(
      [](Thread *self, void *const *) {
        put(self, self->thread, self->thread);
        get(self, (self->thread + 1) % 64);
      },
      2, "with no barrier between");
}

TEST_CASE("host race: a write after a read by another thread") {
  checkRace(
      [](Thread *self, void *const *) {
        put(self, self->thread, 0);
        tilert_host_barrier(self);
        get(self, self->thread ^ 32);
        put(self, self->thread, 1);
      },
      2, "with no barrier between");
}

TEST_CASE("host race: two writes of one place") {
  checkRace([](Thread *self, void *const *) { put(self, self->thread / 2, 7); }, 1, "writes bytes");
}

TEST_CASE("host race: a write is checked against every reader") {
  // Thread 0 is not the last reader in any order in which it is checked: warp 1 reads too.
  checkRace(
      [](Thread *self, void *const *) {
        get(self, 0);
        if (self->thread == 0)
          put(self, 0, 1);
      },
      2, "with no barrier between");
}

TEST_CASE("host race: shuffles do not order memory") {
  checkRace(
      [](Thread *self, void *const *) {
        put(self, self->thread, 1);
        tilert_host_shuffle_xor(self, 0, 1);
        get(self, self->thread ^ 1);
      },
      1, "with no barrier between");
}

TEST_CASE("host race: a warp barrier orders the lanes of its warp") {
  CHECK(runShuffled(
      [](Thread *self, void *const *) {
        for (uint32_t round = 0; round < 5; ++round) {
          put(self, self->thread, round);
          tilert_host_warp_barrier(self);
          get(self, self->thread ^ 1);
          get(self, self->thread ^ 9);
          tilert_host_warp_barrier(self);
        }
      },
      4));
}

TEST_CASE("host race: a warp barrier orders nothing between warps") {
  checkRace(
      [](Thread *self, void *const *) {
        put(self, self->thread, 1);
        tilert_host_warp_barrier(self);
        get(self, self->thread ^ 32);
      },
      2, "with no barrier between");
}

TEST_CASE("host race: neighbouring bytes are apart") {
  CHECK(runShuffled(
      [](Thread *self, void *const *) {
        auto *place = static_cast<uint8_t *>(self->shared) + self->thread;
        tilert_host_shared_access(self, place, 1, 1);
        *place = 1;
        tilert_host_barrier(self);
        get(self, self->thread % 8);
      },
      1));
}

TEST_CASE("host race: a copy read before the wait, by its own thread too") {
  checkRace(
      [](Thread *self, void *const *) {
        copy(self, self->thread, source);
        tilert_host_commit_group(self);
        get(self, self->thread);
      },
      1, "has an asynchronous copy to");
}

TEST_CASE("host race: a wait that leaves the group pending covers nothing of it") {
  checkRace(
      [](Thread *self, void *const *) {
        copy(self, self->thread, source);
        tilert_host_commit_group(self);
        tilert_host_wait_group(self, 1);
        tilert_host_barrier(self);
        get(self, self->thread);
      },
      1, "which no wait has covered");
}

TEST_CASE("host race: a copy that was never committed is not waited for") {
  checkRace(
      [](Thread *self, void *const *) {
        copy(self, self->thread, source);
        tilert_host_wait_group(self, 0);
        get(self, self->thread);
      },
      1, "which no wait has covered");
}

TEST_CASE("host race: a wait without a barrier shows a copy to its own thread only") {
  checkRace(
      [](Thread *self, void *const *) {
        copy(self, self->thread, source);
        tilert_host_commit_group(self);
        tilert_host_wait_group(self, 0);
        get(self, self->thread);
        get(self, self->thread ^ 1);
      },
      1, "with no barrier");
}

TEST_CASE("host race: a copy into a slot that others are still reading") {
  checkRace(
      [](Thread *self, void *const *) {
        put(self, self->thread, 0);
        tilert_host_barrier(self);
        get(self, self->thread ^ 1);
        copy(self, self->thread, source);
        tilert_host_commit_group(self);
        tilert_host_wait_group(self, 0);
      },
      1, "asynchronous copy");
}

TEST_CASE("host race: a ring of three slots, waited for and with barriers, is in order") {
  CHECK(runShuffled(
      [](Thread *self, void *const *) {
        const auto slot = [&](uint32_t round) { return round % 3 * 64; };
        for (uint32_t round = 0; round < 2; ++round) {
          copy(self, slot(round) + self->thread, source);
          tilert_host_commit_group(self);
        }
        for (uint32_t round = 0; round < 10; ++round) {
          tilert_host_wait_group(self, 1);
          tilert_host_barrier(self);
          get(self, slot(round) + (self->thread + 1) % 64);
          if (round + 2 < 10)
            copy(self, slot(round + 2) + self->thread, source);
          tilert_host_commit_group(self);
        }
      },
      2));
}

TEST_CASE("host race: the same ring with two slots is not") {
  checkRace(
      [](Thread *self, void *const *) {
        const auto slot = [&](uint32_t round) { return round % 2 * 64; };
        for (uint32_t round = 0; round < 10; ++round) {
          copy(self, slot(round) + self->thread, source);
          tilert_host_commit_group(self);
          tilert_host_wait_group(self, 0);
          get(self, slot(round) + self->thread);
          tilert_host_barrier(self);
          get(self, slot(round) + (self->thread + 1) % 64);
          copy(self, slot(round) + self->thread, source); // the slot being read
          tilert_host_commit_group(self);
        }
      },
      2, "asynchronous copy");
}

TEST_CASE("host race: lanes read the elements they get from a load of matrices") {
  checkRace(
      [](Thread *self, void *const *) {
        for (uint32_t i = 0; i < 4; ++i)
          put(self, self->thread * 4 + i, 0);
        uint32_t result = 0;
        tilert_host_load_matrix(self, static_cast<uint32_t *>(self->shared) + self->thread * 4, 1,
                                0, &result);
      },
      1, "reads bytes");
}

TEST_CASE("host race: accesses outside a program's shared memory") {
  for (const uint32_t index : {32u, ~0u}) {
    static uint32_t place;
    place = index;
    const HostChecksGuard checks(TILERT_HOST_CHECK_RACE);
    const Status status = runHost(
        [](Thread *self, void *const *) {
          tilert_host_shared_access(
              self, static_cast<uint32_t *>(self->shared) + static_cast<int32_t>(place), 4, 1);
        },
        1, 1, 128);
    CHECK(status.code() == TILERT_ERROR_HOST_ACCESS);
    CHECK(contains(status.message(), index == 32 ? "writes 4 bytes at offset 128 of shared memory, "
                                                   "which has 128"
                                                 : "writes 4 bytes at offset -4 of shared memory"));
  }
}

TEST_CASE("host race: misaligned accesses") {
  const Status status = runShuffled(
      [](Thread *self, void *const *) {
        tilert_host_copy_async(self, static_cast<char *>(self->shared) + 8, source, 16, 1);
      },
      1);
  CHECK(status.code() == TILERT_ERROR_HOST_ACCESS);
  CHECK(contains(status.message(), "copies 16 bytes at offset 8 of shared memory, which is not a "
                                   "multiple of that"));
}

TEST_CASE("host race: a thread ends with a copy under way") {
  const Status status = runShuffled(
      [](Thread *self, void *const *) {
        tilert_host_copy_async(self, static_cast<char *>(self->shared) + self->thread * 16, nullptr,
                               16, 0);
        tilert_host_commit_group(self);
        if (self->thread != 5)
          tilert_host_wait_group(self, 0);
      },
      1);
  CHECK(status.code() == TILERT_ERROR_HOST_RACE);
  CHECK(contains(status.message(), "thread 5"));
  CHECK(contains(status.message(),
                 "ends while its copy of 16 bytes to offset 80 of shared memory is under way"));
}

TEST_CASE("host race: a race leaves the device usable, and is not seen when not asked for") {
  const auto race = [](Thread *self, void *const *) { put(self, 0, self->thread); };
  for (int i = 0; i < 3; ++i) {
    CHECK(runShuffled(race, 2).code() == TILERT_ERROR_HOST_RACE);
    CHECK(runHost(race, 2, 8, 1024));
    CHECK(runShuffled([](Thread *self, void *const *) { put(self, self->thread, 1); }, 2));
  }
}
