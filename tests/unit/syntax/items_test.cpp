// Items: kernels with parameters and clauses, functions, constants, imports, types.
// Alone: build/release/bin/unit_syntax --test-suite=items
#include "parsed.h"

using namespace tilec;
using namespace tilec::test;

TEST_SUITE_BEGIN("items");

TEST_CASE("parameters of kernels") {
  CHECK(header("()") == "");
  CHECK(header("(n: i32, p: ptr<f32>, q: ptr<const f16>,)") ==
        "param n: i32\nparam p: ptr<f32>\nparam q: ptr<const f16>\n");
  CHECK(header("(v: view<const T, 3>, t: tile<ptr<f32>, [M, 2 * N]>)") ==
        "param v: view<const T, 3>\nparam t: tile<ptr<f32>, [M, (2 * N)]>\n");
}

TEST_CASE("const parameters with defaults") {
  CHECK(header("<T: type = f16, N: i32, C: bool = false, S: f32 = -1.5>()") ==
        "const param T: type = f16\nconst param N: i32\nconst param C: bool = false\n"
        "const param S: f32 = (-1.5)\n");
  CHECK(header("<N: i32 = 2 * 64 + M, C: bool = (M > 4)>()") ==
        "const param N: i32 = ((2 * 64) + M)\nconst param C: bool = (M > 4)\n");
}

TEST_CASE("two closing angles may stand together") {
  CHECK(header("(p: ptr<ptr<f32>>)") == "param p: ptr<ptr<f32>>\n");
  CHECK(header("<N: i32 = (a >> 1)>(p: ptr<view<ptr<f32>, 2>>)") ==
        "const param N: i32 = (a >> 1)\nparam p: ptr<view<ptr<f32>, 2>>\n");
}

TEST_CASE("every clause") {
  CHECK(header("() variants A in [1, 2], T in [f16, bf16] if A > 1 || T == f16") ==
        "variants A in [1, 2], T in [f16, bf16] if ((A > 1) || (T == f16))\n");
  CHECK(header("() select T in [f16]\n requires n > 0 && aligned(p, 16)\n specialize n % 4 == 0") ==
        "select T in [f16]\nrequires ((n > 0) && aligned(p, 16))\nspecialize ((n % 4) == 0)\n");
  CHECK(header("() grid cdiv(n, B), m, 1") == "grid cdiv(n, B), m, 1\n");
  CHECK(header("() warps B > 4 ? 8 : 4 stages 3 cluster 2 max_regs 128 option fma = true") ==
        "warps ((B > 4) ? 8 : 4)\nstages 3\ncluster 2\nmax_regs 128\noption fma = true\n");
}

TEST_CASE("clause words are names inside clauses") {
  CHECK(header("(grid: i32, warps: i32) requires grid > warps grid grid * 2 warps 4") ==
        "param grid: i32\nparam warps: i32\nrequires (grid > warps)\ngrid (grid * 2)\nwarps 4\n");
}

TEST_CASE("clauses keep their kinds and places") {
  Parsed parsed("kernel k(n: i32)\n  requires n > 0\n  grid n, 2\n{ }");
  const auto &clauses = parsed.file->kernels[0].clauses;
  REQUIRE(clauses.size() == 2);
  CHECK(clauses[0].kind == ast::Clause::Kind::Requires);
  CHECK(parsed.sources.text(clauses[0].range) == "requires n > 0");
  CHECK(parsed.sources.text(clauses[1].keyword) == "grid");
  CHECK(clauses[1].values.size() == 2);
}

TEST_CASE("a grid has at most three dimensions") {
  CHECK(errorsOf("kernel k() grid 1, 2, 3, 4 {}") ==
        Errors{"1:26: a grid has at most 3 dimensions"});
}

TEST_CASE("functions have parameters with or without types") {
  Parsed parsed("fn f(x, n: i32, p: ptr<const T>) { return x; }");
  CHECK(parsed.ast() ==
        "fn f\n  param x\n  param n: i32\n  param p: ptr<const T>\n  block\n    return x\n");
}

TEST_CASE("constants and imports") {
  Parsed parsed("import \"a/b.tile\";\nconst A: i32 = 1;\nconst B = A + 1;");
  CHECK(parsed.ast() == "import \"a/b.tile\"\nconst A: i32 = 1\nconst B = (A + 1)\n");
}

TEST_CASE("items of a kind keep their order") {
  Parsed parsed("kernel b() {} fn x() {} kernel a() {}");
  REQUIRE(parsed.file->kernels.size() == 2);
  CHECK(parsed.file->kernels[0].name.text == "b");
  CHECK(parsed.file->kernels[1].name.text == "a");
}

TEST_SUITE_END();
