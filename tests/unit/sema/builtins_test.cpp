// The library: memory, reductions, random numbers, hints.
#include "tests/unit/sema/sema_test.h"

using namespace tilec;
using namespace tilec::test;

TEST_CASE("a load through a const pointer is read-only") {
  Analysis analysis(body("store(p, load(q) + load(p));"));
  CHECK(analysis.count("read_only") == 1);
}

TEST_CASE("cache and eviction are attributes of the access") {
  Analysis analysis(
      body("store(p, load(q, cache = cg, evict = first), cache = cs, evict = last);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("cache = 2 : i32, evict = 1 : i32, read_only"));
  CHECK(analysis.has("cache = 3 : i32, evict = 2 : i32"));
}

TEST_CASE("mask and other broadcast to the pointer") {
  Analysis analysis(body("let c = arange(0, 8); let t = p + c[:, None] + c[None, :];\n"
                         "store(t, load(t, c < n, other = 1), (c < n)[:, None]);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.count("tensor<8x8xi1>") >= 2);
}

TEST_CASE("small integers sum in 32 bits, f16 in f32") {
  Analysis analysis("kernel k(a: ptr<i8>, b: ptr<u8>, h: ptr<f16>, t: bool) grid 1 {\n"
                    "let c = arange(0, 8);\n"
                    "static_assert(sum(load(a + c)).dtype == i32);\n"
                    "static_assert(sum(load(b + c)).dtype == u32);\n"
                    "static_assert(sum(load(h + c)).dtype == f32);\n"
                    "static_assert(sum(load(h + c), dtype = f16).dtype == f16);\n"
                    "static_assert(sum(c > 3).dtype == i32);\n"
                    "static_assert(max(load(h + c)).dtype == f16); }");
  CHECK(analysis.errors() == "");
}

TEST_CASE("a reduction without axis takes the last axis first") {
  Analysis analysis(body("let c = arange(0, 8); let t = c[:, None] + arange(0, 4)[None, :];\n"
                         "store(i, sum(t));"));
  CHECK(analysis.has("axis 1 : (tensor<8x4xi32>) -> tensor<8xi32>"));
  CHECK(analysis.has("axis 0 : (tensor<8xi32>) -> i32"));
}

TEST_CASE("keep_dims keeps dimensions of size 1") {
  Analysis analysis(body("let t = zeros([8, 4], f32);\n"
                         "static_assert(sum(t, axis = 1, keep_dims = true).shape[1] == 1);\n"
                         "static_assert(sum(t, axis = -2, keep_dims = true).shape[0] == 1);\n"
                         "let s = sum(t, keep_dims = true); static_assert(s.shape[1] == 1);"));
  CHECK(analysis.errors() == "");
}

TEST_CASE("argmax carries the index and lets NaN lose") {
  Analysis analysis(body("store(i, argmax(load(q + arange(0, 8))));"));
  CHECK(analysis.has("(tensor<8xf32>, tensor<8xi32>) -> (f32, i32)"));
  CHECK(analysis.has("arith.cmpf ogt"));
  CHECK(analysis.has("arith.cmpf uno"));
}

TEST_CASE("reduce takes a tuple and an anonymous function") {
  Analysis analysis(body("let x = load(q + arange(0, 8));\n"
                         "let (a, b) = reduce((x, x), 0, |a, b, c, d| (a + c, maximum(b, d)));\n"
                         "store(p, a + b);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("-> (f32, f32)"));
}

TEST_CASE("rand is ten rounds of Philox") {
  Analysis analysis(body("store(p + arange(0, 8), rand(n, arange(0, 8)));"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.count("arith.muli ") == 20); // two wide products a round
  CHECK(analysis.has("4.65661"));             // the scale of a 31-bit integer
}

TEST_CASE("the four-word forms give four tiles") {
  Analysis analysis(
      body("let o = arange(0, 8); let (a, b, c, d) = rand4x(n, o);\n"
           "let (e, f, g, h) = randn4x(n, o); let (r, s, t, u) = randint4x(n, o);\n"
           "static_assert(r.dtype == u32); static_assert(randint(n, o).dtype == u32);\n"
           "store(p + o, a + b + c + d + e + f + g + h + randn(n, i64(o)));"));
  CHECK(analysis.errors() == "");
}

TEST_CASE("multiple_of is a promise about the narrow and the wide value") {
  Analysis analysis(body("let o = multiple_of(n * m, 16); store(p + o, f32(o));"));
  CHECK(analysis.has("[16] : i32"));
  CHECK(analysis.has("[16] : i64"));
}

TEST_CASE("static_print shows constants by value and the rest by type") {
  Analysis analysis(body("static_print(\"x\", 3 * 4, n, arange(0, 4), f16, (1, true));"));
  CHECK(analysis.program.staticPrints == "x 12 i32 tile<i32, [4]> f16 (1, true)\n");
}

TEST_CASE("assert and print are checked and dropped") {
  Analysis analysis(body("assert(load(q) > 0.0, \"positive\"); print(\"n =\", n);"));
  CHECK(analysis.errors() == "");
  CHECK(!analysis.has("tile.load"));
  SemaOptions options;
  options.debug = true;
  Analysis debug(body("assert(n > 0);", options));
  CHECK(debug.errors() == "2:1: 'assert' with --debug is not supported yet\n");
}

TEST_CASE("every float function accepts every float type") {
  for (const char *type : {"f16", "bf16", "f32", "f64"}) {
    std::string calls;
    for (const char *name :
         {"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tanh", "erf", "sigmoid",
          "floor", "ceil", "round", "trunc", "abs", "fast_exp"})
      calls += std::string("let ") + name + "_ = " + name + "(x); static_assert(" + name +
               "_.dtype == " + type + ");\n";
    Analysis analysis("kernel k(a: ptr<" + std::string(type) +
                      ">) grid 1 { let x = load(a + arange(0, 4));\n" + calls +
                      "let y = isnan(fma(x, x, x)) || isnan(clamp(x, 0, 1)); }");
    CHECK_MESSAGE(analysis.errors() == "", type);
  }
}
