// Functions on NVIDIA GPUs.
//
// f32, bounds in ulp against the exact value:
//   exp2   ex2.approx: 2.2
//   exp    own expansion: 3. Eight instructions; fast_exp is two
//   log, log2   own expansion: 1 and 1.5
//   sqrt   correctly rounded; rsqrt   rsqrt.approx: 1.5
//   sin, cos, tanh, erf   libdevice (CUDA's bounds: 2, 2, 2, 2)
// f64: sqrt is correctly rounded, all else is libdevice's (1 to 2).
// `fast` asks for the approximate instruction, denormals flushed: sin, cos, lg2, ex2, tanh, sqrt,
// rsqrt, and div; fast exp is ex2.approx(x * log2(e)), 3 + 1.25 |x|. libdevice functions are
// declared here and linked by the target.
#include "compiler/lowering/bits.h"
#include "compiler/lowering/nvptx_primitives.h"

#include <numbers>

using namespace mlir;
using namespace tilec;

static Value constantFloat(OpBuilder &builder, Location loc, double value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getF32Type(),
                                  builder.getF32FloatAttr(static_cast<float>(value)));
}

static Value multiply(OpBuilder &builder, Location loc, Value value, double factor) {
  return LLVM::FMulOp::create(builder, loc, value, constantFloat(builder, loc, factor));
}

static Value fma(OpBuilder &builder, Location loc, Value a, Value b, Value c) {
  return LLVM::FMAOp::create(builder, loc, a.getType(), a, b, c);
}

namespace {
/// x = 2^exponent * (1 + fraction), fraction in [-1/3, 1/3).
struct Split {
  Value exponent, fraction;
  Value isRegular; ///< x is positive and finite; everything else is handled apart
};
} // namespace

static Split split(OpBuilder &builder, Location loc, Value x) {
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  // Denormals are scaled into the normal range first.
  constexpr double kScale = 8388608; // 2^23
  Value tiny = LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::olt, x,
                                    constantFloat(builder, loc, 0x1p-126));
  Value scaled = LLVM::SelectOp::create(builder, loc, tiny, multiply(builder, loc, x, kScale), x);
  Value bias = LLVM::SelectOp::create(builder, loc, tiny, constantFloat(builder, loc, -23),
                                      constantFloat(builder, loc, 0));
  // Bits above those of 2/3 hold the exponent that leaves a mantissa in [2/3, 4/3).
  constexpr int64_t kTwoThirds = 0x3f2aaaab, kExponentMask = 0xff800000;
  Value bits = LLVM::BitcastOp::create(builder, loc, i32, scaled);
  Value above = LLVM::SubOp::create(builder, loc, bits, constantInt(builder, loc, i32, kTwoThirds));
  above = LLVM::AndOp::create(builder, loc, above, constantInt(builder, loc, i32, kExponentMask));
  Value mantissa =
      LLVM::BitcastOp::create(builder, loc, f32, LLVM::SubOp::create(builder, loc, bits, above));
  Split result;
  result.exponent = fma(builder, loc, LLVM::SIToFPOp::create(builder, loc, f32, above),
                        constantFloat(builder, loc, 1 / kScale), bias);
  result.fraction = LLVM::FSubOp::create(builder, loc, mantissa, constantFloat(builder, loc, 1));
  Value positive = LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::ogt, x,
                                        constantFloat(builder, loc, 0));
  Value finite = LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::olt, x,
                                      constantFloat(builder, loc, HUGE_VALF));
  result.isRegular = LLVM::AndOp::create(builder, loc, positive, finite);
  return result;
}

/// log(1 + f) - f for f in [-1/3, 1/3): f^2 (f q(f) - 1/2), where q interpolates the exact quotient
/// at the Chebyshev nodes of the interval (relative error of the logarithm 3.4e-9).
static Value logTail(OpBuilder &builder, Location loc, Value f) {
  constexpr double kCoefficients[] = {
      0x1.d01a22p-4,  -0x1.fcd036p-4, 0x1.bf1af0p-4,  -0x1.f75896p-4, 0x1.24b28cp-3,
      -0x1.557832p-3, 0x1.999954p-3,  -0x1.ffffb6p-3, 0x1.555556p-2,  -0.5};
  Value tail = constantFloat(builder, loc, kCoefficients[0]);
  for (double coefficient : llvm::drop_begin(kCoefficients))
    tail = fma(builder, loc, tail, f, constantFloat(builder, loc, coefficient));
  return LLVM::FMulOp::create(builder, loc, tail, LLVM::FMulOp::create(builder, loc, f, f));
}

