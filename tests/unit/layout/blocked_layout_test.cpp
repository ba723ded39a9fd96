// The layout that global accesses start from. Alone: unit_layout --test-case='blocked*'
#include "random_layouts.h"

#include <doctest/doctest.h>

using namespace tilec;

TEST_CASE("blocked layouts of all shapes, widths and warps cover the tile") {
  for (int64_t rows : {1, 2, 8, 64, 256})
    for (int64_t columns : {1, 2, 4, 32, 128, 1024})
      for (unsigned vector : {1, 2, 4, 8, 16})
        for (unsigned warps : {1, 2, 4, 8, 32})
          for (unsigned lanes : {1, 4, 8, 32}) {
            LinearLayout layout = blockedLayout({rows, columns}, {1, 0}, vector, warps, lanes, 1);
            CHECK(layout.verify() == std::nullopt);
            CHECK(layout.warps() == warps);
            // No more registers than the tile needs: replication only where threads are left over.
            CHECK(layout.registers() == std::max<int64_t>(std::min<int64_t>(vector, rows * columns),
                                                          rows * columns / (32 * warps)));
          }
}

TEST_CASE("blocked layouts put vectors, lanes, warps and registers in the order asked for") {
  CHECK(blockedLayout({4, 1024}, {1, 0}, 4, 2).str() ==
        "[4, 1024] reg=[1, 2, 256, 512, 1024, 2048] lane=[4, 8, 16, 32, 64] warp=[128]");
  CHECK(blockedLayout({16, 16}, {0, 1}, 2, 2).str() ==
        "[16, 16] reg=[16, 8] lane=[32, 64, 128, 1, 2] warp=[4]");
}

TEST_CASE("blocked layouts go on along the next dim after the lanes asked for") {
  CHECK(blockedLayout({16, 64}, {1, 0}, 4, 1, 8).str() ==
        "[16, 64] reg=[1, 2, 32, 256, 512] lane=[4, 8, 16, 64, 128] warp=[]");
}

TEST_CASE("blocked layouts use the rest of the fastest dim before they replicate lanes") {
  CHECK(blockedLayout({1, 64}, {1, 0}, 1, 1, 8).str() ==
        "[1, 64] reg=[32] lane=[1, 2, 4, 8, 16] warp=[]");
}

TEST_CASE("blocked layouts keep a row in one warp where asked") {
  CHECK(blockedLayout({4, 256}, {1, 0}, 4, 4, 32, 1).str() ==
        "[4, 256] reg=[1, 2, 128] lane=[4, 8, 16, 32, 64] warp=[256, 512]");
}

TEST_CASE("blocked layouts of a tile smaller than the program replicate") {
  CHECK(blockedLayout({8}, {0}, 2, 4).str() == "[8] reg=[1] lane=[2, 4, 0, 0, 0] warp=[0, 0]");
}

TEST_CASE("blocked layouts of five dims") {
  LinearLayout layout = blockedLayout({2, 1, 4, 8, 2}, {4, 3, 2, 1, 0}, 4, 2);
  CHECK(layout.str() == "[2, 1, 4, 8, 2] reg=[1, 2] lane=[4, 8, 16, 32, 64] warp=[0]");
}

TEST_CASE("blocked layouts take dims that the order leaves out last") {
  CHECK(blockedLayout({4, 2, 8}, {0}, 2, 1) == blockedLayout({4, 2, 8}, {0, 2, 1}, 2, 1));
}
