// Clauses as contract expressions, variants, -D, and the promises they make.
#include "tests/unit/sema/sema_test.h"

using namespace tilec;
using namespace tilec::test;

/// A contract expression in the manifest's form.
static std::string text(const ContractExpr &expr) {
  if (expr.op == "int")
    return std::to_string(expr.intValue);
  if (expr.op == "bool")
    return expr.intValue != 0 ? "true" : "false";
  if (expr.op == "string")
    return '"' + expr.text + '"';
  std::string result = "[" + expr.op;
  if (expr.op == "const")
    result += " " + expr.text;
  for (const ContractExpr &operand : expr.operands)
    result += " " + text(operand);
  return result + "]";
}

static Analysis clauses(const std::string &text, SemaOptions options = {}) {
  return Analysis(
      "const LIMIT = 1 << 20;\nkernel k<B: i32 = 64, T: type = f16>(p: ptr<T>, q: ptr<const T>, "
      "n: i32, m: i32, u: u32, s: f32, t: bool)\n" +
          text + " { }",
      std::move(options));
}

TEST_CASE("clauses become expression trees with their text and line") {
  Analysis analysis(
      clauses("requires n   % 4 == 0 /* why */ && n <= LIMIT\n"
              "specialize aligned(p, 16) || noalias(p, q)\n"
              "grid cdiv(n, B), min(m, num_sms * occupancy), T == f16 ? 1 : next_pow2(m)"));
  CHECK(analysis.errors() == "");
  const KernelContract &kernel = analysis.program.kernels[0];
  CHECK(kernel.requires_[0].text == "n % 4 == 0 && n <= LIMIT");
  CHECK(kernel.requires_[0].line == 3);
  CHECK(text(kernel.requires_[0].expr) == "[and [eq [rem [arg 2] 4] 0] [le [arg 2] 1048576]]");
  CHECK(text(kernel.specialize[0].expr) == "[or [aligned 0 16] [noalias 0 1]]");
  REQUIRE(kernel.grid.size() == 3);
  CHECK(text(kernel.grid[0].expr) == "[cdiv [arg 2] [const B]]");
  CHECK(text(kernel.grid[1].expr) == "[min [arg 3] [mul [num_sms] [occupancy]]]");
  CHECK(text(kernel.grid[2].expr) == "[select [eq [const T] \"f16\"] 1 [next_pow2 [arg 3]]]");
}

TEST_CASE("parameters are described for the launcher") {
  Analysis analysis(clauses("grid 1 select T in [f16, bf16]"));
  const KernelContract &kernel = analysis.program.kernels[0];
  CHECK(kernel.params[0].kind == "ptr");
  CHECK(kernel.params[1].element == "T");
  CHECK(kernel.params[1].isConst);
  CHECK(kernel.params[4].kind == "u32");
  CHECK(kernel.constParams[1].selected);
  CHECK(!kernel.constParams[0].selected);
}

TEST_CASE("variants are the product of the lists, the first slowest, filtered") {
  Analysis analysis(
      clauses("select T in [f16, f32] variants B in [1, 2, 4] if B > 1 || T == f32 grid 1"));
  std::string symbols;
  for (const VariantContract &variant : analysis.program.kernels[0].variants)
    symbols += variant.symbol + " ";
  CHECK(symbols == "k__B_2__T_f16 k__B_4__T_f16 k__B_1__T_f32 k__B_2__T_f32 k__B_4__T_f32 ");
}

TEST_CASE("-D replaces a list or a default") {
  SemaOptions options;
  options.definitions = {{"k", "B", {"256", "512"}}, {"", "T", {"bf16"}}};
  Analysis analysis(clauses("variants B in [1, 2, 4] grid 1", options));
  CHECK(analysis.errors() == "");
  REQUIRE(analysis.program.kernels[0].variants.size() == 2);
  CHECK(analysis.program.kernels[0].variants[1].symbol == "k__B_512__T_bf16");
}

TEST_CASE("a -D for what does not exist is an error") {
  SemaOptions options;
  options.definitions = {{"kk", "B", {"1"}}, {"k", "BB", {"1"}}, {"k", "B", {"x"}}};
  Analysis analysis(clauses("grid 1", options));
  CHECK(analysis.errors().find("-D names the kernel 'kk'") != std::string::npos);
  CHECK(analysis.errors().find("-D names the const param 'BB'") != std::string::npos);
  CHECK(analysis.errors().find("-D gives 'B' the value 'x'") != std::string::npos);
}

TEST_CASE("promises stay in the argument's type when they cannot wrap") {
  Analysis analysis(clauses("requires n % 8 == 0 && u <= 100 && n >= -5 grid 1"));
  CHECK(analysis.has("arith.remsi %arg2, %c8_i32 : i32"));
  CHECK(analysis.has("arith.cmpi ule, %arg4, %c100_i32 : i32"));
  CHECK(analysis.has("arith.cmpi sge, %arg2, %c-5_i32 : i32"));
  CHECK(analysis.count("tile.assume ") == 3);
}

TEST_CASE("promises about products are made in 64 bits") {
  Analysis analysis(clauses("requires n * m <= 1000 grid 1"));
  CHECK(analysis.count("arith.extsi") == 2);
  CHECK(analysis.has("arith.muli"));
  CHECK(analysis.has("arith.cmpi sle"));
  CHECK(analysis.has(": i64\n    tile.assume"));
}

TEST_CASE("promises that cannot be exact are not made") {
  Analysis analysis(clauses("requires s > 0.1 && n / m == 2 && noalias(p, q) grid 1"));
  CHECK(analysis.errors() == "");
  CHECK(analysis.count("tile.assume") == 0);
}

TEST_CASE("only the specialised variant assumes what it was built for") {
  Analysis analysis(clauses("specialize aligned(p, 16) grid 1"));
  REQUIRE(analysis.program.variants.size() == 2);
  CHECK(analysis.program.kernels[0].variants[0].symbol == "k__B_64__T_f16__s");
  CHECK(analysis.ir(0).find("tile.assume_aligned %arg0, 16") != std::string::npos);
  CHECK(analysis.ir(1).find("tile.assume_aligned") == std::string::npos);
}

TEST_CASE("settings become attributes") {
  Analysis analysis(clauses("grid 1 warps B / 8 max_regs 128 option ftz = true"));
  CHECK(analysis.has("tile.warps = 8 : i32"));
  CHECK(analysis.has("tile.max_regs = 128 : i32"));
  CHECK(analysis.has("tile.ftz = true"));
  SemaOptions options;
  options.fma = false;
  options.ftz = false;
  Analysis overridden(clauses("grid 1 option ftz = true", options));
  CHECK(overridden.has("tile.fma = false, tile.ftz = false"));
}

TEST_CASE("only the kernels asked for are built") {
  SemaOptions options;
  options.kernels = {"b"};
  Analysis analysis("kernel a() grid 1 { } kernel b() grid 1 { }", options);
  REQUIRE(analysis.program.kernels.size() == 1);
  CHECK(analysis.program.kernels[0].name == "b");
}

TEST_CASE("the same error in several variants is reported once") {
  Analysis analysis(
      "kernel k<B: i32>(p: ptr<f32>) variants B in [1, 2, 4] grid 1 { store(p, x); }");
  CHECK(analysis.errors() == "1:73: unknown name 'x'\n");
}
