// Register prefetch: loads of a loop with `stages = N` are issued N-1 iterations before their use.
//
//   before                       after (N = 2)
//   for i in lo..hi:             x0 = load(a(lo))   where lo < hi
//     x = load(a(i))             for i in lo..hi, carrying x0:
//     use(x)                       x1 = load(a(i + step))   where i + step < hi
//                                  use(x0)
//                                  yield x1
//
//   What is not loaded in time is never used: the predicate of the load ahead is exactly that its
//   iteration runs, so trip counts 0..N+1 are right by construction and no address past the loop's
//   last iteration is touched. What its address takes is computed all the same (run_ahead.h).
//
// Changes: scf.for loops with tile.stages >= 2 carry loaded tiles; the attribute goes away.
// Must hold: layouts are assigned.
// Holds after: no loop has tile.stages; every load is still executed under its own predicate.
// Why here: after layouts, so that what is carried has its final form; before scratch placement.
#include "compiler/transforms/passes.h"

#include "compiler/ir/dialect.h"
#include "compiler/transforms/run_ahead.h"
#include "compiler/transforms/stage_loads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

namespace {

/// Most 32-bit registers a thread that loads ahead may hold, over all stages of one loop. Beyond,
/// spills cost more than the latency that is hidden.
constexpr unsigned kMaxRegistersAhead = 96;

/// 32-bit registers a thread holds of `type`.
unsigned registersOf(Type type) {
  unsigned words = (tile::elementBytes(getElementTypeOrSelf(type)) + 3) / 4;
  return tile::isTile(type) ? words * tile::layoutOf(type).registers() : words;
}

class LoopPrefetch {
public:
  LoopPrefetch(scf::ForOp loop, unsigned stages, bool remarks)
      : loop_(loop), ahead_(stages - 1), remarks_(remarks) {}

  void run() {
    collectLoads();
    if (loads_.empty())
      return;
    emitPrologue();
    rewriteLoop();
  }

private:
  /// Decides which loads run ahead, and says of every other why not.
  void collectLoads() {
    bool writes = false;
    loop_.walk([&](Operation *op) { writes |= isa<tile::StoreOp>(op); });
    unsigned budget = kMaxRegistersAhead;
    for (Operation &op : loop_.getBody()->without_terminator()) {
      auto load = dyn_cast<tile::LoadOp>(op);
      if (!load || load->hasAttr(kPipelinedAttr))
        continue;
      unsigned registers = registersOf(load.getType()) * ahead_;
      llvm::SetVector<Operation *> slice;
      const char *why = nullptr;
      if (!load.getReadOnly() && writes)
        why = "the loop stores, and the pointer is not `ptr<const T>`";
      else if (load.getCache() == tile::CacheModifier::cv)
        why = "cache = cv must read when it is written";
      else if (registers > budget)
        why = "it would take too many registers";
      else if (!addressSlice(load, slice))
        why = "its address depends on this iteration's data";
      if (why) {
        remark(load, std::string("not staged: ") + why);
        continue;
      }
      budget -= registers;
      remark(load, "staged in registers, " + std::to_string(ahead_) + " iteration(s) ahead");
      loads_.push_back(load);
      slice_.insert(slice.begin(), slice.end());
    }
  }

  void remark(tile::LoadOp load, const std::string &text) {
    if (remarks_)
      load.emitRemark("[pipeline] load: " + text);
  }

  /// What must be computed again for another iteration: pure operations of the body between the
  /// induction variable and the load's operands. False when a loop-carried value or a load is
  /// among them.
  bool addressSlice(tile::LoadOp load, llvm::SetVector<Operation *> &slice) {
    SmallVector<Value> worklist(load->getOperands());
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (value == loop_.getInductionVar() || loop_.isDefinedOutsideOfLoop(value))
        continue;
      Operation *op = value.getDefiningOp();
      if (!op || op->getBlock() != loop_.getBody() || op->getNumRegions() != 0 || !mayRunAhead(op))
        return false;
      if (seen.insert(op).second)
        worklist.append(op->operand_begin(), op->operand_end());
    }
    for (Operation &op : loop_.getBody()->without_terminator())
      if (seen.contains(&op))
        slice.insert(&op);
    return true;
  }