/// What a logarithm is outside the positive finite numbers: -inf at zero, NaN below, x itself
/// above.
static Value irregularLog(OpBuilder &builder, Location loc, Value x, const Split &parts,
                          Value regular) {
  Value zero = constantFloat(builder, loc, 0);
  Value isZero = LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::oeq, x, zero);
  Value isNegative = LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::olt, x, zero);
  Value other =
      LLVM::SelectOp::create(builder, loc, isZero, constantFloat(builder, loc, -HUGE_VALF), x);
  other = LLVM::SelectOp::create(builder, loc, isNegative,
                                 constantFloat(builder, loc, std::nan("")), other);
  return LLVM::SelectOp::create(builder, loc, parts.isRegular, regular, other);
}

static Value logarithm(OpBuilder &builder, Location loc, Value x) {
  Split parts = split(builder, loc, x);
  Value value =
      LLVM::FAddOp::create(builder, loc, parts.fraction, logTail(builder, loc, parts.fraction));
  value = fma(builder, loc, parts.exponent, constantFloat(builder, loc, std::numbers::ln2), value);
  return irregularLog(builder, loc, x, parts, value);
}

static Value logarithm2(OpBuilder &builder, Location loc, Value x) {
  // (f + tail) * log2(e) with the factor in two parts, so that no bits are lost near x = 1.
  constexpr float kHigh = 0x1.715476p+0f;
  constexpr double kLow = std::numbers::log2e - kHigh;
  Split parts = split(builder, loc, x);
  Value f = parts.fraction, tail = logTail(builder, loc, f);
  Value low =
      fma(builder, loc, tail, constantFloat(builder, loc, kHigh), multiply(builder, loc, f, kLow));
  Value value = fma(builder, loc, f, constantFloat(builder, loc, kHigh), low);
  value = LLVM::FAddOp::create(builder, loc, value, parts.exponent);
  return irregularLog(builder, loc, x, parts, value);
}

/// e^x = 2^n * 2^r with n = floor(x * log2(e)) and r in [0, 1).
///
///   n is found and clamped to [-126, 126] with two roundings that the adder does anyway: t, x
///   scaled to [0, 1], saturates at both ends (and makes 0 of NaN), and t * 252 + (1.5 * 2^23 + 1),
///   rounded down, has n + 127 in its lowest bits - the exponent field of 2^n. r takes what the
///   clamp leaves, so that results beyond it overflow, become denormal or vanish as they must, and
///   infinities and NaN pass through r. r is computed with log2(e) in two parts.
static Value exponential(OpBuilder &builder, Location loc, Value x,
                         llvm::function_ref<Value(Value)> exp2OfSmall) {
  constexpr double kRange = 252, kMagic = 12582912; // 1.5 * 2^23: the unit is the last bit
  constexpr float kHigh = 0x1.715476p+0f;
  constexpr double kLow = std::numbers::log2e - kHigh;
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  Value scaled = callIntrinsic(builder, loc, "llvm.nvvm.fma.rn.sat.f", f32,
                               {x, constantFloat(builder, loc, std::numbers::log2e / kRange),
                                constantFloat(builder, loc, 0.5)});
  Value biased = callIntrinsic(
      builder, loc, "llvm.nvvm.fma.rm.f", f32,
      {scaled, constantFloat(builder, loc, kRange), constantFloat(builder, loc, kMagic + 1)});
  Value minusN = LLVM::FSubOp::create(builder, loc,
                                      constantFloat(builder, loc, kMagic + 1 + kRange / 2), biased);
  Value r = fma(builder, loc, x, constantFloat(builder, loc, kHigh), minusN);
  r = fma(builder, loc, x, constantFloat(builder, loc, kLow), r);
  Value power =
      LLVM::ShlOp::create(builder, loc, LLVM::BitcastOp::create(builder, loc, i32, biased),
                          constantInt(builder, loc, i32, 23));
  return LLVM::FMulOp::create(builder, loc, exp2OfSmall(r),
                              LLVM::BitcastOp::create(builder, loc, f32, power));
}

