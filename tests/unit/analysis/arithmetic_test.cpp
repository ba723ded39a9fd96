// Facts of elementwise integer operations. Alone: unit_analysis --test-case='arithmetic*'
#include "tests/unit/analysis/test_support.h"

using namespace tilec;
using namespace tilec::test;

/// %x = 0..15, %m = -8..7, %a0 is a multiple of 4 in 0..1000 and %s its splat, %t any splat.
static Function function(const std::string &body) {
  return Function("%a0: i32, %a1: i32", R"(
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c1000 = arith.constant 1000 : i32
    %rest = arith.remsi %a0, %c4 : i32
    %divisible = arith.cmpi eq, %rest, %c0 : i32
    %positive = arith.cmpi sge, %a0, %c0 : i32
    %small = arith.cmpi sle, %a0, %c1000 : i32
    tile.assume %divisible
    tile.assume %positive
    tile.assume %small
    %x = tile.arange 0 : tensor<16xi32>
    %m = tile.arange -8 : tensor<16xi32>
    %s = tile.splat %a0 : i32 -> tensor<16xi32>
    %t = tile.splat %a1 : i32 -> tensor<16xi32>
    %k1 = arith.constant dense<1> : tensor<16xi32>
    %k2 = arith.constant dense<2> : tensor<16xi32>
    %k3 = arith.constant dense<3> : tensor<16xi32>
    %k4 = arith.constant dense<4> : tensor<16xi32>
    %k8 = arith.constant dense<8> : tensor<16xi32>
)" + body);
}

TEST_CASE("arithmetic: a sum keeps runs and the common divisor") {
  Function f = function("%r = arith.addi %x, %s : tensor<16xi32>");
  CHECK(f["r"].contiguity == Runs{16});
  CHECK(f["r"].divisibility == Runs{4});
  CHECK(f["r"].range == IntegerRange{0, 1015});
}

TEST_CASE("arithmetic: a sum that may wrap keeps only aligned runs") {
  Function f = function("%r = arith.addi %x, %t : tensor<16xi32>\n"
                        "%u = arith.muli %t, %k4 : tensor<16xi32>\n"
                        "%v = arith.addi %x, %u : tensor<16xi32>\n"
                        "%n = arith.addi %x, %t overflow<nsw> : tensor<16xi32>");
  CHECK(f["r"].contiguity == Runs{1});
  CHECK(f["v"].contiguity == Runs{4});
  CHECK(f["v"].divisibility == Runs{4});
  CHECK(f["n"].contiguity == Runs{16});
}

TEST_CASE("arithmetic: a descending sequence is not contiguous") {
  Function f = function("%r = arith.subi %s, %x : tensor<16xi32>\n"
                        "%d = arith.subi %x, %m : tensor<16xi32>");
  CHECK(f["r"].contiguity == Runs{1});
  CHECK(f["r"].constancy == Runs{1});
  CHECK(f["d"].constancy == Runs{16});
  CHECK(f["d"].constant == std::nullopt);
}

TEST_CASE("arithmetic: an odd multiple of an index is neither contiguous nor even") {
  Function f = function("%r = arith.muli %x, %k3 : tensor<16xi32>\n"
                        "%e = arith.muli %x, %s : tensor<16xi32>");
  CHECK(f["r"].contiguity == Runs{1});
  CHECK(f["r"].divisibility == Runs{1});
  CHECK(f["e"].divisibility == Runs{4});
}

TEST_CASE("arithmetic: a quotient is constant over aligned runs of non-negative numbers only") {
  Function f = function("%r = arith.divsi %x, %k4 : tensor<16xi32>\n"
                        "%v = arith.divsi %x, %s : tensor<16xi32>\n"
                        "%n = arith.divsi %m, %k4 : tensor<16xi32>\n"
                        "%d = arith.divsi %s, %k2 : tensor<16xi32>\n"
                        "%o = arith.divsi %s, %k3 : tensor<16xi32>");
  CHECK(f["r"].constancy == Runs{4});
  CHECK(f["v"].constancy == Runs{4});
  CHECK(f["n"].constancy == Runs{1});
  CHECK(f["d"].divisibility == Runs{2});
  CHECK(f["o"].divisibility == Runs{1});
}

