// Shared memory for reductions and conversions.
//
//   Each operation with scratch uses it only while it runs, so all could share offset 0 - at the
//   price of a barrier before each. Handing out offsets round a ring that is at least twice the
//   largest piece puts neighbours apart: the barrier inside the second operation then also
//   separates the first from the third, and no other is needed.
//
// Changes: scratch_offset on tile.reduce and tile.convert_layout; tile.shared on the function.
// Must hold: layouts are final; no operation with scratch is added or moved afterwards.
// Holds after: every operation that needs scratch has an offset; offset + size <= tile.shared.
#include "compiler/transforms/passes.h"

#include "compiler/analysis/scratch.h"
#include "compiler/ir/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

namespace {

/// Offsets are multiples of this many bytes: the widest shared-memory access.
constexpr unsigned kScratchAlignment = 16;
/// The ring holds this much even when all pieces are small: a few reductions side by side.
constexpr unsigned kSmallRing = 1024;

struct PlaceScratchPass : PassWrapper<PlaceScratchPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlaceScratchPass)
  StringRef getArgument() const override { return "tile-place-scratch"; }
  StringRef getDescription() const override { return "Places scratch in shared memory"; }

  void runOnOperation() override {
    std::vector<std::pair<Operation *, unsigned>> pieces;
    unsigned largest = 0;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<tile::ReduceOp, tile::ConvertLayoutOp>(op))
        return;
      if (unsigned bytes = llvm::alignTo(scratchBytes(op), kScratchAlignment)) {
        pieces.emplace_back(op, bytes);
        largest = std::max(largest, bytes);
      }
    });
    unsigned ring = std::max(2 * largest, kSmallRing), next = 0, used = 0;
    OpBuilder builder(&getContext());
    for (auto [op, bytes] : pieces) {
      if (next + bytes > ring)
        next = 0;
      op->setAttr("scratch_offset", builder.getI32IntegerAttr(static_cast<int32_t>(next)));
      next += bytes;
      used = std::max(used, next);
    }
    getOperation()->setAttr(tile::kSharedAttr,
                            builder.getI32IntegerAttr(static_cast<int32_t>(used)));
  }
};

} // namespace

std::unique_ptr<Pass> tilec::createPlaceScratchPass() {
  return std::make_unique<PlaceScratchPass>();
}
