// Alone: build/release/bin/unit_lowering --test-case='shape*'
#include "kernel_harness.h"

#include <doctest/doctest.h>

using namespace tilec;
using namespace tilec::test;

/// Stores %r, an i32 tile of `layout`, and returns it row-major.
static std::vector<int32_t> runShape(const LinearLayout &layout, const std::string &body) {
  HostKernel kernel(kernelText(layout.warps(), "%dst: !tile.ptr<i32>",
                               body + pointersText(layout, "q", "dst", "i32") +
                                   "  tile.store %q, %r : " + tileText(layout, "!tile.ptr<i32>") +
                                   ", " + tileText(layout, "i32") + "\n"));
  std::vector<int32_t> result(layout.elements(), -1);
  void *dst = result.data();
  kernel.run({&dst});
  return result;
}

TEST_CASE("shape: arange from any start, with columns that are sums of bits") {
  LinearLayout layout({64}, {5}, {1, 7, 8, 24, 32}, {0});
  for (int start : {0, -3, 2147483584}) {
    auto r = runShape(layout, "  %r = tile.arange " + std::to_string(start) + " : " +
                                  tileText(layout, "i32") + "\n");
    for (int i = 0; i < 64; ++i)
      CHECK(r[i] == start + i);
  }
}

TEST_CASE("shape: rows plus columns by expand_dims and broadcast") {
  LinearLayout layout({8, 32}, {1, 64}, {2, 4, 8, 16, 32}, {128});
  LinearLayout row = layout.broadcastSource({8, 1}), column = layout.broadcastSource({1, 32});
  auto tile = [](const LinearLayout &l) { return tileText(l, "i32"); };
  std::string body = "  %i = tile.arange 0 : " + tile(row.sliced(1)) +
                     "\n  %j = tile.arange 0 : " + tile(column.sliced(0)) +
                     "\n  %a = tile.expand_dims %i, 1 : " + tile(row.sliced(1)) + " -> " +
                     tile(row) + "\n  %b = tile.expand_dims %j, 0 : " + tile(column.sliced(0)) +
                     " -> " + tile(column) + "\n  %c = tile.broadcast %a : " + tile(row) + " -> " +
                     tile(layout) + "\n  %d = tile.broadcast %b : " + tile(column) + " -> " +
                     tile(layout) + "\n  %h = arith.constant dense<100> : " + tile(layout) +
                     "\n  %e = arith.muli %c, %h : " + tile(layout) +
                     "\n  %r = arith.addi %e, %d : " + tile(layout) + "\n";
  auto r = runShape(layout, body);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 32; ++j)
      CHECK(r[i * 32 + j] == 100 * i + j);
}

TEST_CASE("shape: permute and reshape rename registers") {
  LinearLayout flat({64}, {1, 8}, {2, 4, 16, 32, 0}, {});
  LinearLayout cube = flat.reshaped({2, 4, 8}), turned = cube.permuted({2, 0, 1});
  auto tile = [](const LinearLayout &l) { return tileText(l, "i32"); };
  auto r = runShape(turned, "  %x = tile.arange 0 : " + tile(flat) +
                                "\n  %y = tile.reshape %x : " + tile(flat) + " -> " + tile(cube) +
                                "\n  %r = tile.permute %y, [2, 0, 1] : " + tile(cube) + " -> " +
                                tile(turned) + "\n");
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 4; ++b)
      for (int c = 0; c < 8; ++c)
        CHECK(r[(c * 2 + a) * 4 + b] == (a * 4 + b) * 8 + c);
}
