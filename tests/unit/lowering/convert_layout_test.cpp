// Alone: build/release/bin/unit_lowering --test-case='convert*'
#include "compiler/layout/conversion.h"

#include "kernel_harness.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>

using namespace tilec;
using namespace tilec::test;

/// A layout of random invertible columns; zeros where the program is larger than the tile.
static LinearLayout randomLayout(const std::vector<int64_t> &shape, unsigned warpBits, bool units,
                                 std::mt19937 &random) {
  unsigned bits = LinearLayout(shape, {}, {}, {}).elementBits();
  for (;;) {
    std::vector<Bits> columns;
    for (unsigned bit = 0; bit < bits; ++bit)
      columns.push_back(units ? 1u << bit : random() % (1u << bits));
    std::shuffle(columns.begin(), columns.end(), random);
    unsigned threadBits = 5 + warpBits;
    unsigned fewest = bits > threadBits ? bits - threadBits : 0;
    unsigned registers = std::min(bits, fewest + static_cast<unsigned>(random() % 3));
    std::vector<Bits> reg(columns.begin(), columns.begin() + registers);
    std::vector<Bits> thread(columns.begin() + registers, columns.end());
    thread.resize(threadBits, 0);
    std::shuffle(thread.begin(), thread.end(), random);
    LinearLayout layout(shape, reg, {thread.begin(), thread.begin() + 5},
                        {thread.begin() + 5, thread.end()});
    if (!layout.verify())
      return layout;
  }
}

/// Loads in layout `from`, converts, stores in layout `to`: the identity on memory.
static ConversionPlan::Kind checkConversion(const LinearLayout &from, const LinearLayout &to,
                                            const std::string &element, unsigned bytes) {
  ConversionPlan plan = planConversion(from, to, bytes);
  std::string a = tileText(from, element), b = tileText(to, element);
  std::string body =
      pointersText(from, "p", "src", element) +
      "  %x = tile.load %p : " + tileText(from, "!tile.ptr<" + element + ">") + " -> " + a +
      "\n  %y = tile.convert_layout %x {scratch_offset = 128 : i32} : " + a + " -> " + b + "\n" +
      pointersText(to, "q", "dst", element) +
      "  tile.store %q, %y : " + tileText(to, "!tile.ptr<" + element + ">") + ", " + b + "\n";
  HostKernel kernel(kernelText(from.warps(),
                               "%src: !tile.ptr<" + element + ">, %dst: !tile.ptr<" + element + ">",
                               body, 128 + plan.scratchBytes));
  kernel.launch.orderSeed = 3;
  std::vector<uint8_t> source(from.elements() * bytes), target(source.size() + 32, 0xEE);
  std::mt19937 random(5);
  for (uint8_t &byte : source)
    byte = element == "i1" ? random() % 2 : random();
  void *src = source.data(), *dst = target.data() + 16;
  kernel.run({&src, &dst});
  CHECK_MESSAGE(std::memcmp(source.data(), target.data() + 16, source.size()) == 0,
                from.str() << " -> " << to.str() << " " << element);
  CHECK(std::count(target.begin(), target.begin() + 16, 0xEE) == 16);
  CHECK(std::count(target.end() - 16, target.end(), 0xEE) == 16);
  return plan.kind;
}

TEST_CASE("convert: random layouts, every element size") {
  std::mt19937 random(11);
  const std::pair<const char *, unsigned> types[] = {
      {"i1", 1}, {"i8", 1}, {"f16", 2}, {"f32", 4}, {"f64", 8}};
  bool seen[3] = {};
  for (int trial = 0; trial < 30; ++trial) {
    unsigned warpBits = trial % 3;
    std::vector<int64_t> shape =
        trial % 2 ? std::vector<int64_t>{8, 32} : std::vector<int64_t>{4, 4};
    LinearLayout from = randomLayout(shape, warpBits, trial % 4 < 3, random);
    LinearLayout to = randomLayout(shape, warpBits, trial % 4 < 3, random);
    auto [element, bytes] = types[trial % 5];
    seen[static_cast<int>(checkConversion(from, to, element, bytes))] = true;
  }
  CHECK(seen[static_cast<int>(ConversionPlan::Kind::Shared)]);
}

TEST_CASE("convert: within a warp by registers and by shuffles") {
  LinearLayout a({64}, {1}, {2, 4, 8, 16, 32}, {}), b({64}, {2}, {1, 4, 8, 16, 32}, {});
  LinearLayout c({128}, {1, 2}, {4, 8, 16, 32, 64}, {}), d({128}, {2, 1}, {4, 8, 16, 32, 64}, {});
  CHECK(checkConversion(c, d, "f32", 4) == ConversionPlan::Kind::Registers);
  for (auto [element, bytes] : {std::pair("f32", 4u), {"i64", 8u}, {"f16", 2u}, {"i1", 1u}})
    CHECK(checkConversion(a, b, element, bytes) == ConversionPlan::Kind::Shuffle);
}

TEST_CASE("convert: operands of f16 are loaded as matrices, plain and transposed") {
  LinearLayout operand({64, 32}, {1, 256, 8, 16, 1024}, {2, 4, 32, 64, 128}, {512, 0});
  for (const LinearLayout &to : {operand, operand.permuted({1, 0})}) {
    LinearLayout from = blockedLayout(to.shape(), {1, 0}, 8, 4);
    CHECK(planConversion(from, to, 2).loadsMatrices);
    CHECK(checkConversion(from, to, "f16", 2) == ConversionPlan::Kind::Shared);
  }
}

TEST_CASE("convert: a transposed tile through shared memory") {
  LinearLayout rows({32, 32}, {1, 2}, {4, 8, 16, 32, 64}, {128, 256, 512});
  LinearLayout columns({32, 32}, {32, 64}, {128, 256, 512, 1, 2}, {4, 8, 16});
  CHECK(checkConversion(rows, columns, "f32", 4) == ConversionPlan::Kind::Shared);
  CHECK(checkConversion(columns, rows, "f16", 2) == ConversionPlan::Kind::Shared);
}
