// Alone: build/release/bin/unit_lowering --test-case='control flow*'
#include "kernel_harness.h"

#include <doctest/doctest.h>

using namespace tilec;
using namespace tilec::test;

static const LinearLayout kLayout({64}, {1}, {2, 4, 8, 16, 32}, {0});
static const std::string kInts = tileText(kLayout, "i32");
static const std::string kStore =
    "  tile.store %q, %r : " + tileText(kLayout, "!tile.ptr<i32>") + ", " + kInts + "\n";

/// Runs a body that defines the tile %r from %x = 0, 1, ... and %n.
static std::vector<int32_t> runBody(const std::string &body, int32_t n) {
  HostKernel kernel(kernelText(2, "%dst: !tile.ptr<i32>, %n: i32",
                               pointersText(kLayout, "q", "dst", "i32") +
                                   "  %x = tile.arange 0 : " + kInts +
                                   "\n  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : "
                                   "i32\n" +
                                   body + kStore));
  std::vector<int32_t> result(64, -1);
  void *dst = result.data();
  kernel.run({&dst, &n});
  return result;
}

TEST_CASE("control flow: a loop carries a tile and a scalar") {
  std::string body =
      "  %r, %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x, %k = %c1) -> (" + kInts +
      ", i32) : i32 {\n    %b = tile.splat %k : i32 -> " + kInts +
      "\n    %u = arith.addi %t, %b : " + kInts +
      "\n    %l = arith.addi %k, %c1 : i32\n    scf.yield %u, %l : " + kInts + ", i32\n  }\n";
  for (int32_t n : {0, 1, 5}) {
    auto result = runBody(body, n);
    for (int i = 0; i < 64; ++i)
      CHECK(result[i] == i + n * (n + 1) / 2);
  }
}

TEST_CASE("control flow: branches give tiles, without else too") {
  std::string body = "  %c = arith.cmpi sgt, %n, %c0 : i32\n  %r = scf.if %c -> (" + kInts +
                     ") {\n    %u = arith.addi %x, %x : " + kInts +
                     "\n    scf.yield %u : " + kInts + "\n  } else {\n    scf.yield %x : " + kInts +
                     "\n  }\n  scf.if %c {\n    tile.store %dst, %c1 : !tile.ptr<i32>, i32\n  }\n";
  CHECK(runBody(body, 1)[63] == 126);
  CHECK(runBody(body, 0)[63] == 63);
}

TEST_CASE("control flow: a while loop over tiles") {
  // Doubles the tile until its sum over the program reaches n.
  std::string body = "  %r = scf.while (%t = %x) : (" + kInts + ") -> " + kInts +
                     " {\n    %s = tile.reduce (%t) axis 0 : (" + kInts +
                     ") -> i32 {\n    ^bb0(%a: i32, %b: i32):\n      %v = arith.addi %a, %b : i32\n"
                     "      tile.yield %v : i32\n    }\n    %go = arith.cmpi slt, %s, %n : i32\n"
                     "    scf.condition(%go) %t : " +
                     kInts + "\n  } do {\n  ^bb0(%t: " + kInts +
                     "):\n    %u = arith.addi %t, %t : " + kInts + "\n    scf.yield %u : " + kInts +
                     "\n  }\n";
  CHECK(runBody(body, 2016)[1] == 1);
  CHECK(runBody(body, 2017)[1] == 2);
  CHECK(runBody(body, 10000)[1] == 8);
}

TEST_CASE("control flow: a combine region with a branch of its own") {
  std::string body =
      "  %m = tile.reduce (%x) axis 0 : (" + kInts +
      ") -> i32 {\n  ^bb0(%a: i32, %b: i32):\n    %c = arith.cmpi sgt, %a, %b : i32\n"
      "    %v = scf.if %c -> (i32) {\n      scf.yield %a : i32\n    } else {\n"
      "      scf.yield %b : i32\n    }\n    tile.yield %v : i32\n  }\n"
      "  %r = tile.splat %m : i32 -> " +
      kInts + "\n";
  CHECK(runBody(body, 0)[5] == 63);
}

TEST_CASE("control flow: where a program stands in its grid") {
  HostKernel kernel(kernelText(1, "%dst: !tile.ptr<i32>",
                               "  %x = tile.program_id 0\n  %y = tile.program_id 1\n"
                               "  %z = tile.program_id 2\n  %nx = tile.num_programs 0\n"
                               "  %ny = tile.num_programs 1\n  %a = arith.muli %z, %ny : i32\n"
                               "  %b = arith.addi %a, %y : i32\n  %c = arith.muli %b, %nx : i32\n"
                               "  %d = arith.addi %c, %x : i32\n"
                               "  %p = tile.addptr %dst, %d : !tile.ptr<i32>, i32\n"
                               "  tile.store %p, %d : !tile.ptr<i32>, i32\n"));
  kernel.launch.programs[0] = 3, kernel.launch.programs[1] = 4, kernel.launch.programs[2] = 2;
  std::vector<int32_t> result(25, -1);
  void *dst = result.data();
  kernel.run({&dst});
  for (int i = 0; i < 24; ++i)
    CHECK(result[i] == i);
  CHECK(result[24] == -1);
}
