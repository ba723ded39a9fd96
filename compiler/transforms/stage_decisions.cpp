#include "compiler/transforms/stage_loads.h"

#include "compiler/analysis/stageable.h"
#include "compiler/analysis/tensor_window.h"
#include "compiler/layout/buffer_layout.h"
#include "compiler/transforms/run_ahead.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilec;

/// Registers of 32 bits that a thread may give to loads under way from one end of an iteration to
/// the other. The dots of the iteration need the rest.
static constexpr int64_t kMaxHeldRegisters = 48;

/// Does `op` itself write memory that a load may read? Shared memory and promises are not that.
static bool writesGlobal(Operation &op) {
  if (op.hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false; // what is inside is looked at
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::any_of(all, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           effect.getResource() == SideEffects::DefaultResource::get();
  });
}

std::optional<std::string> tilec::extendSlice(FutureSlice &slice, scf::ForOp loop,
                                              ArrayRef<Value> values,
                                              function_ref<bool(tile::LoadOp)> readAhead) {
  llvm::SmallPtrSet<Operation *, 16> needed(slice.operations.begin(), slice.operations.end());
  SmallVector<Value> worklist(values);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!value || value == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(value))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != loop.getBody())
        return "its address depends on an inner loop";
      if (slice.carried.insert(argument.getArgNumber() - 1))
        worklist.push_back(loop.getTiedLoopYieldedValue(argument)->get());
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      if (!readAhead(load))
        return "its address depends on this iteration's data";
    } else if (!mayRunAhead(op) || isa<tile::ReduceOp, tile::DotOp>(op)) {
      return "its address depends on this iteration's data";
    }
    if (!needed.insert(op).second)
      continue;
    llvm::append_range(worklist, op->getOperands());
    llvm::SetVector<Value> captured;
    for (Region &region : op->getRegions())
      getUsedValuesDefinedAbove(region, captured);
    llvm::append_range(worklist, captured);
  }
  slice.operations.clear();
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (needed.contains(op))
      slice.operations.insert(op);
  });
  return std::nullopt;
}

namespace {

/// What becomes of one load.
struct Verdict {
  std::optional<StagedLoad> staged;
  std::string text;
  FutureSlice slice;          ///< of a staged load
  std::string notCopied = {}; ///< why no asynchronous copy does it
};

/// Facts of the function, found when they are first asked for: few kernels stage anything.
class LazyFacts {
public:
  explicit LazyFacts(func::FuncOp function) : function_(function) {}
  const FactAnalysis &get() {
    if (!facts_)
      facts_.emplace(function_);
    return *facts_;
  }

private:
  func::FuncOp function_;
  std::optional<FactAnalysis> facts_;
};

class LoopDecision {
public:
  LoopDecision(scf::ForOp loop, LazyFacts &facts, const StagingOptions &options)
      : loop_(loop), facts_(facts), options_(options) {
    loop.getBody()->walk([&](Operation *op) { writes_ |= writesGlobal(*op); });
    // Loads of inner loops belong to those.
    loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<LoopLikeOpInterface>(op))
        return WalkResult::skip();
      if (isa<tile::LoadOp, tile::WindowLoadOp>(op))
        loads_.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *load : loads_)
      if (feedsDot(load->getResult(0)))
        operands_.insert(load);
    if (auto stages = loop->getAttrOfType<IntegerAttr>(tile::kStagesAttr))
      stages_ = static_cast<unsigned>(stages.getInt());
    else
      chooseStages();
  }

  LoopStaging run() {
    LoopStaging result;
    result.loop = loop_;
    for (Operation *load : loads_)
      if (mayReadAhead(load) && load->getBlock() == loop_.getBody())
        result.readAhead.insert(load);
    for (Operation *load : loads_) {
      bool isOperand = operands_.contains(load);
      if (!isOperand && !(options_.allLoads && !isDefault_ && tile::isTile(typeOf(load))))
        continue; // index loads move with the slices; others are left to register prefetch
      Verdict verdict = decide(load, result.readAhead);
      if (verdict.staged && verdict.staged->mechanism == StagingMechanism::Registers)
        holdRegisters(load, verdict);
      if (options_.remarks)
        remark(load, verdict.text);
      load->setAttr(kPipelinedAttr, UnitAttr::get(load->getContext()));
      if (!verdict.staged)
        continue;
      for (Operation *op : verdict.slice.operations)
        if (auto index = dyn_cast<tile::LoadOp>(op); index && options_.remarks)
          index.emitRemark("[pipeline] load: read " + std::to_string(verdict.staged->distance) +
                           " iteration(s) ahead, for the address of a staged load");
      result.loads.push_back(*std::move(verdict.staged));
      result.readAhead.erase(load); // its value is on its way already
    }
    return result;
  }

