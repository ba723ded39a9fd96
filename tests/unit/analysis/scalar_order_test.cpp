// The order of two run-time scalars. Alone: unit_analysis --test-case='order*'
#include "compiler/analysis/scalar_order.h"

#include "tests/unit/analysis/test_support.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// Whether %a < %b is known where %at is defined, in a body over %n, %m: i32 and %w: i64.
bool isBelow(const std::string &body, const std::string &a, const std::string &b,
             const std::string &at = "at", int64_t step = 1) {
  Function function("%n: i32, %m: i32, %w: i64",
                    "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n" + body);
  mlir::Operation *place = function.value(at).getDefiningOp();
  mlir::Operation *top = place;
  while (top->getParentOp())
    top = top->getParentOp();
  return ScalarOrder(top, function.facts())
      .isBelow(function.value(a), function.value(b), place, step);
}

const std::string kAt = "%at = arith.addi %n, %n : i32\n";

std::string loop(const std::string &bounds, const std::string &inside = kAt) {
  return bounds + "scf.for %i = %c0 to %end step %c1 : i32 {\n" + inside + "}\n";
}

} // namespace

TEST_CASE("order: a counter is below its loop's bound") {
  CHECK(isBelow(loop("%end = arith.addi %n, %c1 : i32\n"), "i", "end"));
  CHECK_FALSE(isBelow(loop("%end = arith.addi %n, %c1 : i32\n"), "i", "n"));
  CHECK(isBelow(loop("%end = arith.addi %n, %c1 : i32\n",
                     "%wide = arith.extsi %i : i32 to i64\n%at = arith.extsi %end : i32 to i64\n"),
                "wide", "at"));
}

TEST_CASE("order: the smaller of two is at most each") {
  std::string text = loop("%end = arith.minsi %n, %m : i32\n");
  CHECK(isBelow(text, "i", "n"));
  CHECK(isBelow(text, "i", "m"));
  CHECK_FALSE(isBelow(loop("%end = arith.maxsi %n, %m : i32\n"), "i", "n"));
}

TEST_CASE("order: promises hold below where they stand") {
  std::string promise = "%p = arith.cmpi slt, %n, %m : i32\ntile.assume %p\n";
  CHECK(isBelow(promise + kAt, "n", "m"));
  CHECK_FALSE(isBelow(kAt + promise, "n", "m"));
  CHECK_FALSE(isBelow(promise + kAt, "m", "n"));
}

TEST_CASE("order: equal values lead from one comparison to the next") {
  CHECK(isBelow(loop("%p = arith.cmpi eq, %n, %m : i32\ntile.assume %p\n"
                     "%end = arith.minsi %m, %m : i32\n"),
                "i", "n"));
  CHECK(isBelow("%c9 = arith.constant 9 : i32\n%p = arith.cmpi sge, %m, %c9 : i32\n"
                "%q = arith.cmpi sle, %n, %c1 : i32\n%r = arith.andi %p, %q : i1\n"
                "tile.assume %r\n" +
                    kAt,
                "n", "m"));
}

TEST_CASE("order: a branch knows its condition, and the other its contrary") {
  std::string branches = "%p = arith.cmpi sge, %n, %m : i32\nscf.if %p {\n"
                         "%first = arith.addi %n, %n : i32\n} else {\n"
                         "%second = arith.addi %n, %n : i32\n}\n";
  CHECK_FALSE(isBelow(branches, "n", "m", "first"));
  CHECK(isBelow(branches, "n", "m", "second"));
}

TEST_CASE("order: unsigned comparisons count against numbers without a sign bit") {
  std::string below = "%p = arith.cmpi ult, %n, %m : i32\ntile.assume %p\n";
  CHECK_FALSE(isBelow(below + kAt, "n", "m"));
  CHECK(isBelow("%s = arith.cmpi sge, %m, %c0 : i32\ntile.assume %s\n" + below + kAt, "n", "m"));
}

TEST_CASE("order: a multiple is a whole step below the next one") {
  std::string whole = "%c64 = arith.constant 64 : i32\n%p = arith.cmpi sge, %n, %c0 : i32\n"
                      "tile.assume %p\n%blocks = arith.divsi %n, %c64 : i32\n"
                      "%end = arith.muli %blocks, %c64 : i32\n"
                      "scf.for %i = %c0 to %end step %c64 : i32 {\n" +
                      kAt + "}\n";
  CHECK(isBelow(whole, "i", "n", "at", 64));
  CHECK_FALSE(isBelow(whole, "i", "n", "at", 128));
  std::string ragged = "%c64 = arith.constant 64 : i32\n"
                       "scf.for %i = %c0 to %n step %c64 : i32 {\n" +
                       kAt + "}\n";
  CHECK(isBelow(ragged, "i", "n"));
  CHECK_FALSE(isBelow(ragged, "i", "n", "at", 64));
}

TEST_CASE("order: circles of equal values end") {
  CHECK_FALSE(isBelow("%p = arith.cmpi eq, %n, %m : i32\n%q = arith.cmpi sle, %m, %n : i32\n"
                      "tile.assume %p\ntile.assume %q\n" +
                          kAt,
                      "n", "m"));
}
