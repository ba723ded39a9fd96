// Memory layouts of buffers.
//
// All who write and read a buffer want wide accesses without bank conflicts; layout/buffer_layout.h
// finds a layout that serves them all. Here they are only collected. The tensor-copy engine knows a
// few layouts of its own (layout/tensor_box.h): where it writes, the best of those for the readers.
//
// Changes: the type of every buffer gains its `memory` columns; maps gain their boxes.
// Must hold: tiles have layouts; a buffer is used by the operations of BufferOps.td directly.
// Holds after: every buffer that is used has a memory layout.
// Why here: after layout assignment, which is free to read a buffer in any layout.
#include "compiler/analysis/access_plan.h"
#include "compiler/analysis/slot_part.h"
#include "compiler/analysis/tensor_window.h"
#include "compiler/ir/dialect.h"
#include "compiler/layout/buffer_layout.h"
#include "compiler/transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;

namespace {

struct BufferLayoutsPass : PassWrapper<BufferLayoutsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BufferLayoutsPass)
  StringRef getArgument() const override { return "tile-buffer-layouts"; }
  StringRef getDescription() const override { return "Says where elements of buffers lie"; }

  void runOnOperation() override {
    SmallVector<tile::AllocOp> buffers;
    getOperation().walk([&](tile::AllocOp alloc) { buffers.push_back(alloc); });
    if (buffers.empty())
      return;
    FactAnalysis facts(getOperation());
    for (tile::AllocOp alloc : buffers) {
      std::vector<BufferSide> sides = sidesOf(alloc, facts);
      tile::BufferType type = alloc.getBuffer().getType();
      unsigned bytes = tile::elementBytes(type.getElement());
      MemoryLayout memory;
      if (std::vector<tile::TensorCopyOp> copies = tensorCopies(alloc); !copies.empty())
        memory = planBoxes(copies, sides, bytes);
      else if (!sides.empty())
        memory = planBuffer(sides, bytes);
      else
        continue;
      alloc.getBuffer().setType(type.withMemory(memory.columns));
    }
  }

  /// Its users, that of the prologue first.
  static std::vector<tile::TensorCopyOp> tensorCopies(tile::AllocOp alloc) {
    std::vector<tile::TensorCopyOp> copies;
    for (Operation *user : alloc.getBuffer().getUsers())
      if (auto copy = dyn_cast<tile::TensorCopyOp>(user); copy && copy.getBuffer() == alloc)
        copies.push_back(copy);
    return copies;
  }

  /// Chooses the boxes that serve the other `sides` best, and writes them into the maps. All
  /// `copies` are of one window, an iteration each.
  static MemoryLayout planBoxes(ArrayRef<tile::TensorCopyOp> copies,
                                const std::vector<BufferSide> &sides, unsigned elementBytes) {
    tile::TensorCopyOp first = copies.front();
    tile::MapAttr map = first.getDescription();
    std::vector<BoxAxis> axes = boxAxes(first.getLengths(), map.getOrder());
    MemoryLayout best;
    TensorBox chosen;
    double cheapest = 0;
    for (const TensorBox &box : possibleBoxes(axes, elementBytes)) {
      MemoryLayout memory = boxMemory(axes, box, elementBytes);
      double cost = 0;
      for (const BufferSide &side : sides)
        cost += sideCost(side, memory, elementBytes);
      if (best.columns.empty() || cost < cheapest) {
        cheapest = cost;
        best = std::move(memory);
        chosen = box;
      }
    }
    SmallVector<int64_t> sizes;
    for (unsigned bits : chosen.bits)
      sizes.push_back(int64_t(1) << bits);
    auto described =
        tile::MapAttr::get(map.getContext(), map.getView(), map.getOrder(), sizes, chosen.swizzle);
    for (tile::TensorCopyOp copy : copies)
      copy.setDescriptionAttr(described);
    return best;
  }

  static std::vector<BufferSide> sidesOf(tile::AllocOp alloc, const FactAnalysis &facts) {
    std::vector<BufferSide> sides;
    auto add = [&](BufferSide::Kind kind, LinearLayout layout, std::vector<unsigned> vectorBits) {
      BufferSide side{kind, std::move(layout), std::move(vectorBits)};
      // A prologue copies like its loop, and many loads read parts of a slot alike.
      if (!llvm::is_contained(sides, side))
        sides.push_back(std::move(side));
    };
    // Users are listed last first: what is read in a prologue comes before what a loop does.
    SmallVector<Operation *> users(alloc.getBuffer().getUsers());
    for (Operation *user : llvm::reverse(users)) {
      if (auto copy = dyn_cast<tile::CopyAsyncOp>(user)) {
        AccessPlan plan = planAccess(facts, copy.getPtr(), copy.getMask(), kMaxCopyBytes);
        add(BufferSide::Kind::Copy, tile::layoutOf(copy.getPtr()),
            {plan.bits.begin(), plan.bits.end()});
      } else if (auto store = dyn_cast<tile::LocalStoreOp>(user)) {
        add(BufferSide::Kind::Store, tile::layoutOf(store.getValue()), {});
      } else if (auto load = dyn_cast<tile::LocalLoadOp>(user)) {
        add(BufferSide::Kind::Load, layoutInSlot(load), {});
      }
    }
    return sides;
  }
};

} // namespace

std::unique_ptr<Pass> tilec::createBufferLayoutsPass() {
  return std::make_unique<BufferLayoutsPass>();
}
