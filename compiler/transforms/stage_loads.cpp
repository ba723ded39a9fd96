// Software pipelining: loads of loops that feed dots go through rings of shared memory, `stages` -
// 1 iterations ahead of their use.
//
//   The problem. A load takes hundreds of cycles; a dot can begin only when both operands are
//   there. Copies that run beside the program hide the one behind the other, if they start some
//   iterations early, and if nobody reads a slot before it is full, or fills it before it has been
//   read.
//
//   The shape of the result, for N = 3 (D = N - 1 iterations ahead, N slots):
//
//     for d in 0..D-1:  copy iteration d -> slot d   where it runs; commit    (prologue)
//     for i in lo..hi, carrying slot = 0:
//        wait_group D-1            this thread's copies for iteration i have landed
//        [barrier]                 so have the others'; and all have read slot i-1
//        copy iteration i+D -> slot (i+D) mod N = (i-1) mod N, where it runs; commit
//        x = local_load slot
//        ...                       the iteration's own work
//        yield slot + 1 mod N
//     wait_group 0
//
//      iteration     0     1     2     3     4
//      slot 0       read  fill . . . . read  fill      a slot is filled right after the barrier
//      that slot 1       . . . read  fill . . . . read      follows its last read, and lands during
//      the slot 2       fill. . . . read  fill . . . .     next D-1 iterations
//
//   One barrier an iteration suffices, because waiting comes first and filling after it; barrier
//   insertion (insert_barriers.cpp) finds that by itself. Every iteration commits one group, empty
//   ones included, so `wait_group D-1` counts exactly: when iteration i waits, D + i groups have
//   been committed and i + 1 must have landed.
//
//   The last iterations copy nothing: a copy is `active` only when its iteration runs, and fills
//   its slot with whatever the target likes when not. So trip counts from 0 on are right by
//   construction and no address past the last iteration is touched; `wait_group 0` behind the loop
//   ends those fills before the memory has another use.
//
//   Addresses of iteration i+D: what depends on the induction variable is computed again for the
//   later iteration; what a loop carries (a pointer stepped in the body) is carried a second time,
//   D iterations ahead. Loads among that (an index read from memory) are executed early too, under
//   the same predicate, and divisions divide by 1 where the iteration does not run (run_ahead.h).
//
//   Where an asynchronous copy cannot do it (fewer than 4 bytes a lane, a fill that is not zero),
//   registers do: loaded at the start of iteration i for i + 1, stored to slot (i+1) mod 2 at its
//   end.
//
//   Where the architecture has a tensor-copy engine and the tile is a window that it can copy, one
//   thread starts the copy of the whole window, and an mbarrier a slot says when it has landed:
//
//        wait_group D-1                   =>   wait_mbarrier slot, phase
//        copy iteration i+D; commit       =>   tensor_copy iteration i+D, slot's barrier
//
//   All threads wait, so no barrier is needed between landing and reading; the one that lets a slot
//   be filled again stays. The phase is how often the ring has gone round, and its lowest bit is
//   carried. A copy that is not active arrives at its barrier all the same, without bytes: phases
//   never stay open, and a wait for an iteration that does not run returns at once.
//
// How a tile gets into its slot is StagedLoad::mechanism; emitCopies and emitIteration's wait
// depend on it, nothing else.
//
// Changes: such loads become local_load; copies, waits and carried values are added, and a
// parameter for each tensor map. tile.stages goes away where no load is left for register prefetch.
// Must hold: no layouts yet; of windows only those are left that the engine may copy; facts may be
// asked. Masks are as simple as they get.
// Holds after: every slot read in an iteration was filled for it, given barriers; all copies have
// been waited for behind their loop.
// Why here: before layouts, so that an operand is read from shared memory in whatever layout its
// dot wants.
#include "compiler/transforms/stage_loads.h"

#include "compiler/analysis/ring.h"
#include "compiler/analysis/tensor_window.h"
#include "compiler/ir/carry.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/run_ahead.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

/// Starts that stand for all beyond them: outside every view that has a tensor map, and multiples
/// of whatever a start along the dense axis has to be.
static constexpr int64_t kLowestStart = INT32_MIN, kHighestStart = INT32_MAX & ~int64_t(0xff);

