// Integer and float arithmetic, comparisons, select, pointer arithmetic.
//
// Integer division never traps and never is undefined as a whole: a zero divisor is replaced by one
// (the result is any value), and the most negative number by -1 wraps. Both guards vanish when the
// divisor is a constant.
#include "compiler/lowering/bits.h"
#include "compiler/lowering/elementwise_same.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

static Value zero(const ScalarOperation &scalar, Type type) {
  return constantInt(scalar.builder, scalar.loc(), type, 0);
}

static Value compare(const ScalarOperation &scalar, LLVM::ICmpPredicate predicate, Value a,
                     Value b) {
  return LLVM::ICmpOp::create(scalar.builder, scalar.loc(), predicate, a, b);
}

namespace {
struct Division {
  Value quotient, remainder;
};
} // namespace

/// a / b and a % b, truncating, for any a and b.
static Division divide(const ScalarOperation &scalar, bool isSigned, bool wantRemainder) {
  OpBuilder &builder = scalar.builder;
  Location loc = scalar.loc();
  Value a = scalar.operands[0], b = scalar.operands[1];
  Type type = a.getType();
  APInt constant;
  bool known = matchPattern(b, m_ConstantInt(&constant));
  Value isMinusOne;
  if (!known || constant.isZero()) {
    Value one = constantInt(builder, loc, type, 1);
    b = LLVM::SelectOp::create(
        builder, loc, compare(scalar, LLVM::ICmpPredicate::eq, b, zero(scalar, type)), one, b);
  }
  if (isSigned && (!known || constant.isAllOnes())) {
    // a / -1 is -a and a % -1 is 0, which also wraps as it should; divide by 1 instead.
    isMinusOne = compare(scalar, LLVM::ICmpPredicate::eq, b, constantInt(builder, loc, type, -1));
    b = LLVM::SelectOp::create(builder, loc, isMinusOne, constantInt(builder, loc, type, 1), b);
  }
  Division result;
  if (wantRemainder) {
    result.remainder = isSigned ? Value(LLVM::SRemOp::create(builder, loc, a, b))
                                : Value(LLVM::URemOp::create(builder, loc, a, b));
    return result;
  }
  result.quotient = isSigned ? Value(LLVM::SDivOp::create(builder, loc, a, b))
                             : Value(LLVM::UDivOp::create(builder, loc, a, b));
  if (isMinusOne) {
    Value negated = LLVM::SubOp::create(builder, loc, zero(scalar, type), a);
    result.quotient = LLVM::SelectOp::create(builder, loc, isMinusOne, negated, result.quotient);
  }
  return result;
}

template <bool isSigned, bool wantRemainder>
static void division(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  Division result = divide(scalar, isSigned, wantRemainder);
  results.push_back(wantRemainder ? result.remainder : result.quotient);
}

/// Division that rounds up or down: the truncated quotient, one off where a remainder is left and
/// the exact quotient lies on that side of zero.
template <bool isSigned, bool up>
static void roundedDivision(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  OpBuilder &builder = scalar.builder;
  Location loc = scalar.loc();
  Type type = scalar.result();
  Value quotient = divide(scalar, isSigned, false).quotient;
  Value remainder = divide(scalar, isSigned, true).remainder;
  Value adjust = compare(scalar, LLVM::ICmpPredicate::ne, remainder, zero(scalar, type));
  if (isSigned) {
    Value signs = LLVM::XOrOp::create(builder, loc, scalar.operands[0], scalar.operands[1]);
    Value positive = compare(scalar, up ? LLVM::ICmpPredicate::sge : LLVM::ICmpPredicate::slt,
                             signs, zero(scalar, type));
    adjust = LLVM::AndOp::create(builder, loc, adjust, positive);
  }
  Value one = LLVM::ZExtOp::create(builder, loc, type, adjust);
  results.push_back(up ? Value(LLVM::AddOp::create(builder, loc, quotient, one))
                       : Value(LLVM::SubOp::create(builder, loc, quotient, one)));
}

