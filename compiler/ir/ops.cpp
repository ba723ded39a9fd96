// Verifiers and folders of the `tile` operations.
#include "compiler/ir/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

#define GET_OP_CLASSES
#include "compiler/ir/TileOps.cpp.inc"

/// Both carry a layout or neither does; when they do, `expected` is the one of `result`.
static LogicalResult verifyLayout(Operation *op, RankedTensorType source, RankedTensorType result,
                                  llvm::function_ref<LinearLayout(LinearLayout)> expected) {
  if (!source.getEncoding() != !result.getEncoding())
    return op->emitOpError("has a layout on one side only");
  if (!source.getEncoding())
    return success();
  LinearLayout wanted = expected(layoutOf(source));
  if (wanted != layoutOf(result))
    return op->emitOpError("result layout should be ") << wanted.str();
  return success();
}

static bool isPowerOfTwoShape(ArrayRef<int64_t> shape) {
  return llvm::all_of(shape, [](int64_t size) { return size > 0 && llvm::isPowerOf2_64(size); });
}

//===--- Shape -------------------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  if (getElementTypeOrSelf(getResult().getType()) != getSource().getType())
    return emitOpError("element type differs from the scalar's");
  if (!isPowerOfTwoShape(getResult().getType().getShape()))
    return emitOpError("sizes must be powers of two");
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (Attribute value = adaptor.getSource())
    if (isa<IntegerAttr, FloatAttr>(value))
      return SplatElementsAttr::get(getResult().getType(), value);
  return {};
}

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType source = getSource().getType(), result = getResult().getType();
  if (getAxis() < 0 || getAxis() > source.getRank())
    return emitOpError("axis out of range");
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + getAxis(), 1);
  if (result.getShape() != ArrayRef(shape) || source.getElementType() != result.getElementType())
    return emitOpError("result type does not fit");
  return verifyLayout(*this, source, result,
                      [&](const LinearLayout &layout) { return layout.expanded(getAxis()); });
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getSource().getType(), result = getResult().getType();
  if (source.getRank() != result.getRank() || source.getElementType() != result.getElementType())
    return emitOpError("rank or element type changes");
  for (auto [from, to] : llvm::zip(source.getShape(), result.getShape()))
    if (from != to && from != 1)
      return emitOpError("stretches a dimension that is not 1");
  if (!source.getEncoding() != !result.getEncoding())
    return emitOpError("has a layout on one side only");
  if (result.getEncoding()) {
    LinearLayout wanted = layoutOf(result).broadcastSource(source.getShape().vec());
    if (wanted != layoutOf(source))
      return emitOpError("source layout should be ") << wanted.str();
  }
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto value = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return SplatElementsAttr::get(getResult().getType(), value.getSplatValue<Attribute>());
  return {};
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = getSource().getType(), result = getResult().getType();
  if (source.getNumElements() != result.getNumElements() ||
      source.getElementType() != result.getElementType())
    return emitOpError("number or type of elements changes");
  return verifyLayout(*this, source, result, [&](const LinearLayout &layout) {
    return layout.reshaped(result.getShape().vec());
  });
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto value = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return SplatElementsAttr::get(getResult().getType(), value.getSplatValue<Attribute>());
  return {};
}

LogicalResult PermuteOp::verify() {
  RankedTensorType source = getSource().getType(), result = getResult().getType();
  SmallVector<bool> seen(source.getRank(), false);
  if (static_cast<int64_t>(getOrder().size()) != source.getRank() ||
      source.getRank() != result.getRank() || source.getElementType() != result.getElementType())
    return emitOpError("order or type does not fit");
  for (auto [dim, from] : llvm::enumerate(getOrder())) {
    if (from < 0 || from >= source.getRank() || seen[from])
      return emitOpError("order is not a permutation");
    seen[from] = true;
    if (result.getDimSize(dim) != source.getDimSize(from))
      return emitOpError("result shape does not fit the order");
  }
  return verifyLayout(*this, source, result, [&](const LinearLayout &layout) {
    return layout.permuted(getOrder().vec());
  });
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  if (auto value = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return SplatElementsAttr::get(getResult().getType(), value.getSplatValue<Attribute>());
  bool identity = true;
  for (auto [dim, from] : llvm::enumerate(getOrder()))
    identity &= static_cast<int32_t>(dim) == from;
  return identity && getSource().getType() == getResult().getType() ? OpFoldResult(getSource())
                                                                    : OpFoldResult();
}

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType source = getSource().getType(), result = getResult().getType();
  if (source.getShape() != result.getShape() || source.getElementType() != result.getElementType())
    return emitOpError("shape or element type changes");
  if (!source.getEncoding() || !result.getEncoding())
    return emitOpError("both sides need a layout");
  if (layoutOf(source).warps() != layoutOf(result).warps())
    return emitOpError("number of warps changes");
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  return {};
}

