// Views: their parameters in the IR, what their contracts promise, and windows as operations.
#include "tests/unit/sema/sema_test.h"

using namespace tilec;
using namespace tilec::test;

/// A kernel over `x: view<const f32, 2>, out: view<f32, 1>, n: i32` with that body.
static Analysis viewBody(const std::string &statements, const std::string &clauses = "") {
  return Analysis("kernel k(x: view<const f32, 2>, out: view<f32, 1>, n: i32) " + clauses +
                  " grid 1 {\n" + statements + "\n}\n");
}

TEST_CASE("a view is a pointer, extents and strides at the ABI") {
  Analysis analysis(viewBody(""));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("%arg0: !tile.ptr<f32> {tile.const, tile.name = \"x\", tile.view = 0 : i32}"));
  CHECK(analysis.has("%arg1: i32 {tile.name = \"x.dim(0)\"}"));
  CHECK(analysis.has("%arg4: i64 {tile.name = \"x.stride(1)\"}"));
  CHECK(analysis.has("%arg5: !tile.ptr<f32> {tile.name = \"out\", tile.view = 1 : i32}"));
  CHECK(analysis.has("%arg8: i32 {tile.name = \"n\"}"));
}

TEST_CASE("extents of i64 when the kernel asks for them") {
  Analysis analysis(viewBody("store(out[0], f32(x.dim(0)));", "option extents = i64"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("%arg1: i64 {tile.name = \"x.dim(0)\"}"));
  CHECK(analysis.program.kernels[0].params[0].wideExtents);
  CHECK(analysis.has("arith.cmpi sle, %arg1"));
}

TEST_CASE("every extent is promised not to be negative") {
  Analysis analysis(viewBody(""));
  for (const char *extent : {"%arg1", "%arg2", "%arg6"})
    CHECK(analysis.has(std::string("arith.cmpi sge, ") + extent));
  CHECK(analysis.count("tile.assume") == 3);
}

TEST_CASE("contracts over extents and strides are promises in their own types") {
  Analysis analysis(
      viewBody("", "requires x.dim(1) % 8 == 0 && x.stride(1) == 1 && aligned(x, 16)"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("arith.remsi %arg2, %c8_i32"));
  CHECK(analysis.has("arith.cmpi eq, %arg4, %c1_i64"));
  CHECK(analysis.has("tile.assume_aligned %arg0, 16"));
}

TEST_CASE("a window load has i64 starts, computed without wrapping") {
  Analysis analysis(viewBody("store(out[n], sum(load(x[n * n, 4 +: 8], pad = 2)));"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("arith.muli %"));
  CHECK(analysis.has(": i64"));
  CHECK(analysis.has("lengths [0, 8] pad %"));
  CHECK(analysis.has("{read_only} : <f32> -> tensor<8xf32>"));
  CHECK(analysis.has("tile.window_store %arg5"));
}

TEST_CASE("unsigned starts are extended with zeros") {
  Analysis analysis("kernel k(x: view<f32, 1>, u: u32) grid 1 { store(x[u +: 4], 1.0); }");
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("arith.extui %arg3 : i32 to i64"));
}

TEST_CASE("extents are i32 numbers, strides i64 ones") {
  Analysis analysis(viewBody("static_assert(x.dim(0).dtype == i32 && x.stride(0).dtype == i64);"));
  CHECK(analysis.errors() == "");
}

TEST_CASE("a stored scalar fills its window") {
  Analysis analysis(viewBody("store(out[0 +: 16], 1);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("lengths [16], %"));
  CHECK(analysis.has(" : <f32>, tensor<16xf32>"));
}

TEST_CASE("a contract under a const param promises in the variants it is about") {
  const std::string source =
      "kernel k<DENSE: i32, N: i32 = 8>(x: view<f32, 2>) variants DENSE in [1, 0, 2]\n"
      "requires DENSE == 2 || (DENSE == 1 ? x.stride(1) : x.stride(0)) == 1\n"
      "requires x.dim(0) % (2 * N) == 0 grid 1 { }";
  Analysis analysis(source);
  CHECK(analysis.errors() == "");
  auto has = [&](size_t variant, const std::string &text) {
    return analysis.ir(variant).find(text) != std::string::npos;
  };
  CHECK(has(0, "arith.cmpi eq, %arg4, %c1_i64"));
  CHECK(has(1, "arith.cmpi eq, %arg3, %c1_i64"));
  CHECK_FALSE(has(2, "arith.cmpi eq, %arg3"));
  CHECK_FALSE(has(2, "arith.cmpi eq, %arg4"));
  CHECK(has(2, "arith.remsi %arg1, %c16_i32"));
}

TEST_CASE("a promise holds for what offsets are made of, which does not wrap") {
  const std::string body = "let i = program_id(0) / 3 * 32;";
  // In i32 as written, and in i64.
  Analysis analysis(viewBody(body + "assume(i >= 0 && i < x.dim(0));"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has(", %arg1 : i32\n"));
  CHECK(analysis.count("tile.assume") == Analysis(viewBody(body)).count("tile.assume") + 3);
  CHECK(analysis.has("arith.cmpi slt"));
  // Nothing to add about what is only extended, nor about an alternative.
  Analysis plain(viewBody("let i = program_id(0); assume(i < x.dim(0));"));
  CHECK(plain.count("tile.assume") == Analysis(viewBody("")).count("tile.assume") + 1);
  Analysis either(viewBody(body + "assume(i < x.dim(0) || i == 5);"));
  CHECK(either.count("tile.assume") == Analysis(viewBody("")).count("tile.assume") + 1);
}

TEST_CASE("a variant that can never be special has no specialised twin") {
  Analysis analysis("kernel k<FAST: bool, T: type = f16>(n: i32) variants FAST in [true, false]\n"
                    "specialize FAST && T == f16 && n % 8 == 0 grid 1 { }");
  CHECK(analysis.errors() == "");
  const auto &variants = analysis.program.kernels[0].variants;
  REQUIRE(variants.size() == 3);
  CHECK(variants[0].specialized);
  CHECK(variants[2].symbol == "k__FAST_false__T_f16");
}