/// Calls the libdevice function of this name, declaring it when it is new.
static Value callLibdevice(OpBuilder &builder, Location loc, const std::string &name,
                           Value operand) {
  Type type = operand.getType();
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    LLVM::LLVMFuncOp::create(builder, loc, name, LLVM::LLVMFunctionType::get(type, {type}));
  }
  return LLVM::CallOp::create(builder, loc, TypeRange{type}, name, operand).getResult();
}

/// The function's name in C; libdevice adds a prefix, and an f for f32.
static StringRef functionName(MathFunction function) {
  switch (function) {
  case MathFunction::Exp:
    return "exp";
  case MathFunction::Exp2:
    return "exp2";
  case MathFunction::Log:
    return "log";
  case MathFunction::Log2:
    return "log2";
  case MathFunction::Sqrt:
    return "sqrt";
  case MathFunction::Rsqrt:
    return "rsqrt";
  case MathFunction::Sin:
    return "sin";
  case MathFunction::Cos:
    return "cos";
  case MathFunction::Tanh:
    return "tanh";
  case MathFunction::Erf:
    return "erf";
  }
  llvm_unreachable("all functions are named");
}

Value NvptxPrimitives::math(OpBuilder &builder, Location loc, MathFunction function, Value operand,
                            bool fast) {
  Type type = operand.getType();
  if (function == MathFunction::Sqrt && !(fast && type.isF32()))
    return LLVM::SqrtOp::create(builder, loc, type, operand);
  std::string name = functionName(function).str();
  if (!type.isF32())
    return callLibdevice(builder, loc, "__nv_" + name, operand);

  bool flush = fast || flushesDenormals_;
  auto approximate = [&](StringRef instruction, Value value, StringRef suffix) {
    std::string intrinsic =
        ("llvm.nvvm." + instruction + ".approx" + (flush ? ".ftz" : "") + suffix).str();
    return callIntrinsic(builder, loc, intrinsic, type, value);
  };
  switch (function) {
  case MathFunction::Exp:
    if (fast)
      return approximate("ex2", multiply(builder, loc, operand, std::numbers::log2e), ".f32");
    // r is never denormal where that matters: flushing it to 0 changes 2^r by nothing.
    return exponential(builder, loc, operand, [&](Value r) {
      return callIntrinsic(builder, loc, "llvm.nvvm.ex2.approx.ftz.f32", type, r);
    });
  case MathFunction::Exp2:
    return approximate("ex2", operand, ".f32");
  case MathFunction::Log:
    if (fast)
      return multiply(builder, loc, approximate("lg2", operand, ".f"), std::numbers::ln2);
    return logarithm(builder, loc, operand);
  case MathFunction::Log2:
    return fast ? approximate("lg2", operand, ".f") : logarithm2(builder, loc, operand);
  case MathFunction::Sqrt:
    return approximate("sqrt", operand, ".f");
  case MathFunction::Rsqrt:
    return approximate("rsqrt", operand, ".f");
  case MathFunction::Sin:
    return fast ? approximate("sin", operand, ".f")
                : callLibdevice(builder, loc, "__nv_" + name + "f", operand);
  case MathFunction::Cos:
    return fast ? approximate("cos", operand, ".f")
                : callLibdevice(builder, loc, "__nv_" + name + "f", operand);
  case MathFunction::Tanh:
    if (fast)
      return LLVM::TanhOp::create(builder, loc, type, operand, LLVM::FastmathFlags::afn);
    return callLibdevice(builder, loc, "__nv_" + name + "f", operand);
  case MathFunction::Erf:
    return callLibdevice(builder, loc, "__nv_" + name + "f", operand);
  }
  llvm_unreachable("all functions are handled");
}

Value NvptxPrimitives::fastDivide(OpBuilder &builder, Location loc, Value x, Value y) {
  if (x.getType().isF32())
    return callIntrinsic(builder, loc, "llvm.nvvm.div.approx.ftz.f", x.getType(), {x, y});
  auto quotient = LLVM::FDivOp::create(builder, loc, x, y);
  quotient.setFastmathFlags(LLVM::FastmathFlags::afn);
  return quotient;
}
