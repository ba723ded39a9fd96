// Conversion plans, executed. Alone: unit_layout --test-case='conversion*'
#include "compiler/layout/conversion_plans.h"
#include "plan_simulator.h"
#include "random_layouts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace tilec;
using namespace tilec::test;
using Kind = ConversionPlan::Kind;

namespace {

/// Plans and runs a conversion; the plan.
ConversionPlan converted(const LinearLayout &from, const LinearLayout &to, unsigned bytes = 4) {
  ConversionPlan plan = planConversion(from, to, bytes);
  INFO(from.str(), "  ->  ", to.str(), " bytes ", bytes);
  CHECK(simulate(plan, from, to, bytes) == "");
  return plan;
}

/// The most elements that one thread needs and does not hold.
unsigned mostForeign(const LinearLayout &from, const LinearLayout &to) {
  unsigned most = 0;
  for (Bits thread = 0; thread < 32 * from.warps(); ++thread) {
    std::set<Bits> held;
    for (Bits reg = 0; reg < from.registers(); ++reg)
      held.insert(from.element(reg, thread % 32, thread / 32));
    unsigned foreign = 0;
    for (Bits reg = 0; reg < to.registers(); ++reg)
      foreign += !held.count(to.element(reg, thread % 32, thread / 32));
    most = std::max(most, foreign);
  }
  return most;
}

} // namespace

TEST_CASE("conversion between all layouts of tiny tiles and back") {
  for (unsigned bits = 0; bits <= 2; ++bits) {
    std::vector<LinearLayout> all = allLayouts(bits);
    for (const LinearLayout &from : all) {
      CHECK(from.verify() == std::nullopt);
      for (const LinearLayout &to : all)
        converted(from, to);
    }
  }
}

TEST_CASE("conversion between sampled layouts of 8 and 16 elements") {
  Random random(2);
  for (unsigned bits : {3u, 4u}) {
    std::vector<LinearLayout> all = allLayouts(bits);
    for (int i = 0; i < 2000; ++i)
      converted(all[below(random, all.size())], all[below(random, all.size())],
                1u << below(random, 4));
  }
}

TEST_CASE("conversion of random layouts there and back") {
  Random random(1);
  for (int i = 0; i < 700; ++i) {
    std::vector<int64_t> shape = randomShape(random, below(random, 13));
    unsigned warpBits = below(random, 4), bytes = 1u << below(random, 4);
    LinearLayout from = randomLayout(random, shape, warpBits, i % 2);
    LinearLayout to = randomLayout(random, shape, warpBits, i % 3 == 0);
    converted(from, to, bytes);
    converted(to, from, bytes);
  }
}

TEST_CASE("conversion within a warp of random layouts") {
  Random random(3);
  for (int i = 0; i < 1500; ++i) {
    std::vector<int64_t> shape = randomShape(random, below(random, 9));
    LinearLayout from = randomLayout(random, shape, 0, i % 2),
                 to = randomLayout(random, shape, 0, i % 3);
    converted(from, to, 1u << below(random, 4));
  }
}

TEST_CASE("conversion shuffles no more than some lane has elements elsewhere") {
  Random random(6);
  for (int i = 0; i < 1000; ++i) {
    std::vector<int64_t> shape = randomShape(random, below(random, 9));
    LinearLayout from = randomLayout(random, shape, 1, i % 2),
                 to = randomLayout(random, shape, 1, i % 3);
    std::optional<ConversionPlan> plan = planExchange(from, to, 4);
    if (!plan)
      continue;
    CHECK(simulate(*plan, from, to, 4) == "");
    if (plan->steps.size() <= to.registers())
      CHECK(plan->shuffles == mostForeign(from, to));
  }
}

TEST_CASE("conversion on 32 warps") {
  Random random(4);
  for (int i = 0; i < 20; ++i) {
    std::vector<int64_t> shape = randomShape(random, 8 + below(random, 7));
    converted(randomLayout(random, shape, 5, i % 2), randomLayout(random, shape, 5, i % 3));
  }
}

