// Memory layouts of conversions. Alone: unit_layout --test-case='shared*'
#include "compiler/layout/conversion_plans.h"
#include "plan_simulator.h"
#include "random_layouts.h"

#include <doctest/doctest.h>

using namespace tilec;
using namespace tilec::test;

namespace {

ConversionPlan planned(const LinearLayout &from, const LinearLayout &to, unsigned bytes) {
  ConversionPlan plan = planShared(from, to, bytes);
  INFO(from.str(), "  ->  ", to.str(), " bytes ", bytes);
  CHECK(simulate(plan, from, to, bytes) == "");
  CHECK(plan.storeConflicts == countConflicts(plan, from, true, bytes));
  CHECK(plan.loadConflicts == countConflicts(plan, to, false, bytes));
  return plan;
}

} // namespace

TEST_CASE("shared memory trips of random layouts: right, and conflicts counted right") {
  Random random(7);
  for (int i = 0; i < 500; ++i) {
    std::vector<int64_t> shape = randomShape(random, below(random, 13));
    unsigned warpBits = below(random, 3);
    planned(randomLayout(random, shape, warpBits, i % 2),
            randomLayout(random, shape, warpBits, i % 3 == 0), 1u << below(random, 4));
  }
}

TEST_CASE("shared memory trips are free of conflicts at the width both sides have") {
  // Two spaces of one dimension have a common complement, so equal widths never conflict; a plan
  // that does is wider and cheaper.
  Random random(8);
  int free = 0;
  for (int i = 0; i < 150; ++i) {
    std::vector<int64_t> shape = randomShape(random, 9 + below(random, 4));
    ConversionPlan plan =
        planned(randomLayout(random, shape, 2, false), randomLayout(random, shape, 2, false), 4);
    if (plan.storeVector == plan.loadVector) {
      CHECK(plan.storeConflicts == 1);
      CHECK(plan.loadConflicts == 1);
    }
    free += plan.storeConflicts == 1 && plan.loadConflicts == 1;
  }
  CHECK(free >= 145);
}

TEST_CASE("shared memory transposition is vectorised on the side that can be, without conflicts") {
  for (unsigned bytes : {1u, 2u, 4u, 8u}) {
    LinearLayout rows = blockedLayout({64, 64}, {1, 0}, 16 / bytes, 4);
    LinearLayout columns = blockedLayout({64, 64}, {0, 1}, 16 / bytes, 4);
    ConversionPlan plan = planned(rows, columns, bytes);
    CAPTURE(bytes);
    CHECK(plan.storeConflicts == 1);
    CHECK(plan.loadConflicts == 1);
    CHECK(plan.storeVector * plan.loadVector > 1);
  }
}

TEST_CASE("shared memory accesses are 16 bytes wide where both layouts hold such vectors") {
  LinearLayout from({64, 64}, {1, 2, 64, 128, 256}, {4, 8, 16, 32, 512}, {1024, 2048});
  LinearLayout to({64, 64}, {1, 2, 1024, 2048, 4}, {64, 128, 256, 512, 8}, {16, 32});
  ConversionPlan plan = planned(from, to, 4);
  CHECK(plan.storeVector == 4);
  CHECK(plan.loadVector == 4);
  CHECK(plan.storeConflicts == 1);
  CHECK(plan.loadConflicts == 1);
}

TEST_CASE("shared memory vectors of one side are skewed so that the other meets no bank twice") {
  // The loads' lanes reach 512, a register of the store, mixed with 4, a lane of it; a store vector
  // of 1 alone would put all loads of a warp on even offsets.
  LinearLayout from({2048}, {1, 2, 512}, {4, 8, 16, 32, 64}, {128, 256, 1024});
  LinearLayout to({2048}, {128, 256, 1024}, {512 ^ 4, 8, 16, 32, 64}, {1, 2, 4});
  ConversionPlan plan = planned(from, to, 4);
  CHECK(plan.storeVector == 2);
  CHECK(plan.storeConflicts == 1);
  CHECK(plan.loadConflicts == 1);
}

TEST_CASE("shared memory scratch is the tile once, however replicated") {
  LinearLayout from({16}, {}, {1, 2, 4, 8, 0}, {0, 0}), to({16}, {4, 8}, {1, 0, 2, 0, 0}, {0, 0});
  CHECK(planned(from, to, 8).scratchBytes == 128);
}

TEST_CASE("shared memory offsets invert the columns") {
  MemoryLayout memory{{1, 2 | 1, 8, 4 | 2}};
  for (Bits offset = 0; offset < 16; ++offset) {
    Bits element =
        (offset & 1) ^ (offset & 2 ? 3 : 0) ^ (offset & 4 ? 8 : 0) ^ (offset & 8 ? 6 : 0);
    CHECK(memory.offset(element) == offset);
  }
}
