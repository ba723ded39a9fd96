#include "compiler/lowering/late_loads.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

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

namespace {

/// Where an operation stands: the number of an operation that stays, and how far in front of it.
/// Numbers of one's own, since asking MLIR for the order after each move takes time quadratic in
/// the length of the block.
using Place = std::pair<unsigned, int>;

class Placement {
public:
  explicit Placement(Block &block) : block_(block) {
    for (Operation &op : block) {
      place_[&op] = {static_cast<unsigned>(operations_.size()), 0};
      operations_.push_back(&op);
      if (op.hasAttr(kLate))
        marked_.push_back(&op);
      else if (!leavesMemory(&op))
        obstacles_.push_back(place_[&op].first);
    }
  }

  /// The last first: who uses a load's word has moved when the load does.
  void run() {
    for (Operation *op : llvm::reverse(marked_)) {
      op->removeAttr(kLate);
      if (std::optional<unsigned> target = targetOf(op))
        move(op, *target);
    }
  }

private:
  /// The number of the operation that `op` may stand in front of.
  std::optional<unsigned> targetOf(Operation *op) {
    std::optional<Place> first;
    for (Operation *user : op->getUsers())
      if (Operation *here = block_.findAncestorOpInBlock(*user))
        first = first ? std::min(*first, place_[here]) : place_[here];
    if (!first || !leavesMemory(op))
      return std::nullopt;
    unsigned target = first->first;
    if (!isMemoryEffectFree(op)) {
      auto obstacle = llvm::upper_bound(obstacles_, place_[op].first);
      if (obstacle != obstacles_.end())
        target = std::min(target, *obstacle);
    }
    if (operations_[target]->hasTrait<OpTrait::IsTerminator>())
      return std::nullopt;
    return target;
  }

  /// In front of `target` and of all that moved there before, which came after `op`.
  void move(Operation *op, unsigned target) {
    auto [found, isFirst] = foremost_.try_emplace(target, operations_[target]);
    op->moveBefore(found->second);
    place_[op] = {target, isFirst ? -1 : place_[found->second].second - 1};
    found->second = op;
  }

  Block &block_;
  llvm::DenseMap<Operation *, Place> place_;
  std::vector<Operation *> operations_; ///< by number
  SmallVector<Operation *> marked_;
  std::vector<unsigned> obstacles_; ///< numbers of what loads must not pass
  llvm::DenseMap<unsigned, Operation *> foremost_;
};

} // namespace

void tilec::placeLateLoads(LLVM::LLVMFuncOp kernel) {
  kernel.walk([](Block *block) { Placement(*block).run(); });
}
