// Pointer arithmetic never wraps: offsets are computed in 64 bits.
#include "tests/unit/sema/sema_test.h"

using namespace tilec;
using namespace tilec::test;

TEST_CASE("a product of i32 values is 64 bits wide in an offset") {
  Analysis analysis(body("store(p + n * m, 1.0);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.count("arith.extsi") == 2);
  CHECK(analysis.has("arith.muli %0, %1 : i64"));
}

TEST_CASE("a value keeps its origin through let, tiles and functions") {
  Analysis analysis("fn at(row, stride) { return row * stride; }\n"
                    "kernel k(p: ptr<f32>, n: i32, m: i32) grid 1 {\n"
                    "let rows = n + arange(0, 16);\n"
                    "let offset = at(rows[:, None], m) + arange(0, 32)[None, :];\n"
                    "store(p + offset, 1.0); }");
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("arith.muli %"));
  CHECK(analysis.has("tensor<16x1xi64>"));
  CHECK(analysis.has("tile.addptr"));
  CHECK(analysis.has("tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi64>"));
}

TEST_CASE("unsigned leaves are zero-extended, narrowing casts are leaves") {
  Analysis analysis("kernel k(p: ptr<f32>, u: u32, w: i64) grid 1 {\n"
                    "store(p + (u + u), 1.0); store(p + i32(w + w), 1.0); }");
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("arith.extui %arg1 : i32 to i64"));
  CHECK(analysis.has("arith.trunci"));
  CHECK(analysis.count("arith.addi") == 3); // u + u twice, w + w once
}

TEST_CASE("widening casts are transparent") {
  Analysis analysis(body("store(p + i64(n * m), 1.0);"));
  CHECK(analysis.has("arith.muli %0, %1 : i64"));
}

TEST_CASE("division in an offset keeps its meaning") {
  Analysis analysis(body("store(p + (n * m) / 3 % 7, 1.0);"));
  CHECK(analysis.has(": i64\n"));
  CHECK(analysis.count("arith.divsi") == 2);
  CHECK(analysis.count("arith.remsi") == 2);
}

TEST_CASE("subtracting from a pointer negates the offset in 64 bits") {
  Analysis analysis(body("store(p - n, 1.0);"));
  CHECK(analysis.has("arith.subi %c0_i64, %0 : i64"));
}

TEST_CASE("what cannot wrap is extended at the end") {
  Analysis analysis(body("store(p + arange(0, 64) * 4 + 1, 1.0);"));
  CHECK(analysis.count("arith.muli") == 1);
  CHECK(analysis.has("arith.muli %0, %cst : tensor<64xi32>"));
  CHECK(analysis.count("arith.extsi") == 1);
}

TEST_CASE("what could wrap is not") {
  Analysis analysis(body("store(p + arange(0, 64) * 100000000, 1.0);"));
  CHECK(analysis.count("arith.muli") == 2);
}

TEST_CASE("a loop that counts in 64 bits is its own offset") {
  Analysis analysis(body("for t in range(0, n, 4) { store(p + t, 1.0); }"));
  CHECK(analysis.has("tile.addptr %arg0, %arg5 : !tile.ptr<f32>, i64"));
}

TEST_CASE("shared subexpressions are rebuilt once") {
  std::string statements = "var x = n;\n";
  for (int i = 0; i < 40; ++i)
    statements += "x = x + x;\n";
  Analysis analysis(body(statements + "store(p + x, 1.0); store(p + x, 2.0);"));
  CHECK(analysis.count("arith.addi") == 80);
}

TEST_CASE("a carried variable is a leaf") {
  Analysis analysis(body("var x = n; for t in range(0, m) { store(p + x, 1.0); x += 1; }"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("arith.extsi %arg6 : i32 to i64"));
}
