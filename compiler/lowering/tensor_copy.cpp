// Copies by the tensor-copy engine: one thread of the program starts them, all wait.
//
//   init_mbarriers        one thread makes one a slot; every thread fences what it has written
//   tensor_copy           one thread arrives, expecting the window's bytes, and starts a copy a box
//   wait_mbarrier         every thread
//   invalidate_mbarriers  one thread
//
// That one is a lane of the first warp; the other warps branch round what it does.
//
// A window's boxes lie behind each other in the slot (layout/tensor_box.h).
#include "compiler/analysis/tensor_window.h"
#include "compiler/lowering/bits.h"
#include "compiler/lowering/patterns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;

/// Of an mbarrier (PTX ISA).
static constexpr int64_t kMbarrierBytes = 8;

static Value mbarrier(KernelContext &context, OpBuilder &builder, Location loc, Value barriers,
                      Value slot) {
  return context.sharedPointer(
      builder, loc, 0, KernelContext::slotOffset(builder, loc, barriers, slot, kMbarrierBytes));
}

/// Inserts what `insert` makes where only the first warp comes; it is given what holds in one lane.
static void byOneThread(KernelContext &context, OpBuilder &builder, Location loc,
                        function_ref<void(Value)> insert) {
  OpBuilder::InsertionGuard guard(builder);
  auto branch = scf::IfOp::create(builder, loc, context.isFirstWarp(builder));
  builder.setInsertionPointToStart(branch.thenBlock());
  insert(context.primitives.electLane(builder, loc));
}

/// The same for every barrier of a ring: `insert` is given the barrier, and what holds in one lane.
static void forEachBarrier(KernelContext &context, OpBuilder &builder, Location loc,
                           tile::BufferType type, Value barriers,
                           function_ref<void(Value, Value)> insert) {
  byOneThread(context, builder, loc, [&](Value one) {
    for (int64_t slot = 0; slot < type.getSlots(); ++slot)
      insert(context.sharedPointer(builder, loc, slot * kMbarrierBytes, barriers), one);
  });
}

namespace {

struct InitMbarriersPattern : TilePattern<tile::InitMbarriersOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::InitMbarriersOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    forEachBarrier(context, rewriter, loc, op.getBarriers().getType(),
                   adaptor.getBarriers().front(), [&](Value barrier, Value one) {
                     context.primitives.initMbarrier(rewriter, loc, barrier, op.getArrivals(), one);
                   });
    context.primitives.fenceTensorCopies(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }
};

struct InvalidateMbarriersPattern : TilePattern<tile::InvalidateMbarriersOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::InvalidateMbarriersOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    forEachBarrier(context, rewriter, loc, op.getBarriers().getType(),
                   adaptor.getBarriers().front(), [&](Value barrier, Value one) {
                     context.primitives.invalidateMbarrier(rewriter, loc, barrier, one);
                   });
    rewriter.eraseOp(op);
    return success();
  }
};

struct TensorCopyPattern : TilePattern<tile::TensorCopyOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::TensorCopyOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    tile::BufferType type = op.getBuffer().getType();
    tile::MapAttr map = op.getDescription();
    if (type.getMemory().empty())
      return op.emitError("lowering: a copy without boxes");
    std::vector<BoxAxis> axes = boxAxes(op.getLengths(), map.getOrder());
    TensorBox box;
    for (int64_t size : map.getBox())
      box.bits.push_back(llvm::Log2_64(size));
    box.swizzle = map.getSwizzle();

    byOneThread(context, rewriter, loc,
                [&](Value one) { copyBoxes(op, adaptor, axes, box, one, rewriter); });
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The arrival and the copies, by the thread where `one` holds.
  void copyBoxes(tile::TensorCopyOp op, Adaptor adaptor, const std::vector<BoxAxis> &axes,
                 const TensorBox &box, Value one, OpBuilder &builder) const {
    Location loc = op.getLoc();
    Type i32 = builder.getI32Type();
    tile::BufferType type = op.getBuffer().getType();
    Value slot = adaptor.getSlot().front(), active = adaptor.getActive().front();
    Value barrier = mbarrier(context, builder, loc, adaptor.getBarriers().front(), slot);
    Value bytes = LLVM::SelectOp::create(builder, loc, active,
                                         constantInt(builder, loc, i32, type.slotBytes()),
                                         constantInt(builder, loc, i32, 0));
    context.primitives.arriveExpecting(builder, loc, barrier, bytes, one);
    Value copies = LLVM::AndOp::create(builder, loc, one, active);
    Value offset = KernelContext::slotOffset(builder, loc, adaptor.getBuffer().front(), slot,
                                             type.slotBytes());
    int64_t boxBytes = int64_t(tile::elementBytes(type.getElement())) << box.elementBits();
    for (unsigned number = 0; number < boxCount(axes, box); ++number) {
      std::vector<unsigned> start = boxStart(axes, box, number);
      SmallVector<Value> coordinates;
      for (auto [index, axis] : llvm::enumerate(op.getDescription().getOrder())) {
        Value coordinate = adaptor.getStarts()[axis].front();
        if (start[index] != 0)
          coordinate = LLVM::AddOp::create(builder, loc, coordinate,
                                           constantInt(builder, loc, i32, start[index]));
        coordinates.push_back(coordinate);
      }
      context.primitives.tensorCopy(builder, loc, adaptor.getMap().front(),
                                    context.sharedPointer(builder, loc, number * boxBytes, offset),
                                    barrier, coordinates, copies, op.getEvict());
    }
  }
};

struct WaitMbarrierPattern : TilePattern<tile::WaitMbarrierOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::WaitMbarrierOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    context.primitives.waitMbarrier(rewriter, op.getLoc(),
                                    mbarrier(context, rewriter, op.getLoc(),
                                             adaptor.getBarriers().front(),
                                             adaptor.getSlot().front()),
                                    adaptor.getPhase().front());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilec::populateTensorCopyPatterns(RewritePatternSet &patterns, KernelContext &context) {
  patterns.add<InitMbarriersPattern, InvalidateMbarriersPattern, TensorCopyPattern,
               WaitMbarrierPattern>(context, patterns.getContext());
}
