// Branches, loops, returns and what they carry.
#include "tests/unit/sema/sema_test.h"

using namespace tilec;
using namespace tilec::test;

TEST_CASE("a run-time if yields the variables a branch changed") {
  Analysis analysis(body("var x = 1.0; var y = 2.0;\nif n > 0 { x = 3.0; }\nstore(p, x + y);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("scf.if %0 -> (f32)"));
  CHECK(analysis.has("scf.yield %cst"));
}

TEST_CASE("a compile-time if drops the dead branch unchecked") {
  Analysis analysis("kernel k<A: bool = false>(p: ptr<f32>) grid 1 {\n"
                    "if A { nonsense(1); } else { store(p, 1.0); } }");
  CHECK(analysis.errors() == "");
  CHECK(!analysis.has("scf.if"));
}

TEST_CASE("what follows a return under a condition moves into the other branch") {
  Analysis analysis(body("if n > 0 { return; }\nstore(p, 1.0);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("scf.if %0 {\n    } else {\n"));
}

TEST_CASE("a nested return makes what follows conditional") {
  Analysis analysis(body("if n > 0 { if m > 0 { return; } store(p, 1.0); }\nstore(p + 1, 2.0);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("-> (i1)"));
  CHECK(analysis.count("scf.if") == 3);
}

TEST_CASE("a function may return on several paths") {
  Analysis analysis("fn pick(a, b) { if a > b { return a; } return b; }\n"
                    "kernel k(i: ptr<i32>, n: i32, m: i32) grid 1 { store(i, pick(n, m)); }");
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("scf.if %0 -> (i32)"));
}

TEST_CASE("a loop carries variables, tuples by their parts") {
  Analysis analysis(
      body("var s = (0, 1.0); var last = zeros([8], f32);\n"
           "for t in range(0, n) { s = (s[0] + t, s[1] * 2.0); last = last + s[1]; }\n"
           "store(i, s[0]); store(p, s[1]); store(p + arange(0, 8), last);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("-> (tensor<8xf32>, i32, f32)"));
}

TEST_CASE("a step of 1 counts in i32") {
  Analysis analysis(body("for t in range(0, n) { store(i + t, t); }"));
  CHECK(analysis.has("scf.for %arg5 = %c0_i32 to %arg3 step %c1_i32  : i32"));
}

TEST_CASE("an unsigned loop counts in i64") {
  Analysis analysis(
      "kernel k(i: ptr<u32>, u: u32) grid 1 { for t in range(u, 9) { store(i, t); } }");
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("arith.extui %arg1 : i32 to i64"));
  CHECK(analysis.has("arith.trunci %arg2 : i64 to i32"));
}

TEST_CASE("a descending loop counts trips") {
  Analysis analysis(body("for t in range(n, 0, -2) { store(i + t, t); }"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("arith.divui"));
  CHECK(analysis.has("arith.muli %arg5, %c-2_i64"));
}

TEST_CASE("stages come from the loop, else from a written clause") {
  Analysis own(body("for t in range(0, n, stages = 4, unroll = 2) { store(i, t); }"));
  CHECK(own.has("{tile.stages = 4 : i32, tile.unroll = 2 : i32}"));
  Analysis clause("kernel k(i: ptr<i32>, n: i32) grid 1 stages 3 "
                  "{ for t in range(0, n) { store(i, t); } }");
  CHECK(clause.has("{tile.stages = 3 : i32}"));
  Analysis none(body("for t in range(0, n) { store(i, t); }"));
  CHECK(!none.has("tile.stages"));
}

TEST_CASE("static_range writes out its iterations with known values") {
  Analysis analysis(
      body("for t in static_range(3, 0, -1) { store(i + t, arange(0, 1 << t)[:]); }"));
  CHECK(analysis.count("tile.store") == 0); // shapes differ from the scalar pointer: an error each
  Analysis fine(body("for t in static_range(3, 0, -1) { store(i + arange(0, 1 << t), t); }"));
  CHECK(fine.errors() == "");
  CHECK(fine.has("tile.arange 0 : tensor<8xi32>"));
  CHECK(fine.has("tile.arange 0 : tensor<2xi32>"));
}

TEST_CASE("a while loop carries what its condition reads") {
  Analysis analysis(body("var a = n; while a > 1 { a = a / 2; } store(i, a);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("scf.while (%arg5 = %arg3) : (i32) -> i32"));
}

TEST_CASE("a scalar && does not load what its left side forbids") {
  Analysis analysis(body("if n > 0 && load(i + n) > 3 { store(i, 1); }"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("-> (i1)"));
  Analysis pure(body("if n > 0 && m > 3 { store(i, 1); }"));
  CHECK(pure.has("arith.andi"));
}

TEST_CASE("a conditional loads only what it chooses") {
  Analysis analysis(body("store(i, n > 0 ? load(i + 1) : 7); store(i, n > 0 ? m : 7);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.count("scf.if") == 1);
  CHECK(analysis.count("arith.select") == 1);
}

TEST_CASE("code that grows without end is an error") {
  std::string source;
  for (int i = 0; i < 40; ++i)
    source += "fn f" + std::to_string(i) + "(x) { return f" + std::to_string(i + 1) + "(x) + f" +
              std::to_string(i + 1) + "(x); }\n";
  Analysis analysis(source + "fn f40(x) { return x; }\n"
                             "kernel k(i: ptr<i32>, n: i32) grid 1 { store(i, f0(n)); }");
  CHECK(analysis.errors().find("the kernel grows too large here") != std::string::npos);
}

TEST_CASE("5000 written-out iterations compile") {
  Analysis analysis(body("var x = n; for t in static_range(0, 5000) { x = x * 3 + t; } "
                         "store(i + x, x);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.program.variants.size() == 1);
}
