// What lives through one compilation: sources, diagnostics, times, MLIR's context.
#pragma once

#include "compiler/driver/mlir_diagnostics.h"
#include "compiler/driver/options.h"
#include "compiler/driver/timings.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace tilec {

class Session {
public:
  explicit Session(const Options &options);

  /// Reads the input; a CommandError when it cannot be read.
  llvm::Error open();
  /// Success, or an InputError when errors were reported.
  llvm::Error check() const;
  /// Does `work` as a stage of this name: timed, and named in errors.
  template <typename Work> auto stage(const char *name, Work work) {
    watch.currentPass = name;
    watch.variant.clear();
    return timed(timings, name, work);
  }
  /// A line for the user that belongs to no place in the source; nothing with --diagnostics=json.
  void note(const std::string &text) const;
  /// Shows what came to light, ends the run's books, and says how the process ends.
  ExitStatus finish(llvm::Error error);

  const Options &options;
  SourceManager sources;
  DiagnosticEngine diagnostics;
  Timings timings;
  StageTimer wall{timings, "whole run"};
  uint32_t mainFile = 0;
  WatchState watch;
  mlir::MLIRContext context;
  std::unique_ptr<MlirDiagnostics> mlirDiagnostics;

private:
  bool useColor() const;
};

} // namespace tilec