private:
  static void remark(Operation *load, std::string text) {
    if (auto why = load->getAttrOfType<StringAttr>(kNotByTensorCopyAttr))
      text += "; not by the tensor-copy engine: " + why.getValue().str();
    load->emitRemark("[pipeline] load: " + text);
  }

  /// The loop says no stages: as many as their rings have room for.
  void chooseStages() {
    isDefault_ = true;
    int64_t bytes = 0;
    for (Operation *load : loads_)
      if (auto type = dyn_cast<RankedTensorType>(typeOf(load)); type && operands_.contains(load))
        bytes += type.getNumElements() * tile::elementBytes(type.getElementType());
    while (stages_ > 1 && bytes * stages_ > options_.maxSharedBytes / 2)
      --stages_;
  }

  static Type typeOf(Operation *load) { return load->getResult(0).getType(); }

  bool mayReadAhead(Operation *op) const {
    if (auto window = dyn_cast<tile::WindowLoadOp>(op))
      return mayReadAhead(window.getReadOnly(), window.getCache());
    auto load = cast<tile::LoadOp>(op);
    return mayReadAhead(load.getReadOnly(), load.getCache());
  }
  bool mayReadAhead(bool readOnly, tile::CacheModifier cache) const {
    return (readOnly || !writes_) && cache != tile::CacheModifier::cv;
  }
  static bool isVolatile(Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    return load && load.getCache() == tile::CacheModifier::cv;
  }

  Verdict decide(Operation *load, const llvm::SmallPtrSetImpl<Operation *> &readAhead) const {
    auto refused = [](const std::string &why) {
      return Verdict{std::nullopt, "not staged: " + why, {}};
    };
    if (stages_ < 2)
      return refused(isDefault_ ? "two slots of the loop's operands take more than half of the "
                                  "shared memory; `stages = 2` asks for them all the same"
                                : "stages = 1 runs nothing ahead");
    if (!tile::isTile(typeOf(load)))
      return refused("it loads a scalar");
    if (isVolatile(load))
      return refused("cache = cv must read when it is written");
    if (!mayReadAhead(load))
      return refused("the loop stores, and the pointer is not `ptr<const T>`");

    StagedLoad staged;
    staged.load = load;
    for (Operation *op = load; op->getParentOp() != loop_; op = op->getParentOp()) {
      auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
      if (!branch)
        return refused("it is inside an operation that is not a branch");
      staged.guards.push_back(
          {branch.getCondition(), op->getParentRegion() == &branch.getElseRegion()});
    }
    auto plain = dyn_cast<tile::LoadOp>(load);
    std::string notCopied = plain ? whyNotCopied(plain) : "";
    if (!plain) {
      if (auto why = planTensorCopy(cast<tile::WindowLoadOp>(load), staged))
        return refused(*why);
      staged.distance = stages_ - 1;
    } else if (notCopied.empty()) {
      staged.mechanism = StagingMechanism::AsynchronousCopy;
      staged.distance = stages_ - 1;
    } else {
      // One iteration hides as much latency as many: the store waits for the load at its end.
      staged.mechanism = StagingMechanism::Registers;
      staged.distance = 1;
    }
    // The refill of a slot is issued after the barrier that follows its last read.
    staged.slots = staged.distance + 1;

    FutureSlice slice;
    SmallVector<Value> needed(load->getOperands());
    for (const StagingGuard &guard : staged.guards)
      needed.push_back(guard.condition);
    if (auto why = extendSlice(slice, loop_, needed,
                               [&](tile::LoadOp other) { return readAhead.contains(other); }))
      return refused(*why);
    return {staged, describe(staged, notCopied), slice, notCopied};
  }

  /// Windows that are still windows were kept because the engine can copy them; why it cannot,
  /// otherwise.
  std::optional<std::string> planTensorCopy(tile::WindowLoadOp window, StagedLoad &staged) const {
    staged.mechanism = StagingMechanism::TensorCopy;
    std::string why;
    std::optional<SmallVector<int64_t>> order = tensorMapOrder(window, facts_.get(), why);
    if (!order)
      return why;
    staged.mapOrder = *order;
    for (Value start : window.getStarts()) {
      const IntegerRange &range = facts_.get().of(start).range;
      staged.startFits.push_back(range.min >= INT32_MIN && range.max <= INT32_MAX);
    }
    return std::nullopt;
  }

  /// Counts what a load through registers holds during an iteration; refuses it where that is too
  /// much: it would be spilled, which costs more than waiting for the load.
  void holdRegisters(Operation *load, Verdict &verdict) {
    auto warps =
        loop_->getParentOfType<func::FuncOp>()->getAttrOfType<IntegerAttr>(tile::kWarpsAttr);
    if (!warps)
      return;
    auto type = cast<RankedTensorType>(typeOf(load));
    int64_t words = tile::elementBytes(type.getElementType()) > 4 ? 2 : 1;
    int64_t registers =
        llvm::divideCeil(type.getNumElements(), warps.getInt() << kLaneBits) * words;
    if (heldRegisters_ + registers <= kMaxHeldRegisters) {
      heldRegisters_ += registers;
      return;
    }
    verdict = {std::nullopt,
               "not staged: through registers, " + std::to_string(heldRegisters_ + registers) +
                   " of a thread would be taken during the whole iteration; " + verdict.notCopied,
               {}};
  }

  /// Why an asynchronous copy cannot do it; empty when it can.
  std::string whyNotCopied(tile::LoadOp load) const {
    if (load.getOther() && !isZeroFill(load.getOther()))
      return "masked elements are not 0";
    auto type = cast<RankedTensorType>(load.getType());
    unsigned bytes = tile::elementBytes(type.getElementType());
    std::string limit;
    for (unsigned dim = type.getRank(); dim-- > 0;) {
      std::string reason;
      if (vectorWidth(facts_.get(), load.getPtr(), load.getMask(), dim, kMaxCopyBytes, &reason) *
              bytes >=
          kMinCopyBytes)
        return "";
      if (limit.empty())
        limit = reason;
    }
    return limit.empty() ? "a lane could not copy 4 bytes at once" : limit;
  }

  static std::string describe(const StagedLoad &staged, const std::string &notCopied) {
    RankedTensorType type = staged.type();
    int64_t bytes = type.getNumElements() * tile::elementBytes(type.getElementType());
    std::string text = "staged in shared memory ";
    switch (staged.mechanism) {
    case StagingMechanism::TensorCopy:
      text += "by the tensor-copy engine, ";
      break;
    case StagingMechanism::AsynchronousCopy:
      text += "by asynchronous copies, ";
      break;
    case StagingMechanism::Registers:
      text += "through registers, ";
      break;
    }
    text += std::to_string(staged.distance) + " iteration(s) ahead, " +
            std::to_string(staged.slots) + " slots of " + std::to_string(bytes) + " bytes";
    if (!notCopied.empty())
      text += "; not copied: " + notCopied;
    return text;
  }

  scf::ForOp loop_;
  unsigned stages_ = kDefaultStages;
  bool isDefault_ = false; ///< the loop says no stages
  LazyFacts &facts_;
  const StagingOptions &options_;
  bool writes_ = false;
  int64_t heldRegisters_ = 0;                  ///< of a thread, by loads through registers
  SmallVector<Operation *> loads_;             ///< tile.load and tile.window_load
  llvm::SmallPtrSet<Operation *, 8> operands_; ///< of loads_, those that feed a dot
};

} // namespace

std::vector<LoopStaging> tilec::decideStaging(func::FuncOp function,
                                              const StagingOptions &options) {
  std::vector<LoopStaging> result;
  LazyFacts facts(function);
  function.walk([&](scf::ForOp loop) { // inner loops first
    LoopStaging staging = LoopDecision(loop, facts, options).run();
    if (!staging.loads.empty())
      result.push_back(std::move(staging));
  });
  return result;
}
