// Turns what LLVM reports through its context (linker, code generator, inline assembly) into an
// llvm::Error, where by default it would print and exit. Private to compiler/target.
#pragma once

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace tilec {

/// Collects the context's errors while it lives, and what it says of stack frames; remarks and
/// other warnings are dropped.
class CollectDiagnostics {
public:
  explicit CollectDiagnostics(llvm::LLVMContext &context);
  ~CollectDiagnostics();
  CollectDiagnostics(const CollectDiagnostics &) = delete;
  CollectDiagnostics &operator=(const CollectDiagnostics &) = delete;

  /// Success, or everything reported so far.
  llvm::Error takeError();
  /// A line for each function whose frame is beyond its attribute "warn-stack-size".
  const std::string &largeFrames() const { return largeFrames_; }

private:
  llvm::LLVMContext &context_;
  std::unique_ptr<llvm::DiagnosticHandler> previous_;
  std::string errors_, largeFrames_;
};

} // namespace tilec
