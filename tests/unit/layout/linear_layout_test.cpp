// Linear layouts and the maps that move no data, against maps of single elements.
// Alone: unit_layout --test-case='layout*'
#include "random_layouts.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <set>

using namespace tilec;
using namespace tilec::test;

namespace {

using Coordinates = std::vector<int64_t>;

/// Calls `check` with a random layout many times.
void forRandomLayouts(const std::function<void(Random &, const LinearLayout &)> &check) {
  Random random(11);
  for (int i = 0; i < 150; ++i)
    check(random,
          randomLayout(random, randomShape(random, below(random, 9)), below(random, 4), i % 2));
}

/// Calls `check` for every register, lane and warp.
void forPlaces(const LinearLayout &layout, const std::function<void(Bits, Bits, Bits)> &check) {
  for (Bits warp = 0; warp < layout.warps(); ++warp)
    for (Bits lane = 0; lane < 32; ++lane)
      for (Bits reg = 0; reg < layout.registers(); ++reg)
        check(reg, lane, warp);
}

Coordinates at(const LinearLayout &layout, Bits reg, Bits lane, Bits warp) {
  return layout.coordinates(layout.element(reg, lane, warp));
}

/// Row-major number of coordinates, by Horner's rule.
int64_t number(const Coordinates &shape, const Coordinates &coordinates) {
  int64_t result = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    result = result * shape[dim] + coordinates[dim];
  return result;
}

/// The elements a thread holds.
std::set<Coordinates> held(const LinearLayout &layout, Bits lane, Bits warp) {
  std::set<Coordinates> elements;
  for (Bits reg = 0; reg < layout.registers(); ++reg)
    elements.insert(at(layout, reg, lane, warp));
  return elements;
}

} // namespace

TEST_CASE("layout element numbers are row-major") {
  forRandomLayouts([](Random &, const LinearLayout &layout) {
    for (int64_t element = 0; element < layout.elements(); ++element) {
      Coordinates coordinates = layout.coordinates(element);
      CHECK(number(layout.shape(), coordinates) == element);
      CHECK(layout.elementAt(coordinates) == element);
    }
  });
}

TEST_CASE("layout gives every element 2^replicated owners, one of them with those bits zero") {
  forRandomLayouts([](Random &, const LinearLayout &layout) {
    REQUIRE(layout.verify() == std::nullopt);
    std::map<Bits, std::pair<int, int>> owners; // all, first
    forPlaces(layout, [&](Bits reg, Bits lane, Bits warp) {
      auto &[all, first] = owners[layout.element(reg, lane, warp)];
      ++all;
      first += !(lane & layout.replicatedLanes()) && !(warp & layout.replicatedWarps());
    });
    CHECK(owners.size() == size_t(layout.elements()));
    int copies = 32 * layout.warps() * layout.registers() / layout.elements();
    for (const auto &[element, count] : owners)
      CHECK(count == std::pair(copies, 1));
  });
}

TEST_CASE("layout of a permutation holds each element at its permuted coordinates") {
  forRandomLayouts([](Random &random, const LinearLayout &layout) {
    std::vector<int32_t> order;
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      order.insert(order.begin() + below(random, order.size() + 1), dim);
    LinearLayout result = layout.permuted(order);
    forPlaces(layout, [&](Bits reg, Bits lane, Bits warp) {
      Coordinates source = at(layout, reg, lane, warp), moved = at(result, reg, lane, warp);
      for (unsigned dim = 0; dim < layout.rank(); ++dim)
        CHECK(moved[dim] == source[order[dim]]);
    });
  });
}

TEST_CASE("layout of a reshape holds each element at the same row-major number") {
  forRandomLayouts([](Random &random, const LinearLayout &layout) {
    Coordinates shape = randomShape(random, layout.elementBits());
    LinearLayout result = layout.reshaped(shape);
    forPlaces(layout, [&](Bits reg, Bits lane, Bits warp) {
      CHECK(number(shape, at(result, reg, lane, warp)) ==
            number(layout.shape(), at(layout, reg, lane, warp)));
    });
  });
}

TEST_CASE("layout of a new dim of size 1 holds each element at coordinate 0 of it") {
  forRandomLayouts([](Random &random, const LinearLayout &layout) {
    unsigned axis = below(random, layout.rank() + 1);
    LinearLayout result = layout.expanded(axis);
    forPlaces(layout, [&](Bits reg, Bits lane, Bits warp) {
      Coordinates expected = at(layout, reg, lane, warp);
      expected.insert(expected.begin() + axis, 0);
      CHECK(at(result, reg, lane, warp) == expected);
    });
    CHECK(result.sliced(axis) == layout);
  });
}

