// The math dialect: roundings and the like are LLVM intrinsics, functions come from the device.
#include "compiler/lowering/bits.h"
#include "compiler/lowering/elementwise_same.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilec;

/// A function of the device. f16 and bf16 are computed in f32 and rounded.
template <typename SourceOp, MathFunction function>
static void deviceFunction(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  Value operand = scalar.operands[0];
  bool narrow = operand.getType().getIntOrFloatBitWidth() < 32;
  if (narrow)
    operand = extendToF32(scalar.builder, scalar.loc(), operand);
  bool fast =
      bitEnumContainsAll(cast<SourceOp>(scalar.op).getFastmath(), arith::FastMathFlags::afn);
  Value value = scalar.primitives.math(scalar.builder, scalar.loc(), function, operand, fast);
  if (narrow)
    value = scalar.primitives.truncateFloat(scalar.builder, scalar.loc(), value, scalar.result());
  results.push_back(value);
}

template <typename SourceOp, MathFunction function>
static void addFunction(ElementwiseTable &table) {
  table.add<SourceOp>(deviceFunction<SourceOp, function>);
}

static void absoluteInteger(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  results.push_back(LLVM::AbsOp::create(scalar.builder, scalar.loc(), scalar.result(),
                                        scalar.operands[0], /*is_int_min_poison=*/false));
}

/// Clears the sign bit of the bits: right for NaN too, and for types without arithmetic.
static void absoluteFloat(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  Type type = scalar.result();
  if (!scalar.primitives.promotesToF32(type))
    return same<math::AbsFOp, LLVM::FAbsOp>(scalar, results);
  Value bits = toStorage(scalar.builder, scalar.loc(), scalar.operands[0]);
  Value mask = constantInt(scalar.builder, scalar.loc(), bits.getType(),
                           (int64_t(1) << (type.getIntOrFloatBitWidth() - 1)) - 1);
  bits = LLVM::AndOp::create(scalar.builder, scalar.loc(), bits, mask);
  results.push_back(fromStorage(scalar.builder, scalar.loc(), bits, type));
}

static void isNan(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  results.push_back(LLVM::FCmpOp::create(scalar.builder, scalar.loc(), LLVM::FCmpPredicate::uno,
                                         scalar.operands[0], scalar.operands[0]));
}

/// |x| == inf, or |x| < inf.
template <LLVM::FCmpPredicate predicate>
static void compareToInfinity(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  auto type = cast<FloatType>(scalar.operands[0].getType());
  Value infinity = LLVM::ConstantOp::create(
      scalar.builder, scalar.loc(), type,
      scalar.builder.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics())));
  Value magnitude = LLVM::FAbsOp::create(scalar.builder, scalar.loc(), type, scalar.operands[0]);
  results.push_back(
      LLVM::FCmpOp::create(scalar.builder, scalar.loc(), predicate, magnitude, infinity));
}

template <typename TargetOp>
static void countZeros(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  results.push_back(TargetOp::create(scalar.builder, scalar.loc(), scalar.result(),
                                     scalar.operands[0], /*is_zero_poison=*/false));
}

static void countBits(const ScalarOperation &scalar, SmallVectorImpl<Value> &results) {
  results.push_back(
      LLVM::CtPopOp::create(scalar.builder, scalar.loc(), scalar.result(), scalar.operands[0]));
}

void tilec::addMath(ElementwiseTable &table) {
  using namespace mlir::math;
  table.add<AbsIOp>(absoluteInteger);
  table.add<AbsFOp>(absoluteFloat);
  table.add<CountLeadingZerosOp>(countZeros<LLVM::CountLeadingZerosOp>);
  table.add<CountTrailingZerosOp>(countZeros<LLVM::CountTrailingZerosOp>);
  table.add<CtPopOp>(countBits);
  table.add<FloorOp>(same<FloorOp, LLVM::FFloorOp>, true);
  table.add<CeilOp>(same<CeilOp, LLVM::FCeilOp>, true);
  table.add<RoundOp>(same<RoundOp, LLVM::RoundOp>, true);
  table.add<RoundEvenOp>(same<RoundEvenOp, LLVM::RoundEvenOp>, true);
  table.add<TruncOp>(same<TruncOp, LLVM::FTruncOp>, true);
  table.add<CopySignOp>(same<CopySignOp, LLVM::CopySignOp>, true);
  table.add<FmaOp>(same<FmaOp, LLVM::FMAOp>, true);
  table.add<IsNaNOp>(isNan, true);
  table.add<IsInfOp>(compareToInfinity<LLVM::FCmpPredicate::oeq>, true);
  table.add<IsFiniteOp>(compareToInfinity<LLVM::FCmpPredicate::olt>, true);

  addFunction<ExpOp, MathFunction::Exp>(table);
  addFunction<Exp2Op, MathFunction::Exp2>(table);
  addFunction<LogOp, MathFunction::Log>(table);
  addFunction<Log2Op, MathFunction::Log2>(table);
  addFunction<SqrtOp, MathFunction::Sqrt>(table);
  addFunction<RsqrtOp, MathFunction::Rsqrt>(table);
  addFunction<SinOp, MathFunction::Sin>(table);
  addFunction<CosOp, MathFunction::Cos>(table);
  addFunction<TanhOp, MathFunction::Tanh>(table);
  addFunction<ErfOp, MathFunction::Erf>(table);
}
