// Facts of structured control flow. Alone: unit_analysis --test-case='loops*'
#include "tests/unit/analysis/test_support.h"

using namespace tilec;
using namespace tilec::test;

TEST_CASE("loops: an induction variable lies between its bounds and steps by the common divisor") {
  Function f("%n: i32", R"(
    %c8 = arith.constant 8 : i32
    %c20 = arith.constant 20 : i32
    %c100 = arith.constant 100 : i32
    scf.for %i = %c8 to %c100 step %c20 : i32 {
    }
    scf.for %j = %c8 to %n step %n : i32 {
    })");
  CHECK(f["i"].divisibility == Runs{4});
  CHECK(f["i"].range == IntegerRange{8, 99});
  CHECK(f["j"].range == IntegerRange{INT32_MIN, INT32_MAX}); // the step may not be positive
}

TEST_CASE("loops: a loop that runs no iteration is still sound") {
  Function f("", R"(
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    %r = scf.for %i = %c5 to %c1 step %c1 iter_args(%a = %c5) -> (i32) : i32 {
      scf.yield %c1 : i32
    })");
  CHECK(f["r"].range == IntegerRange{1, 5});
  CHECK(f["i"].range == IntegerRange{5, 5});
}

TEST_CASE("loops: a carried value keeps what every step keeps") {
  Function f("%n: i32", R"(
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
      %b = arith.addi %a, %c16 : i32
      scf.yield %b : i32
    })");
  CHECK(f["a"].divisibility == Runs{16});
  CHECK(f["r"].divisibility == Runs{16});
  CHECK(f["a"].range.max == INT32_MAX);
}

TEST_CASE("loops: a stepped tile of pointers stays aligned and contiguous") {
  Function f("%p: !tile.ptr<f16>, %n: i32", R"(
    tile.assume_aligned %p, 16 : !tile.ptr<f16>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %step = arith.constant dense<64> : tensor<64xi32>
    %x = tile.arange 0 : tensor<64xi32>
    %s = tile.splat %p : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
    %q = tile.addptr %s, %x : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    %r = scf.for %i = %c0 to %n step %c64 iter_args(%a = %q) -> (tensor<64x!tile.ptr<f16>>) : i32 {
      %b = tile.addptr %a, %step : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
      scf.yield %b : tensor<64x!tile.ptr<f16>>
    })");
  CHECK(f["a"].contiguity == Runs{64});
  CHECK(f["a"].divisibility == Runs{16});
}

TEST_CASE("loops: a small state keeps its range, a growing one is widened") {
  Function f("%n: i32, %p: i1", R"(
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (i32, i32) : i32 {
      %s = arith.select %p, %c2, %c1 : i32
      %d = arith.muli %b, %c2 : i32
      scf.yield %s, %d : i32, i32
    })");
  CHECK(f["a"].range == IntegerRange{0, 2});
  CHECK(f["b"].range == IntegerRange{INT32_MIN, INT32_MAX});
}

TEST_CASE("loops: nested loops reach a common fixpoint") {
  Function f("%n: i32", R"(
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %c8 = arith.constant 8 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c32) -> (i32) : i32 {
      %s = scf.for %j = %a to %n step %c32 iter_args(%b = %a) -> (i32) : i32 {
        %d = arith.addi %b, %c8 : i32
        scf.yield %d : i32
      }
      scf.yield %s : i32
    })");
  CHECK(f["b"].divisibility == Runs{8});
  CHECK(f["j"].divisibility == Runs{8});
  CHECK(f["r"].divisibility == Runs{8});
}

TEST_CASE("loops: a carried value that loses a bit an iteration ends with none") {
  Function f("%n: i64", R"(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c = arith.constant 4611686018427387904 : i64
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c) -> (i64) : i64 {
      %b = arith.shrsi %a, %c1 : i64
      scf.yield %b : i64
    })");
  CHECK(f["r"].divisibility == Runs{1});
}

TEST_CASE("loops: an if gives what both branches give") {
  Function f("%p: i1", R"(
    %c8 = arith.constant 8 : i32
    %c12 = arith.constant 12 : i32
    %r = scf.if %p -> (i32) {
      scf.yield %c8 : i32
    } else {
      scf.yield %c12 : i32
    })");
  CHECK(f["r"].divisibility == Runs{4});
  CHECK(f["r"].range == IntegerRange{8, 12});
}

TEST_CASE("loops: a while carries through both of its regions") {
  Function f("%n: i32", R"(
    %c64 = arith.constant 64 : i32
    %c16 = arith.constant 16 : i32
    %r = scf.while (%a = %c64) : (i32) -> i32 {
      %p = arith.cmpi slt, %a, %n : i32
      scf.condition(%p) %a : i32
    } do {
    ^bb0(%b: i32):
      %d = arith.addi %b, %c16 : i32
      scf.yield %d : i32
    })");
  CHECK(f["a"].divisibility == Runs{16});
  CHECK(f["b"].divisibility == Runs{16});
  CHECK(f["r"].divisibility == Runs{16});
}
