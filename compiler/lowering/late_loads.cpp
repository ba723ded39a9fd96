#include "compiler/lowering/late_loads.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace mlir;
using namespace tilec;

/// On operations, between the conversion of a load and placeLateLoads().
static constexpr StringRef kLate = "tile.late_load";

void tilec::markLateLoads(Operation *before, Operation *end) {
  Operation *op = before ? before->getNextNode() : &end->getBlock()->front();
  for (; op != end; op = op->getNextNode())
    op->setAttr(kLate, UnitAttr::get(op->getContext()));
}

/// Whether `op` neither writes memory nor orders what others write: loads may pass it.
static bool leavesMemory(Operation *op) {
  if (isMemoryEffectFree(op) || isa<LLVM::LoadOp>(op))
    return true;
  StringRef callee;
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    callee = call.getIntrin();
  else if (auto call = dyn_cast<LLVM::CallOp>(op))
    callee = call.getCallee().value_or("");
  return llvm::any_of(
      ArrayRef<StringRef>{"llvm.nvvm.ldmatrix.", "llvm.nvvm.mma.", "llvm.nvvm.ex2.approx."},
      [&](StringRef name) { return callee.starts_with(name); });
}

/// The first operation of `block` that uses a result of `op`, itself or inside a region.
static Operation *firstUser(Operation *op, Block &block) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *here = block.findAncestorOpInBlock(*user);
    if (here && (!first || here->isBeforeInBlock(first)))
      first = here;
  }
  return first;
}

static void placeIn(Block &block) {
  // Positions before anything moves: what ends a load's way does not move.
  llvm::DenseMap<Operation *, unsigned> position;
  SmallVector<Operation *> marked, obstacles;
  for (Operation &op : block) {
    position[&op] = position.size();
    if (op.hasAttr(kLate))
      marked.push_back(&op);
    else if (!leavesMemory(&op))
      obstacles.push_back(&op);
  }
  for (Operation *op : llvm::reverse(marked)) {
    op->removeAttr(kLate);
    Operation *target = firstUser(op, block);
    if (!target || target->hasTrait<OpTrait::IsTerminator>() || !leavesMemory(op))
      continue;
    if (!isMemoryEffectFree(op)) {
      auto obstacle =
          std::upper_bound(obstacles.begin(), obstacles.end(), position[op],
                           [&](unsigned from, Operation *other) { return from < position[other]; });
      if (obstacle != obstacles.end() && (*obstacle)->isBeforeInBlock(target))
        target = *obstacle;
    }
    op->moveBefore(target);
  }
}

void tilec::placeLateLoads(LLVM::LLVMFuncOp kernel) {
  kernel.walk([](Block *block) { placeIn(*block); });
}
