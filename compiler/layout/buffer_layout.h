// Where the elements of a shared-memory buffer lie, so that all who write and read it do so in wide
// accesses without bank conflicts.
#pragma once

#include "compiler/layout/conversion.h"

namespace tilec {

/// The fewest bytes that one asynchronous copy moves, and the most (PTX ISA, cp.async).
inline constexpr unsigned kMinCopyBytes = 4, kMaxCopyBytes = 16;

/// One operation that moves whole tiles to or from a buffer.
struct BufferSide {
  enum class Kind {
    Copy,  ///< asynchronous copy: 4, 8 or 16 bytes that are consecutive in global memory
    Store, ///< from registers
    Load,  ///< to registers: vectors or ldmatrix
  } kind = Kind::Load;
  LinearLayout layout;
  /// Copy: register bits that run through consecutive elements of global memory, lowest first.
  std::vector<unsigned> vectorBits;
  bool operator==(const BufferSide &) const = default;
};

/// A memory layout of a slot with elements of `elementBytes`. At least one side. Deterministic;
/// never fails: an identity layout always works.
MemoryLayout planBuffer(const std::vector<BufferSide> &sides, unsigned elementBytes);

/// Cycles a warp for one side (cost_model.h).
double sideCost(const BufferSide &side, const MemoryLayout &memory, unsigned elementBytes);

} // namespace tilec