namespace {

/// Which iterations run, computed once in front of a loop.
class LoopBounds {
public:
  LoopBounds(OpBuilder &builder, scf::ForOp loop)
      : loc_(loop.getLoc()), low_(loop.getLowerBound()), high_(loop.getUpperBound()),
        step_(loop.getStep()) {
    Type type = low_.getType();
    nonEmpty_ = arith::CmpIOp::create(builder, loc_, arith::CmpIPredicate::slt, low_, high_);
    // The last iteration's number; as an unsigned number exact whenever there is one.
    last_ = arith::SubIOp::create(builder, loc_, high_, low_);
    last_ = arith::SubIOp::create(builder, loc_, last_, constant(builder, type, 1));
    if (!matchPattern(step_, m_One()))
      last_ = arith::DivUIOp::create(builder, loc_, last_, step_);
  }

  /// i1: iteration number `distance` runs.
  Value runs(OpBuilder &builder, int64_t distance) {
    if (distance == 0)
      return nonEmpty_;
    Value reached = arith::CmpIOp::create(builder, loc_, arith::CmpIPredicate::uge, last_,
                                          constant(builder, last_.getType(), distance));
    return arith::AndIOp::create(builder, loc_, nonEmpty_, reached);
  }

  /// The iteration at i has one `distance` later exactly when i is below this.
  Value limit(OpBuilder &builder, int64_t distance) {
    Value limit = arith::SubIOp::create(builder, loc_, high_, ahead(builder, distance));
    return arith::SelectOp::create(builder, loc_, runs(builder, distance), limit, low_);
  }

  /// The induction variable `distance` iterations after `from`.
  Value after(OpBuilder &builder, Value from, int64_t distance) {
    if (distance == 0)
      return from;
    return arith::AddIOp::create(builder, loc_, from, ahead(builder, distance));
  }

private:
  Value constant(OpBuilder &builder, Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc_, builder.getIntegerAttr(type, value));
  }
  Value ahead(OpBuilder &builder, int64_t distance) {
    return arith::MulIOp::create(builder, loc_, step_,
                                 constant(builder, step_.getType(), distance));
  }

  Location loc_;
  Value low_, high_, step_, nonEmpty_, last_;
};

/// The staged loads of one mechanism: they share a distance, and what is computed ahead for them.
struct Group {
  StagingMechanism mechanism = StagingMechanism::AsynchronousCopy;
  unsigned distance = 0, slots = 0;
  SmallVector<StagedLoad> loads;
  SmallVector<Value> buffers; ///< of each load
  FutureSlice slice;
  SmallVector<Value> carried; ///< before the loop: at iteration `distance`
  Value limit;
  Value barriers;                          ///< TensorCopy: one a slot
  SmallVector<Value> maps;                 ///< TensorCopy: of each load
  SmallVector<tile::MapAttr> descriptions; ///< of maps
  unsigned counterArgument = 0, phaseArgument = 0, firstCarriedArgument = 0; ///< iter_args

  bool isTensorCopy() const { return mechanism == StagingMechanism::TensorCopy; }
};

class LoopExpansion {
public:
  explicit LoopExpansion(LoopStaging &staging) : loop_(staging.loop) {
    for (StagingMechanism mechanism :
         {StagingMechanism::TensorCopy, StagingMechanism::AsynchronousCopy,
          StagingMechanism::Registers}) {
      Group group;
      group.mechanism = mechanism;
      for (StagedLoad &staged : staging.loads) {
        if (staged.mechanism != mechanism)
          continue;
        SmallVector<Value> needed(staged.load->getOperands());
        for (const StagingGuard &guard : staged.guards)
          needed.push_back(guard.condition);
        auto refused = extendSlice(group.slice, loop_, needed, [&](tile::LoadOp load) {
          return staging.readAhead.contains(load);
        });
        assert(!refused && "decided otherwise");
        (void)refused;
        group.distance = staged.distance;
        group.slots = staged.slots;
        group.loads.push_back(staged);
      }
      if (!group.loads.empty())
        groups_.push_back(std::move(group));
    }
  }

