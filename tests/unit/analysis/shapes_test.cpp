// Facts of operations that make and reshape tiles. Alone: unit_analysis --test-case='shapes*'
#include "tests/unit/analysis/test_support.h"

using namespace tilec;
using namespace tilec::test;

TEST_CASE("shapes: an arange is one run that starts at its first element") {
  Function f("", "%x = tile.arange 24 : tensor<16xi32>\n%z = tile.arange 0 : tensor<16xi32>");
  CHECK(f["x"].contiguity == Runs{16});
  CHECK(f["x"].divisibility == Runs{8});
  CHECK(f["x"].constancy == Runs{1});
  CHECK(f["x"].range == IntegerRange{24, 39});
  CHECK(f["z"].divisibility == Runs{int64_t(1) << 62});
}

TEST_CASE("shapes: a dim of size 1 has runs of 1") {
  Function f("%n: i32", "%x = tile.arange 0 : tensor<16xi32>\n"
                        "%r = tile.expand_dims %x, 0 : tensor<16xi32> -> tensor<1x16xi32>\n"
                        "%s = tile.splat %n : i32 -> tensor<1xi32>");
  CHECK(f["r"].contiguity == Runs{1, 16});
  CHECK(f["r"].constancy == Runs{1, 1});
  CHECK(f["r"].divisibility == Runs{1, int64_t(1) << 62});
  CHECK(f["s"].constancy == Runs{1});
}

TEST_CASE("shapes: a broadcast is constant along the stretched dim") {
  Function f("", "%x = tile.arange 8 : tensor<16xi32>\n"
                 "%r = tile.expand_dims %x, 1 : tensor<16xi32> -> tensor<16x1xi32>\n"
                 "%b = tile.broadcast %r : tensor<16x1xi32> -> tensor<16x4xi32>");
  CHECK(f["b"].contiguity == Runs{16, 1});
  CHECK(f["b"].constancy == Runs{1, 4});
  CHECK(f["b"].divisibility == Runs{8, 1});
}

TEST_CASE("shapes: permute carries the dims along") {
  Function f("", "%x = tile.arange 8 : tensor<16xi32>\n"
                 "%r = tile.expand_dims %x, 1 : tensor<16xi32> -> tensor<16x1xi32>\n"
                 "%b = tile.broadcast %r : tensor<16x1xi32> -> tensor<16x4xi32>\n"
                 "%p = tile.permute %b, [1, 0] : tensor<16x4xi32> -> tensor<4x16xi32>");
  CHECK(f["p"].contiguity == Runs{1, 16});
  CHECK(f["p"].constancy == Runs{4, 1});
  CHECK(f["p"].divisibility == Runs{1, 8});
}

TEST_CASE("shapes: reshape splits and merges runs") {
  Function f("", "%x = tile.arange 0 : tensor<32xi32>\n"
                 "%s = tile.reshape %x : tensor<32xi32> -> tensor<4x8xi32>\n"
                 "%m = tile.reshape %s : tensor<4x8xi32> -> tensor<32xi32>");
  CHECK(f["s"].contiguity == Runs{1, 8});
  CHECK(f["s"].divisibility == Runs{1, 8});
  CHECK(f["m"].contiguity == Runs{8});
  CHECK(f["m"].divisibility == Runs{8});
}

TEST_CASE("shapes: reshape keeps constancy across dims that do not matter") {
  Function f("%n: i32", "%x = tile.arange 0 : tensor<4xi32>\n"
                        "%r = tile.expand_dims %x, 1 : tensor<4xi32> -> tensor<4x1xi32>\n"
                        "%b = tile.broadcast %r : tensor<4x1xi32> -> tensor<4x8xi32>\n"
                        "%m = tile.reshape %b : tensor<4x8xi32> -> tensor<32xi32>\n"
                        "%c = tile.splat %n : i32 -> tensor<4x8xi32>\n"
                        "%d = tile.reshape %c : tensor<4x8xi32> -> tensor<2x16xi32>");
  CHECK(f["m"].constancy == Runs{8});
  CHECK(f["m"].contiguity == Runs{1});
  CHECK(f["d"].constancy == Runs{2, 16});
}

TEST_CASE("shapes: constants are read element by element") {
  Function f("", "%a = arith.constant dense<[4, 5, 8, 9]> : tensor<4xi32>\n"
                 "%b = arith.constant dense<[[2, 2], [6, 6]]> : tensor<2x2xi64>\n"
                 "%c = arith.constant dense<-8> : tensor<4x2xi32>\n"
                 "%d = arith.constant 12 : i32\n"
                 "%e = arith.constant dense<1.0> : tensor<8xf32>");
  CHECK(f["a"].contiguity == Runs{2});
  CHECK(f["a"].divisibility == Runs{4});
  CHECK(f["a"].range == IntegerRange{4, 9});
  CHECK(f["b"].constancy == Runs{1, 2});
  CHECK(f["b"].divisibility == Runs{2, 2});
  CHECK(f["c"].constant == -8);
  CHECK(f["c"].constancy == Runs{4, 2});
  CHECK(f["c"].divisibility == Runs{8, 8});
  CHECK(f["d"].constant == 12);
  CHECK(f["d"].divisibility == Runs{4});
  CHECK(f["e"].constancy == Runs{8});
}

TEST_CASE("shapes: program indices are not negative") {
  Function f("", "%p = tile.program_id 0\n%n = tile.num_programs 0");
  CHECK(f["p"].range.min == 0);
  CHECK(f["n"].range.min == 1);
}

TEST_CASE("shapes: a loaded value and a reduced one may be anything") {
  Function f("%p: tensor<8x!tile.ptr<i32>>",
             "%v = tile.load %p : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>\n"
             "%c = arith.constant dense<4> : tensor<8xi32>\n"
             "%r = tile.reduce(%c) axis 0 : (tensor<8xi32>) -> i32 {\n"
             "^bb0(%a: i32, %b: i32):\n%s = arith.addi %a, %b : i32\ntile.yield %s : i32\n}");
  CHECK(f["v"] == FactAnalysis::pessimistic(f.value("v").getType()));
  CHECK(f["r"] == FactAnalysis::pessimistic(f.value("r").getType()));
}