TEST_CASE("arithmetic: a remainder keeps runs of the modulus and no more divisibility than it") {
  Function f = function("%r = arith.remsi %x, %k4 : tensor<16xi32>\n"
                        "%o = arith.remsi %s, %k3 : tensor<16xi32>\n"
                        "%n = arith.remsi %m, %k4 : tensor<16xi32>\n"
                        "%t2 = arith.muli %t, %k8 : tensor<16xi32>\n"
                        "%d = arith.remsi %t2, %k4 : tensor<16xi32>");
  CHECK(f["r"].contiguity == Runs{4});
  CHECK(f["r"].divisibility == Runs{4});
  CHECK(f["r"].range == IntegerRange{0, 3});
  CHECK(f["o"].divisibility == Runs{1});
  CHECK(f["n"].contiguity == Runs{1});
  CHECK(f["d"].constant == 0);
}

TEST_CASE("arithmetic: shifts multiply and divide by powers of two") {
  Function f = function("%l = arith.shli %t, %k3 : tensor<16xi32>\n"
                        "%r = arith.shrsi %m, %k2 : tensor<16xi32>\n"
                        "%u = arith.shrui %s, %k1 : tensor<16xi32>");
  CHECK(f["l"].divisibility == Runs{8});
  CHECK(f["r"].constancy == Runs{4});
  CHECK(f["u"].divisibility == Runs{2});
}

TEST_CASE("arithmetic: masks of bits keep, clear or set runs") {
  Function f = function("%low = arith.andi %x, %k3 : tensor<16xi32>\n"
                        "%high = arith.andi %x, %k4 : tensor<16xi32>\n"
                        "%or = arith.ori %x, %s : tensor<16xi32>\n"
                        "%xor = arith.xori %x, %k3 : tensor<16xi32>\n"
                        "%ones = arith.ori %x, %k3 : tensor<16xi32>");
  CHECK(f["low"].contiguity == Runs{4});
  CHECK(f["low"].divisibility == Runs{4});
  CHECK(f["high"].constancy == Runs{4});
  CHECK(f["or"].contiguity == Runs{4});
  CHECK(f["xor"].contiguity == Runs{1});
  CHECK(f["ones"].constancy == Runs{4});
}

TEST_CASE("arithmetic: an extremum that is decided is one of its operands") {
  Function f = function("%c = arith.constant dense<2000> : tensor<16xi32>\n"
                        "%a = arith.minsi %x, %c : tensor<16xi32>\n"
                        "%b = arith.maxsi %x, %k4 : tensor<16xi32>\n"
                        "%d = arith.minsi %s, %k8 : tensor<16xi32>\n"
                        "%e = arith.maxui %c, %x : tensor<16xi32>");
  CHECK(f["a"].contiguity == Runs{16});
  CHECK(f["b"].contiguity == Runs{1});
  CHECK(f["b"].range == IntegerRange{4, 15});
  CHECK(f["d"].divisibility == Runs{4});
  CHECK(f["d"].constancy == Runs{16});
  CHECK(f["e"].constant == 2000);
}

TEST_CASE("arithmetic: a bound cuts a run only at its own multiples") {
  Function f = function("%lt = arith.cmpi slt, %x, %s : tensor<16xi32>\n"
                        "%ge = arith.cmpi uge, %x, %s : tensor<16xi32>\n"
                        "%gt = arith.cmpi sgt, %s, %x : tensor<16xi32>\n"
                        "%le = arith.cmpi sle, %x, %s : tensor<16xi32>\n"
                        "%le3 = arith.cmpi sle, %x, %k3 : tensor<16xi32>\n"
                        "%eq = arith.cmpi eq, %x, %s : tensor<16xi32>\n"
                        "%any = arith.cmpi slt, %x, %t : tensor<16xi32>");
  CHECK(f["lt"].constancy == Runs{4});
  CHECK(f["ge"].constancy == Runs{4});
  CHECK(f["gt"].constancy == Runs{4});
  CHECK(f["le"].constancy == Runs{1});
  CHECK(f["le3"].constancy == Runs{4});
  CHECK(f["eq"].constancy == Runs{1});
  CHECK(f["any"].constancy == Runs{1});
}

TEST_CASE("arithmetic: a shifted index is compared at the shift's alignment") {
  Function f = function("%y = arith.addi %x, %k2 : tensor<16xi32>\n"
                        "%r = arith.cmpi slt, %y, %s : tensor<16xi32>\n"
                        "%both = arith.cmpi slt, %y, %x : tensor<16xi32>");
  CHECK(f["r"].constancy == Runs{2});
  CHECK(f["both"].constancy == Runs{16});
}

