// How tile.reduce combines: which exchange each axis bit takes. Layout algebra only; shared by
// placement, which wants the bytes of scratch, and lowering, which emits the code.
//
// An axis of 2^k elements has k hardware bits (register, lane, warp) with a non-zero axis column.
// Combining over one of them halves what is left: two registers of a thread, or a thread and its
// partner lane (which then both hold the result). Warp bits go through shared memory, all at once:
// every thread of the owners writes its partial results ("slots"), a barrier, everybody reads them.
//
//   commutative combine: registers first (no exchange), then lanes (few registers are left to
//       shuffle), then warps.
//   otherwise: in the order of the axis bits from the lowest, so that only neighbouring runs are
//       combined, the left one first. What is left when the first warp bit comes goes through
//       shared memory: its slots lie in the axis order.
//
//   axis of 16, reg = [1, 8], lane = [2], warp = [4], not commutative:
//       steps: register bit 0, lane bit 0; rest: warp bit 0 (slot bit 0), register bit 1 (slot bit
//       1)
#pragma once

#include "compiler/ir/dialect.h"

namespace tilec {

struct ReductionStep {
  bool isLane;  ///< an exchange of lanes, else of two registers of the thread
  unsigned bit; ///< the position of the lane or register bit
  /// Not commutative only: the run of register r of a thread is the right one of the two when an
  /// odd number of bits is set in (r & registerMask) and (thread & threadMask) together.
  Bits registerMask = 0, threadMask = 0;
};

struct ReductionPlan {
  bool ordered = false; ///< not commutative
  std::vector<ReductionStep> steps;

  /// Partial results an element of the result is combined from in shared memory: 2^restBits. With 0
  /// there is no scratch and no barrier.
  unsigned restBits = 0;
  /// Slot numbers, linear in the hardware bits: element of the result * 2^restBits + partial
  /// result. One column a register bit (zero where already combined) and a thread bit.
  std::vector<Bits> registerSlots, threadSlots;
  /// Threads with none of these bits write slots: the others hold the same values.
  Bits notWriters = 0;
  /// Slots of one source.
  uint64_t slots = 0;
  /// Bits of register numbers that do not belong to the axis: they number the result's registers.
  Bits keptRegisters = 0;

  /// Byte where the slots of source `index` start, and (index = number of sources) the whole size.
  uint64_t sourceOffset(llvm::ArrayRef<unsigned> elementBytes, unsigned index) const;
};

/// Nothing when the combine is not commutative and the layout's axis columns cannot be told apart
/// by their highest bits.
std::optional<ReductionPlan> planReduction(const LinearLayout &layout, unsigned axis,
                                           bool commutative);

/// The combine region takes its two sides in either order: each result is one commutative operation
/// on that result's two arguments, or the operation says so (kCommutativeAttr).
bool isCommutative(tile::ReduceOp op);

/// Unit attribute on tile.reduce: swapping the sides of the combine changes nothing (argmax with a
/// rule for ties, say).
inline constexpr llvm::StringLiteral kCommutativeAttr = "tile.commutative";

/// The plan of `op`, whose sources have layouts.
std::optional<ReductionPlan> planReduction(tile::ReduceOp op);

} // namespace tilec
