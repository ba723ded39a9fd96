// How layouts travel across operations: given the layout of one tile, those of its neighbours. The
// only place that knows what an operation does to layouts.
#pragma once

#include "compiler/ir/dialect.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/MapVector.h"

namespace tilec {

/// The layouts chosen for a function.
struct LayoutChoice {
  /// Of every tile that is not cheap.
  llvm::DenseMap<mlir::Value, tile::LayoutAttr> values;
  /// In which loads, stores, reductions and dots work, where that differs from what `values`
  /// implies (a load's result, a store's value, a reduction's first source, a dot's result).
  llvm::DenseMap<mlir::Operation *, tile::LayoutAttr> operations;
  /// Of operands a and b of each dot.
  llvm::DenseMap<mlir::Operation *, std::pair<tile::LayoutAttr, tile::LayoutAttr>> dotOperands;
};

/// Operands and results of `op` whose layouts follow from `known` (an operand or result of it, or a
/// value tied to it by control flow) having layout `layout`. Nothing is claimed for tiles that may
/// take any layout. `known` itself is not in the answer.
llvm::SmallVector<std::pair<mlir::Value, tile::LayoutAttr>>
impliedLayouts(mlir::Operation *op, mlir::Value known, tile::LayoutAttr layout);

/// Operations across which the layout of `value` implies others: its definition, its users, and the
/// loops and branches that carry it.
llvm::SmallVector<mlir::Operation *> neighbours(mlir::Value value);

/// The layout in which `op` needs its operand number `index`; null when that is not a tile, or not
/// chosen yet.
tile::LayoutAttr requiredLayout(mlir::Operation *op, unsigned index, const LayoutChoice &choice);

/// The layout in which `op` makes its result number `index`; null when that is not a tile, or not
/// chosen yet.
tile::LayoutAttr producedLayout(mlir::Operation *op, unsigned index, const LayoutChoice &choice);

/// Values that cost less to compute again in another layout than to convert: constants, splats,
/// arange, and short chains of integer, pointer and comparison arithmetic on such values.
class CheapValues {
public:
  explicit CheapValues(mlir::Operation *function);
  bool contains(mlir::Value value) const { return cost_.contains(value); }

private:
  llvm::DenseMap<mlir::Value, unsigned> cost_; ///< operations to compute it again
};

using Layouts = llvm::MapVector<mlir::Value, tile::LayoutAttr>;

/// Everything that follows from `seed` having `layout`, given what is chosen already; `seed` is in
/// it. A broadcast's result is a guess, since many layouts have that source: only if `guess`.
Layouts spreadLayout(mlir::Value seed, tile::LayoutAttr layout, const LayoutChoice &choice,
                     const CheapValues &cheap, bool guess);

/// How often `op` runs relative to the function, by its loops.
double frequency(mlir::Operation *op);

} // namespace tilec
