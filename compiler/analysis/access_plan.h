// Which consecutive registers of a tile one global access moves.
//
// A vector of 2^n elements along a dimension d needs n register bits whose columns are the lowest n
// bits of d, and no other column may reach those bits (else a thread would see them in another
// order). The facts about pointer and mask bound the width. Decided before lowering changes
// anything, since facts belong to the values of tile IR.
#pragma once

#include "compiler/analysis/facts.h"

#include "llvm/ADT/DenseMap.h"

namespace tilec {

struct AccessPlan {
  /// Positions of the register bits that run through a vector, lowest element bit first.
  llvm::SmallVector<unsigned> bits;

  unsigned width() const { return 1u << bits.size(); }
  /// The register of element `index` of the vector that starts at register `first`.
  unsigned member(unsigned first, unsigned index) const;
  /// First registers of all vectors of a tile with `registers` registers, ascending.
  llvm::SmallVector<unsigned> firsts(unsigned registers) const;
};

/// The plan of each tile.load, tile.store and tile.copy_async.
using AccessPlans = llvm::DenseMap<mlir::Operation *, AccessPlan>;

/// Register bits of `layout` that run through vectors along `dim`, at most log2(maxWidth) of them.
AccessPlan vectorBits(const LinearLayout &layout, unsigned dim, unsigned maxWidth);

/// The widest plan for one access through tiles of this layout; a scalar access has width 1.
AccessPlan planAccess(const FactAnalysis &facts, mlir::Value ptr, mlir::Value mask,
                      unsigned maxBytes);

/// Plans every access inside `function`.
AccessPlans planAccesses(mlir::Operation *function, unsigned maxBytes);

} // namespace tilec