  void run() {
    OpBuilder builder(loop_);
    LoopBounds bounds(builder, loop_);
    for (Group &group : groups_)
      for (StagedLoad &staged : group.loads)
        group.buffers.push_back(tile::AllocOp::create(builder, staged.load->getLoc(),
                                                      bufferType(staged), IntegerAttr()));
    for (Group &group : groups_)
      if (group.isTensorCopy())
        prepareTensorCopies(builder, group);
    for (Group &group : groups_)
      emitPrologue(builder, bounds, group);
    carryMore(builder);
    builder.setInsertionPointToStart(loop_.getBody());
    for (Group &group : groups_)
      emitIteration(builder, bounds, group);
    for (Group &group : groups_)
      replaceLoads(group);
    builder.setInsertionPointAfter(loop_);
    if (llvm::any_of(groups_, [](const Group &group) {
          return group.mechanism == StagingMechanism::AsynchronousCopy;
        }))
      tile::WaitGroupOp::create(builder, loop_.getLoc(), 0);
    for (Group &group : groups_)
      if (group.isTensorCopy())
        tile::InvalidateMbarriersOp::create(builder, loop_.getLoc(), group.barriers);
    for (BlockArgument argument : loop_.getRegionIterArgs())
      if (onlyStepsItself(argument))
        setYielded(argument.getArgNumber() - 1, argument);
  }

private:
  static tile::BufferType bufferType(const StagedLoad &staged) {
    RankedTensorType type = staged.type();
    return tile::BufferType::get(type.getContext(), staged.slots, type.getShape(),
                                 type.getElementType(), {});
  }

  /// Barriers for the ring, and a parameter for each view that is copied from.
  void prepareTensorCopies(OpBuilder &builder, Group &group) {
    Location loc = loop_.getLoc();
    auto type =
        tile::BufferType::get(builder.getContext(), group.slots, {1}, builder.getI64Type(), {});
    group.barriers = tile::AllocOp::create(builder, loc, type, IntegerAttr());
    tile::InitMbarriersOp::create(builder, loc, group.barriers, group.loads.size());
    auto function = loop_->getParentOfType<func::FuncOp>();
    for (StagedLoad &staged : group.loads) {
      auto window = cast<tile::WindowLoadOp>(staged.load);
      auto base = cast<BlockArgument>(window.getBase());
      SmallVector<int64_t> box;
      for (int64_t axis : staged.mapOrder)
        box.push_back(std::max<int64_t>(1, window.getLengths()[axis]));
      group.descriptions.push_back(tile::MapAttr::get(
          builder.getContext(),
          function.getArgAttrOfType<IntegerAttr>(base.getArgNumber(), tile::kViewAttr).getInt(),
          staged.mapOrder, box, 0));
      unsigned number = function.getNumArguments();
      (void)function.insertArgument(number, tile::TensorMapType::get(builder.getContext()), {},
                                    window.getLoc());
      group.maps.push_back(function.getArgument(number));
    }
  }

