// Buffers in shared memory: copies into their slots, and tiles to and from registers.
//
// How wide an access is follows from dividing the tile's layout by the buffer's memory layout
// (layout/shared_access.h), here as in the pass that chose the latter. An address is
//
//      shared + offset of the buffer + slot * bytes of a slot + (thread's part XOR register's part)
//
// where only the middle changes in a loop. Owners alone write; a copy that would move fewer than 4
// bytes at once is a load and a store.
#include "compiler/analysis/slot_part.h"
#include "compiler/ir/part_of_slot.h"
#include "compiler/layout/buffer_layout.h"
#include "compiler/layout/shared_access.h"
#include "compiler/lowering/bits.h"
#include "compiler/lowering/late_loads.h"
#include "compiler/lowering/matrix_loads.h"
#include "compiler/lowering/patterns.h"

using namespace mlir;
using namespace tilec;

namespace {

/// One slot of a buffer, as a tile of some layout sees it.
class Slot {
public:
  Slot(KernelContext &context, OpBuilder &builder, Location loc, tile::BufferType type,
       Value buffer, Value slot)
      : context_(context), builder_(builder), loc_(loc),
        bytes_(tile::elementBytes(type.getElement())) {
    memory.columns.assign(type.getMemory().begin(), type.getMemory().end());
    start_ = KernelContext::slotOffset(builder, loc, buffer, slot, type.slotBytes());
  }

  unsigned elementBytes() const { return bytes_; }

  /// The address of register `reg` of a tile of `layout` that starts at element `start`.
  Value address(const LinearLayout &layout, unsigned reg, Bits start = 0) {
    std::vector<Bits> columns = threadColumns(layout);
    for (Bits &column : columns)
      column = memory.offset(column);
    return address(columns, memory.offset(layout.element(reg, 0, 0) ^ start));
  }

  /// The address of the element at offset `constant` XOR the columns (of the thread number).
  Value address(std::vector<Bits> columns, Bits constant) {
    for (Bits &column : columns)
      column *= bytes_;
    constant *= bytes_;
    Value thread = context_.threadLinear(builder_, columns);
    // Where no thread reaches, XOR is addition: an immediate of the access, not a register.
    Bits reached = reachableBits(columns), added = constant & ~reached;
    if (added != constant)
      thread = xorConstant(builder_, loc_, thread, reached, constant & reached);
    Value pointer = context_.sharedPointer(builder_, loc_, 0, start_);
    pointer = step(pointer, thread);
    if (added != 0)
      pointer = step(pointer, static_cast<int32_t>(added));
    return pointer;
  }

  MemoryLayout memory;

private:
  Value step(Value pointer, LLVM::GEPArg bytes) {
    return LLVM::GEPOp::create(builder_, loc_, pointer.getType(), builder_.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{bytes}, LLVM::GEPNoWrapFlags::inbounds);
  }

  KernelContext &context_;
  OpBuilder &builder_;
  Location loc_;
  unsigned bytes_;
  Value start_; ///< bytes from the start of shared memory
};

} // namespace

static Value both(OpBuilder &builder, Location loc, Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return LLVM::AndOp::create(builder, loc, left, right);
}

/// Where a tile is written to a slot: by the owners of its elements, and only where `active` (an
/// optional operand of the operation) holds. Null: everywhere.
static Value writers(KernelContext &context, OpBuilder &builder, Location loc,
                     const LinearLayout &layout, ValueRange active) {
  return both(builder, loc, active.empty() ? Value() : active.front(),
              context.threadHasNone(builder, replicatedThreads(layout)));
}

/// Whether nothing but dots uses a tile, or it transposed.
static bool isMultiplied(Value tile) {
  return llvm::all_of(tile.getUsers(), [](Operation *user) {
    return isa<tile::DotOp>(user) ||
           (isa<tile::PermuteOp>(user) && isMultiplied(user->getResult(0)));
  });
}

static LogicalResult checkPlaced(Operation *op, Value buffer) {
  if (cast<tile::BufferType>(buffer.getType()).getMemory().empty() &&
      cast<tile::BufferType>(buffer.getType()).elements() > 1)
    return op->emitError("lowering: a buffer without a memory layout");
  return success();
}

/// Writes all registers of a tile into a slot, where `predicate` holds.
static void storeTile(KernelContext &context, OpBuilder &builder, Location loc, Slot &slot,
                      const LinearLayout &layout, ValueRange values, Value predicate) {
  VectorAccess access = vectorAccess(layout, slot.memory, slot.elementBytes());
  for (unsigned first = 0; first < access.order.size(); first += access.vector) {
    SmallVector<Value> vector;
    for (unsigned index = 0; index < access.vector; ++index)
      vector.push_back(toStorage(builder, loc, values[access.order[first + index]]));
    context.storeShared(builder, loc, slot.address(layout, access.order[first]), vector, predicate);
  }
}

namespace {

struct AllocPattern : TilePattern<tile::AllocOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::AllocOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitError("lowering: a buffer without a place in shared memory");
    rewriter.replaceOp(op, constantInt(rewriter, op.getLoc(), rewriter.getI32Type(),
                                       static_cast<int64_t>(*op.getOffset())));
    return success();
  }
};

