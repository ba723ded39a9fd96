// What tile.assume and its relatives tell. Alone: unit_analysis --test-case='promises*'
#include "tests/unit/analysis/test_support.h"

using namespace tilec;
using namespace tilec::test;

/// Facts of the i32 argument %n when `promise` (which may use %c4, %c100, %m) is assumed of it.
static ValueFacts given(const std::string &promise) {
  return Function("%n: i32, %m: i32", "%c0 = arith.constant 0 : i32\n%c4 = arith.constant 4 : i32\n"
                                      "%c100 = arith.constant 100 : i32\n" +
                                          promise)["n"];
}

static ValueFacts givenComparison(const std::string &comparison) {
  return given("%p = arith.cmpi " + comparison + " : i32\ntile.assume %p");
}

TEST_CASE("promises: every signed predicate bounds either side") {
  CHECK(givenComparison("slt, %n, %c100").range == IntegerRange{INT32_MIN, 99});
  CHECK(givenComparison("sle, %n, %c100").range == IntegerRange{INT32_MIN, 100});
  CHECK(givenComparison("sgt, %n, %c4").range == IntegerRange{5, INT32_MAX});
  CHECK(givenComparison("sge, %n, %c4").range == IntegerRange{4, INT32_MAX});
  CHECK(givenComparison("sgt, %c100, %n").range == IntegerRange{INT32_MIN, 99});
  CHECK(givenComparison("sle, %c4, %n").range == IntegerRange{4, INT32_MAX});
  CHECK(givenComparison("eq, %n, %c100").constant == 100);
  CHECK(givenComparison("ne, %n, %c100") ==
        FactAnalysis::pessimistic(Function("%n: i32", "").value("n").getType()));
}

TEST_CASE("promises: an unsigned bound from above excludes negative numbers") {
  CHECK(givenComparison("ult, %n, %c100").range == IntegerRange{0, 99});
  CHECK(givenComparison("uge, %c100, %n").range == IntegerRange{0, 100});
  CHECK(givenComparison("uge, %n, %c4").range == IntegerRange{INT32_MIN, INT32_MAX});
}

TEST_CASE("promises: a zero remainder divides") {
  CHECK(given("%r = arith.remsi %n, %c4 : i32\n%p = arith.cmpi eq, %r, %c0 : i32\n"
              "tile.assume %p")
            .divisibility == Runs{4});
  CHECK(given("%r = arith.remui %n, %c100 : i32\n%p = arith.cmpi eq, %c0, %r : i32\n"
              "tile.assume %p")
            .divisibility == Runs{4});
  CHECK(given("%c7 = arith.constant 7 : i32\n%r = arith.andi %n, %c7 : i32\n"
              "%p = arith.cmpi eq, %r, %c0 : i32\ntile.assume %p")
            .divisibility == Runs{8});
}

TEST_CASE("promises: conjunctions count in full, disjunctions not at all") {
  std::string both = "%a = arith.cmpi sge, %n, %c4 : i32\n%b = arith.cmpi sle, %n, %c100 : i32\n";
  CHECK(given(both + "%p = arith.andi %a, %b : i1\ntile.assume %p").range == IntegerRange{4, 100});
  CHECK(given(both + "%p = arith.ori %a, %b : i1\ntile.assume %p").range ==
        IntegerRange{INT32_MIN, INT32_MAX});
  CHECK(given(both + "%f = arith.constant false\n%p = arith.select %a, %b, %f : i1\n"
                     "tile.assume %p")
            .range == IntegerRange{4, 100});
}

TEST_CASE("promises: a negation turns predicates and disjunctions around") {
  CHECK(given("%a = arith.cmpi slt, %n, %c4 : i32\n%b = arith.cmpi sgt, %n, %c100 : i32\n"
              "%o = arith.ori %a, %b : i1\n%t = arith.constant true\n"
              "%p = arith.xori %o, %t : i1\ntile.assume %p")
            .range == IntegerRange{4, 100});
}

