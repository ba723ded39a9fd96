// The passes on tile IR, in the order the pipeline runs them. Each has a file of its own whose head
// says what changes, what must hold, and what holds after.
#pragma once

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <set>
#include <string>

namespace tilec {

/// What the tile passes need to know of the target and of the command line.
struct PipelineOptions {
  unsigned maxVectorBytes = 16;       ///< widest global access of the architecture
  std::set<std::string> remarks;      ///< "layout", "coalesce", "pipeline"
  std::set<std::string> disabled;     ///< passes left out (optional ones only), by name
  bool stageAllLoads = false;         ///< staging takes every tile a loop loads, for tests
  bool float8 = false;                ///< the architecture multiplies fp8 in its matrix units
  int64_t maxSharedBytes = 99 * 1024; ///< shared memory of a program
  bool tensorCopies = false;          ///< the architecture has a tensor-copy engine
};

/// Warns of accesses that lack a mask (warn_unmasked.cpp).
std::unique_ptr<mlir::Pass> createWarnUnmaskedPass();
/// Computes uniform values once, as scalars (uniform.cpp).
std::unique_ptr<mlir::Pass> createUniformPass();
/// Replaces values that facts prove constant (fold_facts.cpp).
std::unique_ptr<mlir::Pass> createFoldFactsPass();
/// Turns windows of views into pointers and masks, but those that the tensor-copy engine can load
/// where they are to be kept (expand_windows.cpp).
std::unique_ptr<mlir::Pass> createExpandWindowsPass(bool keepTensorCopies);
/// Loads of loops that feed dots run ahead through shared memory (stage_loads.cpp).
std::unique_ptr<mlir::Pass> createStageLoadsPass(const PipelineOptions &options);
/// Operands of dots are read one step ahead (prefetch_operands.cpp).
std::unique_ptr<mlir::Pass> createPrefetchOperandsPass();
/// Gives every tile a layout (assign_layouts.cpp).
std::unique_ptr<mlir::Pass> createAssignLayoutsPass(const PipelineOptions &options);
/// Keeps operands of dots in shared memory where registers are short (share_operands.cpp).
std::unique_ptr<mlir::Pass> createShareOperandsPass(const PipelineOptions &options);
/// Decides where the elements of a slot lie (buffer_layouts.cpp).
std::unique_ptr<mlir::Pass> createBufferLayoutsPass();
/// Loads of loops with `stages` run ahead, in registers (prefetch.cpp).
std::unique_ptr<mlir::Pass> createPrefetchPass(const PipelineOptions &options);
/// Gives buffers, reductions and conversions their shared memory (place_shared.cpp).
std::unique_ptr<mlir::Pass> createPlaceSharedPass();
/// Puts barriers between conflicting uses of shared memory (insert_barriers.cpp).
std::unique_ptr<mlir::Pass> createInsertBarriersPass();

/// Names of the passes that --disable-pass may leave out; semantics never depend on them.
const std::set<std::string> &optionalPasses();

/// The tile passes in order: what stands between sema and lowering.
void buildTilePipeline(mlir::OpPassManager &manager, const PipelineOptions &options);

/// Registers every pass and the pipeline `tile-pipeline` with tilec-opt.
void registerTilePasses();

} // namespace tilec
