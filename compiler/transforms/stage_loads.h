// Which loads of a loop are staged in shared memory, how, and how far ahead: the
// decisions of tile-stage-loads, made before anything changes. The pass (stage_loads.cpp) has the
// essay; the analysis is stage_decisions.cpp.
#pragma once

#include "compiler/analysis/facts.h"
#include "compiler/ir/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

/// Unit attribute on loads about which tile-stage-loads has decided: later passes leave them where
/// they are.
inline constexpr llvm::StringLiteral kPipelinedAttr = "tile.pipelined";

/// How a tile gets into its slot.
enum class StagingMechanism {
  TensorCopy,       ///< tensor_copy: a whole window by one thread, waited for by an mbarrier
  AsynchronousCopy, ///< copy_async: memory to memory, waited for by group
  Registers,        ///< loaded early in an iteration, local_store at its end
};

/// The load runs only where `condition` is `!negated`.
struct StagingGuard {
  mlir::Value condition;
  bool negated = false;
};

/// One load and its ring.
struct StagedLoad {
  mlir::Operation *load = nullptr; ///< a tile.load; TensorCopy: a tile.window_load
  StagingMechanism mechanism = StagingMechanism::AsynchronousCopy;
  unsigned distance = 1; ///< iterations between issue and use
  unsigned slots = 2;    ///< of the ring: iterations that hold data at once
  llvm::SmallVector<StagingGuard> guards;
  llvm::SmallVector<int64_t> mapOrder; ///< TensorCopy: axes of the view as the map has them
  llvm::SmallVector<bool> startFits;   ///< TensorCopy: of each axis, the start fits i32

  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(load->getResult(0).getType());
  }
};

/// What has to be computed for another iteration before that iteration runs.
struct FutureSlice {
  llvm::SetVector<mlir::Operation *> operations; ///< in program order
  llvm::SetVector<unsigned> carried;             ///< iter_args it starts from
  bool operator==(const FutureSlice &) const = default;
};

/// Adds what `values` need to `slice`; the reason when that cannot be computed ahead. Loads are
/// part of a slice only when they may be `readAhead`.
std::optional<std::string> extendSlice(FutureSlice &slice, mlir::scf::ForOp loop,
                                       llvm::ArrayRef<mlir::Value> values,
                                       llvm::function_ref<bool(tile::LoadOp)> readAhead);

struct LoopStaging {
  mlir::scf::ForOp loop;
  llvm::SmallVector<StagedLoad> loads;
  /// Loads of the loop that are safe to read in an earlier iteration.
  llvm::SmallPtrSet<mlir::Operation *, 8> readAhead;
};

struct StagingOptions {
  bool remarks = false;
  /// Stages every tile that the loop loads, not only those that feed dots.
  bool allLoads = false;
  int64_t maxSharedBytes = 0; ///< of a program
};

/// The stages of a loop that says none, for what feeds its dots. Fewer, down to 1, where their
/// rings would take more than half of the shared memory: the rest is for the kernel's other needs,
/// or for a second program beside it.
inline constexpr unsigned kDefaultStages = 3;

/// Decides for every loop, inner loops first. Loads that are decided upon get kPipelinedAttr and,
/// when asked for, a remark.
std::vector<LoopStaging> decideStaging(mlir::func::FuncOp function, const StagingOptions &options);

} // namespace tilec
