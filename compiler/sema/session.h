// What holds for the whole of one analysis: inputs, outputs, and the program's global names.
#pragma once

#include "compiler/sema/program.h"
#include "compiler/sema/value.h"

#include <map>
#include <memory>

namespace tilec::sema {

/// A constant, function or kernel of some file.
struct Global {
  const ast::Constant *constant = nullptr;
  const ast::Function *function = nullptr;
  const ast::Kernel *kernel = nullptr;
  SourceRange name;
  enum class State { Unevaluated, Evaluating, Known } state = State::Unevaluated;
  Value value; ///< a constant's, once Known
};

struct Session {
  const SemaOptions &options;
  mlir::MLIRContext &context;
  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  Program program;
  std::map<std::string, Global> globals;
  /// The library written in the language itself; parsed when one of its names is first used.
  std::unique_ptr<ast::File> prelude;

  /// Adds the items of `file`; a name that exists already is an error.
  void declareItems(const ast::File &file);
  /// The prelude function of that name, or null.
  const ast::Function *preludeFunction(const std::string &name);
  /// `range` as an MLIR location.
  mlir::Location location(SourceRange range);
};

/// The prelude's source text and the names it defines.
llvm::StringRef preludeText();
bool isPreludeName(llvm::StringRef name);
void collectPreludeNames(std::vector<std::string> &names);

} // namespace tilec::sema
