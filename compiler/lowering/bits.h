// Values as bits, and F2-linear maps on them: what data movement is made of.
//
// A value is moved as its *storage* integer: i1 as a byte, floats as their bits, pointers as 64
// bits. Moving never computes on the value, so NaN payloads and signs survive.
#pragma once

#include "compiler/layout/linear_layout.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tilec {

mlir::Value constantInt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                        int64_t value);

/// The integer type that holds a value of LLVM type `type` in memory.
mlir::IntegerType storageType(mlir::Type type);
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);
mlir::Value fromStorage(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value bits,
                        mlir::Type type);

/// Applies `move` (i32 -> i32, such as a shuffle) to `value` of any scalar type, word by word.
mlir::Value moveWords(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                      llvm::function_ref<mlir::Value(mlir::Value)> move);

/// XOR of columns[i] over the bits i set in `input`, an i32 below 2^columns.size().
mlir::Value applyLinear(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value input,
                        llvm::ArrayRef<Bits> columns);

/// `value` XOR `constant`, for an i32 whose set bits are among `possible`. Written as a disjoint or
/// where that is the same, so that LLVM sees base + constant in addresses.
mlir::Value xorConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                        Bits possible, Bits constant);

/// i1: an odd number of the bits of `mask` is set in `input` (i32).
mlir::Value parity(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value input, Bits mask);

/// OR of all columns: the bits a linear map may set.
Bits reachableBits(llvm::ArrayRef<Bits> columns);

} // namespace tilec
