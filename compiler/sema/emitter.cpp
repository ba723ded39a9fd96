#include "compiler/sema/emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilec::sema {

using ast::BinaryOp;

//===--- Origins -----------------------------------------------------------------------------===//

bool Emitter::traced(const RuntimeValue &value) const {
  return !value.type.isPointer() && isInteger(value.scalar());
}

RuntimeValue Emitter::computed(RuntimeValue result, const RuntimeValue &left,
                               const RuntimeValue &right) {
  result.origin = nullptr;
  if (traced(result)) {
    result.origin = newOrigin();
    result.origin->operands = {{0, left}, {1, right}};
    deduceRange(result, *result.origin);
  }
  return result;
}

RuntimeValue Emitter::structural(RuntimeValue result, const RuntimeValue &source) {
  result.origin = nullptr;
  if (traced(result)) {
    result.origin = newOrigin();
    result.origin->operands = {{0, source}};
    deduceRange(result, *result.origin);
  }
  return result;
}

RuntimeValue Emitter::leafWithWide(mlir::Value value, TileType type, mlir::Value wide) {
  RuntimeValue result = leaf(value, std::move(type));
  result.origin = newOrigin();
  result.origin->wide = wide;
  return result;
}

//===--- Constants and shapes ----------------------------------------------------------------===//

RuntimeValue Emitter::constant(const Constant &value, Scalar type, ArrayRef<int64_t> shape) {
  Type element = toMlir(builder.getContext(), type);
  uint64_t bits = bitsOf(value, type);
  TypedAttr attribute;
  if (auto real = dyn_cast<FloatType>(element))
    attribute = FloatAttr::get(
        element, llvm::APFloat(real.getFloatSemantics(),
                               llvm::APInt(bitWidth(type), bits, false, /*implicitTrunc=*/true)));
  else
    attribute =
        IntegerAttr::get(element, llvm::APInt(bitWidth(type), bits, false, /*implicitTrunc=*/true));
  TileType result(type, Shape(shape.begin(), shape.end()));
  if (!shape.empty())
    attribute = SplatElementsAttr::get(cast<RankedTensorType>(mlirType(result)),
                                       static_cast<Attribute>(attribute));
  return leaf(arith::ConstantOp::create(builder, loc, attribute), result);
}

RuntimeValue Emitter::arange(int32_t start, int64_t count) {
  TileType type(Scalar::I32, {count});
  return leaf(
      tile::ArangeOp::create(builder, loc, mlirType(type), builder.getI32IntegerAttr(start)), type);
}

RuntimeValue Emitter::expandDims(const RuntimeValue &value, unsigned axis) {
  RuntimeValue result = value;
  result.type.shape.insert(result.type.shape.begin() + axis, 1);
  if (!value.type.isTile()) {
    result.ir = tile::SplatOp::create(builder, loc, mlirType(result.type), value.ir);
    return structural(result, value);
  }
  result.ir = tile::ExpandDimsOp::create(builder, loc, mlirType(result.type), value.ir,
                                         builder.getI32IntegerAttr(axis));
  return structural(result, value);
}

RuntimeValue Emitter::broadcast(const RuntimeValue &value, ArrayRef<int64_t> shape) {
  if (ArrayRef<int64_t>(value.type.shape) == shape)
    return value;
  RuntimeValue current = value;
  if (!value.type.isTile()) {
    current.type.shape.assign(shape.begin(), shape.end());
    current.ir = tile::SplatOp::create(builder, loc, mlirType(current.type), value.ir);
    return structural(current, value);
  }
  while (current.type.shape.size() < shape.size())
    current = expandDims(current, 0);
  if (ArrayRef<int64_t>(current.type.shape) == shape)
    return current;
  RuntimeValue result = current;
  result.type.shape.assign(shape.begin(), shape.end());
  result.ir = tile::BroadcastOp::create(builder, loc, mlirType(result.type), current.ir);
  return structural(result, current);
}

RuntimeValue Emitter::reshape(const RuntimeValue &value, ArrayRef<int64_t> shape) {
  if (ArrayRef<int64_t>(value.type.shape) == shape)
    return value;
  if (!value.type.isTile())
    return broadcast(value, shape);
  RuntimeValue result = value;
  result.type.shape.assign(shape.begin(), shape.end());
  result.ir = tile::ReshapeOp::create(builder, loc, mlirType(result.type), value.ir);
  return structural(result, value);
}

RuntimeValue Emitter::permute(const RuntimeValue &value, ArrayRef<int32_t> order) {
  RuntimeValue result = value;
  for (auto [dim, from] : llvm::enumerate(order))
    result.type.shape[dim] = value.type.shape[from];
  result.ir = tile::PermuteOp::create(builder, loc, mlirType(result.type), value.ir,
                                      builder.getDenseI32ArrayAttr(order));
  return structural(result, value);
}

