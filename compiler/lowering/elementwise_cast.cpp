// Casts. Floats are rounded once; float to integer truncates, saturates, and maps NaN to 0.
#include "compiler/lowering/bits.h"
#include "compiler/lowering/elementwise.h"
#include "compiler/lowering/float8.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec;

/// Element types of tile IR: in LLVM fp8 is an integer.
static Type sourceType(const ScalarOperation &scalar) {
  return getElementTypeOrSelf(scalar.op->getOperand(0).getType());
}
static Type resultType(const ScalarOperation &scalar) {
  return getElementTypeOrSelf(scalar.op->getResult(0).getType());
}

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

template <typename TargetOp>
static void plain(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  results.push_back(
      TargetOp::create(scalar.builder, scalar.loc(), scalar.result(), scalar.operands[0]));
}

/// Integer to integer where the widths may be equal (index casts).
template <bool isSigned>
static void resize(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  Value value = scalar.operands[0];
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = scalar.result().getIntOrFloatBitWidth();
  if (from == to)
    results.push_back(value);
  else if (from > to)
    plain<LLVM::TruncOp>(scalar, results);
  else if (isSigned)
    plain<LLVM::SExtOp>(scalar, results);
  else
    plain<LLVM::ZExtOp>(scalar, results);
}

static void emitFloatToInt(const ScalarOperation &scalar, bool isUnsigned,
                           SmallVectorImpl<Value> &results) {
  OpBuilder &builder = scalar.builder;
  Value value = scalar.operands[0];
  if (value.getType().getIntOrFloatBitWidth() < 32)
    value = extendToF32(builder, scalar.loc(), value);
  StringRef intrinsic = isUnsigned ? "llvm.fptoui.sat" : "llvm.fptosi.sat";
  results.push_back(LLVM::CallIntrinsicOp::create(builder, scalar.loc(), scalar.result(),
                                                  builder.getStringAttr(intrinsic), value)
                        .getResults());
}

static void tileFloatToInt(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  emitFloatToInt(scalar, cast<tile::FpToIntOp>(scalar.op).getIsUnsigned(), results);
}

template <bool isUnsigned>
static void floatToInt(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  emitFloatToInt(scalar, isUnsigned, results);
}

/// Clears the low `bits` bits of a 64-bit integer, marking in the lowest one left whether any was
/// set: rounding the result to fewer bits then gives what rounding the whole would.
static Value withSticky(const ScalarOperation &scalar, Value value, unsigned bits) {
  OpBuilder &builder = scalar.builder;
  Location loc = scalar.loc();
  Type type = value.getType();
  int64_t mask = (int64_t(1) << bits) - 1;
  Value low = LLVM::AndOp::create(builder, loc, value, constantInt(builder, loc, type, mask));
  Value any = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, low,
                                   constantInt(builder, loc, type, 0));
  Value sticky =
      LLVM::SelectOp::create(builder, loc, any, constantInt(builder, loc, type, int64_t(1) << bits),
                             constantInt(builder, loc, type, 0));
  Value high = LLVM::AndOp::create(builder, loc, value, constantInt(builder, loc, type, ~mask));
  return LLVM::OrOp::create(builder, loc, high, sticky);
}

/// Integer to f16 or bf16 through a float that holds every integer the narrow type tells apart.
/// f16 ends at 65504, far below where f32 loses integers. bf16 does not: i32 goes through f64, and
/// an i64 beyond f64's 53 bits is first cut to them with a sticky bit.
template <bool isUnsigned>
static void intToFloat(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  OpBuilder &builder = scalar.builder;
  Location loc = scalar.loc();
  auto convert = [&](Value value, Type type) -> Value {
    if (isUnsigned)
      return LLVM::UIToFPOp::create(builder, loc, type, value);
    return LLVM::SIToFPOp::create(builder, loc, type, value);
  };
  Value value = scalar.operands[0];
  Type type = scalar.result();
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (type.getIntOrFloatBitWidth() >= 32) {
    results.push_back(convert(value, type));
    return;
  }
  bool exactInF32 = type.isF16() || width <= 24;
  Type middle = exactInF32 ? Type(builder.getF32Type()) : Type(builder.getF64Type());
  if (!exactInF32 && width > 53) {
    // Beyond 2^53 bf16's steps are at least 2^46: twelve bits less change nothing but ties.
    Type wide = value.getType();
    int64_t limit = int64_t(1) << 53;
    Value shifted = value;
    if (!isUnsigned) // |value| < limit, as one unsigned comparison
      shifted = LLVM::AddOp::create(builder, loc, value, constantInt(builder, loc, wide, limit));
    Value small =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, shifted,
                             constantInt(builder, loc, wide, isUnsigned ? limit : 2 * limit));
    value = LLVM::SelectOp::create(builder, loc, small, value, withSticky(scalar, value, 12));
  }
  results.push_back(scalar.primitives.truncateFloat(builder, loc, convert(value, middle), type));
}

