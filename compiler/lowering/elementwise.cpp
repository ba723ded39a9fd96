#include "compiler/lowering/elementwise.h"

#include "compiler/lowering/bits.h"
#include "compiler/lowering/patterns.h"

#include <map>

using namespace mlir;
using namespace tilec;

ElementwiseTable::ElementwiseTable() {
  addArithmetic(*this);
  addCasts(*this);
  addMath(*this);
}

const ElementwiseTable::Entry *ElementwiseTable::find(Operation *op) const {
  auto found = entries_.find(op->getName().getTypeID());
  return found == entries_.end() ? nullptr : &found->second;
}

Value tilec::extendToF32(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isF32())
    return value;
  // A bf16 is the upper half of an f32. Said in bits, LLVM cannot take the operation that follows
  // back to bf16, which x86 has no instructions and libgcc no helpers for.
  if (value.getType().isBF16()) {
    Type word = builder.getI32Type();
    Value bits = LLVM::ZExtOp::create(builder, loc, word, toStorage(builder, loc, value));
    bits = LLVM::ShlOp::create(builder, loc, bits, constantInt(builder, loc, word, 16));
    return LLVM::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
  }
  return LLVM::FPExtOp::create(builder, loc, builder.getF32Type(), value);
}

/// Runs `entry`; arithmetic on floats that the device has none for is done in f32.
static void emit(const ElementwiseTable::Entry &entry, const ScalarOperation &scalar,
                 SmallVectorImpl<Value> &results) {
  if (!entry.arithmetic)
    return entry.emit(scalar, results);
  auto promotes = [&](Type type) {
    return isa<FloatType>(type) && scalar.primitives.promotesToF32(type);
  };
  Type f32 = scalar.builder.getF32Type();
  SmallVector<Value> operands(scalar.operands);
  for (Value &operand : operands)
    if (promotes(operand.getType()))
      operand = extendToF32(scalar.builder, scalar.loc(), operand);
  SmallVector<Type> types(scalar.results);
  for (Type &type : types)
    if (promotes(type))
      type = f32;
  entry.emit({scalar.builder, scalar.op, operands, types, scalar.primitives}, results);
  for (auto [value, type] : llvm::zip(results, scalar.results))
    if (value.getType() != type)
      value = scalar.primitives.truncateFloat(scalar.builder, scalar.loc(), value, type);
}

namespace {

/// Every operation of the table, on tiles and on scalars.
class ElementwisePattern : public ConversionPattern {
public:
  ElementwisePattern(KernelContext &context, const ElementwiseTable &table, MLIRContext *mlir)
      : ConversionPattern(context.types, MatchAnyOpTypeTag(), /*benefit=*/1, mlir),
        context(context), table(table) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    const ElementwiseTable::Entry *entry = table.find(op);
    if (!entry)
      return failure();
    SmallVector<Type> types;
    for (Type type : op->getResultTypes()) {
      types.push_back(context.types.elementType(type));
      if (!types.back())
        return failure();
    }
    unsigned registers = registersOf(op->getResult(0).getType());
    SmallVector<SmallVector<Value>> results(types.size());
    // Splats and broadcasts put one value into many registers: what follows is done once as well.
    std::map<std::vector<const void *>, unsigned> registerOf;
    for (unsigned reg = 0; reg < registers; ++reg) {
      SmallVector<Value> scalars;
      std::vector<const void *> key;
      for (ValueRange operand : operands) { // a scalar operand (select's condition) serves them all
        scalars.push_back(operand[operand.size() == 1 ? 0 : reg]);
        key.push_back(scalars.back().getAsOpaquePointer());
      }
      auto [known, isNew] = registerOf.try_emplace(key, reg);
      SmallVector<Value> made;
      if (isNew)
        emit(*entry, {rewriter, op, scalars, types, context.primitives}, made);
      else
        for (const SmallVector<Value> &all : results)
          made.push_back(all[known->second]);
      for (auto [all, value] : llvm::zip(results, made))
        all.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  KernelContext &context;
  const ElementwiseTable &table;
};

/// A constant: one LLVM constant for all registers.
struct ConstantPattern : TilePattern<arith::ConstantOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Attribute value = op.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
      if (!dense.isSplat())
        return op.emitError("lowering: a constant tile must have equal elements");
      value = dense.getSplatValue<Attribute>();
    }
    Type type = context.types.elementType(op.getType());
    if (!isa<IntegerAttr, FloatAttr>(value) || !type)
      return op.emitError("lowering: not a constant of a scalar type");
    if (auto integer = dyn_cast<IntegerAttr>(value)) // index becomes i64
      value = rewriter.getIntegerAttr(type,
                                      integer.getValue().sextOrTrunc(type.getIntOrFloatBitWidth()));
    if (auto real = dyn_cast<FloatAttr>(value); real && type.isInteger()) // fp8 becomes its bits
      value = rewriter.getIntegerAttr(type, real.getValue().bitcastToAPInt());
    Value constant = LLVM::ConstantOp::create(rewriter, op.getLoc(), type, value);
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(registersOf(op.getType()), constant)});
    return success();
  }
};

} // namespace

void tilec::populateElementwisePatterns(RewritePatternSet &patterns, KernelContext &context,
                                        const ElementwiseTable &table) {
  patterns.add<ElementwisePattern>(context, table, patterns.getContext());
  patterns.add<ConstantPattern>(context, patterns.getContext());
}
