// MLIR's diagnostics as ours: back at the line of the .tile file.
//
// An error from MLIR is an internal one (sema reports the user's): it names the pass. A warning or
// remark starts with its name in brackets: "[coalesce] load: ...".
#pragma once

#include "compiler/driver/pass_watcher.h"
#include "compiler/syntax/diagnostics.h"

#include "mlir/IR/Diagnostics.h"

#include <set>
#include <string>
#include <vector>

namespace tilec {

/// The place of `location` in the sources: of the innermost call; the start of `mainFile` when it
/// has none.
SourceRange rangeOf(mlir::Location location, const SourceManager &sources, uint32_t mainFile);

/// Collects what MLIR reports while it lives.
class MlirDiagnostics {
public:
  MlirDiagnostics(mlir::MLIRContext &context, DiagnosticEngine &diagnostics, uint32_t mainFile,
                  const WatchState &state);

  /// Remarks as lines of text, each once: "file:line:col: remark: [layout] ... (variant)".
  const std::vector<std::string> &remarks() const { return remarks_; }
  /// Adds an internal error at `location` unless one was reported since the last call.
  void ensureError(mlir::Location location, const std::string &message);
  /// Adds a note to the error that was reported last.
  void addNote(const std::string &text);

private:
  void handle(mlir::Diagnostic &diagnostic);
  void addCallNotes(Diagnostic &to, mlir::Location location);

  DiagnosticEngine &diagnostics_;
  uint32_t mainFile_;
  const WatchState &state_;
  std::vector<std::string> remarks_;
  std::set<std::string> seen_;
  bool reported_ = false;
  mlir::ScopedDiagnosticHandler handler_;
};

} // namespace tilec
