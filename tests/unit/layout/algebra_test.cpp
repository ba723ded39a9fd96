// Inverse, composition, product and division of layouts. Alone: unit_layout --test-case='algebra*'
#include "compiler/layout/algebra.h"
#include "compiler/layout/conversion.h"
#include "random_layouts.h"

#include <doctest/doctest.h>

using namespace tilec;
using namespace tilec::test;

TEST_CASE("algebra inverse finds the owner of every element") {
  Random random(21);
  for (int i = 0; i < 100; ++i) {
    LinearLayout layout = randomLayout(random, randomShape(random, below(random, 9)), 2, i % 2);
    LayoutInverse inverse(layout);
    for (int64_t element = 0; element < layout.elements(); ++element) {
      Place place = inverse.owner(element);
      CHECK(layout.element(place.reg, place.lane, place.warp) == element);
      CHECK((place.lane & layout.replicatedLanes()) == 0);
      CHECK((place.warp & layout.replicatedWarps()) == 0);
    }
  }
}

TEST_CASE("algebra product puts the inner coordinate below the outer one") {
  Random random(22);
  for (int i = 0; i < 100; ++i) {
    LinearLayout inner = randomLayout(random, {4, 2, 8}, 1, i % 2);
    LinearLayout outer({2, 4, 1}, {2, 1}, {4}, {0});
    LinearLayout whole = product(inner, outer);
    CHECK(whole.shape() == std::vector<int64_t>{8, 8, 8});
    unsigned regs = inner.reg().size();
    for (int trial = 0; trial < 50; ++trial) {
      Bits reg = below(random, whole.registers()), lane = below(random, 64),
           warp = below(random, 4);
      auto low = inner.coordinates(inner.element(reg & ((1 << regs) - 1), lane & 31, warp & 1));
      auto high = outer.coordinates(outer.element(reg >> regs, lane >> 5, warp >> 1));
      auto both = whole.coordinates(whole.element(reg, lane, warp));
      for (unsigned dim = 0; dim < 3; ++dim)
        CHECK(both[dim] == low[dim] + high[dim] * inner.shape()[dim]);
    }
  }
}

TEST_CASE("algebra quotient undoes the product") {
  Random random(23);
  for (int i = 0; i < 200; ++i) {
    LinearLayout inner = randomLayout(random, {2, 8}, 1, true);
    LinearLayout outer({4, 4}, {1, 4}, {}, {2, 8});
    CHECK(quotient(product(inner, outer), inner) == outer);
  }
}

TEST_CASE("algebra quotient refuses layouts that are no product") {
  LinearLayout vector({1, 4}, {1, 2}, {}, {});
  CHECK(quotient(blockedLayout({8, 64}, {1, 0}, 4, 1), vector).has_value());
  CHECK_FALSE(quotient(blockedLayout({8, 64}, {1, 0}, 2, 1), vector).has_value());
  CHECK_FALSE(quotient(blockedLayout({8, 64}, {0, 1}, 4, 1), vector).has_value());
  CHECK_FALSE(quotient(blockedLayout({8, 2}, {1, 0}, 2, 1), vector).has_value());
  LinearLayout reachesIn({1, 8}, {1, 2}, {4 | 1, 0, 0, 0, 0}, {});
  CHECK_FALSE(quotient(reachesIn, vector).has_value());
}

TEST_CASE("algebra builds the accumulators of mma.m16n8 by products") {
  LinearLayout fragment({16, 8}, {1, 64}, {2, 4, 8, 16, 32}, {});
  LinearLayout repeated = product(fragment, LinearLayout({1, 2}, {1}, {}, {}));
  LinearLayout layout = product(repeated, LinearLayout({4, 1}, {}, {}, {1, 2}));
  CHECK(layout.verify() == std::nullopt);
  for (Bits thread = 0; thread < 128; ++thread)
    for (Bits reg = 0; reg < 8; ++reg) { // PTX ISA: group = lane / 4, in group = lane % 4
      int64_t lane = thread % 32, warp = thread / 32;
      int64_t row = warp * 16 + lane / 4 + 8 * (reg >> 1 & 1);
      int64_t column = reg / 4 * 8 + 2 * (lane % 4) + reg % 2;
      CHECK(layout.coordinates(layout.element(reg, lane, warp)) ==
            std::vector<int64_t>{row, column});
    }
}

TEST_CASE("algebra division tells which memory layouts serve rows of 8x8 matrices") {
  // Four neighbouring lanes with two 2-byte elements each hold one 16-byte row.
  LinearLayout fragment({16, 8}, {1, 64}, {2, 4, 8, 16, 32}, {}), row({8}, {1}, {2, 4}, {});
  auto offsets = [&](const std::vector<Bits> &memory) {
    return composed(fragment, *gf2::inverse(memory), {128});
  };
  CHECK(quotient(offsets({1, 2, 4, 8, 16, 32, 64}), row).has_value());
  CHECK(quotient(offsets({1, 2, 4, 64 | 8, 8, 32, 16}), row).has_value());
  CHECK_FALSE(quotient(offsets({8, 16, 32, 64, 1, 2, 4}), row).has_value());
}