struct CopyAsyncPattern : TilePattern<tile::CopyAsyncOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::CopyAsyncOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkPlaced(op, op.getBuffer())))
      return failure();
    Location loc = op.getLoc();
    LinearLayout layout = tile::layoutOf(op.getPtr());
    Slot slot(context, rewriter, loc, op.getBuffer().getType(), adaptor.getBuffer().front(),
              adaptor.getSlot().front());
    AccessPlan plan = context.plans.lookup(op);
    ValueRange pointers = adaptor.getPtr();
    ValueRange mask = op.getMask() ? adaptor.getMask() : ValueRange();
    Value active = op.getActive() ? adaptor.getActive().front() : Value();
    Value owner = context.threadHasNone(rewriter, replicatedThreads(layout));
    AccessHints hints{op.getCache(), op.getEvict(), /*readOnly=*/false};

    unsigned bits =
        copyBits(layout, slot.memory, {plan.bits.begin(), plan.bits.end()}, slot.elementBytes());
    if (slot.elementBytes() << bits >= kMinCopyBytes) {
      plan.bits.truncate(bits);
      // Filling with zeros what will not be read costs less than a branch round each copy.
      for (unsigned first : plan.firsts(pointers.size()))
        context.primitives.copyAsync(rewriter, loc, slot.address(layout, first), pointers[first],
                                     plan.width() * slot.elementBytes(),
                                     both(rewriter, loc, maskOf(mask, first), active), owner,
                                     hints);
    } else {
      Value predicate = both(rewriter, loc, active, owner);
      storeTile(context, rewriter, loc, slot, layout,
                load(op, plan, pointers, mask, predicate, hints, rewriter), predicate);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The tile in registers, zeros where it is masked.
  SmallVector<Value> load(tile::CopyAsyncOp op, const AccessPlan &plan, ValueRange pointers,
                          ValueRange mask, Value predicate, const AccessHints &hints,
                          OpBuilder &builder) const {
    Location loc = op.getLoc();
    IntegerType storage =
        storageType(context.types.elementType(op.getBuffer().getType().getElement()));
    SmallVector<Value> values(pointers.size());
    for (unsigned first : plan.firsts(pointers.size())) {
      Value reads = both(builder, loc, maskOf(mask, first), predicate);
      SmallVector<Value> loaded = context.primitives.load(builder, loc, pointers[first], storage,
                                                          plan.width(), reads, {}, hints);
      for (auto [index, bits] : llvm::enumerate(loaded))
        values[plan.member(first, index)] = bits;
    }
    return values;
  }
};

struct CommitGroupPattern : TilePattern<tile::CommitGroupOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::CommitGroupOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    context.primitives.commitGroup(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct WaitGroupPattern : TilePattern<tile::WaitGroupOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::WaitGroupOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    context.primitives.waitGroup(rewriter, op.getLoc(), op.getPending());
    rewriter.eraseOp(op);
    return success();
  }
};

struct LocalStorePattern : TilePattern<tile::LocalStoreOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::LocalStoreOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkPlaced(op, op.getBuffer())))
      return failure();
    Location loc = op.getLoc();
    LinearLayout layout = tile::layoutOf(op.getValue());
    Slot slot(context, rewriter, loc, op.getBuffer().getType(), adaptor.getBuffer().front(),
              adaptor.getSlot().front());
    Value active = writers(context, rewriter, loc, layout,
                           op.getActive() ? ValueRange(adaptor.getActive()) : ValueRange());
    storeTile(context, rewriter, loc, slot, layout, adaptor.getValue(), active);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LocalLoadPattern : TilePattern<tile::LocalLoadOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::LocalLoadOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(checkPlaced(op, op.getBuffer())))
      return failure();
    Location loc = op.getLoc();
    LinearLayout layout = layoutInSlot(op);
    unsigned registerBits = tile::layoutOf(op.getType()).reg().size();
    Bits start = firstElement(op);
    Slot slot(context, rewriter, loc, op.getBuffer().getType(), adaptor.getBuffer().front(),
              adaptor.getSlot().front());
    Type element = context.types.elementType(op.getType());
    Operation *before = op->getPrevNode();
    SmallVector<Value> results(1u << registerBits);
    if (auto matrices = matrixAccess(layout, slot.memory, slot.elementBytes(), registerBits))
      results = loadMatrices(context, rewriter, loc, *matrices, results.size(),
                             storageType(element), [&](unsigned first) {
                               return slot.address(
                                   matrices->rowColumns,
                                   slot.memory.offset(layout.element(first, 0, 0) ^ start));
                             });
    else
      loadVectors(slot, layout, start, rewriter, loc, storageType(element), results);
    for (Value &result : results)
      result = fromStorage(rewriter, loc, result, element);
    if (!op->hasAttr(tile::kPartOfSlotAttr) && isMultiplied(op.getResult()))
      markLateLoads(before, op);
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  void loadVectors(Slot &slot, const LinearLayout &layout, Bits start, OpBuilder &builder,
                   Location loc, IntegerType storage, MutableArrayRef<Value> results) const {
    VectorAccess access =
        vectorAccess(layout, slot.memory, slot.elementBytes(), llvm::Log2_64(results.size()));
    for (unsigned first = 0; first < results.size(); first += access.vector)
      for (auto [index, bits] : llvm::enumerate(
               context.loadShared(builder, loc, slot.address(layout, access.order[first], start),
                                  storage, access.vector)))
        results[access.order[first + index]] = bits;
  }
};

} // namespace

void tilec::populateBufferPatterns(RewritePatternSet &patterns, KernelContext &context) {
  patterns.add<AllocPattern, CopyAsyncPattern, CommitGroupPattern, WaitGroupPattern,
               LocalStorePattern, LocalLoadPattern>(context, patterns.getContext());
}