TEST_CASE("arithmetic: ranges decide comparisons") {
  Function f = function("%c = arith.constant dense<16> : tensor<16xi32>\n"
                        "%t1 = arith.cmpi slt, %x, %c : tensor<16xi32>\n"
                        "%f1 = arith.cmpi eq, %x, %c : tensor<16xi32>");
  CHECK(f["t1"].constant == -1); // true, as a signed bit
  CHECK(f["f1"].constant == 0);
}

TEST_CASE("arithmetic: select takes what both sides and the condition know") {
  Function f = function("%p = arith.cmpi slt, %x, %s : tensor<16xi32>\n"
                        "%q = arith.cmpi slt, %a1, %a0 : i32\n"
                        "%y = arith.addi %x, %s : tensor<16xi32>\n"
                        "%a = arith.select %p, %x, %y : tensor<16xi1>, tensor<16xi32>\n"
                        "%b = arith.select %q, %x, %y : tensor<16xi32>\n"
                        "%t1 = arith.constant true\n"
                        "%c = arith.select %t1, %x, %t : tensor<16xi32>");
  CHECK(f["a"].contiguity == Runs{4});
  CHECK(f["a"].divisibility == Runs{4});
  CHECK(f["b"].contiguity == Runs{16});
  CHECK(f["c"].contiguity == Runs{16});
  CHECK(f["c"].range == IntegerRange{0, 15});
}

TEST_CASE("arithmetic: casts keep runs that cannot wrap") {
  Function f = function("%w = arith.extsi %m : tensor<16xi32> to tensor<16xi64>\n"
                        "%u = arith.extui %m : tensor<16xi32> to tensor<16xi64>\n"
                        "%n = arith.trunci %w : tensor<16xi64> to tensor<16xi8>\n"
                        "%i = arith.index_cast %m : tensor<16xi32> to tensor<16xindex>\n"
                        "%b = arith.trunci %x : tensor<16xi32> to tensor<16xi1>\n"
                        "%long = tile.arange 0 : tensor<512xi32>\n"
                        "%short = arith.trunci %long : tensor<512xi32> to tensor<512xi8>");
  CHECK(f["w"].contiguity == Runs{16});
  CHECK(f["w"].divisibility == Runs{8});
  CHECK(f["u"].contiguity == Runs{8});
  CHECK(f["n"].contiguity == Runs{16});
  CHECK(f["i"].range == IntegerRange{-8, 7});
  CHECK(f["b"].contiguity == Runs{1});
  CHECK(f["short"].contiguity == Runs{128});
}

TEST_CASE("arithmetic: pointers count elements along runs and bytes in divisors") {
  Function f("%p: !tile.ptr<f32>, %o: i64", R"(
    tile.assume_aligned %p, 16 : !tile.ptr<f32>
    %c8 = arith.constant 8 : i64
    %row = arith.muli %o, %c8 : i64
    %q = tile.addptr %p, %row : !tile.ptr<f32>, i64
    %s = tile.splat %q : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
    %x = tile.arange 2 : tensor<16xi32>
    %r = tile.addptr %s, %x : tensor<16x!tile.ptr<f32>>, tensor<16xi32>)");
  CHECK(f["q"].divisibility == Runs{16});
  CHECK(f["r"].contiguity == Runs{16});
  CHECK(f["r"].divisibility == Runs{8});
}

TEST_CASE("arithmetic: a bitcast of pointers keeps the alignment") {
  Function f("%p: !tile.ptr<f32>", R"(
    tile.assume_aligned %p, 16 : !tile.ptr<f32>
    %q = tile.bitcast %p : !tile.ptr<f32> -> !tile.ptr<i8>
    %i = tile.arange 0 : tensor<4xi32>
    %g = tile.bitcast %i : tensor<4xi32> -> tensor<4xf32>)");
  CHECK(f["q"].divisibility == Runs{16});
  CHECK(f["g"].contiguity == Runs{1});
}

TEST_CASE("arithmetic: floats are constant where their inputs are") {
  Function f("%a: f32", R"(
    %s = tile.splat %a : f32 -> tensor<16xf32>
    %c = arith.constant dense<1.0> : tensor<16xf32>
    %e = math.exp %s : tensor<16xf32>
    %p = arith.cmpf olt, %e, %c : tensor<16xf32>)");
  CHECK(f["e"].constancy == Runs{16});
  CHECK(f["p"].constancy == Runs{16});
}

TEST_CASE("arithmetic: integers past 64 bits are left alone") {
  Function f("%a: i128", "%b = arith.addi %a, %a : i128");
  CHECK(f["b"].divisibility == Runs{1});
  CHECK(f["b"].range == IntegerRange{});
}
