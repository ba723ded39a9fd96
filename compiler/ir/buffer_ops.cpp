// Verifiers of the shared-memory operations, and the algebra's view of a buffer.
#include "compiler/ir/dialect.h"
#include "compiler/ir/part_of_slot.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

int64_t BufferType::elements() const {
  int64_t count = 1;
  for (int64_t size : getShape())
    count *= size;
  return count;
}

int64_t BufferType::slotBytes() const {
  return elements() * elementBytes(getElement());
}

BufferType BufferType::withMemory(ArrayRef<uint32_t> columns) const {
  return get(getContext(), getSlots(), getShape(), getElement(), columns);
}

LogicalResult BufferType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t slots,
                                 ArrayRef<int64_t> shape, Type element, ArrayRef<uint32_t> memory) {
  if (slots < 1)
    return emitError() << "a buffer needs at least one slot";
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size < 1 || !llvm::isPowerOf2_64(size) || size > (int64_t(1) << kMaxElementBits) / elements)
      return emitError() << "buffer sizes must be powers of two, and not too large";
    elements *= size;
  }
  if (!isa<IntegerType, FloatType, PointerType>(element))
    return emitError() << "a buffer holds scalars or pointers";
  if (memory.empty())
    return success();
  std::vector<Bits> columns(memory.begin(), memory.end());
  if ((int64_t(1) << columns.size()) != elements)
    return emitError() << "the memory layout needs one column an offset bit";
  if (gf2::rank(columns) != columns.size() ||
      llvm::any_of(columns, [&](Bits column) { return column >= elements; }))
    return emitError() << "the memory layout is not a bijection";
  return success();
}

static LogicalResult verifyTile(Operation *op, BufferType buffer, RankedTensorType tile,
                                Type element) {
  if (tile.getShape() != buffer.getShape() || element != buffer.getElement())
    return op->emitOpError("the tile is not of the buffer's shape and element type");
  return success();
}

LogicalResult CopyAsyncOp::verify() {
  auto pointer = dyn_cast<PointerType>(getPtr().getType().getElementType());
  if (!pointer)
    return emitOpError("needs a tile of pointers");
  if (Value mask = getMask()) {
    auto type = cast<RankedTensorType>(mask.getType());
    if (!type.getElementType().isInteger(1) || type.getShape() != getPtr().getType().getShape() ||
        type.getEncoding() != getPtr().getType().getEncoding())
      return emitOpError("the mask does not fit the pointers");
  }
  return verifyTile(*this, getBuffer().getType(), getPtr().getType(), pointer.getPointee());
}

/// A block of a slot (compiler/analysis/slot_part.h) is aligned to its own size.
static LogicalResult verifyPart(LocalLoadOp op, ArrayRef<int64_t> starts) {
  ArrayRef<int64_t> part = op.getType().getShape(), whole = op.getBuffer().getType().getShape();
  if (starts.size() != whole.size() || part.size() != whole.size())
    return op.emitOpError("a part of a slot has the rank of the slot");
  for (auto [start, size, all] : llvm::zip(starts, part, whole))
    if (size > all || start < 0 || start % size != 0 || start + size > all)
      return op.emitOpError("a part of a slot is aligned to its size and inside the slot");
  return success();
}

LogicalResult LocalLoadOp::verify() {
  Type element = getType().getElementType();
  if (auto starts = (*this)->getAttrOfType<DenseI64ArrayAttr>(kPartOfSlotAttr)) {
    if (element != getBuffer().getType().getElement())
      return emitOpError("the tile is not of the buffer's element type");
    return verifyPart(*this, starts);
  }
  return verifyTile(*this, getBuffer().getType(), getResult().getType(), element);
}

LogicalResult LocalStoreOp::verify() {
  return verifyTile(*this, getBuffer().getType(), getValue().getType(),
                    getValue().getType().getElementType());
}