//===--- Memory ------------------------------------------------------------------------------===//

static LogicalResult verifyAccess(Operation *op, Value ptr, Type valueType, Value mask,
                                  Value other) {
  Type element = cast<PointerType>(getElementTypeOrSelf(ptr.getType())).getPointee();
  if (getElementTypeOrSelf(valueType) != element)
    return op->emitOpError("value is not of the pointee type");
  auto sameShape = [](Type a, Type b) {
    auto tileA = dyn_cast<RankedTensorType>(a), tileB = dyn_cast<RankedTensorType>(b);
    if (!tileA || !tileB)
      return !tileA && !tileB;
    return tileA.getShape() == tileB.getShape() && tileA.getEncoding() == tileB.getEncoding();
  };
  if (!sameShape(ptr.getType(), valueType) || (mask && !sameShape(ptr.getType(), mask.getType())) ||
      (other && !sameShape(ptr.getType(), other.getType())))
    return op->emitOpError("operands differ in shape or layout");
  return success();
}

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError("has `other` without a mask");
  return verifyAccess(*this, getPtr(), getResult().getType(), getMask(), getOther());
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getPtr(), getValue().getType(), getMask(), Value());
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // Read-only memory cannot change under the kernel: such a load may be moved and merged freely.
  if (!getReadOnly() || getCache() == CacheModifier::cv)
    effects.emplace_back(MemoryEffects::Read::get());
}

Speculation::Speculatability LoadOp::getSpeculatability() {
  return Speculation::NotSpeculatable; // the pointer may be valid only where the program says so
}

void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}

/// A mask that is always true is no mask.
template <typename Access> static LogicalResult dropTrueMask(Access op, PatternRewriter &rewriter) {
  if (!op.getMask() || !matchPattern(op.getMask(), m_One()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getMaskMutable().clear();
    if constexpr (std::is_same_v<Access, LoadOp>)
      op.getOtherMutable().clear();
  });
  return success();
}

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  return dropTrueMask(op, rewriter);
}
LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  return dropTrueMask(op, rewriter);
}

//===--- Reduction ---------------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (getSources().empty() || getSources().size() != getResults().size())
    return emitOpError("needs one result for each source");
  auto first = cast<RankedTensorType>(getSources().front().getType());
  if (getAxis() < 0 || getAxis() >= first.getRank())
    return emitOpError("axis out of range");
  SmallVector<int64_t> shape(first.getShape());
  shape.erase(shape.begin() + getAxis());
  Block &block = getCombine().front();
  if (block.getNumArguments() != 2 * getSources().size())
    return emitOpError("combine region needs two arguments for each source");
  for (auto [index, pair] : llvm::enumerate(llvm::zip(getSources(), getResults()))) {
    auto source = cast<RankedTensorType>(std::get<0>(pair).getType());
    Type result = std::get<1>(pair).getType();
    if (source.getShape() != first.getShape() || source.getEncoding() != first.getEncoding())
      return emitOpError("sources differ in shape or layout");
    Type element = source.getElementType();
    if (getElementTypeOrSelf(result) != element || block.getArgument(index).getType() != element ||
        block.getArgument(index + getSources().size()).getType() != element)
      return emitOpError("result or region argument is not of the element type");
    auto tile = dyn_cast<RankedTensorType>(result);
    if (shape.empty() ? static_cast<bool>(tile) : !tile || tile.getShape() != ArrayRef(shape))
      return emitOpError("result shape does not fit");
    if (!tile)
      continue;
    if (!source.getEncoding() != !tile.getEncoding())
      return emitOpError("has a layout on one side only");
    if (tile.getEncoding()) {
      LinearLayout layout = layoutOf(source);
      if (!layout.separable(getAxis()))
        return emitOpError("source layout mixes the axis with other dimensions");
      if (layout.sliced(getAxis()) != layoutOf(tile))
        return emitOpError("result layout should be ") << layout.sliced(getAxis()).str();
    }
  }
  return success();
}

//===--- Effects that keep an operation in place ---------------------------------------------===//

/// A promise must neither be deleted nor moved; it touches no memory that anyone reads.
static void
keepInPlace(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), PromiseResource::get());
}

void AssumeOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  keepInPlace(effects);
}
void AssumeAlignedOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  keepInPlace(effects);
}
void BarrierOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
