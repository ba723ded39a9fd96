// Conversions between scalar types, as run-time operations. Each rounds at most once.
#include "compiler/sema/emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilec::sema {

RuntimeValue Emitter::bitcast(const RuntimeValue &value, Scalar type) {
  TileType result = value.type.withElement({type});
  // Signedness is not in the IR: i32 <-> u32 is the same value under another type.
  if (!isFloat(type) && !isFloat(value.scalar()))
    return leaf(value.ir, result);
  return leaf(tile::BitcastOp::create(builder, loc, mlirType(result), value.ir), result);
}

RuntimeValue Emitter::convert(const RuntimeValue &value, Scalar type, bool towardZero) {
  Scalar from = value.scalar();
  if (from == type)
    return value;
  TileType resultType = value.type.withElement({type});
  Type target = mlirType(resultType);
  RuntimeValue result = leaf(value.ir, resultType);
  if (isBool(type)) {
    if (isFloat8(from))
      return convert(convert(value, Scalar::F32), type);
    RuntimeValue zero = constant(IntConstant{0, std::nullopt}, from, value.type.shape);
    return compare(ast::BinaryOp::Ne, value, zero);
  }
  if (isFloat(from) && isFloat(type)) {
    if (bitWidth(from) < bitWidth(type)) {
      result.ir = arith::ExtFOp::create(builder, loc, target, value.ir);
    } else if (bitWidth(from) == bitWidth(type)) {
      // f16 <-> bf16, fp8 <-> fp8: exact up to f32, then rounded.
      return convert(convert(value, Scalar::F32), type, towardZero);
    } else if (towardZero || isFloat8(type)) {
      // arith.truncf would fold infinity to itself; to fp8 it saturates.
      result.ir =
          tile::TruncFOp::create(builder, loc, target, value.ir, towardZero ? "rtz" : "rtne");
    } else {
      result.ir = arith::TruncFOp::create(builder, loc, target, value.ir);
    }
    return result;
  }
  // Exact up to f32; down to fp8, f32 loses only what saturates.
  if (isFloat8(from) || isFloat8(type))
    return convert(convert(value, Scalar::F32), type);
  if (isFloat(from)) {
    result.ir = tile::FpToIntOp::create(builder, loc, target, value.ir, isUnsigned(type));
    return result;
  }
  if (isFloat(type)) {
    if (isUnsigned(from))
      result.ir = arith::UIToFPOp::create(builder, loc, target, value.ir);
    else
      result.ir = arith::SIToFPOp::create(builder, loc, target, value.ir);
    return result;
  }
  if (bitWidth(from) > bitWidth(type)) {
    result.ir = arith::TruncIOp::create(builder, loc, target, value.ir);
  } else if (bitWidth(from) < bitWidth(type)) {
    if (isUnsigned(from))
      result.ir = arith::ExtUIOp::create(builder, loc, target, value.ir);
    else
      result.ir = arith::ExtSIOp::create(builder, loc, target, value.ir);
    result = structural(result, value);
    if (result.origin)
      result.origin->isExtension = true;
  }
  return result;
}

} // namespace tilec::sema
