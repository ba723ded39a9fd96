// Layouts worth trying for one global access, and what accesses and reductions cost in a layout.
#pragma once

#include "compiler/analysis/facts.h"
#include "compiler/ir/dialect.h"

namespace tilec {

/// A global access through a tile of pointers, as layout assignment sees it.
struct GlobalAccess {
  mlir::Operation *op = nullptr; ///< tile.load, tile.store or tile.copy_async
  mlir::Value ptr, mask;
  mlir::RankedTensorType type; ///< of the value moved
  unsigned elementBytes = 0;
  std::vector<unsigned> order; ///< dims, the one along which addresses are contiguous first
  unsigned maxVector = 1;      ///< elements one lane may move along order[0]
  std::string limit;           ///< why not more, in words
  double frequency = 1;        ///< how often it runs, loops weighted
};

/// The access of `op`, or nothing when it goes through a scalar pointer.
std::optional<GlobalAccess> describeAccess(mlir::Operation *op, const FactAnalysis &facts,
                                           unsigned maxVectorBytes);

/// The tile an access moves; of a copy, which moves none through registers, its pointers.
mlir::Value movedTile(const GlobalAccess &access);

/// Candidates, best guess first, each once.
std::vector<LinearLayout> candidateLayouts(const GlobalAccess &access, unsigned warps);

/// A layout for a tile that no access cares about.
LinearLayout defaultLayout(llvm::ArrayRef<int64_t> shape, unsigned warps);

/// Elements one lane moves at a time for `access` in `layout`.
unsigned accessVector(const GlobalAccess &access, const LinearLayout &layout);
/// Cycles, over all warps of the program, once.
double accessCost(const GlobalAccess &access, const LinearLayout &layout);
/// Cycles of a reduction along `axis`, over all warps, once; `words`: 32-bit words an element.
double reduceCost(const LinearLayout &layout, unsigned axis, unsigned words);

} // namespace tilec
