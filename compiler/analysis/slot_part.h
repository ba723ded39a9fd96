// Parts of slots: a local_load may read an aligned block of a slot instead of all of it.
//
// The attribute `tile.part_of_slot` (one start a dimension, in elements) says where the block lies;
// its size is the result's shape. Starts are multiples of the sizes, so an element of the block and
// of the slot differ by bits of their own:
//
//      element of the slot = element of the block, spread over the slot's bits  XOR  first element
#pragma once

#include "compiler/ir/dialect.h"

namespace tilec {

/// Reads the block of `shape` at `starts` of a slot.
tile::LocalLoadOp readPartOfSlot(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer,
                                 mlir::Value slot, llvm::ArrayRef<int64_t> starts,
                                 llvm::ArrayRef<int64_t> shape);

/// The first element of what `load` reads, as an element number of the slot.
Bits firstElement(tile::LocalLoadOp load);

/// The layout of a load's result as one of the whole slot: the same lanes, warps and registers, and
/// more registers, the last ones, for the elements that are not read. It starts at firstElement.
LinearLayout layoutInSlot(tile::LocalLoadOp load);

} // namespace tilec
