#include "compiler/sema/wide.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilec::sema {

static Type in64Bits(Type type) {
  Type i64 = IntegerType::get(type.getContext(), 64);
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return tile.clone(i64);
  return i64;
}

mlir::Value Widener::known(const RuntimeValue &value) const {
  if (value.origin)
    return value.origin->wide;
  return leaves_.lookup({value.ir, isUnsigned(value.scalar())});
}

mlir::Value Widener::extendLeaf(const RuntimeValue &value) {
  mlir::Value wide = value.ir;
  if (bitWidth(value.scalar()) < 64) {
    OpBuilder builder(value.ir.getContext());
    builder.setInsertionPointAfterValue(value.ir);
    Type type = in64Bits(value.ir.getType());
    bool zeroExtend = isUnsigned(value.scalar());
    if (auto constant = value.ir.getDefiningOp<arith::ConstantOp>()) {
      auto extend = [&](const llvm::APInt &bits) {
        return zeroExtend ? bits.zext(64) : bits.sext(64);
      };
      TypedAttr attribute;
      if (auto tile = dyn_cast<RankedTensorType>(type)) {
        auto splat = cast<SplatElementsAttr>(constant.getValue());
        attribute = SplatElementsAttr::get(tile, extend(splat.getSplatValue<llvm::APInt>()));
      } else {
        attribute =
            builder.getIntegerAttr(type, extend(cast<IntegerAttr>(constant.getValue()).getValue()));
      }
      wide = arith::ConstantOp::create(builder, value.ir.getLoc(), attribute);
    } else if (zeroExtend) {
      wide = arith::ExtUIOp::create(builder, value.ir.getLoc(), type, value.ir);
    } else {
      wide = arith::ExtSIOp::create(builder, value.ir.getLoc(), type, value.ir);
    }
  }
  leaves_[{value.ir, isUnsigned(value.scalar())}] = wide;
  return wide;
}

/// A narrow unsigned value is a non-negative 64-bit one, and may go below zero on the way: in 64
/// bits the signed operation is the exact one.
static StringRef signedForm(StringRef operation) {
  return llvm::StringSwitch<StringRef>(operation)
      .Case("arith.divui", "arith.divsi")
      .Case("arith.remui", "arith.remsi")
      .Case("arith.minui", "arith.minsi")
      .Case("arith.maxui", "arith.maxsi")
      .Case("arith.shrui", "arith.shrsi")
      .Default(operation);
}

mlir::Value Widener::rebuild(const RuntimeValue &value) {
  const Origin &origin = *value.origin;
  if (origin.isExtension)
    return known(origin.operands.front().second);
  Operation *narrow = value.ir.getDefiningOp();
  SmallVector<mlir::Value> operands(narrow->getOperands());
  bool changed = bitWidth(value.scalar()) < 64;
  for (const auto &[index, operand] : origin.operands) {
    operands[index] = known(operand);
    changed |= operands[index] != operand.ir;
  }
  if (!changed)
    return value.ir;
  StringRef operation = narrow->getName().getStringRef();
  if (bitWidth(value.scalar()) < 64)
    operation = signedForm(operation);
  OpBuilder builder(narrow->getContext());
  builder.setInsertionPointAfter(narrow);
  OperationState state(narrow->getLoc(), operation, operands, {in64Bits(value.ir.getType())},
                       narrow->getAttrs());
  return builder.create(state)->getResult(0);
}

mlir::Value Widener::widen(const RuntimeValue &root) {
  // Post-order by hand: an expression may be as deep as an unrolled loop is long.
  SmallVector<RuntimeValue> pending = {root};
  while (!pending.empty()) {
    RuntimeValue value = pending.back();
    if (known(value)) {
      pending.pop_back();
      continue;
    }
    if (!value.origin || value.origin->range) {
      mlir::Value wide = extendLeaf(value);
      if (value.origin)
        value.origin->wide = wide;
      pending.pop_back();
      continue;
    }
    size_t before = pending.size();
    for (const auto &entry : value.origin->operands)
      if (!known(entry.second))
        pending.push_back(entry.second);
    if (pending.size() != before)
      continue;
    value.origin->wide = rebuild(value);
    pending.pop_back();
  }
  return known(root);
}

} // namespace tilec::sema