  /// Starts as the engine takes them: what is beyond i32 is outside the view on either side.
  SmallVector<Value> coordinates(OpBuilder &builder, const StagedLoad &staged, IRMapping &mapping) {
    auto window = cast<tile::WindowLoadOp>(staged.load);
    Location loc = window.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
    };
    SmallVector<Value> result;
    for (auto [start, fits] : llvm::zip(window.getStarts(), staged.startFits)) {
      Value value = mapping.lookupOrDefault(start);
      if (!fits) {
        value = arith::MaxSIOp::create(builder, loc, value, constant(kLowestStart));
        value = arith::MinSIOp::create(builder, loc, value, constant(kHighestStart));
      }
      result.push_back(arith::TruncIOp::create(builder, loc, builder.getI32Type(), value));
    }
    return result;
  }

  Value constantSlot(OpBuilder &builder, int64_t slot) {
    return arith::ConstantOp::create(builder, loop_.getLoc(), builder.getI32IntegerAttr(slot));
  }

  /// Iterations 0 .. distance-1, each where it runs.
  void emitPrologue(OpBuilder &builder, LoopBounds &bounds, Group &group) {
    for (unsigned argument : group.slice.carried)
      group.carried.push_back(loop_.getInitArgs()[argument]);
    for (unsigned d = 0; d < group.distance; ++d) {
      Value runs = bounds.runs(builder, d);
      IRMapping mapping = computeAhead(
          builder, group, bounds.after(builder, loop_.getLowerBound(), d), group.carried, runs);
      Value slot = constantSlot(builder, d);
      emitCopies(builder, group, mapping, runs, slot);
      if (group.mechanism == StagingMechanism::Registers)
        emitStores(builder, group, slot);
      group.carried = carriedNext(group, mapping);
    }
    group.limit = bounds.limit(builder, group.distance);
  }

  /// Clones the slice for the iteration at `index` that starts with `carried`.
  IRMapping computeAhead(OpBuilder &builder, Group &group, Value index, ValueRange carried,
                         Value runs) {
    IRMapping mapping;
    mapping.map(loop_.getInductionVar(), index);
    for (auto [argument, value] : llvm::zip(group.slice.carried, carried))
      mapping.map(loop_.getRegionIterArg(argument), value);
    for (Operation *op : group.slice.operations) {
      if (auto load = dyn_cast<tile::LoadOp>(op))
        mapping.map(load.getResult(), loadAhead(builder, load, mapping, runs));
      else
        guardDivisions(builder, builder.clone(*op, mapping), runs);
    }
    return mapping;
  }

  /// What the loop carries at the start of the iteration after the one in `mapping`.
  SmallVector<Value> carriedNext(Group &group, IRMapping &mapping) {
    SmallVector<Value> next;
    for (unsigned argument : group.slice.carried)
      next.push_back(mapping.lookupOrDefault(loop_.getYieldedValues()[argument]));
    return next;
  }

  /// `runs`, and the branches the load stands in are taken.
  Value guarded(OpBuilder &builder, const StagedLoad &staged, IRMapping &mapping, Value runs) {
    Location loc = staged.load->getLoc();
    for (const StagingGuard &guard : staged.guards) {
      Value condition = mapping.lookupOrDefault(guard.condition);
      if (guard.negated)
        condition = arith::XOrIOp::create(
            builder, loc, condition,
            arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
      runs = arith::AndIOp::create(builder, loc, runs, condition);
    }
    return runs;
  }

  /// Starts moving the tiles of the iteration in `mapping`; register loads wait in `loaded_`.
  void emitCopies(OpBuilder &builder, Group &group, IRMapping &mapping, Value runs, Value slot) {
    loaded_.clear();
    for (auto [number, staged] : llvm::enumerate(group.loads)) {
      Value buffer = group.buffers[number];
      Value active = guarded(builder, staged, mapping, runs);
      if (group.isTensorCopy()) {
        auto window = cast<tile::WindowLoadOp>(staged.load);
        tile::TensorCopyOp::create(builder, window.getLoc(), group.maps[number],
                                   coordinates(builder, staged, mapping), buffer, slot,
                                   group.barriers, active, window.getLengthsAttr(),
                                   group.descriptions[number], window.getEvict());
        continue;
      }
      auto load = cast<tile::LoadOp>(staged.load);
      if (group.mechanism == StagingMechanism::Registers) {
        auto early = loadAhead(builder, load, mapping, active);
        early.getDefiningOp()->setAttr(kPipelinedAttr, builder.getUnitAttr());
        loaded_.emplace_back(early, active);
        continue;
      }
      Value mask = load.getMask() ? mapping.lookupOrDefault(load.getMask()) : Value();
      tile::CopyAsyncOp::create(builder, load.getLoc(), mapping.lookupOrDefault(load.getPtr()),
                                mask, buffer, slot, active, load.getCache(), load.getEvict());
    }
    if (group.mechanism == StagingMechanism::AsynchronousCopy)
      tile::CommitGroupOp::create(builder, loop_.getLoc());
  }

  /// Puts what `emitCopies` loaded into the slot.
  void emitStores(OpBuilder &builder, Group &group, Value slot) {
    for (auto [staged, buffer, loaded] : llvm::zip(group.loads, group.buffers, loaded_)) {
      tile::LocalStoreOp::create(builder, staged.load->getLoc(), loaded.first, buffer, slot,
                                 loaded.second);
    }
  }

  /// Gives the loop a counter for every ring, and what the groups carry ahead.
  void carryMore(OpBuilder &builder) {
    SmallVector<Value> initial;
    unsigned next = loop_.getNumRegionIterArgs();
    for (Group &group : groups_) {
      group.counterArgument = next++;
      initial.push_back(constantSlot(builder, 0));
      if (group.isTensorCopy()) {
        group.phaseArgument = next++;
        initial.push_back(constantSlot(builder, 0));
      }
      group.firstCarriedArgument = next;
      next += group.carried.size();
      llvm::append_range(initial, group.carried);
    }
    loop_ = tilec::carryMore(loop_, initial);
  }

  /// Nothing but its own next value is computed from `argument`: a pointer that only staged loads
  /// went through.
  bool onlyStepsItself(BlockArgument argument) {
    if (!loop_.getTiedLoopResult(argument).use_empty())
      return false;
    SmallVector<Value> worklist = {argument};
    llvm::SmallPtrSet<Operation *, 8> seen;
    while (!worklist.empty())
      for (OpOperand &use : worklist.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (user == loop_.getBody()->getTerminator()) {
          if (use.getOperandNumber() != argument.getArgNumber() - 1)
            return false;
        } else if (!isPure(user) || user->getNumRegions() != 0 ||
                   user->hasTrait<OpTrait::IsTerminator>()) {
          return false;
        } else if (seen.insert(user).second) {
          llvm::append_range(worklist, user->getResults());
        }
      }
    return true;
  }

  void setYielded(unsigned argument, Value value) {
    loop_.getBody()->getTerminator()->setOperand(argument, value);
  }

  /// The steady state: at the builder, and at the end of the body.
  void emitIteration(OpBuilder &builder, LoopBounds &bounds, Group &group) {
    Location loc = loop_.getLoc();
    Value index = loop_.getInductionVar();
    Value counter = loop_.getRegionIterArg(group.counterArgument);
    Value phase;
    if (group.isTensorCopy()) {
      phase = loop_.getRegionIterArg(group.phaseArgument);
      tile::WaitMbarrierOp::create(builder, loc, group.barriers, counter, phase);
    }
    if (group.mechanism == StagingMechanism::AsynchronousCopy)
      tile::WaitGroupOp::create(builder, loc, group.distance - 1);
    Value runs = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index, group.limit);
    SmallVector<Value> carried(
        loop_.getRegionIterArgs().slice(group.firstCarriedArgument, group.slice.carried.size()));
    IRMapping mapping =
        computeAhead(builder, group, bounds.after(builder, index, group.distance), carried, runs);
    Value slot = advanceRing(builder, loc, counter, group.distance, group.slots);
    emitCopies(builder, group, mapping, runs, slot);
    OpBuilder atEnd(loop_.getBody()->getTerminator());
    if (group.mechanism == StagingMechanism::Registers)
      emitStores(atEnd, group, slot);
    Value next = advanceRing(atEnd, loc, counter, 1, group.slots);
    setYielded(group.counterArgument, next);
    if (phase)
      setYielded(group.phaseArgument, advancePhase(atEnd, loc, phase, next));
    for (auto [number, value] : llvm::enumerate(carriedNext(group, mapping)))
      setYielded(group.firstCarriedArgument + number, value);
  }

  void replaceLoads(Group &group) {
    Value counter = loop_.getRegionIterArg(group.counterArgument);
    for (auto [staged, buffer] : llvm::zip(group.loads, group.buffers)) {
      OpBuilder builder(staged.load);
      Value read =
          tile::LocalLoadOp::create(builder, staged.load->getLoc(), staged.type(), buffer, counter);
      staged.load->getResult(0).replaceAllUsesWith(read);
      staged.load->erase();
    }
  }

  scf::ForOp loop_;
  std::vector<Group> groups_;
  SmallVector<std::pair<Value, Value>> loaded_; ///< value, and whether it is one
};