TEST_CASE("promises: a bound may be a value whose range is promised") {
  Function f("%n: i32, %m: i32, %k: i32", R"(
    %c8 = arith.constant 8 : i32
    %a = arith.cmpi sle, %n, %m : i32
    %b = arith.cmpi slt, %m, %k : i32
    %c = arith.cmpi eq, %k, %c8 : i32
    tile.assume %a
    tile.assume %b
    tile.assume %c)");
  CHECK(f["m"].range.max == 7);
  CHECK(f["n"].range.max == 7);
}

TEST_CASE("promises: what was widened is constrained too") {
  Function f("%n: i32, %u: i32", R"(
    %c4 = arith.constant 4 : i64
    %c0 = arith.constant 0 : i64
    %w = arith.extsi %n : i32 to i64
    %r = arith.remsi %w, %c4 : i64
    %p = arith.cmpi eq, %r, %c0 : i64
    tile.assume %p
    %v = arith.extui %u : i32 to i64
    %q = arith.cmpi sle, %v, %c4 : i64
    tile.assume %q)");
  CHECK(f["n"].divisibility == Runs{4});
  CHECK(f["u"].range == IntegerRange{0, 4});
}

TEST_CASE("promises: not equal to an end of the range shortens it") {
  Function f("%n: i32", R"(
    %c0 = arith.constant 0 : i32
    %a = arith.cmpi sge, %n, %c0 : i32
    %b = arith.cmpi ne, %n, %c0 : i32
    tile.assume %a
    tile.assume %b)");
  CHECK(f["n"].range.min == 1);
}

TEST_CASE("promises: inside a branch they say nothing of values from outside") {
  Function f("%n: i32, %p: i1", R"(
    %c4 = arith.constant 4 : i32
    scf.if %p {
      %q = arith.cmpi sle, %n, %c4 : i32
      tile.assume %q
      %m = arith.addi %n, %c4 : i32
      %r = arith.cmpi sle, %m, %c4 : i32
      tile.assume %r
    })");
  CHECK(f["n"].range.max == INT32_MAX);
  CHECK(f["m"].range.max == 4);
}

TEST_CASE("promises: values derived before the promise know it") {
  Function f("%n: i32", R"(
    %c4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : i32
    %m = arith.muli %n, %c4 : i32
    %r = arith.remsi %n, %c4 : i32
    %p = arith.cmpi eq, %r, %c0 : i32
    tile.assume %p)");
  CHECK(f["m"].divisibility == Runs{16});
}

TEST_CASE("promises: contradictions are dropped") {
  Function f("%n: i32", R"(
    %c4 = arith.constant 4 : i32
    %c0 = arith.constant 0 : i32
    %a = arith.cmpi sgt, %n, %c4 : i32
    %b = arith.cmpi slt, %n, %c0 : i32
    tile.assume %a
    tile.assume %b)");
  CHECK(f["n"].range.min <= f["n"].range.max);
}

TEST_CASE("promises: a condition shared a hundred times over is decoded once") {
  std::string body = "%c4 = arith.constant 4 : i32\n%p0 = arith.cmpi sle, %n, %c4 : i32\n";
  for (int index = 0; index < 100; ++index)
    body += "%p" + std::to_string(index + 1) + " = arith.andi %p" + std::to_string(index) + ", %p" +
            std::to_string(index) + " : i1\n";
  CHECK(Function("%n: i32", body + "tile.assume %p100")["n"].range.max == 4);
}

TEST_CASE("promises: hints on a value raise its runs and divisors") {
  Function f("%t: tensor<64xi32>, %n: i32", R"(
    %a = tile.multiple_of %t, [16] : tensor<64xi32>
    %b = tile.max_contiguous %a, [16] : tensor<64xi32>
    %c = tile.multiple_of %n, [24] : i32)");
  CHECK(f["b"].contiguity == Runs{16});
  CHECK(f["b"].divisibility == Runs{16});
  CHECK(f["c"].divisibility == Runs{8});
}
