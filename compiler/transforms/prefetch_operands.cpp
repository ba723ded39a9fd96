// Operands of dots are read from shared memory one step ahead of the multiplications.
//
//   The problem. In a staged loop every iteration begins with a wait, a barrier and reads of
//   fragments, and only then can the first multiplication start: all warps of a program stand still
//   together, every iteration.
//
//   The idea. A dot over K is a sum of dots over parts of K. The fragments of part s + 1 are read
//   while part s is multiplied, and - the point - those of the next iteration's part 0 while this
//   iteration's last part is: the wait and the barrier move there, with most of an iteration's
//   multiplications still in flight.
//
//      wait; a = part 0                         wait
//      for i:                                   for i:
//        wait [barrier]                           carries a = part 0 of slot i
//        x = slot i                               b = part 1; copy i+D -> ...; commit
//        copy i+D -> ...; commit          =>      acc = dot(a, acc)
//        acc = dot(x, acc)                        c = part 2;  acc = dot(b, acc)
//                                                 wait [barrier]; a' = part 0 of slot i+1
//                                                 acc = dot(c, acc)
//                                                 yield a'
//
//   The wait keeps its count: behind an iteration's commit one more group is under way than at its
//   start, and it is the next iteration's copies that must have landed. A wait at an mbarrier
//   (copies by the tensor-copy engine) goes on to the next slot and its phase. The last iteration
//   reads a slot that nobody fills; what it read there is not used.
//
// Changes: dots of such loops become sums of dots over parts of K; the reads of part 0 are carried.
// Must hold: loads are staged; no layouts yet. Two slots beyond the one that is read: with fewer,
// the copies waited for would have started in the same iteration. Holds after: the same, and slots
// are still filled after a barrier that follows their last read. Why here: before layouts, so that
// each part is read in the layout that its dot wants.
#include "compiler/transforms/passes.h"

#include "compiler/analysis/ring.h"
#include "compiler/analysis/slot_part.h"
#include "compiler/ir/carry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilec;

/// Bytes along K of one part: one step of the matrix instructions of most types.
static constexpr int64_t kPartBytes = 32;
/// Parts of a dot at most; longer K takes larger parts.
static constexpr int64_t kMaxParts = 8;
/// Slots that a ring needs.
static constexpr int64_t kMinSlots = 3;

namespace {

/// An operand that is a slot, up to the order of its dimensions.
struct StagedOperand {
  tile::LocalLoadOp load;
  SmallVector<tile::PermuteOp> permutes; ///< from the load to the dot
  unsigned dim = 0;                      ///< of the slot, along which K runs

  int64_t slots() { return load.getBuffer().getType().getSlots(); }

  /// The part that starts at `start` of slot number `slot`.
  Value read(OpBuilder &builder, Value slot, int64_t start, int64_t size) {
    SmallVector<int64_t> shape(load.getType().getShape()), starts(shape.size(), 0);
    shape[dim] = size;
    starts[dim] = start;
    return readPartOfSlot(builder, load.getLoc(), load.getBuffer(), slot, starts, shape);
  }
  /// What was read, as the dot takes it.
  Value permuted(OpBuilder &builder, Value part) {
    for (tile::PermuteOp permute : permutes) {
      auto type = cast<RankedTensorType>(part.getType());
      SmallVector<int64_t> shape;
      for (int32_t from : permute.getOrder())
        shape.push_back(type.getDimSize(from));
      part = tile::PermuteOp::create(builder, permute.getLoc(),
                                     RankedTensorType::get(shape, type.getElementType()), part,
                                     permute.getOrderAttr());
    }
    return part;
  }
};

/// What is rewritten in one loop.
struct Plan {
  scf::ForOp loop;
  tile::DotOp dot;
  Operation *wait = nullptr; ///< wait_group or wait_mbarrier
  StagedOperand a, b;
  int64_t part = 0, parts = 0; ///< size along K, and how many
};

} // namespace

