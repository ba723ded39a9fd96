// The errors that end a run, by what the process's exit status says of them. A ToolError
// (target/codegen.h) is the third kind.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace tilec {

/// The diagnostics hold errors; there is nothing to add.
class InputError : public llvm::ErrorInfo<InputError> {
public:
  static char ID;
  void log(llvm::raw_ostream &out) const override { out << "errors in the input"; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
};

/// The command line asks for what cannot be, or names files that cannot be read or written.
class CommandError : public llvm::ErrorInfo<CommandError> {
public:
  static char ID;
  explicit CommandError(std::string text) : text_(std::move(text)) {}
  void log(llvm::raw_ostream &out) const override { out << text_; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string text_;
};

} // namespace tilec
