// LLVM IR as text, through the whole of compiler/target.
#pragma once

#include "compiler/target/codegen.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <doctest/doctest.h>

namespace tilec {

/// An LLVM module from text, prepared for a target.
struct Fixture {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  Target target;
  CodegenOptions options;

  Fixture(const char *arch, const std::string &text) : target(*parseTarget(arch)) {
    llvm::SMDiagnostic diagnostic;
    module = llvm::parseAssemblyString(text, diagnostic, context);
    REQUIRE_MESSAGE(module, diagnostic.getMessage().str());
    llvm::cantFail(prepareModule(*module, target, options));
  }
  std::string optimizeError() { return llvm::toString(optimize(*module, target, options)); }
  std::string ptx() {
    REQUIRE(optimizeError() == "");
    return llvm::cantFail(emitPtx(*module, target, options));
  }
};

} // namespace tilec