/// `value`, whose dimension `dim` is K, read from a slot by this iteration of `loop` alone.
static std::optional<StagedOperand> stagedOperand(scf::ForOp loop, Value value, unsigned dim) {
  StagedOperand operand;
  while (auto permute = value.getDefiningOp<tile::PermuteOp>()) {
    if (!value.hasOneUse())
      return std::nullopt;
    operand.permutes.insert(operand.permutes.begin(), permute);
    dim = permute.getOrder()[dim];
    value = permute.getSource();
  }
  operand.load = value.getDefiningOp<tile::LocalLoadOp>();
  if (!operand.load || !value.hasOneUse() || operand.load->getBlock() != loop.getBody())
    return std::nullopt;
  operand.dim = dim;
  auto counter = dyn_cast<BlockArgument>(operand.load.getSlot());
  std::optional<RingSlot> slot = ringSlot(operand.load.getSlot(), operand.slots());
  if (!counter || counter.getOwner() != loop.getBody() || !slot || slot->loop != loop ||
      operand.slots() < kMinSlots)
    return std::nullopt;
  return operand;
}

/// The only operation of a kind that stands in the body itself; null when there are several.
template <typename Op> static Op onlyOne(scf::ForOp loop) {
  auto found = loop.getBody()->getOps<Op>();
  return !found.empty() && std::next(found.begin()) == found.end() ? *found.begin() : Op();
}

/// The wait for the copies of an iteration, which start behind it and in front of `dot`; null where
/// copies are waited for in another way, or in several.
static Operation *onlyWait(scf::ForOp loop, tile::DotOp dot) {
  auto group = onlyOne<tile::WaitGroupOp>(loop);
  auto commit = onlyOne<tile::CommitGroupOp>(loop);
  bool hasGroups = !loop.getBody()->getOps<tile::WaitGroupOp>().empty();
  bool hasMbarriers = !loop.getBody()->getOps<tile::WaitMbarrierOp>().empty();
  if (hasMbarriers)
    return hasGroups ? nullptr : onlyOne<tile::WaitMbarrierOp>(loop);
  return group && commit && group->isBeforeInBlock(commit) && commit->isBeforeInBlock(dot)
             ? group
             : nullptr;
}

/// Whether `wait` is for the slot that `operand` is read from.
static bool waitsFor(Operation *wait, StagedOperand &operand) {
  if (auto group = dyn_cast<tile::WaitGroupOp>(wait))
    return group.getPending() == operand.slots() - 2;
  return cast<tile::WaitMbarrierOp>(wait).getSlot() == operand.load.getSlot();
}

static std::optional<Plan> planLoop(scf::ForOp loop) {
  Plan plan;
  plan.loop = loop;
  plan.dot = onlyOne<tile::DotOp>(loop);
  plan.wait = plan.dot ? onlyWait(loop, plan.dot) : nullptr;
  if (!plan.wait)
    return std::nullopt;
  unsigned rank = plan.dot.getType().getRank();
  std::optional<StagedOperand> a = stagedOperand(loop, plan.dot.getA(), rank - 1),
                               b = stagedOperand(loop, plan.dot.getB(), rank - 2);
  if (!a || !b || a->load.getSlot() != b->load.getSlot() || a->slots() != b->slots() ||
      !waitsFor(plan.wait, *a))
    return std::nullopt;
  RankedTensorType type = plan.dot.getA().getType();
  int64_t size = type.getDimSize(rank - 1);
  plan.part =
      std::max<int64_t>(kPartBytes / tile::elementBytes(type.getElementType()), size / kMaxParts);
  if (plan.part >= size)
    return std::nullopt;
  plan.parts = size / plan.part;
  plan.a = *a;
  plan.b = *b;
  return plan;
}

/// Waits in front of the loop for what its first iteration reads.
static void waitBefore(OpBuilder &builder, Plan &plan) {
  IRMapping first;
  for (auto [argument, initial] : llvm::zip(plan.loop.getRegionIterArgs(), plan.loop.getInitArgs()))
    first.map(argument, initial);
  builder.clone(*plan.wait, first);
}

