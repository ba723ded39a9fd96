// Alone: build/release/bin/unit_lowering --test-case='memory*'
#include "kernel_harness.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace tilec;
using namespace tilec::test;

/// dst[i] = src[i] for i < n, -1 elsewhere loaded and not stored.
static std::string maskedCopy(const LinearLayout &layout, unsigned warps) {
  std::string ints = tileText(layout, "i32"), bools = tileText(layout, "i1");
  std::string pointers = tileText(layout, "!tile.ptr<i32>");
  return kernelText(
      warps, "%src: !tile.ptr<i32>, %dst: !tile.ptr<i32>, %all: !tile.ptr<i32>, %n: i32",
      pointersText(layout, "p", "src", "i32") + pointersText(layout, "q", "dst", "i32") +
          pointersText(layout, "r", "all", "i32") + "  %ns = tile.splat %n : i32 -> " + ints +
          "\n  %m = arith.cmpi slt, %numbers_p, %ns : " + ints +
          "\n  %o = arith.constant dense<-1> : " + ints +
          "\n  %x = tile.load %p mask %m : " + bools + " other %o : " + ints + " : " + pointers +
          " -> " + ints + "\n  tile.store %q, %x mask %m : " + bools + " : " + pointers + ", " +
          ints + "\n  tile.store %r, %x : " + pointers + ", " + ints + "\n");
}

TEST_CASE("memory: masked load and store touch exactly the first n elements") {
  for (const LinearLayout &layout : {LinearLayout({128}, {1, 2}, {4, 8, 16, 32, 64}, {}),
                                     LinearLayout({128}, {1, 2}, {4, 8, 16, 32, 64}, {0, 0}),
                                     LinearLayout({64}, {}, {1, 2, 4, 8, 16}, {32, 0}),
                                     LinearLayout({8}, {}, {1, 2, 4, 0, 0}, {0}),
                                     LinearLayout({32, 8}, {8, 1}, {2, 4, 16, 32, 64}, {128})}) {
    HostKernel kernel(maskedCopy(layout, layout.warps()), /*optimize=*/layout.rank() == 2);
    int size = layout.elements();
    for (int n = 0; n <= std::min(size, 40); ++n) {
      std::vector<int32_t> source(n), target(size, 77), all(size + 2, 78);
      for (int i = 0; i < n; ++i)
        source[i] = 1000 + i;
      void *src = source.data(), *dst = target.data(), *rest = all.data() + 1;
      kernel.run({&src, &dst, &rest, &n});
      for (int i = 0; i < size; ++i) {
        CHECK(target[i] == (i < n ? 1000 + i : 77));
        CHECK(all[i + 1] == (i < n ? 1000 + i : -1));
      }
      CHECK((all.front() == 78 && all.back() == 78));
    }
  }
}

TEST_CASE("memory: a scalar is stored by one thread and loaded by all") {
  HostKernel kernel(
      kernelText(2, "%src: !tile.ptr<i8>, %dst: !tile.ptr<i8>, %on: i1",
                 "  %x = tile.load %src : !tile.ptr<i8> -> i8\n  %o = arith.constant 9 : i8\n"
                 "  %y = tile.load %src mask %on : i1 other %o : i8 : !tile.ptr<i8> -> i8\n"
                 "  %z = arith.addi %x, %y : i8\n"
                 "  tile.store %dst, %z mask %on : i1 : !tile.ptr<i8>, i8\n"));
  for (uint8_t on : {0, 1}) {
    uint8_t source[] = {3, 50}, target[] = {70, 71};
    void *src = source, *dst = target;
    kernel.run({&src, &dst, &on});
    CHECK(target[0] == (on ? 6 : 70));
    CHECK(target[1] == 71);
  }
}

TEST_CASE("memory: pointers are tiles too, and offsets reach past 4 GiB") {
  LinearLayout layout({32}, {}, {1, 2, 4, 8, 16}, {});
  std::string longs = tileText(layout, "i64"), pointers = tileText(layout, "!tile.ptr<i32>");
  std::string body = pointersText(layout, "p", "dst", "i32") +
                     "  %far = arith.constant dense<4611686018427387904> : " + longs +
                     "\n  %back = arith.constant dense<-4611686018427387900> : " + longs +
                     "\n  %a = tile.addptr %p, %far : " + pointers + ", " + longs +
                     "\n  %b = tile.addptr %a, %back : " + pointers + ", " + longs +
                     "\n  tile.store %b, %numbers_p : " + pointers + ", " +
                     tileText(layout, "i32") + "\n";
  HostKernel kernel(kernelText(1, "%dst: !tile.ptr<i32>", body));
  std::vector<int32_t> target(36, -1);
  void *dst = target.data();
  kernel.run({&dst});
  for (int i = 0; i < 36; ++i)
    CHECK(target[i] == (i < 4 ? -1 : i - 4));
}