//===--- Arithmetic --------------------------------------------------------------------------===//

mlir::Value Emitter::integerArithmetic(BinaryOp op, const RuntimeValue &left,
                                       const RuntimeValue &right) {
  bool isUnsignedType = isUnsigned(left.scalar());
  switch (op) {
  case BinaryOp::Add:
    return binary<arith::AddIOp>(left, right);
  case BinaryOp::Sub:
    return binary<arith::SubIOp>(left, right);
  case BinaryOp::Mul:
    return binary<arith::MulIOp>(left, right);
  case BinaryOp::Div:
    return isUnsignedType ? binary<arith::DivUIOp>(left, right)
                          : binary<arith::DivSIOp>(left, right);
  case BinaryOp::Rem:
    return isUnsignedType ? binary<arith::RemUIOp>(left, right)
                          : binary<arith::RemSIOp>(left, right);
  case BinaryOp::BitAnd:
  case BinaryOp::LogicalAnd:
    return binary<arith::AndIOp>(left, right);
  case BinaryOp::BitOr:
  case BinaryOp::LogicalOr:
    return binary<arith::OrIOp>(left, right);
  case BinaryOp::BitXor:
    return binary<arith::XOrIOp>(left, right);
  case BinaryOp::Shl:
    return binary<arith::ShLIOp>(left, right);
  default:
    return isUnsignedType ? binary<arith::ShRUIOp>(left, right)
                          : binary<arith::ShRSIOp>(left, right);
  }
}

RuntimeValue Emitter::arithmetic(BinaryOp op, const RuntimeValue &left, const RuntimeValue &right) {
  RuntimeValue result = left;
  if (!isFloat(left.scalar())) {
    result.ir = integerArithmetic(op, left, right);
    // A shift by a run-time amount is a leaf: what it does past the width is nobody's promise.
    bool isShift = op == BinaryOp::Shl || op == BinaryOp::Shr;
    if (isShift && !right.ir.getDefiningOp<arith::ConstantOp>()) {
      result.origin = nullptr;
      return result;
    }
    return computed(result, left, right);
  }
  result.origin = nullptr;
  switch (op) {
  case BinaryOp::Add:
    result.ir = real<arith::AddFOp>(left, right);
    break;
  case BinaryOp::Sub:
    result.ir = real<arith::SubFOp>(left, right);
    break;
  case BinaryOp::Mul:
    result.ir = real<arith::MulFOp>(left, right);
    break;
  default:
    result.ir = binary<arith::DivFOp>(left, right);
    break;
  }
  return result;
}

static arith::CmpIPredicate integerPredicate(BinaryOp op, bool isUnsignedType) {
  using Predicate = arith::CmpIPredicate;
  switch (op) {
  case BinaryOp::Eq:
    return Predicate::eq;
  case BinaryOp::Ne:
    return Predicate::ne;
  case BinaryOp::Lt:
    return isUnsignedType ? Predicate::ult : Predicate::slt;
  case BinaryOp::Le:
    return isUnsignedType ? Predicate::ule : Predicate::sle;
  case BinaryOp::Gt:
    return isUnsignedType ? Predicate::ugt : Predicate::sgt;
  default:
    return isUnsignedType ? Predicate::uge : Predicate::sge;
  }
}

static arith::CmpFPredicate floatPredicate(BinaryOp op) {
  using Predicate = arith::CmpFPredicate;
  switch (op) {
  case BinaryOp::Eq:
    return Predicate::OEQ;
  case BinaryOp::Ne:
    return Predicate::UNE;
  case BinaryOp::Lt:
    return Predicate::OLT;
  case BinaryOp::Le:
    return Predicate::OLE;
  case BinaryOp::Gt:
    return Predicate::OGT;
  default:
    return Predicate::OGE;
  }
}

RuntimeValue Emitter::compare(BinaryOp op, const RuntimeValue &left, const RuntimeValue &right) {
  TileType type = left.type.withElement({Scalar::Bool});
  if (isFloat(left.scalar()))
    return leaf(arith::CmpFOp::create(builder, loc, floatPredicate(op), left.ir, right.ir), type);
  arith::CmpIPredicate predicate = integerPredicate(op, isUnsigned(left.scalar()));
  auto comparison = arith::CmpIOp::create(builder, loc, predicate, left.ir, right.ir);
  if (traced(left) && !left.type.isTile())
    comparisons_[comparison] = {op, left, right};
  else
    comparisons_.erase(comparison); // of another operation, erased since, in the same place
  return leaf(comparison, type);
}

/// Nothing but a number's extension, which the analyses see through.
static bool isExtended(mlir::Value wide) {
  Operation *op = wide.getDefiningOp();
  return op && isa<arith::ConstantOp, arith::ExtSIOp, arith::ExtUIOp>(op);
}

