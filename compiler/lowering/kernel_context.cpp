#include "compiler/lowering/kernel_context.h"

#include "compiler/lowering/bits.h"

using namespace mlir;
using namespace tilec;

std::vector<Bits> tilec::threadColumns(const LinearLayout &layout) {
  std::vector<Bits> columns = layout.lane();
  columns.insert(columns.end(), layout.warp().begin(), layout.warp().end());
  return columns;
}

Bits tilec::replicatedThreads(const LinearLayout &layout) {
  return layout.replicatedLanes() | layout.replicatedWarps() << kLaneBits;
}

void KernelContext::enter(Block *entry, OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(entry);
  thread_ = primitives.threadId(builder, builder.getUnknownLoc());
  prologueEnd_ = thread_.getDefiningOp();
}

Value KernelContext::inPrologue(OpBuilder &builder, function_ref<Value()> make) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(prologueEnd_);
  Value value = make();
  prologueEnd_ = builder.getInsertionPoint() == builder.getInsertionBlock()->end()
                     ? &builder.getInsertionBlock()->back()
                     : builder.getInsertionPoint()->getPrevNode();
  return value;
}

Value KernelContext::threadLinear(OpBuilder &builder, ArrayRef<Bits> columns) {
  Value &value = linear_[columns.vec()];
  if (!value)
    value = inPrologue(
        builder, [&] { return applyLinear(builder, builder.getUnknownLoc(), thread_, columns); });
  return value;
}

Value KernelContext::threadElement(OpBuilder &builder, const LinearLayout &layout) {
  return threadLinear(builder, threadColumns(layout));
}

Value KernelContext::threadHasNone(OpBuilder &builder, Bits mask) {
  if (mask == 0)
    return {};
  Value &value = none_[mask];
  if (!value)
    value = inPrologue(builder, [&]() -> Value {
      Location loc = builder.getUnknownLoc();
      Type type = thread_.getType();
      Value bits =
          LLVM::AndOp::create(builder, loc, thread_, constantInt(builder, loc, type, mask));
      return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, bits,
                                  constantInt(builder, loc, type, 0));
    });
  return value;
}

Value KernelContext::isFirstWarp(OpBuilder &builder) {
  if (!firstWarp_)
    firstWarp_ = inPrologue(builder, [&]() -> Value {
      Location loc = builder.getUnknownLoc();
      Type type = thread_.getType();
      Value zero = constantInt(builder, loc, type, 0);
      Value warp =
          LLVM::LShrOp::create(builder, loc, thread_, constantInt(builder, loc, type, kLaneBits));
      // What comes from one lane is the same in all: targets branch for the warp, not for threads.
      warp = primitives.shuffleIndex(builder, loc, warp, zero);
      return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, warp, zero);
    });
  return firstWarp_;
}

Value KernelContext::threadParity(OpBuilder &builder, Bits mask) {
  Value &value = parity_[mask];
  if (!value)
    value = inPrologue(builder,
                       [&] { return parity(builder, builder.getUnknownLoc(), thread_, mask); });
  return value;
}

Value KernelContext::sharedPointer(OpBuilder &builder, Location loc, int64_t base, Value offset) {
  if (!shared_)
    shared_ = inPrologue(builder,
                         [&] { return primitives.sharedBase(builder, builder.getUnknownLoc()); });
  Type byte = builder.getI8Type();
  Value pointer =
      LLVM::GEPOp::create(builder, loc, shared_.getType(), byte, shared_,
                          ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::inbounds);
  if (base == 0)
    return pointer;
  return LLVM::GEPOp::create(builder, loc, shared_.getType(), byte, pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(base)},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value KernelContext::slotOffset(OpBuilder &builder, Location loc, Value buffer, Value slot,
                                int64_t bytes) {
  auto flags = LLVM::IntegerOverflowFlags::nsw | LLVM::IntegerOverflowFlags::nuw;
  Value start = LLVM::MulOp::create(builder, loc, slot,
                                    constantInt(builder, loc, slot.getType(), bytes), flags);
  return LLVM::AddOp::create(builder, loc, start, buffer, flags);
}

SmallVector<Value> KernelContext::loadShared(OpBuilder &builder, Location loc, Value pointer,
                                             IntegerType element, unsigned count) {
  primitives.noteSharedAccess(builder, loc, pointer, count * element.getWidth() / 8,
                              /*isWrite=*/false, {});
  return primitives.load(builder, loc, pointer, element, count, {}, {}, {});
}

void KernelContext::storeShared(OpBuilder &builder, Location loc, Value pointer, ValueRange values,
                                Value predicate) {
  unsigned bits = storageType(values.front().getType()).getWidth();
  primitives.noteSharedAccess(builder, loc, pointer, values.size() * bits / 8, /*isWrite=*/true,
                              predicate);
  primitives.store(builder, loc, pointer, values, predicate, {});
}