/// Low and high half of the double-width product.
template <bool isSigned>
static void extendedProduct(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  OpBuilder &builder = scalar.builder;
  Location loc = scalar.loc();
  Type type = scalar.result();
  unsigned width = type.getIntOrFloatBitWidth();
  Type wide = builder.getIntegerType(2 * width);
  auto extend = [&](Value value) -> Value {
    if (isSigned)
      return LLVM::SExtOp::create(builder, loc, wide, value);
    return LLVM::ZExtOp::create(builder, loc, wide, value);
  };
  Value product =
      LLVM::MulOp::create(builder, loc, extend(scalar.operands[0]), extend(scalar.operands[1]));
  Value high = LLVM::LShrOp::create(builder, loc, product, constantInt(builder, loc, wide, width));
  results.push_back(LLVM::TruncOp::create(builder, loc, type, product));
  results.push_back(LLVM::TruncOp::create(builder, loc, type, high));
}

/// Sum and carry.
static void extendedSum(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  Value sum =
      LLVM::AddOp::create(scalar.builder, scalar.loc(), scalar.operands[0], scalar.operands[1]);
  results.push_back(sum);
  results.push_back(compare(scalar, LLVM::ICmpPredicate::ult, sum, scalar.operands[0]));
}

/// minimum and maximum that ignore NaN and order -0 below +0, as min.f32 and max.f32 of PTX do;
/// llvm.minnum leaves the zeros open.
static void numberExtreme(const ScalarOperation &scalar, const char *intrinsic,
                          SmallVectorImpl<Value> &results) {
  OpBuilder &builder = scalar.builder;
  results.push_back(LLVM::CallIntrinsicOp::create(builder, scalar.loc(), scalar.result(),
                                                  builder.getStringAttr(intrinsic), scalar.operands)
                        .getResult(0));
}
static void minimumNumber(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  numberExtreme(scalar, "llvm.minimumnum", results);
}
static void maximumNumber(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  numberExtreme(scalar, "llvm.maximumnum", results);
}

static void compareIntegers(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  // Both enumerations list the predicates in LLVM's order.
  auto predicate = static_cast<LLVM::ICmpPredicate>(cast<arith::CmpIOp>(scalar.op).getPredicate());
  results.push_back(compare(scalar, predicate, scalar.operands[0], scalar.operands[1]));
}

static void compareFloats(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  auto source = cast<arith::CmpFOp>(scalar.op);
  auto predicate = static_cast<LLVM::FCmpPredicate>(source.getPredicate());
  results.push_back(LLVM::FCmpOp::create(
      scalar.builder, scalar.loc(), predicate, scalar.operands[0], scalar.operands[1],
      arith::convertArithFastMathFlagsToLLVM(source.getFastmath())));
}

static void select(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  results.push_back(LLVM::SelectOp::create(scalar.builder, scalar.loc(), scalar.operands[0],
                                           scalar.operands[1], scalar.operands[2]));
}

/// Flips the sign bit: of the bits where the device has no arithmetic on the type.
static void negate(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  Type type = scalar.result();
  if (!scalar.primitives.promotesToF32(type))
    return same<arith::NegFOp, LLVM::FNegOp>(scalar, results);
  Type storage = storageType(type);
  Value bits = toStorage(scalar.builder, scalar.loc(), scalar.operands[0]);
  Value sign = constantInt(scalar.builder, scalar.loc(), storage,
                           int64_t(1) << (type.getIntOrFloatBitWidth() - 1));
  bits = LLVM::XOrOp::create(scalar.builder, scalar.loc(), bits, sign);
  results.push_back(fromStorage(scalar.builder, scalar.loc(), bits, type));
}