void Emitter::assume(const RuntimeValue &condition) {
  tile::AssumeOp::create(builder, loc, condition.ir);
  SmallVector<mlir::Value> parts = {condition.ir};
  while (!parts.empty()) {
    Operation *op = parts.pop_back_val().getDefiningOp();
    if (isa_and_nonnull<arith::AndIOp>(op))
      parts.append({op->getOperand(0), op->getOperand(1)});
    auto compare = dyn_cast_if_present<arith::CmpIOp>(op);
    auto found = comparisons_.find(compare);
    if (!compare || found == comparisons_.end())
      continue;
    auto [operation, left, right] = found->second;
    if (left.ir != compare.getLhs() || right.ir != compare.getRhs() ||
        bitWidth(left.scalar()) == 64)
      continue;
    mlir::Value wideLeft = inI64(left).ir, wideRight = inI64(right).ir;
    if (isExtended(wideLeft) && isExtended(wideRight))
      continue;
    // A narrow number, signed or not, is the same one as a signed number of 64 bits.
    arith::CmpIPredicate predicate = integerPredicate(operation, /*isUnsignedType=*/false);
    tile::AssumeOp::create(builder, loc,
                           arith::CmpIOp::create(builder, loc, predicate, wideLeft, wideRight));
  }
}

RuntimeValue Emitter::negate(const RuntimeValue &value) {
  if (isFloat(value.scalar()))
    return leaf(arith::NegFOp::create(builder, loc, value.ir), value.type);
  RuntimeValue zero = constant(IntConstant{0, value.scalar()}, value.scalar(), value.type.shape);
  return arithmetic(BinaryOp::Sub, zero, value);
}

RuntimeValue Emitter::invert(const RuntimeValue &value) {
  Constant ones = fromBits(~uint64_t(0), value.scalar());
  RuntimeValue mask = constant(ones, value.scalar(), value.type.shape);
  RuntimeValue result = arithmetic(BinaryOp::BitXor, value, mask);
  // ~ of a narrow unsigned value keeps its width; of a signed one it is -x - 1 in any width.
  if (isUnsigned(value.scalar()))
    result.origin = nullptr;
  return result;
}

RuntimeValue Emitter::select(const RuntimeValue &condition, const RuntimeValue &whenTrue,
                             const RuntimeValue &whenFalse) {
  RuntimeValue result = whenTrue;
  result.ir = arith::SelectOp::create(builder, loc, condition.ir, whenTrue.ir, whenFalse.ir);
  result.origin = nullptr;
  if (traced(result)) {
    result.origin = newOrigin();
    result.origin->operands = {{1, whenTrue}, {2, whenFalse}};
    deduceRange(result, *result.origin);
  }
  return result;
}

RuntimeValue Emitter::minimum(const RuntimeValue &left, const RuntimeValue &right,
                              bool propagateNan) {
  RuntimeValue result = left;
  if (isFloat(left.scalar())) {
    result.ir = propagateNan ? binary<arith::MinimumFOp>(left, right)
                             : binary<arith::MinNumFOp>(left, right);
    return result;
  }
  result.ir = isUnsigned(left.scalar()) ? binary<arith::MinUIOp>(left, right)
                                        : binary<arith::MinSIOp>(left, right);
  return computed(result, left, right);
}

RuntimeValue Emitter::maximum(const RuntimeValue &left, const RuntimeValue &right,
                              bool propagateNan) {
  RuntimeValue result = left;
  if (isFloat(left.scalar())) {
    result.ir = propagateNan ? binary<arith::MaximumFOp>(left, right)
                             : binary<arith::MaxNumFOp>(left, right);
    return result;
  }
  result.ir = isUnsigned(left.scalar()) ? binary<arith::MaxUIOp>(left, right)
                                        : binary<arith::MaxSIOp>(left, right);
  return computed(result, left, right);
}

RuntimeValue Emitter::isNan(const RuntimeValue &value) {
  return leaf(arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value.ir, value.ir),
              value.type.withElement({Scalar::Bool}));
}

//===--- Pointers ----------------------------------------------------------------------------===//

RuntimeValue Emitter::inI64(const RuntimeValue &value) {
  return leaf(widener_.widen(value), value.type.withElement({Scalar::I64}));
}

RuntimeValue Emitter::addPointer(const RuntimeValue &pointer, const RuntimeValue &offset,
                                 bool subtract) {
  mlir::Value wide = widener_.widen(offset);
  if (subtract) {
    RuntimeValue zero = constant(IntConstant{0, Scalar::I64}, Scalar::I64, offset.type.shape);
    wide = arith::SubIOp::create(builder, loc, zero.ir, wide);
  }
  RuntimeValue result = pointer;
  result.ir = tile::AddPtrOp::create(builder, loc, pointer.ir, wide);
  return result;
}

} // namespace tilec::sema
