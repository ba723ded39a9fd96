// Alone: build/release/bin/unit_lowering --test-case='reduce*'
#include "compiler/analysis/reduction_plan.h"

#include "kernel_harness.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace tilec;
using namespace tilec::test;

namespace {

/// The result of one reduction of an i32 or i64 tile over `axis` with this combine region.
struct Reduction {
  std::string element = "i32", region;
  bool commutative = true;
};

const Reduction kSum{"i32", "%s = arith.addi %a, %b : i32\n tile.yield %s : i32", true};
/// Composition of affine maps x -> m x + c over 32 bits, packed (m, c) in an i64: associative,
/// not commutative.
const Reduction kCompose{"i64", R"(
    %c32 = arith.constant 32 : i64
    %ma = arith.trunci %a : i64 to i32
    %mb = arith.trunci %b : i64 to i32
    %ha = arith.shrui %a, %c32 : i64
    %hb = arith.shrui %b, %c32 : i64
    %ca = arith.trunci %ha : i64 to i32
    %cb = arith.trunci %hb : i64 to i32
    %m = arith.muli %ma, %mb : i32
    %t = arith.muli %ca, %mb : i32
    %c = arith.addi %t, %cb : i32
    %mw = arith.extui %m : i32 to i64
    %cw = arith.extui %c : i32 to i64
    %cs = arith.shli %cw, %c32 : i64
    %r = arith.ori %mw, %cs : i64
    tile.yield %r : i64)",
                         false};

uint64_t compose(uint64_t a, uint64_t b) {
  uint32_t ma = a, mb = b, ca = a >> 32, cb = b >> 32;
  return uint64_t(ma * mb) | uint64_t(ca * mb + cb) << 32;
}

/// Reduces random values over `axis`; compares every element and its replicas with a plain loop.
template <typename T>
void checkReduction(const LinearLayout &layout, unsigned axis, const Reduction &reduction,
                    T (*combine)(T, T), unsigned orderSeed = 0) {
  LinearLayout sliced = layout.sliced(axis);
  bool scalar = layout.rank() == 1;
  std::string e = reduction.element, in = tileText(layout, e);
  std::string out = scalar ? e : tileText(sliced, e);
  std::optional<ReductionPlan> plan = planReduction(layout, axis, reduction.commutative);
  REQUIRE(plan);
  unsigned scratch = plan->sourceOffset({static_cast<unsigned>(sizeof(T))}, 1);
  std::string body = pointersText(layout, "p", "src", e) +
                     "  %x = tile.load %p : " + tileText(layout, "!tile.ptr<" + e + ">") + " -> " +
                     in + "\n  %y = tile.reduce (%x) axis " + std::to_string(axis) +
                     (plan->restBits ? " {scratch_offset = 16 : i32}" : "") + " : (" + in +
                     ") -> " + out + " {\n  ^bb0(%a: " + e + ", %b: " + e + "):\n" +
                     reduction.region + "\n  }\n";
  if (scalar)
    body += "  tile.store %dst, %y : !tile.ptr<" + e + ">, " + e + "\n";
  else
    body += pointersText(sliced, "q", "dst", e) +
            "  tile.store %q, %y : " + tileText(sliced, "!tile.ptr<" + e + ">") + ", " + out + "\n";
  HostKernel kernel(kernelText(layout.warps(),
                               "%src: !tile.ptr<" + e + ">, %dst: !tile.ptr<" + e + ">", body,
                               16 + scratch),
                    /*optimize=*/orderSeed != 0);
  kernel.launch.orderSeed = orderSeed;

  std::mt19937 random(layout.elements() + axis);
  std::vector<T> source(layout.elements());
  for (T &value : source)
    value = static_cast<T>(random()) | static_cast<T>(uint64_t(random()) << 32);
  int64_t length = layout.shape()[axis], outer = 1, inner = 1;
  for (unsigned dim = 0; dim < layout.rank(); ++dim)
    (dim < axis ? outer : inner) *= dim == axis ? 1 : layout.shape()[dim];
  std::vector<T> target(outer * inner + 2, T(99)), expected;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      T value = source[o * length * inner + i];
      for (int64_t a = 1; a < length; ++a)
        value = combine(value, source[(o * length + a) * inner + i]);
      expected.push_back(value);
    }
  void *src = source.data(), *dst = target.data() + 1;
  kernel.run({&src, &dst});
  CHECK((target.front() == T(99) && target.back() == T(99)));
  CHECK_MESSAGE(std::equal(expected.begin(), expected.end(), target.begin() + 1),
                layout.str() << " axis " << axis << (reduction.commutative ? "" : " ordered"));
}

uint32_t add(uint32_t a, uint32_t b) {
  return a + b;
}

void checkAllAxes(const LinearLayout &layout) {
  REQUIRE(!layout.verify());
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    checkReduction<uint32_t>(layout, axis, kSum, add);
    checkReduction<uint64_t>(layout, axis, kCompose, compose);
  }
}

} // namespace

TEST_CASE("reduce: a row over registers, lanes and warps") {
  checkAllAxes(LinearLayout({1024}, {1, 2, 512}, {4, 8, 16, 32, 64}, {128, 256}));
  checkAllAxes(LinearLayout({256}, {4}, {8, 16, 32, 64, 128}, {1, 2}));
}

TEST_CASE("reduce: a tile smaller than the program counts no replica twice") {
  checkAllAxes(LinearLayout({8}, {}, {1, 2, 4, 0, 0}, {0, 0}));
  checkAllAxes(LinearLayout({64}, {}, {1, 2, 4, 8, 16}, {32, 0}));
  checkAllAxes(LinearLayout({16}, {}, {0, 0, 1, 2, 4}, {0, 8}));
  checkAllAxes(LinearLayout({1}, {}, {0, 0, 0, 0, 0}, {0}));
}

