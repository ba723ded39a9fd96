// Barriers between uses of shared memory that may overlap.
//
//   Every operation with scratch writes it, passes a barrier of its own, and reads it. After it,
//   other threads may still be reading its bytes: those are *pending*. The next operation's own
//   barrier comes after its writes, so it must not write pending bytes:
//
//        reduce [0,64)    pending {[0,64)}
//        reduce [64,128)  no overlap: its inner barrier also ends the first one's reads
//                         pending {[64,128)}
//        reduce [0,64)    no overlap
//
//   Pending bytes flow through branches (union) and round loops (fixpoint), so a loop whose body
//   has one reduction gets a barrier at the back edge, and one with two at different places gets
//   none.
//
// Changes: tile.barrier before operations that would overwrite pending bytes.
// Must hold: scratch is placed. All threads of a program take the same branches (conditions are
// scalars).
// Holds after: no byte of scratch is written while another thread may still read or write it.
#include "compiler/transforms/passes.h"

#include "compiler/analysis/scratch.h"
#include "compiler/ir/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <set>

using namespace mlir;
using namespace tilec;

namespace {

/// Byte intervals [first, second).
using Pending = std::set<std::pair<unsigned, unsigned>>;

class BarrierPlacement {
public:
  explicit BarrierPlacement(func::FuncOp function) { visit(function.getBody().front(), {}); }

  /// Operations that need a barrier in front, in program order of discovery.
  const llvm::SetVector<Operation *> &needed() const { return needed_; }

private:
  /// The state after `block` when `pending` holds before it. `needed_` only grows, so a second
  /// visit with a larger state is sound.
  Pending visit(Block &block, Pending pending) {
    for (Operation &op : block) {
      if (isa<tile::BarrierOp>(op)) {
        pending.clear();
      } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
        pending = visitLoop(op, std::move(pending));
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        Pending otherwise = pending;
        if (branch.elseBlock())
          otherwise = visit(*branch.elseBlock(), pending);
        pending = visit(*branch.thenBlock(), std::move(pending));
        pending.merge(otherwise);
      } else if (unsigned bytes = scratchBytes(&op)) {
        auto offset = op.getAttrOfType<IntegerAttr>("scratch_offset");
        unsigned begin = static_cast<unsigned>(offset.getInt()), end = begin + bytes;
        if (llvm::any_of(pending,
                         [&](auto other) { return other.first < end && begin < other.second; }))
          needed_.insert(&op);
        pending = {{begin, end}}; // the inner barrier ended all that was before
      }
    }
    return pending;
  }

  Pending visitLoop(Operation &loop, Pending before) {
    Pending state = before;
    while (true) {
      Pending after = state;
      for (Region &region : loop.getRegions()) // scf.while: before, then after
        after = visit(region.front(), std::move(after));
      Pending joined = state;
      joined.insert(after.begin(), after.end());
      if (joined == state)
        return joined;
      state = std::move(joined);
    }
  }

  llvm::SetVector<Operation *> needed_;
};

struct InsertBarriersPass : PassWrapper<InsertBarriersPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertBarriersPass)
  StringRef getArgument() const override { return "tile-insert-barriers"; }
  StringRef getDescription() const override { return "Separates uses of shared memory"; }

  void runOnOperation() override {
    BarrierPlacement placement(getOperation());
    for (Operation *op : placement.needed()) {
      OpBuilder builder(op);
      tile::BarrierOp::create(builder, op->getLoc());
    }
  }
};

} // namespace

std::unique_ptr<Pass> tilec::createInsertBarriersPass() {
  return std::make_unique<InsertBarriersPass>();
}
