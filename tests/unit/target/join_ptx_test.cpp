// Joining PTX texts. Alone: build/release/bin/unit_target --test-case='join*'.
#include "compiler/target/join_ptx.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <doctest/doctest.h>

using namespace tilec;

static const std::string kHeader =
    "//\n// Generated; by { a back end\n//\n\n.version 9.0\n.target sm_90\n.address_size 64\n";

static std::string kernel(const std::string &name, const std::string &body) {
  return ".visible .entry " + name + "(\n\t.param .u64 " + name +
         "_param_0\n)\n.reqntid 32, 1, 1\n{\n" + body + "}";
}

TEST_CASE("join: one header, kernels in order, one declaration of what is shared") {
  const std::string shared = ".extern .shared .align 128 .b8 tile_shared[];";
  const std::string a =
      kernel("a", "\t{ // an assembly block }\n\tmov.u32 %r1, %tid.x;\n\t}\n\tret;\n");
  const std::string b = kernel("b", "\tret;\n"), c = kernel("c", "\tret; // } ;\n");
  CHECK(
      joinPtx({kHeader + "\t// .globl\ta\n" + a + "\n\n",
               kHeader + "\n" + shared + "\n\n" + b + "\n", kHeader + "\n" + shared + "\n" + c}) ==
      kHeader + "\n" + a + "\n\n" + shared + "\n\n" + b + "\n\n" + c + "\n");
}

TEST_CASE("join: variables with values, functions and their declarations are items of their own") {
  const std::string table = ".global .align 4 .b8 table$0[3] = {1, 2, 3};";
  const std::string text = ".visible .global .align 1 .b8 text[2] = \"};\";";
  const std::string declared =
      ".func (.param .b32 out) slow$1\n(\n\t.param .b32 slow$1_param_0\n)\n;";
  const std::string defined =
      ".func (.param .b32 out) slow$1(\n\t.param .b32 slow$1_param_0\n)\n{\n\tret;\n}";
  CHECK(joinPtx({kHeader + table + "\n" + text,
                 kHeader + declared + "\n" + defined + "\n" + kernel("k", "")}) ==
        kHeader + "\n" + table + "\n\n" + text + "\n\n" + declared + "\n\n" + defined + "\n\n" +
            kernel("k", "") + "\n");
}

TEST_CASE("join: nothing but headers, and one text") {
  CHECK(joinPtx({kHeader, kHeader}) == kHeader);
  CHECK(joinPtx({kHeader + "\n" + kernel("k", "\tret;\n") + "\n"}) ==
        kHeader + "\n" + kernel("k", "\tret;\n") + "\n");
}

TEST_CASE("join: what only one module sees gets a name of its own") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(
      "@table = internal constant i32 1\n@shared = external global i32\n"
      "define internal i32 @slow() {\n  %v = load i32, ptr @table\n  ret i32 %v\n}\n"
      "define i32 @kernel() {\n  %v = call i32 @slow()\n  ret i32 %v\n}\n",
      diagnostic, context);
  REQUIRE(module);
  separateNames(*module, 7);
  CHECK(module->getFunction("slow$7"));
  CHECK(module->getNamedGlobal("table$7"));
  CHECK(module->getNamedGlobal("shared"));
  CHECK(module->getFunction("kernel"));
}
