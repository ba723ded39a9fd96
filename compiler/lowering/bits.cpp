#include "compiler/lowering/bits.h"

#include <map>

using namespace mlir;
using namespace tilec;

Value tilec::constantInt(OpBuilder &builder, Location loc, Type type, int64_t value) {
  APInt bits(type.getIntOrFloatBitWidth(), static_cast<uint64_t>(value), /*isSigned=*/true,
             /*implicitTrunc=*/true);
  return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, bits));
}

IntegerType tilec::storageType(Type type) {
  unsigned width = 64; // pointers
  if (type.isIntOrFloat())
    width = std::max(8u, type.getIntOrFloatBitWidth());
  return IntegerType::get(type.getContext(), width);
}

Value tilec::toStorage(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType();
  IntegerType storage = storageType(type);
  if (type == storage)
    return value;
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::PtrToIntOp::create(builder, loc, storage, value);
  if (isa<FloatType>(type))
    return LLVM::BitcastOp::create(builder, loc, storage, value);
  return LLVM::ZExtOp::create(builder, loc, storage, value);
}

Value tilec::fromStorage(OpBuilder &builder, Location loc, Value bits, Type type) {
  if (type == bits.getType())
    return bits;
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(builder, loc, type, bits);
  if (isa<FloatType>(type))
    return LLVM::BitcastOp::create(builder, loc, type, bits);
  if (type.isInteger(1)) // a byte from outside may hold any non-zero value for true
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, bits,
                                constantInt(builder, loc, bits.getType(), 0));
  return LLVM::TruncOp::create(builder, loc, type, bits);
}

Value tilec::moveWords(OpBuilder &builder, Location loc, Value value,
                       function_ref<Value(Value)> move) {
  Type word = builder.getI32Type();
  Value bits = toStorage(builder, loc, value);
  auto storage = cast<IntegerType>(bits.getType());
  if (storage.getWidth() == 32)
    return fromStorage(builder, loc, move(bits), value.getType());
  if (storage.getWidth() < 32) {
    Value moved = move(LLVM::ZExtOp::create(builder, loc, word, bits));
    bits = LLVM::TruncOp::create(builder, loc, storage, moved);
    return fromStorage(builder, loc, bits, value.getType());
  }
  Value shift = constantInt(builder, loc, storage, 32);
  Value low = move(LLVM::TruncOp::create(builder, loc, word, bits));
  Value high = move(
      LLVM::TruncOp::create(builder, loc, word, LLVM::LShrOp::create(builder, loc, bits, shift)));
  low = LLVM::ZExtOp::create(builder, loc, storage, low);
  high =
      LLVM::ShlOp::create(builder, loc, LLVM::ZExtOp::create(builder, loc, storage, high), shift);
  Value both = LLVM::OrOp::create(builder, loc, low, high, /*isDisjoint=*/true);
  return fromStorage(builder, loc, both, value.getType());
}

Bits tilec::reachableBits(ArrayRef<Bits> columns) {
  Bits reachable = 0;
  for (Bits column : columns)
    reachable |= column;
  return reachable;
}

Value tilec::applyLinear(OpBuilder &builder, Location loc, Value input, ArrayRef<Bits> columns) {
  // Input bit i contributes to output bit p by a shift of p - i: bits with one shift go together.
  std::map<int, Bits> masks;
  for (auto [from, column] : llvm::enumerate(columns))
    for (unsigned to = 0; to < 32; ++to)
      if (column >> to & 1)
        masks[static_cast<int>(to) - static_cast<int>(from)] |= Bits(1) << from;
  Type type = input.getType();
  Bits all = columns.size() >= 32 ? ~Bits(0) : (Bits(1) << columns.size()) - 1;
  Value result;
  Bits covered = 0;
  for (auto [shift, mask] : masks) {
    Value part = input;
    if (mask != all)
      part = LLVM::AndOp::create(builder, loc, part, constantInt(builder, loc, type, mask));
    if (shift > 0)
      part = LLVM::ShlOp::create(builder, loc, part, constantInt(builder, loc, type, shift),
                                 LLVM::IntegerOverflowFlags::nsw | LLVM::IntegerOverflowFlags::nuw);
    else if (shift < 0)
      part = LLVM::LShrOp::create(builder, loc, part, constantInt(builder, loc, type, -shift));
    Bits bits = shift >= 0 ? mask << shift : mask >> -shift;
    if (!result)
      result = part;
    else if (covered & bits)
      result = LLVM::XOrOp::create(builder, loc, result, part);
    else
      result = LLVM::OrOp::create(builder, loc, result, part, /*isDisjoint=*/true);
    covered |= bits;
  }
  return result ? result : constantInt(builder, loc, type, 0);
}

Value tilec::xorConstant(OpBuilder &builder, Location loc, Value value, Bits possible,
                         Bits constant) {
  if (constant == 0)
    return value;
  Value operand = constantInt(builder, loc, value.getType(), constant);
  if (possible == 0)
    return operand;
  if (possible & constant)
    return LLVM::XOrOp::create(builder, loc, value, operand);
  return LLVM::OrOp::create(builder, loc, value, operand, /*isDisjoint=*/true);
}

Value tilec::parity(OpBuilder &builder, Location loc, Value input, Bits mask) {
  Type type = input.getType();
  Value bits = LLVM::AndOp::create(builder, loc, input, constantInt(builder, loc, type, mask));
  if (!llvm::has_single_bit(mask)) {
    bits = LLVM::CtPopOp::create(builder, loc, type, bits);
    bits = LLVM::AndOp::create(builder, loc, bits, constantInt(builder, loc, type, 1));
  }
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, bits,
                              constantInt(builder, loc, type, 0));
}
