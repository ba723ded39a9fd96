// Slots of a ring buffer as arithmetic: how a loop counts round a ring, written and read back.
//
// A loop that stages its loads carries a counter that runs round the ring, 0, 1, .., S-1, 0, ..; a
// slot is that counter plus a distance, again modulo S. Writing and recognising stand side by side,
// so that what the pipeliner makes, barrier insertion can prove things about:
//
//      slot = (iteration + offset) mod S
//
// Two such slots of one loop and one ring differ exactly when their offsets differ modulo S.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace tilec {

/// (slot + distance) mod slots, for 0 <= slot < slots and 0 <= distance <= slots (i32). Needs the
/// arith dialect; one addition, comparison and selection, or nothing.
mlir::Value advanceRing(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot,
                        int64_t distance, int64_t slots);

/// The lowest bit of how often a loop has gone round the ring, when its counter goes on to `next`:
/// `phase`, the bit before, or the other one where `next` is 0 again (i32).
mlir::Value advancePhase(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value phase,
                         mlir::Value next);

/// Where a slot number stands.
struct RingSlot {
  /// The loop whose iterations, counted from 0, the slot follows; null: `offset` is the slot.
  mlir::Operation *loop = nullptr;
  int64_t offset = 0; ///< slot = (iteration + offset) mod slots
  bool operator==(const RingSlot &) const = default;
};

/// What is known of slot number `slot` of a ring of `slots`; nothing when it is neither a constant
/// nor made by advanceRing from a counter of its own ring.
std::optional<RingSlot> ringSlot(mlir::Value slot, int64_t slots);

} // namespace tilec