  /// lo + distance * step and whether that iteration runs. The sum may wrap only where a smaller
  /// distance was already out of range, so the running predicate is and-ed along.
  std::pair<Value, Value> iteration(OpBuilder &builder, Value from, Value alive) {
    Location loc = loop_.getLoc();
    Value left = arith::SubIOp::create(builder, loc, loop_.getUpperBound(), from);
    Value next = arith::AddIOp::create(builder, loc, from, loop_.getStep());
    // hi - i > step, as unsigned numbers since lo < hi: exact where i + step would wrap.
    Value runs =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, left, loop_.getStep());
    return {next, arith::AndIOp::create(builder, loc, alive, runs)};
  }

  /// Clones address arithmetic and loads for iteration `index`, executed where `alive`.
  SmallVector<Value> loadsFor(OpBuilder &builder, Value index, Value alive) {
    IRMapping mapping;
    mapping.map(loop_.getInductionVar(), index);
    SmallVector<Value> results;
    for (Operation &op : llvm::make_early_inc_range(loop_.getBody()->without_terminator())) {
      if (slice_.contains(&op))
        guardDivisions(builder, builder.clone(op, mapping), alive);
      if (auto load = dyn_cast<tile::LoadOp>(op); load && llvm::is_contained(loads_, load))
        results.push_back(loadAhead(builder, load, mapping, alive));
    }
    return results;
  }

  void emitPrologue() {
    OpBuilder builder(loop_);
    Value index = loop_.getLowerBound();
    Value alive = arith::CmpIOp::create(builder, loop_.getLoc(), arith::CmpIPredicate::slt, index,
                                        loop_.getUpperBound());
    for (unsigned distance = 0; distance < ahead_; ++distance) {
      if (distance > 0)
        std::tie(index, alive) = iteration(builder, index, alive);
      llvm::append_range(carried_, loadsFor(builder, index, alive));
    }
  }

  /// Carried values: all loads of the nearest iteration first, the farthest last.
  void rewriteLoop() {
    IRRewriter rewriter(loop_.getContext());
    rewriter.setInsertionPoint(loop_);
    unsigned first = loop_.getNumRegionIterArgs();
    auto replacement = cast<scf::ForOp>(*loop_.replaceWithAdditionalYields(
        rewriter, carried_, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> arguments) {
          // The operations still stand in the old loop; they move to the new one afterwards.
          SmallVector<Value> yielded(arguments.drop_front(loads_.size()));
          builder.setInsertionPointToStart(loop_.getBody());
          Value index = loop_.getInductionVar();
          Value alive =
              arith::ConstantOp::create(builder, loop_.getLoc(), builder.getBoolAttr(true));
          for (unsigned distance = 0; distance < ahead_; ++distance)
            std::tie(index, alive) = iteration(builder, index, alive);
          llvm::append_range(yielded, loadsFor(builder, index, alive));
          return yielded;
        }));
    for (auto [number, load] : llvm::enumerate(loads_)) {
      load.replaceAllUsesWith(Value(replacement.getRegionIterArg(first + number)));
      load.erase();
    }
  }

  scf::ForOp loop_;
  unsigned ahead_;
  bool remarks_;
  SmallVector<tile::LoadOp> loads_;
  llvm::SetVector<Operation *> slice_;
  SmallVector<Value> carried_;
};

struct PrefetchPass : PassWrapper<PrefetchPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrefetchPass)
  explicit PrefetchPass(const PipelineOptions &options)
      : remarks_(options.remarks.count("pipeline") != 0) {}
  StringRef getArgument() const override { return "tile-prefetch"; }
  StringRef getDescription() const override { return "Loads of staged loops run ahead"; }

  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, unsigned>> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (auto stages = loop->getAttrOfType<IntegerAttr>(tile::kStagesAttr)) {
        loop->removeAttr(tile::kStagesAttr);
        if (stages.getInt() >= 2)
          loops.emplace_back(loop, static_cast<unsigned>(stages.getInt()));
      }
    });
    for (auto [loop, stages] : loops) // inner loops first
      LoopPrefetch(loop, stages, remarks_).run();
  }

  bool remarks_;
};

} // namespace

std::unique_ptr<Pass> tilec::createPrefetchPass(const PipelineOptions &options) {
  return std::make_unique<PrefetchPass>(options);
}
