// Promotion, literals, casts and the operations that signedness chooses.
#include "tests/unit/sema/sema_test.h"

using namespace tilec;
using namespace tilec::test;

/// A kernel with one scalar parameter of each kind.
static Analysis scalars(const std::string &statements) {
  return Analysis("kernel k(o: ptr<f32>, a: i8, b: i16, c: i32, d: i64, e: u8, f: u32, g: u64, "
                  "h: f16, j: bf16, x: f32, y: f64, t: bool) grid 1 {\n" +
                  statements + "\n}\n");
}

TEST_CASE("within a kind the wider type wins") {
  Analysis analysis(scalars("let r = a + d; static_assert(r.dtype == i64);"
                            "let s = h + y; static_assert(s.dtype == f64);"
                            "let q = e + g; static_assert(q.dtype == u64);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("arith.extsi %arg1 : i8 to i64"));
  CHECK(analysis.has("arith.extf %arg8 : f16 to f64"));
  CHECK(analysis.has("arith.extui %arg5 : i8 to i64"));
}

TEST_CASE("between kinds bool becomes integer becomes float") {
  Analysis analysis(scalars("let r = t + c; static_assert(r.dtype == i32);"
                            "let s = d * h; static_assert(s.dtype == f16);"
                            "let q = f + x; static_assert(q.dtype == f32);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("arith.extui %arg12 : i1 to i32"));
  CHECK(analysis.has("arith.sitofp %arg4 : i64 to f16"));
  CHECK(analysis.has("arith.uitofp %arg6 : i32 to f32"));
}

TEST_CASE("a literal takes the type of the other operand") {
  Analysis analysis(scalars("let r = h * 0.5; static_assert(r.dtype == f16);"
                            "let s = e + 255; static_assert(s.dtype == u8);"
                            "let q = c * 1.5; static_assert(q.dtype == f32);"
                            "let p = t + 1; static_assert(p.dtype == i32);"));
  CHECK(analysis.errors() == "");
}

TEST_CASE("a literal that does not fit is an error") {
  Analysis analysis(scalars("let r = e + 256;\nlet s = h + 1e6;\nlet q = f + -1;"));
  CHECK(analysis.errors() == "2:9: the literal 256 does not fit u8\n"
                             "3:9: the literal 1.0E+6 does not fit f16\n"
                             "4:9: the literal -1 does not fit u32\n");
}

TEST_CASE("f16 with bf16, and signed with unsigned of one width, name the cast to write") {
  Analysis analysis(scalars("let r = h + j;\nlet s = c + f;"));
  CHECK(analysis.errors() ==
        "2:9: f16 and bf16 have no common type; cast one of them, for example f32(...)\n"
        "3:9: i32 and u32 differ in signedness; cast one of them, for example i32(...)\n");
}

TEST_CASE("signedness chooses division, remainder, shift, comparison and extrema") {
  Analysis analysis(scalars("let r = c / 3 + c % 3 + (c >> 1) + minimum(c, 2);"
                            "let s = f / 3 + f % 3 + (f >> 1) + maximum(f, 2);"
                            "let l = c < 3; let m = f < 3;"));
  CHECK(analysis.errors() == "");
  for (const char *operation : {"divsi", "divui", "remsi", "remui", "shrsi", "shrui", "minsi",
                                "maxui", "cmpi slt", "cmpi ult"})
    CHECK_MESSAGE(analysis.count(std::string("arith.") + operation) == 1, operation);
}

TEST_CASE("float to integer saturates, by the target's signedness") {
  Analysis analysis(scalars("let r = i8(x); let s = u32(y);"));
  CHECK(analysis.has("tile.fp_to_int %arg10 : f32 -> i8"));
  CHECK(analysis.has("tile.fp_to_int %arg11 unsigned : f64 -> i32"));
}

TEST_CASE("a cast to f16 rounds to nearest unless told otherwise") {
  Analysis analysis(scalars("let r = f16(x); let s = cast(x, f16, rounding = rtz);"));
  CHECK(analysis.has("arith.truncf %arg10 : f32 to f16"));
  CHECK(analysis.has("tile.truncf %arg10, \"rtz\" : f32 -> f16"));
}

TEST_CASE("f16 and bf16 convert through f32") {
  Analysis analysis(scalars("let r = bf16(h);"));
  CHECK(analysis.has("arith.extf %arg8 : f16 to f32"));
  CHECK(analysis.has("arith.truncf"));
}

TEST_CASE("bitcast between integers of one width is the same value") {
  Analysis analysis(scalars("let r = bitcast(c, u32) >> 1; let s = bitcast(x, i32);"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("arith.shrui %arg3"));
  CHECK(analysis.has("tile.bitcast %arg10 : f32 -> i32"));
}

TEST_CASE("negation flips the sign bit of a float") {
  Analysis analysis(scalars("let r = -x; let s = -c;"));
  CHECK(analysis.has("arith.negf %arg10"));
  CHECK(analysis.has("arith.subi %c0_i32, %arg3"));
}

TEST_CASE("minimum ignores NaN unless it propagates") {
  Analysis analysis(scalars("let r = minimum(x, 1.0); let s = maximum(x, 1.0, nan = propagate);"));
  CHECK(analysis.has("arith.minnumf"));
  CHECK(analysis.has("arith.maximumf"));
}

TEST_CASE("contraction marks additions, subtractions and products only, and can be turned off") {
  Analysis on(scalars("store(o, x * x + x / x - exp(x));"));
  CHECK(on.count("fastmath<contract>") == 3);
  Analysis off("kernel k(o: ptr<f32>, x: f32) option fma = false grid 1 { store(o, x * x + x); }");
  CHECK(off.errors() == "");
  CHECK(off.count("fastmath") == 0);
  CHECK(off.has("tile.fma = false"));
}

TEST_CASE("comparing types decides at compile time") {
  Analysis analysis("kernel k<T: type>(o: ptr<T>) variants T in [f16, f32] grid 1 {\n"
                    "if T == f16 { store(o, T(1)); } else { store(o, T(2)); } }");
  CHECK(analysis.errors() == "");
  CHECK(analysis.ir(0).find("1.000000e+00 : f16") != std::string::npos);
  CHECK(analysis.ir(1).find("2.000000e+00 : f32") != std::string::npos);
}