/// Pointer arithmetic is in 64 bits and never wraps; a narrower offset is signed.
static void addPointer(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  OpBuilder &builder = scalar.builder;
  Type pointee =
      cast<tile::PointerType>(getElementTypeOrSelf(scalar.op->getResult(0).getType())).getPointee();
  Type element = builder.getIntegerType(8 * tile::elementBytes(pointee));
  Value offset = scalar.operands[1];
  if (offset.getType().getIntOrFloatBitWidth() < 64)
    offset = LLVM::SExtOp::create(builder, scalar.loc(), builder.getI64Type(), offset);
  results.push_back(LLVM::GEPOp::create(builder, scalar.loc(), scalar.result(), element,
                                        scalar.operands[0], ArrayRef<LLVM::GEPArg>{offset}));
}

static void divideFloats(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  if (!bitEnumContainsAll(cast<arith::DivFOp>(scalar.op).getFastmath(), arith::FastMathFlags::afn))
    return same<arith::DivFOp, LLVM::FDivOp>(scalar, results);
  results.push_back(scalar.primitives.fastDivide(scalar.builder, scalar.loc(), scalar.operands[0],
                                                 scalar.operands[1]));
}

void tilec::addArithmetic(ElementwiseTable &table) {
  using namespace mlir::arith;
  table.add<AddIOp>(same<AddIOp, LLVM::AddOp>);
  table.add<SubIOp>(same<SubIOp, LLVM::SubOp>);
  table.add<MulIOp>(same<MulIOp, LLVM::MulOp>);
  table.add<AndIOp>(same<AndIOp, LLVM::AndOp>);
  table.add<OrIOp>(same<OrIOp, LLVM::OrOp>);
  table.add<XOrIOp>(same<XOrIOp, LLVM::XOrOp>);
  table.add<ShLIOp>(same<ShLIOp, LLVM::ShlOp>);
  table.add<ShRSIOp>(same<ShRSIOp, LLVM::AShrOp>);
  table.add<ShRUIOp>(same<ShRUIOp, LLVM::LShrOp>);
  table.add<MaxSIOp>(same<MaxSIOp, LLVM::SMaxOp>);
  table.add<MaxUIOp>(same<MaxUIOp, LLVM::UMaxOp>);
  table.add<MinSIOp>(same<MinSIOp, LLVM::SMinOp>);
  table.add<MinUIOp>(same<MinUIOp, LLVM::UMinOp>);

  table.add<DivSIOp>(division<true, false>);
  table.add<DivUIOp>(division<false, false>);
  table.add<RemSIOp>(division<true, true>);
  table.add<RemUIOp>(division<false, true>);
  table.add<CeilDivSIOp>(roundedDivision<true, true>);
  table.add<CeilDivUIOp>(roundedDivision<false, true>);
  table.add<FloorDivSIOp>(roundedDivision<true, false>);
  table.add<MulSIExtendedOp>(extendedProduct<true>);
  table.add<MulUIExtendedOp>(extendedProduct<false>);
  table.add<AddUIExtendedOp>(extendedSum);

  table.add<AddFOp>(same<AddFOp, LLVM::FAddOp>, true);
  table.add<SubFOp>(same<SubFOp, LLVM::FSubOp>, true);
  table.add<MulFOp>(same<MulFOp, LLVM::FMulOp>, true);
  table.add<DivFOp>(divideFloats, true);
  table.add<RemFOp>(same<RemFOp, LLVM::FRemOp>, true);
  table.add<MaxNumFOp>(maximumNumber, true);
  table.add<MinNumFOp>(minimumNumber, true);
  table.add<MaximumFOp>(same<MaximumFOp, LLVM::MaximumOp>, true);
  table.add<MinimumFOp>(same<MinimumFOp, LLVM::MinimumOp>, true);
  table.add<NegFOp>(negate);

  table.add<CmpIOp>(compareIntegers);
  table.add<CmpFOp>(compareFloats, true);
  table.add<SelectOp>(select);
  table.add<tile::AddPtrOp>(addPointer);
}