/// fp8, which is an integer in LLVM, as f32; other floats as they are.
static Value withoutFloat8(const ScalarOperation &scalar, Value value, Type type) {
  if (!isFloat8(type))
    return value;
  return extendFloat8(scalar.builder, scalar.loc(), scalar.primitives, value, type,
                      scalar.builder.getF32Type());
}

static void extendFloat(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  Value value = scalar.operands[0];
  if (Type from = sourceType(scalar); isFloat8(from)) {
    results.push_back(extendFloat8(scalar.builder, scalar.loc(), scalar.primitives, value, from,
                                   scalar.result()));
    return;
  }
  if (value.getType().isBF16())
    value = extendToF32(scalar.builder, scalar.loc(), value);
  if (value.getType() != scalar.result())
    value = LLVM::FPExtOp::create(scalar.builder, scalar.loc(), scalar.result(), value);
  results.push_back(value);
}

/// To nearest even; from f16 or bf16 into the other, and to fp8, through f32, which holds both.
static Value truncate(const ScalarOperation &scalar, Value value) {
  if (value.getType().getIntOrFloatBitWidth() < 32)
    value = extendToF32(scalar.builder, scalar.loc(), value);
  if (isFloat8(resultType(scalar)))
    return truncateToFloat8(scalar.builder, scalar.loc(), scalar.primitives, value,
                            resultType(scalar));
  if (value.getType() == scalar.result())
    return value;
  return scalar.primitives.truncateFloat(scalar.builder, scalar.loc(), value, scalar.result());
}

/// Toward zero: the nearest value, one step back where that went away from zero. Floats of one sign
/// are ordered as their bits, so a step toward zero is bits - 1; infinity steps to the largest
/// finite number; NaN compares false and stays. What saturates is toward zero already.
static Value truncateTowardZero(const ScalarOperation &scalar) {
  OpBuilder &builder = scalar.builder;
  Location loc = scalar.loc();
  Value exact = scalar.operands[0];
  if (exact.getType().getIntOrFloatBitWidth() < 32)
    exact = extendToF32(builder, loc, exact);
  Value nearest = truncate(scalar, exact);
  Type wide = exact.getType();
  Value back = withoutFloat8(scalar, nearest, resultType(scalar));
  if (back.getType() != wide)
    back = LLVM::FPExtOp::create(builder, loc, wide, back);
  Value away = LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::ogt,
                                    LLVM::FAbsOp::create(builder, loc, wide, back),
                                    LLVM::FAbsOp::create(builder, loc, wide, exact));
  Value bits = toStorage(builder, loc, nearest);
  Value step = LLVM::ZExtOp::create(builder, loc, bits.getType(), away);
  bits = LLVM::SubOp::create(builder, loc, bits, step);
  return fromStorage(builder, loc, bits, scalar.result());
}

static void truncateFloat(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  results.push_back(truncate(scalar, scalar.operands[0]));
}

static void tileTruncateFloat(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  bool towardZero = cast<tile::TruncFOp>(scalar.op).getRounding() == "rtz";
  results.push_back(towardZero ? truncateTowardZero(scalar) : truncate(scalar, scalar.operands[0]));
}

/// Between types of one width: integers, floats, pointers.
static void bitcast(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  Value value = scalar.operands[0];
  Type type = scalar.result();
  if (value.getType() != type) {
    if (!value.getType().isInteger()) // i1 too has its own width here: it is its own integer
      value = toStorage(scalar.builder, scalar.loc(), value);
    value = fromStorage(scalar.builder, scalar.loc(), value, type);
  }
  results.push_back(value);
}

void tilec::addCasts(ElementwiseTable &table) {
  using namespace mlir::arith;
  table.add<ExtSIOp>(plain<LLVM::SExtOp>);
  table.add<ExtUIOp>(plain<LLVM::ZExtOp>);
  table.add<TruncIOp>(plain<LLVM::TruncOp>);
  table.add<IndexCastOp>(resize<true>);
  table.add<IndexCastUIOp>(resize<false>);
  table.add<SIToFPOp>(intToFloat<false>);
  table.add<UIToFPOp>(intToFloat<true>);
  table.add<FPToSIOp>(floatToInt<false>);
  table.add<FPToUIOp>(floatToInt<true>);
  table.add<tile::FpToIntOp>(tileFloatToInt);
  table.add<ExtFOp>(extendFloat);
  table.add<TruncFOp>(truncateFloat);
  table.add<tile::TruncFOp>(tileTruncateFloat);
  table.add<BitcastOp>(bitcast);
  table.add<tile::BitcastOp>(bitcast);
}
