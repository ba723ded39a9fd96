#include "compiler/lowering/float8.h"

#include "compiler/lowering/bits.h"

using namespace mlir;
using namespace tilec;

Value tilec::float8ToF16(OpBuilder &builder, Location loc, Value bits, Type format) {
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
