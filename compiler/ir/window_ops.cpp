// Verifiers and effects of the window operations.
#include "compiler/ir/dialect.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Most dimensions an array may have (language.md section 4).
static constexpr size_t kMaxArrayRank = 5;

template <typename Window> static LogicalResult verifyWindow(Window op, Type valueType) {
  size_t rank = op.getLengths().size();
  if (rank == 0 || rank > kMaxArrayRank)
    return op.emitOpError("rank must be 1 to 5");
  if (op.getExtents().size() != rank || op.getStrides().size() != rank ||
      op.getStarts().size() != rank)
    return op.emitOpError("needs one extent, stride, start and length a dimension");
  SmallVector<int64_t> shape;
  for (int64_t length : op.getLengths()) {
    if (length < 0 || (length > 0 && !llvm::isPowerOf2_64(length)))
      return op.emitOpError("a length must be 0 or a power of two");
    if (length > 0)
      shape.push_back(length);
  }
  Type element = cast<PointerType>(op.getBase().getType()).getPointee();
  if (getElementTypeOrSelf(valueType) != element)
    return op.emitOpError("value is not of the pointee type");
  auto tile = dyn_cast<RankedTensorType>(valueType);
  if (shape.empty() ? static_cast<bool>(tile) : !tile || tile.getShape() != ArrayRef(shape))
    return op.emitOpError("value is not of the window's shape");
  return success();
}

LogicalResult WindowLoadOp::verify() {
  if (Value pad = getPad())
    if (pad.getType() != getElementTypeOrSelf(getResult().getType()))
      return emitOpError("pad is not a scalar of the element type");
  return verifyWindow(*this, getResult().getType());
}

LogicalResult WindowStoreOp::verify() {
  return verifyWindow(*this, getValue().getType());
}

void WindowLoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getReadOnly() || getCache() == CacheModifier::cv)
    effects.emplace_back(MemoryEffects::Read::get());
}

Speculation::Speculatability WindowLoadOp::getSpeculatability() {
  return Speculation::NotSpeculatable; // the array may exist only where the program says so
}

void WindowStoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}