TEST_CASE("layout of a slice holds in each thread what is left of its coordinates") {
  int separable = 0;
  forRandomLayouts([&](Random &random, const LinearLayout &layout) {
    if (layout.rank() == 0)
      return;
    unsigned axis = below(random, layout.rank());
    LinearLayout result = layout.sliced(axis);
    CHECK(result.verify() == std::nullopt);
    if (!layout.separable(axis))
      return;
    ++separable;
    for (Bits thread = 0; thread < 32 * layout.warps(); ++thread) {
      std::set<Coordinates> expected;
      for (Coordinates coordinates : held(layout, thread % 32, thread / 32)) {
        coordinates.erase(coordinates.begin() + axis);
        expected.insert(coordinates);
      }
      CHECK(held(result, thread % 32, thread / 32) == expected);
    }
  });
  CHECK(separable > 50);
}

TEST_CASE("layout separable says whether moving in the axis alone stays within single bits") {
  LinearLayout layout({4, 4}, {1, 2}, {4 | 8, 8, 0, 0, 0}, {});
  CHECK(layout.separable(0));
  CHECK(layout.separable(1));
  LinearLayout mixed({4, 4}, {1, 2}, {4 | 1, 8, 0, 0, 0}, {});
  CHECK_FALSE(mixed.separable(0));
  CHECK_FALSE(mixed.separable(1));
}

TEST_CASE("layout of a broadcast's source lies in the thread of every copy, and back") {
  forRandomLayouts([](Random &random, const LinearLayout &layout) {
    Coordinates sourceShape = layout.shape();
    bool free = true;
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      if (below(random, 2)) {
        free &= layout.separable(dim);
        sourceShape[dim] = 1;
      }
    LinearLayout source = layout.broadcastSource(sourceShape);
    CHECK(source.shape() == sourceShape);
    CHECK(source.verify() == std::nullopt);
    if (!free)
      return;
    for (Bits thread = 0; thread < 32 * layout.warps(); ++thread) {
      std::set<Coordinates> expected;
      for (Coordinates coordinates : held(layout, thread % 32, thread / 32)) {
        for (unsigned dim = 0; dim < layout.rank(); ++dim)
          coordinates[dim] = sourceShape[dim] == 1 ? 0 : coordinates[dim];
        expected.insert(coordinates);
      }
      CHECK(held(source, thread % 32, thread / 32) == expected);
    }
  });
}

TEST_CASE("layout of a broadcast's result adds registers only, contiguous dim first") {
  LinearLayout source({1, 8, 1}, {4}, {1, 2, 0, 0, 0}, {0});
  LinearLayout result = source.broadcastResult({2, 8, 4});
  CHECK(result == LinearLayout({2, 8, 4}, {1, 2, 32, 16}, {4, 8, 0, 0, 0}, {0}));
  CHECK(result.broadcastSource({1, 8, 1}) == source);
}

TEST_CASE("layout of rank 0 is one element everywhere") {
  LinearLayout layout = blockedLayout({}, {}, 4, 4);
  CHECK(layout.verify() == std::nullopt);
  CHECK(layout.str() == "[] reg=[] lane=[0, 0, 0, 0, 0] warp=[0, 0]");
  CHECK(layout.element(0, 31, 3) == 0);
}

TEST_CASE("layout text is canonical") {
  LinearLayout layout({4, 8}, {1}, {2, 4, 8, 0, 0}, {16});
  CHECK(layout.str() == "[4, 8] reg=[1] lane=[2, 4, 8, 0, 0] warp=[16]");
}

TEST_CASE("layout verification names what is wrong") {
  auto reason = [](LinearLayout layout) { return layout.verify().value_or("nothing"); };
  std::vector<Bits> none(kLaneBits, 0);
  CHECK(reason({{3}, {1}, none, {}}) == "size 3 is not a power of two");
  CHECK(reason({{0}, {}, none, {}}) == "size 0 is not a power of two");
  CHECK(reason({{1 << 20, 1 << 20}, {}, none, {}}) == "a tile has at most 2^31 elements");
  CHECK(reason({{2}, {1}, {0}, {}}) == "a layout has 5 lane columns, not 1");
  CHECK(reason({{2}, {1}, none, std::vector<Bits>(6, 0)}) ==
        "a layout has at most 5 warp columns, not 6");
  CHECK(reason({{2}, {1, 0}, none, {}}) ==
        "a register column is zero: registers are never replicated");
  CHECK(reason({{2}, {2}, none, {}}) == "column 2 is outside the tile of 2^1 elements");
  CHECK(reason({{4}, {1, 2}, {3, 0, 0, 0, 0}, {}}) == "column 3 depends on the columns before it");
  CHECK(reason({{4}, {1}, none, {}}) == "the columns reach only 2^1 of 2^2 elements");
}

TEST_CASE("layout register permutation finds each register, or says there is none") {
  LinearLayout from({16}, {1, 2}, {4, 8, 0, 0, 0}, {});
  CHECK(registerPermutation(from, LinearLayout({16}, {2, 3}, {4, 8, 0, 0, 0}, {})) ==
        std::vector<unsigned>{0, 2, 3, 1});
  CHECK(registerPermutation(from, LinearLayout({16}, {1, 2}, {8, 4, 0, 0, 0}, {})) == std::nullopt);
  CHECK(registerPermutation(from, LinearLayout({16}, {1, 6}, {4, 8, 0, 0, 0}, {})) == std::nullopt);
}