TEST_CASE("reduce: every axis of two and three dimensions") {
  checkAllAxes(LinearLayout({16, 32}, {1, 32}, {2, 4, 8, 16, 64}, {128, 256}));
  checkAllAxes(LinearLayout({16, 32}, {1, 256}, {32, 2, 64, 4, 8}, {128, 16}));
  checkAllAxes(LinearLayout({4, 8, 16}, {16, 1}, {2, 4, 32, 128, 8}, {256, 64}));
  checkAllAxes(LinearLayout({32, 4}, {64, 1}, {2, 0, 4, 8, 0}, {32, 16, 0}));
}

TEST_CASE("reduce: order is kept when columns are sums of axis bits") {
  checkReduction<uint64_t>(LinearLayout({128}, {3, 8}, {1, 5, 16, 96, 32}, {}), 0, kCompose,
                           compose);
  checkReduction<uint64_t>(LinearLayout({256}, {1, 12}, {2, 7, 16, 96, 32}, {128}), 0, kCompose,
                           compose);
}

TEST_CASE("reduce: any order of threads gives the same") {
  LinearLayout layout({16, 64}, {1}, {2, 4, 8, 64, 128}, {16, 256, 32, 512});
  for (unsigned seed = 1; seed < 4; ++seed)
    for (unsigned axis : {0, 1})
      checkReduction<uint32_t>(layout, axis, kSum, add, seed);
}

TEST_CASE("reduce: random layouts") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 12; ++trial) {
    // Unit columns dealt at random over registers, lanes and warps; zeros where lanes remain.
    std::vector<int64_t> shape =
        trial % 2 ? std::vector<int64_t>{8, 32} : std::vector<int64_t>{4, 4, 8};
    unsigned bits = trial % 2 ? 8 : 7;
    std::vector<Bits> columns;
    for (unsigned bit = 0; bit < bits; ++bit)
      columns.push_back(1u << bit);
    unsigned registers = random() % 4;
    columns.resize(registers + 5 + 2, 0);
    std::shuffle(columns.begin(), columns.end(), random);
    std::vector<Bits> reg, thread;
    for (Bits column : columns)
      (column != 0 && reg.size() < registers ? reg : thread).push_back(column);
    thread.resize(7, 0);
    LinearLayout layout(shape, reg, {thread.begin(), thread.begin() + 5},
                        {thread.begin() + 5, thread.end()});
    if (!layout.verify())
      checkAllAxes(layout);
  }
}

TEST_CASE("reduce: argmax carries value and index together, lowest index wins") {
  LinearLayout layout({256}, {1}, {2, 4, 8, 16, 32}, {64, 128});
  std::string f = tileText(layout, "f32"), i = tileText(layout, "i32");
  HostKernel kernel(kernelText(
      4, "%src: !tile.ptr<f32>, %dst: !tile.ptr<i32>, %max: !tile.ptr<f32>",
      pointersText(layout, "p", "src", "f32") +
          "  %x = tile.load %p : " + tileText(layout, "!tile.ptr<f32>") + " -> " + f +
          "\n  %v, %j = tile.reduce (%x, %numbers_p) axis 0 {scratch_offset = 0 : i32, "
          "tile.commutative} : (" +
          f + ", " + i + ") -> (f32, i32) {\n  ^bb0(%a: f32, %k: i32, %b: f32, %l: i32):\n" +
          R"(    %g = arith.cmpf ogt, %a, %b : f32
    %e = arith.cmpf oeq, %a, %b : f32
    %s = arith.cmpi slt, %k, %l : i32
    %t = arith.andi %e, %s : i1
    %c = arith.ori %g, %t : i1
    %r = arith.select %c, %a, %b : f32
    %m = arith.select %c, %k, %l : i32
    tile.yield %r, %m : f32, i32
  }
  tile.store %dst, %j : !tile.ptr<i32>, i32
  tile.store %max, %v : !tile.ptr<f32>, f32
)",
      64));
  for (int best : {0, 37, 255}) {
    std::vector<float> source(256, -1.0f);
    source[best] = 5.0f;
    source[255] = 5.0f;
    int32_t index = -1;
    float value = 0;
    void *src = source.data(), *dst = &index, *max = &value;
    kernel.run({&src, &dst, &max});
    CHECK(index == best);
    CHECK(value == 5.0f);
  }
}

TEST_CASE("reduce: i1 and f16 go through shuffles and shared memory") {
  LinearLayout layout({128}, {1}, {2, 4, 8, 16, 32}, {64});
  for (int odd : {-1, 0, 77, 127}) {
    std::string b = tileText(layout, "i1");
    HostKernel kernel(kernelText(
        2, "%src: !tile.ptr<i1>, %dst: !tile.ptr<i1>",
        pointersText(layout, "p", "src", "i1") +
            "  %x = tile.load %p : " + tileText(layout, "!tile.ptr<i1>") + " -> " + b +
            "\n  %y = tile.reduce (%x) axis 0 {scratch_offset = 0 : i32} : (" + b +
            ") -> i1 {\n  ^bb0(%a: i1, %b: i1):\n    %s = arith.ori %a, %b : i1\n    tile.yield "
            "%s : i1\n  }\n  tile.store %dst, %y : !tile.ptr<i1>, i1\n",
        16));
    std::vector<uint8_t> source(128);
    if (odd >= 0)
      source[odd] = 1;
    uint8_t any = 9;
    void *src = source.data(), *dst = &any;
    kernel.run({&src, &dst});
    CHECK(any == (odd >= 0));
  }
}
