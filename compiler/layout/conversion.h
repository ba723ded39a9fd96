// How to turn a tile in layout A into the same tile in layout B: the plan, not the code.
//
// The plan is one of three (layouts.md section 3), tried in this order:
//   registers  every lane finds the element in a register of its own: renaming, possibly a select on
//              a lane or warp bit where A is replicated and B is not
//   shuffle    lanes of one warp exchange: rounds of shfl.idx with selects
//   shared     a trip through shared memory whose memory layout is computed to be vectorised and
//              free of bank conflicts on both sides
#pragma once

#include "compiler/layout/linear_layout.h"

namespace tilec {

/// A bijection from memory offsets (in elements) to element numbers: column i is the element bit
/// vector of offset bit i.
struct MemoryLayout {
  std::vector<Bits> columns;
  /// The offset, in elements, where `element` lies (the inverse map).
  Bits offset(Bits element) const;
};

/// One result register made by a shuffle round: for result register `result`, lane l takes source
/// register `sources[select(l)]` of lane `laneMap(l)`.
///   source lane = XOR of laneColumns[i] over the bits i set in l, XOR laneConstant
///   which source: index whose bit j is the parity of (l & selectMasks[j])
/// `sources` has 2^selectMasks.size() entries; with one entry no select is needed.
struct ShuffleStep {
  unsigned result;
  std::vector<unsigned> sources;
  std::vector<Bits> selectMasks;
  std::vector<Bits> laneColumns;
  Bits laneConstant = 0;
};

struct ConversionPlan {
  enum class Kind { Registers, Shuffle, Shared } kind;
  /// Registers: result register r is source register `registers[r]`.
  std::vector<unsigned> registers;
  /// Shuffle: one step a result register, or fewer where one serves several.
  std::vector<ShuffleStep> steps;
  /// Shared: where elements lie, and how many consecutive elements (a power of two; consecutive
  /// registers 0..n-1 after `storeOrder`/`loadOrder`) one access moves.
  MemoryLayout memory;
  unsigned storeVector = 1, loadVector = 1; ///< elements an access
  /// Register numbers in the order they are stored / loaded: each group of storeVector (loadVector)
  /// entries lies at consecutive offsets.
  std::vector<unsigned> storeOrder, loadOrder;
  /// Worst wavefronts a request on each side; 1 is conflict-free.
  unsigned storeConflicts = 1, loadConflicts = 1;
  /// Bytes of shared memory; 0 unless Shared.
  unsigned scratchBytes = 0;
  /// Estimated cost in cycles a warp, from the same table as layout assignment (cost_model.h).
  double cost = 0;
};

/// Plans A -> B for elements of `elementBytes` (1, 2, 4, 8). Shapes, lane and warp counts must be
/// equal. Never fails: shared memory always works.
ConversionPlan planConversion(const LinearLayout &from, const LinearLayout &to,
                              unsigned elementBytes);

} // namespace tilec
