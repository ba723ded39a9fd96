// The attribute of tile.local_load that makes it read a part of a slot (analysis/slot_part.h).
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilec::tile {

/// DenseI64Array: the starts, one a dimension, of the block of the slot that is read.
inline constexpr llvm::StringLiteral kPartOfSlotAttr = "tile.part_of_slot";

} // namespace tilec::tile