/// Makes a wait that has moved behind an iteration's work one for the next iteration's slot.
static void waitForNext(OpBuilder &builder, Operation *wait, Value next) {
  auto mbarrier = dyn_cast<tile::WaitMbarrierOp>(wait);
  if (!mbarrier)
    return; // one more group has been committed
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(wait);
  Value phase = advancePhase(builder, wait->getLoc(), mbarrier.getPhase(), next);
  mbarrier.getSlotMutable().assign(next);
  mbarrier.getPhaseMutable().assign(phase);
}

static void rewrite(Plan &plan) {
  Location loc = plan.dot.getLoc();
  unsigned counterNumber =
      cast<BlockArgument>(plan.a.load.getSlot()).getArgNumber() - plan.loop.getNumInductionVars();
  OpBuilder builder(plan.loop);
  waitBefore(builder, plan);
  Value first = plan.loop.getInitArgs()[counterNumber];
  SmallVector<Value> initial = {plan.a.read(builder, first, 0, plan.part),
                                plan.b.read(builder, first, 0, plan.part)};
  plan.loop = carryMore(plan.loop, initial);
  Value counter = plan.loop.getRegionIterArg(counterNumber);
  Value a = plan.loop.getRegionIterArgs().drop_back().back(),
        b = plan.loop.getRegionIterArgs().back();

  // Part 1 is read and part 0 multiplied, where its sum is at hand, before anything else: computing
  // the addresses of copies fills the time this takes.
  builder.setInsertionPointToStart(plan.loop.getBody());
  Value nextA = plan.a.read(builder, counter, plan.part, plan.part);
  Value nextB = plan.b.read(builder, counter, plan.part, plan.part);
  Value sum = plan.dot.getC();
  if (Operation *summed = sum.getDefiningOp(); summed && summed->getBlock() == plan.loop.getBody())
    builder.setInsertionPoint(plan.dot);
  for (int64_t part = 0; part < plan.parts; ++part) {
    if (part > 0 && part + 1 < plan.parts) {
      nextA = plan.a.read(builder, counter, (part + 1) * plan.part, plan.part);
      nextB = plan.b.read(builder, counter, (part + 1) * plan.part, plan.part);
    } else if (part + 1 == plan.parts) {
      Value slot = advanceRing(builder, loc, counter, 1, plan.a.slots());
      plan.wait->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
      waitForNext(builder, plan.wait, slot);
      nextA = plan.a.read(builder, slot, 0, plan.part);
      nextB = plan.b.read(builder, slot, 0, plan.part);
    }
    auto dot =
        tile::DotOp::create(builder, loc, plan.a.permuted(builder, a), plan.b.permuted(builder, b),
                            sum, plan.dot.getPrecision(), plan.dot.getIsUnsigned());
    dot->setDiscardableAttrs(plan.dot->getDiscardableAttrDictionary());
    sum = dot.getResult();
    if (part == 0)
      builder.setInsertionPoint(plan.dot);
    a = nextA;
    b = nextB;
  }
  Operation *yield = plan.loop.getBody()->getTerminator();
  yield->setOperand(yield->getNumOperands() - 2, a);
  yield->setOperand(yield->getNumOperands() - 1, b);
  plan.dot.getResult().replaceAllUsesWith(sum);
  plan.dot.erase();
  for (StagedOperand *operand : {&plan.a, &plan.b}) {
    for (tile::PermuteOp permute : llvm::reverse(operand->permutes))
      permute.erase();
    operand->load.erase();
  }
}

namespace {

struct PrefetchOperandsPass : PassWrapper<PrefetchOperandsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrefetchOperandsPass)
  StringRef getArgument() const override { return "tile-prefetch-operands"; }
  StringRef getDescription() const override {
    return "Operands of dots are read one step ahead of the multiplications";
  }

  void runOnOperation() override {
    std::vector<Plan> plans;
    getOperation().walk([&](scf::ForOp loop) {
      if (std::optional<Plan> plan = planLoop(loop))
        plans.push_back(*plan);
    });
    for (Plan &plan : plans)
      rewrite(plan);
  }
};

} // namespace

std::unique_ptr<Pass> tilec::createPrefetchOperandsPass() {
  return std::make_unique<PrefetchOperandsPass>();
}
