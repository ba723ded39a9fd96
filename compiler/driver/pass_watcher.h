// Looks on while MLIR's passes run: times them, shows or keeps the IR after them, and knows which
// one is running when an error appears. Changes nothing.
#pragma once

#include "compiler/driver/timings.h"

#include "mlir/Pass/PassInstrumentation.h"

#include <chrono>
#include <map>
#include <string>

namespace tilec {

/// What to look for. Shared by all pass managers of a run.
struct WatchRequest {
  std::string dumpAfter;    ///< a pass, "all" (then only where it changed something), or ""
  std::string dumpFolder;   ///< files NUMBER-VARIANT-PASS.mlir there; "": standard error
  std::string captureAfter; ///< keep the module as text after this pass, or ""
};

/// What was seen of one variant.
struct WatchState {
  std::string variant;     ///< set by the pipeline before each run
  std::string currentPass; ///< argument of the pass that runs or ran last
  std::string captured;    ///< the module after `captureAfter`, when it ran
  unsigned dumps = 0;      ///< number of the next file
};

class PassWatcher : public mlir::PassInstrumentation {
public:
  PassWatcher(WatchRequest request, WatchState &state, Timings &timings)
      : request_(std::move(request)), state_(state), timings_(timings) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *operation) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *operation) override;
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *operation) override;

private:
  void finish(mlir::Pass *pass, mlir::Operation *operation);
  void dump(const std::string &name, const std::string &text);

  WatchRequest request_;
  WatchState &state_;
  Timings &timings_;
  std::chrono::steady_clock::time_point start_;
  std::string before_; ///< the IR before the running pass, when dumping changes
};

} // namespace tilec
