// What all patterns of one kernel share: the device, the types, decisions made before the
// conversion began, and values computed once in the kernel's entry block.
//
// The thread's part of an element number (the XOR of its lane and warp columns) is such a value: it
// is the same for every register of a tile and for every tile whose layouts agree in lane and warp
// columns. Register r's element is that XOR a constant.
#pragma once

#include "compiler/analysis/access_plan.h"
#include "compiler/lowering/device_primitives.h"
#include "compiler/lowering/type_converter.h"

#include <map>

namespace tilec {

class KernelContext {
public:
  KernelContext(DevicePrimitives &primitives, const TileTypeConverter &types, AccessPlans plans)
      : primitives(primitives), types(types), plans(std::move(plans)) {}

  DevicePrimitives &primitives;
  const TileTypeConverter &types;
  const AccessPlans plans;

  /// Starts the prologue at the end of `entry`, which is still without its body; cached values go
  /// there.
  void enter(mlir::Block *entry, mlir::OpBuilder &builder);

  /// Thread number in the program (i32): lane + 32 * warp.
  mlir::Value thread() const { return thread_; }
  /// The thread's part of the element numbers of a tile of `layout` (i32).
  mlir::Value threadElement(mlir::OpBuilder &builder, const LinearLayout &layout);
  /// i1: no bit of `mask` is set in the thread number. Null, meaning always, when `mask` is 0.
  mlir::Value threadHasNone(mlir::OpBuilder &builder, Bits mask);
  /// i1: an odd number of bits of `mask` is set in the thread number.
  mlir::Value threadParity(mlir::OpBuilder &builder, Bits mask);
  /// i1, and known to be the same in all lanes of a warp: it is the program's first.
  mlir::Value isFirstWarp(mlir::OpBuilder &builder);
  /// An F2-linear map of the thread number, one column a bit.
  mlir::Value threadLinear(mlir::OpBuilder &builder, llvm::ArrayRef<Bits> columns);
  /// Pointer to `offset` bytes (i32) past byte `base` of the program's shared memory.
  mlir::Value sharedPointer(mlir::OpBuilder &builder, mlir::Location loc, int64_t base,
                            mlir::Value offset);

  /// Bytes (i32) from the start of shared memory to slot `slot`, of `bytes`, of a buffer at
  /// `buffer`.
  static mlir::Value slotOffset(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer,
                                mlir::Value slot, int64_t bytes);

  /// Plain accesses of shared memory: primitives.load and .store, said beforehand.
  llvm::SmallVector<mlir::Value> loadShared(mlir::OpBuilder &builder, mlir::Location loc,
                                            mlir::Value pointer, mlir::IntegerType element,
                                            unsigned count);
  void storeShared(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
                   mlir::ValueRange values, mlir::Value predicate);

private:
  /// Creates `make`'s value at the end of the prologue.
  mlir::Value inPrologue(mlir::OpBuilder &builder, llvm::function_ref<mlir::Value()> make);

  mlir::Value thread_;
  mlir::Operation *prologueEnd_ = nullptr;
  std::map<std::vector<Bits>, mlir::Value> linear_;
  std::map<Bits, mlir::Value> none_, parity_;
  mlir::Value shared_, firstWarp_;
};

/// Columns of lane then warp: the linear map from the thread number to element bits.
std::vector<Bits> threadColumns(const LinearLayout &layout);
/// Bits of the thread number that are replication in `layout`.
Bits replicatedThreads(const LinearLayout &layout);

} // namespace tilec