struct StageLoadsPass : PassWrapper<StageLoadsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StageLoadsPass)
  StageLoadsPass() = default;
  StageLoadsPass(const StageLoadsPass &other) : PassWrapper(other) {}
  explicit StageLoadsPass(const PipelineOptions &options) {
    remarks = options.remarks.count("pipeline") != 0;
    allLoads = options.stageAllLoads;
    maxSharedBytes = options.maxSharedBytes;
  }
  StringRef getArgument() const override { return "tile-stage-loads"; }
  StringRef getDescription() const override {
    return "Loads that feed dots run ahead, through shared memory";
  }

  void runOnOperation() override {
    std::vector<LoopStaging> decided =
        decideStaging(getOperation(), {remarks, allLoads, maxSharedBytes});
    for (LoopStaging &staging : decided)
      LoopExpansion(staging).run();
  }

  Option<bool> remarks{*this, "remarks", llvm::cl::desc("Say of every load what was decided"),
                       llvm::cl::init(false)};
  Option<bool> allLoads{
      *this, "all", llvm::cl::desc("Stage every tile a loop loads, not only those that feed dots"),
      llvm::cl::init(false)};
  Option<int64_t> maxSharedBytes{*this, "max-shared-bytes",
                                 llvm::cl::desc("Shared memory of a program"),
                                 llvm::cl::init(PipelineOptions().maxSharedBytes)};
};

} // namespace

std::unique_ptr<Pass> tilec::createStageLoadsPass(const PipelineOptions &options) {
  return std::make_unique<StageLoadsPass>(options);
}
