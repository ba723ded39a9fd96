// Pointer arithmetic never wraps: the offset of a pointer is computed as if every integer operation
// that led to it had been done in 64 bits.
//
//     let i = row * stride + cols;      // i32, wraps where used as a value
//     load(src + i)                     // i64(row) * i64(stride) + i64(cols)
//
// So sema keeps, for each integer value it makes, the operation and the values it was made from
// (Origin), and `Widener` rebuilds that expression in i64 when it meets a pointer. Leaves -
// arguments, loads, arange, carried variables, narrowing casts - are extended by their own
// signedness; constants become 64-bit constants. The rebuilt operation stands right behind the
// narrow one, so it dominates whatever the narrow one does, is hoisted where that is, and one memo
// per value serves every use: an expression shared a thousand times is rebuilt once.
#pragma once

#include "compiler/sema/value.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace tilec::sema {

/// Inclusive bounds of the values of every element.
struct Range {
  int64_t low, high;
};

/// The range of a value when it is known from constants and arange alone.
std::optional<Range> knownRange(const RuntimeValue &value);

/// How an integer value was computed.
struct Origin {
  /// Operands of the defining operation that take part in the 64-bit rebuild, by operand number.
  /// The others (a condition) stay as they are.
  llvm::SmallVector<std::pair<unsigned, RuntimeValue>, 2> operands;
  /// The value itself is an extension of operand 0: its wide form is the operand's.
  bool isExtension = false;
  /// The exact range, when known and free of wrapping.
  std::optional<Range> range;
  /// The 64-bit form, once built; given from the start for a loop variable that is counted in i64.
  mlir::Value wide;
};

/// Sets `origin.range` of the operation that computed `value` from the ranges of its operands.
void deduceRange(const RuntimeValue &value, Origin &origin);

class Widener {
public:
  /// `value` (integer, scalar or tile) in i64.
  mlir::Value widen(const RuntimeValue &value);

private:
  mlir::Value known(const RuntimeValue &value) const;
  mlir::Value extendLeaf(const RuntimeValue &value);
  mlir::Value rebuild(const RuntimeValue &value);

  /// Extended leaves, by value and whether it was read as unsigned.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> leaves_;
};

} // namespace tilec::sema
