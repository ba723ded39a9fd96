// The arithmetic works on the bits of the wider float. Down:
//
//            wide   s eeeeeeee mmm|mmmmmmmmmmmmmmmmmmmm
//                                 ^ round here, to nearest even: add half, less one where the bit
//                                   above is 0; a carry moves into the exponent, as it should
//
// after the exponent has got fp8's bias. Numbers below fp8's least normal one are rounded by an
// addition instead: next to a power of two whose last place is fp8's smallest step the hardware
// rounds to exactly that step, and the low bits of the sum are the result.
#include "compiler/lowering/float8.h"

#include "compiler/lowering/bits.h"
#include "compiler/lowering/elementwise.h"

using namespace mlir;
using namespace tilec;

namespace {

/// Integer arithmetic with constants on one type, one location.
class BitArithmetic {
public:
  BitArithmetic(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  Value constant(int64_t value) const { return constantInt(builder, loc, type, value); }
  Value add(Value value, int64_t other) const {
    return LLVM::AddOp::create(builder, loc, value, constant(other));
  }
  Value bitAnd(Value value, int64_t mask) const {
    return LLVM::AndOp::create(builder, loc, value, constant(mask));
  }
  Value right(Value value, int64_t places) const {
    return LLVM::LShrOp::create(builder, loc, value, constant(places));
  }
  Value left(Value value, int64_t places) const {
    return LLVM::ShlOp::create(builder, loc, value, constant(places));
  }
  Value select(LLVM::ICmpPredicate predicate, Value value, int64_t other, Value then,
               Value otherwise) const {
    Value test = LLVM::ICmpOp::create(builder, loc, predicate, value, constant(other));
    return LLVM::SelectOp::create(builder, loc, test, then, otherwise);
  }
  Value asFloat(Value value, Type real) const {
    return LLVM::BitcastOp::create(builder, loc, real, value);
  }

  OpBuilder &builder;
  Location loc;
  Type type;
};

/// A float format; exponents are those of its least normal number.
struct Format {
  explicit Format(Type type) {
    const llvm::fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
    mantissa = llvm::APFloat::semanticsPrecision(semantics) - 1;
    leastExponent = llvm::APFloat::semanticsMinExponent(semantics);
    largest =
        static_cast<int64_t>(llvm::APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue());
  }
  int64_t bias() const { return 1 - leastExponent; }

  int64_t mantissa, leastExponent;
  int64_t largest; ///< bits of the largest finite number
};

} // namespace

static constexpr int64_t kNan = 0x7f, kSign = 0x80;

Value tilec::truncateToFloat8(OpBuilder &builder, Location loc, DevicePrimitives &primitives,
                              Value value, Type to) {
  Type real = value.getType(), byte = builder.getI8Type();
  if (real.isF32())
    if (Value native = primitives.truncateToFloat8(builder, loc, value, to))
      return native;
  int64_t width = real.getIntOrFloatBitWidth();
  BitArithmetic bits(builder, loc, builder.getIntegerType(static_cast<unsigned>(width)));
  Format wide(real), narrow(to);
  Value whole = LLVM::BitcastOp::create(builder, loc, bits.type, value);
  Value sign = bits.bitAnd(bits.right(whole, width - 8), kSign);
  Value magnitude = bits.bitAnd(whole, static_cast<int64_t>(~uint64_t(0) >> (65 - width)));

  int64_t shift = wide.mantissa - narrow.mantissa, biases = wide.bias() - narrow.bias();
  Value rebased = bits.add(magnitude, -(biases << wide.mantissa));
  Value odd = bits.bitAnd(bits.right(rebased, shift), 1);
  Value normal =
      LLVM::AddOp::create(builder, loc, bits.add(rebased, (int64_t(1) << (shift - 1)) - 1), odd);
  normal = bits.right(normal, shift);

  // The power of two whose last place is fp8's smallest step, 2^(leastExponent - mantissa).
  int64_t exponent = narrow.leastExponent - narrow.mantissa + wide.mantissa;
  int64_t power = (exponent + wide.bias()) << wide.mantissa;
  Value sum = LLVM::FAddOp::create(builder, loc, bits.asFloat(magnitude, real),
                                   bits.asFloat(bits.constant(power), real));
  Value small = bits.add(LLVM::BitcastOp::create(builder, loc, bits.type, sum), -power);

  Value result = bits.select(LLVM::ICmpPredicate::ult, magnitude, (biases + 1) << wide.mantissa,
                             small, normal);
  result = bits.select(LLVM::ICmpPredicate::ugt, result, narrow.largest,
                       bits.constant(narrow.largest), result);
  result = LLVM::OrOp::create(builder, loc, result, sign);
  int64_t infinity = ((int64_t(1) << (width - 1 - wide.mantissa)) - 1) << wide.mantissa;
  result = bits.select(LLVM::ICmpPredicate::ugt, magnitude, infinity, bits.constant(kNan), result);
  return LLVM::TruncOp::create(builder, loc, byte, result);
}

/// An fp8 as f16, where no instruction does it.
static Value float8ToF16(OpBuilder &builder, Location loc, Value bits, Type format) {
  Type half = builder.getI16Type();
  auto constant = [&](int64_t value) { return constantInt(builder, loc, half, value); };
  auto shifted = [&](Value value, int64_t by) -> Value {
    return LLVM::ShlOp::create(builder, loc, value, constant(by));
  };
  Value wide = LLVM::ZExtOp::create(builder, loc, half, bits);
  if (isa<Float8E5M2Type>(format)) // an f16 without its low bits
    return LLVM::BitcastOp::create(builder, loc, builder.getF16Type(), shifted(wide, 8));
  // e4m3: exponent and fraction are where an f16 has them after a shift by 7, with a bias that is 8
  // smaller. One product corrects it, subnormals included; the one NaN has to be put in.
  constexpr int64_t kNan = 0x7f;
  constexpr double kBias = 256;
  Value magnitude = LLVM::AndOp::create(builder, loc, wide, constant(kNan));
  Value sign = shifted(LLVM::AndOp::create(builder, loc, wide, constant(0x80)), 8);
  Value small = LLVM::BitcastOp::create(builder, loc, builder.getF16Type(), shifted(magnitude, 7));
  Value scale = LLVM::ConstantOp::create(builder, loc, builder.getF16Type(),
                                         builder.getFloatAttr(builder.getF16Type(), kBias));
  Value scaled =
      LLVM::BitcastOp::create(builder, loc, half, LLVM::FMulOp::create(builder, loc, small, scale));
  Value isNan =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, magnitude, constant(kNan));
  scaled = LLVM::SelectOp::create(builder, loc, isNan, constant(0x7e00), scaled);
  Value result = LLVM::OrOp::create(builder, loc, scaled, sign);
  return LLVM::BitcastOp::create(builder, loc, builder.getF16Type(), result);
}

Value tilec::extendFloat8(OpBuilder &builder, Location loc, DevicePrimitives &primitives,
                          Value bits, Type from, Type to) {
  Value value = primitives.extendFloat8(builder, loc, bits, from);
  if (!value)
    value = float8ToF16(builder, loc, bits, from);
  if (value.getType() == to)
    return value;
  if (!to.isBF16())
    return LLVM::FPExtOp::create(builder, loc, to, value);
  return primitives.truncateFloat(builder, loc, extendToF32(builder, loc, value), to);
}