TEST_CASE("conversion that only renames registers is free") {
  LinearLayout from({8, 32}, {32, 64, 128}, {1, 2, 4, 8, 16}, {});
  LinearLayout to({8, 32}, {128, 32 ^ 64, 64}, {1, 2, 4, 8, 16}, {});
  ConversionPlan plan = converted(from, to);
  CHECK(plan.kind == Kind::Registers);
  CHECK(plan.selectsBefore.empty());
  CHECK(plan.cost == 0);
}

TEST_CASE("conversion from replicated lanes and warps is a select in each thread") {
  LinearLayout from({8}, {1, 2, 4}, {0, 0, 0, 0, 0}, {0});
  LinearLayout to({8}, {2}, {1, 0, 0, 0, 0}, {4});
  ConversionPlan plan = converted(from, to);
  CHECK(plan.kind == Kind::Registers);
  CHECK(plan.selectsBefore.size() == 2);
}

TEST_CASE("conversion that swaps a register and a lane bit shuffles half the registers") {
  LinearLayout from({4, 32}, {1, 32}, {2, 4, 8, 16, 64}, {});
  LinearLayout to({4, 32}, {4, 32}, {2, 1, 8, 16, 64}, {});
  ConversionPlan plan = converted(from, to);
  CHECK(plan.kind == Kind::Shuffle);
  CHECK(plan.lanesStay);
  CHECK(plan.shuffles == 2);
}

TEST_CASE("conversion that permutes lanes takes one shuffle a register") {
  LinearLayout from({2, 32}, {32}, {1, 2, 4, 8, 16}, {}), to({2, 32}, {32}, {2, 1, 4, 16, 8}, {});
  ConversionPlan plan = converted(from, to);
  CHECK(plan.kind == Kind::Shuffle);
  CHECK(plan.shuffles == 2);
  CHECK(plan.selectsBefore.empty());
  CHECK(plan.selectsAfter.empty());
}

TEST_CASE("conversion to replicated lanes shuffles only what a lane does not hold") {
  LinearLayout from({32}, {}, {1, 2, 4, 8, 16}, {}), to({32}, {1}, {0, 2, 4, 8, 16}, {});
  ConversionPlan plan = converted(from, to);
  CHECK(plan.kind == Kind::Shuffle);
  CHECK(plan.shuffles == 1);
}

TEST_CASE("conversion between layouts of the same warps stays within them") {
  LinearLayout from({256}, {1}, {2, 4, 8, 16, 32}, {64, 128});
  LinearLayout swapped({256}, {2}, {1, 4, 8, 16, 32}, {64, 128});
  CHECK(converted(from, swapped).kind == Kind::Shuffle);
  // Warp 1 holds in register 0 what it held in register 1; no warp holds another's elements.
  LinearLayout skewed({256}, {1}, {2, 4, 8, 16, 32}, {64 | 1, 128});
  ConversionPlan plan = converted(from, skewed);
  CHECK(plan.kind == Kind::Registers);
  CHECK(plan.selectsBefore == std::vector<RegisterSelect>{{32, 1}});
}

TEST_CASE("conversion across warps goes through shared memory") {
  LinearLayout from({64}, {}, {1, 2, 4, 8, 16}, {32}), to({64}, {}, {32, 2, 4, 8, 16}, {1});
  CHECK(converted(from, to).kind == Kind::Shared);
}

TEST_CASE("conversion plans are the same for the same layouts") {
  Random random(5);
  std::vector<int64_t> shape = {32, 32};
  for (int i = 0; i < 20; ++i) {
    LinearLayout from = randomLayout(random, shape, i % 2, true),
                 to = randomLayout(random, shape, i % 2, true);
    ConversionPlan first = planConversion(from, to, 2), second = planConversion(from, to, 2);
    CHECK(first.memory.columns == second.memory.columns);
    CHECK(first.storeOrder == second.storeOrder);
    CHECK(first.selectsBefore == second.selectsBefore);
    CHECK(first.steps == second.steps);
  }
}
