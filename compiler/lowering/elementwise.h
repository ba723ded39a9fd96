// Elementwise operations: one table says how each is done on scalars, one pattern applies it to
// every register of a tile, or to a scalar.
//
// Where the device has no arithmetic on a float type (host: f16, bf16), entries marked `arithmetic`
// are done in f32 and rounded; the emitters never see the narrow type.
#pragma once

#include "compiler/lowering/device_primitives.h"

#include "llvm/ADT/DenseMap.h"

namespace tilec {

/// One operation on one element: LLVM operands and the LLVM types of the results.
struct ScalarOperation {
  mlir::OpBuilder &builder;
  mlir::Operation *op; ///< the operation of tile IR, for its attributes and location
  llvm::ArrayRef<mlir::Value> operands;
  llvm::ArrayRef<mlir::Type> results;
  DevicePrimitives &primitives;

  mlir::Location loc() const { return op->getLoc(); }
  mlir::Type result() const { return results.front(); }
};

/// Appends one value a result. Must not fail: entries are total on verified IR.
using ScalarEmitter = void (*)(const ScalarOperation &, llvm::SmallVectorImpl<mlir::Value> &);

class ElementwiseTable {
public:
  struct Entry {
    ScalarEmitter emit;
    bool arithmetic; ///< on floats: promoted where the device cannot
  };

  /// The table of every operation we know.
  ElementwiseTable();

  const Entry *find(mlir::Operation *op) const;

  template <typename SourceOp> void add(ScalarEmitter emit, bool arithmetic = false) {
    entries_[mlir::TypeID::get<SourceOp>()] = {emit, arithmetic};
  }

private:
  llvm::DenseMap<mlir::TypeID, Entry> entries_;
};

// The families; each in a file of its own.
void addArithmetic(ElementwiseTable &table);
void addCasts(ElementwiseTable &table);
void addMath(ElementwiseTable &table);

/// `value` (f16, bf16, f32) as f32.
mlir::Value extendToF32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

} // namespace tilec
