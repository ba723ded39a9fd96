// Sectors of a global access. Alone: unit_layout --test-case='sectors*'
#include "compiler/layout/conversion.h"

#include <doctest/doctest.h>

using namespace tilec;

TEST_CASE("sectors of a contiguous access are the bytes moved over 32") {
  CHECK(sectorsPerRequest(blockedLayout({1024}, {0}, 4, 1), {1}, 4, 4) == 16);
  CHECK(sectorsPerRequest(blockedLayout({1024}, {0}, 1, 1), {1}, 4, 1) == 4);
  CHECK(sectorsPerRequest(blockedLayout({1024}, {0}, 8, 4), {1}, 2, 8) == 16);
  CHECK(sectorsPerRequest(blockedLayout({1024}, {0}, 1, 1), {1}, 1, 1) == 1);
}

TEST_CASE("sectors of a strided access are one a lane") {
  CHECK(sectorsPerRequest(blockedLayout({64, 64}, {0, 1}, 1, 1), {64, 1}, 4, 1) == 32);
  CHECK(sectorsPerRequest(blockedLayout({1024}, {0}, 1, 1), {8}, 4, 1) == 32);
  CHECK(sectorsPerRequest(blockedLayout({1024}, {0}, 1, 1), {2}, 4, 1) == 8);
}

TEST_CASE("sectors of rows at an unknown distance are not shared") {
  LinearLayout layout = blockedLayout({64, 8}, {1, 0}, 1, 1);
  CHECK(sectorsPerRequest(layout, {0, 1}, 4, 1) == 4);
  CHECK(sectorsPerRequest(layout, {0, 1}, 1, 1) == 4);
  CHECK(sectorsPerRequest(layout, {8, 1}, 1, 1) == 1);
}

TEST_CASE("sectors of replicated lanes count once") {
  CHECK(sectorsPerRequest(blockedLayout({8}, {0}, 1, 1), {1}, 4, 1) == 1);
  CHECK(sectorsPerRequest(blockedLayout({}, {}, 1, 1), {}, 8, 1) == 1);
}

TEST_CASE("sectors of descending and odd strides") {
  CHECK(sectorsPerRequest(blockedLayout({32}, {0}, 1, 1), {-1}, 4, 1) == 5);
  CHECK(sectorsPerRequest(blockedLayout({2, 32}, {1, 0}, 2, 1), {33, 1}, 4, 2) == 9);
}
