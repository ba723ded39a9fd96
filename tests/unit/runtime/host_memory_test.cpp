// Alone: build/release/bin/unit_runtime --test-case='host memory*'
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace tilert;
using namespace tilert::test;

namespace {

using Thread = tilert_host_thread;

uint32_t loaded[32][4];

/// Four 8x8 matrices in shared memory, rows 16 bytes apart: element (m, r, c) is 64m + 8r + c.
uint16_t *fillMatrices(Thread *self) {
  auto *shared = static_cast<uint16_t *>(self->shared);
  for (unsigned i = 0; i < 8; ++i)
    shared[self->thread * 8 + i] = static_cast<uint16_t>(self->thread * 8 + i);
  tilert_host_barrier(self);
  return shared;
}

template <uint32_t Count, uint32_t Transposed> void loadMatrices(Thread *self, void *const *) {
  const uint16_t *shared = fillMatrices(self);
  const void *row = self->thread < 8 * Count ? shared + self->thread * 8 : nullptr;
  tilert_host_load_matrix(self, row, Count, Transposed, loaded[self->thread]);
}

} // namespace

TEST_CASE("host memory: a lane gets two neighbours of a row of each matrix") {
  REQUIRE(runHost(loadMatrices<4, 0>, 1, 1, 512));
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t matrix = 0; matrix < 4; ++matrix) {
      const uint32_t first = 64 * matrix + 8 * (lane / 4) + 2 * (lane % 4);
      CHECK(loaded[lane][matrix] == (first | (first + 1) << 16));
    }
}

TEST_CASE("host memory: transposed, a lane gets two neighbours of a column") {
  REQUIRE(runHost(loadMatrices<2, 1>, 1, 1, 512));
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t matrix = 0; matrix < 2; ++matrix) {
      const uint32_t first = 64 * matrix + 8 * (2 * (lane % 4)) + lane / 4;
      CHECK(loaded[lane][matrix] == (first | (first + 8) << 16));
    }
}

TEST_CASE("host memory: one matrix leaves the other results and rows alone") {
  std::memset(loaded, 0x77, sizeof loaded);
  REQUIRE(runHost(loadMatrices<1, 0>, 1, 1, 512));
  CHECK(loaded[31][0] == (62 | 63 << 16));
  CHECK(loaded[31][1] == 0x77777777);
}

TEST_CASE("host memory: lanes elsewhere than at a load of matrices are an error") {
  const Status status = runHost(
      [](Thread *self, void *const *) {
        uint32_t result = 0;
        if (self->thread < 31)
          tilert_host_load_matrix(self, self->shared, 1, 0, &result);
        else
          tilert_host_warp_barrier(self);
      },
      1, 1, 128);
  CHECK(status.code() == TILERT_ERROR_HOST_DIVERGENCE);
  CHECK(contains(status.message(), "lanes 0-30 at a load of matrices"));
}

TEST_CASE("host memory: a copy moves its bytes once waited for, or zeros") {
  static uint32_t source[128], target[128];
  for (uint32_t i = 0; i < 128; ++i)
    source[i] = 1000 + i;
  REQUIRE(runHost(
      [](Thread *self, void *const *) {
        auto *shared = static_cast<uint32_t *>(self->shared) + self->thread * 4;
        const uint32_t inside = self->thread % 2;
        tilert_host_copy_async(self, shared, inside ? source + self->thread * 4 : nullptr, 16,
                               inside);
        tilert_host_copy_async(self, shared, nullptr, 0, 0);
        tilert_host_commit_group(self);
        tilert_host_wait_group(self, 0);
        tilert_host_barrier(self);
        const uint32_t other = (self->thread + 5) % 32 * 4;
        std::memcpy(target + other, static_cast<uint32_t *>(self->shared) + other, 16);
      },
      1, 1, 512));
  for (uint32_t i = 0; i < 128; ++i)
    CHECK(target[i] == (i / 4 % 2 ? 1000 + i : 0));
}

namespace {

uint32_t sources[32], afterWait[32], atIssue[32];

/// Copies sources[thread] and looks at the place before and after the wait; the source changes in
/// between.
void lookAtBoth(Thread *self, void *const *) {
  auto *place = static_cast<uint32_t *>(self->shared) + self->thread;
  sources[self->thread] = 1;
  *place = 7;
  tilert_host_copy_async(self, place, sources + self->thread, 4, 1);
  tilert_host_commit_group(self);
  atIssue[self->thread] = *place;
  sources[self->thread] = 2;
  tilert_host_wait_group(self, 0);
  afterWait[self->thread] = *place;
}

} // namespace

TEST_CASE("host memory: without checks a copy lands where it is issued") {
  REQUIRE(runHost(lookAtBoth, 1, 1, 128));
  for (uint32_t i = 0; i < 32; ++i)
    CHECK((atIssue[i] == 1 && afterWait[i] == 1));
}

TEST_CASE("host memory: under `async` copies land at the wait, and in some programs earlier") {
  unsigned late = 0, early = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const HostChecksGuard checks(TILERT_HOST_CHECK_ASYNC, seed);
    REQUIRE(runHost(lookAtBoth, 1, 1, 128));
    unsigned waited = 0;
    for (uint32_t i = 0; i < 32; ++i) {
      const bool atWait = atIssue[i] == 0xA5A5A5A5u && afterWait[i] == 2;
      CHECK((atWait || (atIssue[i] == 1 && afterWait[i] == 1)));
      waited += atWait;
    }
    (waited == 32 ? late : early) += 1;
  }
  CHECK(late >= 3);
  CHECK(early >= 3);
}

TEST_CASE("host memory: a wait with pending groups lands only the older ones") {
  const HostChecksGuard checks(TILERT_HOST_CHECK_ASYNC, 3);
  static unsigned wrong, pendingSeen;
  wrong = pendingSeen = 0;
  REQUIRE(runHost(
      [](Thread *self, void *const *) {
        auto *shared = static_cast<uint32_t *>(self->shared);
        static const uint32_t values[4] = {10, 11, 12, 13};
        if (self->thread != 0)
          return;
        for (uint32_t i = 0; i < 4; ++i) {
          tilert_host_copy_async(self, shared + i, values + i, 4, 1);
          tilert_host_commit_group(self);
        }
        tilert_host_wait_group(self, 2);
        wrong += shared[0] != 10 || shared[1] != 11;
        pendingSeen += shared[3] == 0xA5A5A5A5u;
        tilert_host_wait_group(self, 0);
        wrong += shared[2] != 12 || shared[3] != 13;
      },
      1, 1, 128));
  CHECK(wrong == 0);
  CHECK(pendingSeen == 1);
}
