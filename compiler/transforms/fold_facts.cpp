// What the contracts decide is decided here.
//
// Changes: an integer or boolean value - an argument of the kernel too - that fact analysis proves
// constant becomes that constant, so that a mask proven true disappears from its load. The
// conditions of promises stay: they are where the facts come from.
// Must hold: tile IR without layouts.
// Holds after: nothing that later passes rely on; it is an optimisation.
// Why here: after uniform values are scalars (facts are sharper) and before layouts, since a mask
// that is gone does not limit the vector width.
#include "compiler/transforms/passes.h"

#include "compiler/analysis/facts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tilec;

namespace {

struct FoldFactsPass : PassWrapper<FoldFactsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldFactsPass)
  StringRef getArgument() const override { return "tile-fold-facts"; }
  StringRef getDescription() const override { return "Replaces values proven constant"; }

  /// The operations that promises are computed by: the facts come from there.
  llvm::SmallPtrSet<Operation *, 16> promises() {
    llvm::SmallPtrSet<Operation *, 16> found;
    SmallVector<Operation *> work;
    getOperation().walk([&](tile::AssumeOp op) { work.push_back(op); });
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      if (!found.insert(op).second)
        continue;
      for (Value operand : op->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && source->getNumRegions() == 0 &&
                                                         isPure(source) &&
                                                         !tile::isTile(operand.getType()))
          work.push_back(source);
    }
    return found;
  }

  void runOnOperation() override {
    FactAnalysis facts(getOperation());
    SmallVector<std::pair<Value, int64_t>> constants;
    auto visit = [&](Value value) {
      if (isa<IntegerType>(getElementTypeOrSelf(value.getType())) && !value.use_empty())
        if (std::optional<int64_t> constant = facts.of(value).constant)
          constants.emplace_back(value, *constant);
    };
    for (Value argument : getOperation().getArguments())
      visit(argument);
    getOperation().walk([&](Operation *op) {
      if (!op->hasTrait<OpTrait::ConstantLike>() && isPure(op))
        llvm::for_each(op->getResults(), visit);
    });
    llvm::SmallPtrSet<Operation *, 16> kept = promises();
    SmallVector<std::pair<OpOperand *, int64_t>> uses;
    for (auto [value, constant] : constants)
      for (OpOperand &use : value.getUses())
        if (!kept.contains(use.getOwner()))
          uses.emplace_back(&use, constant);
    for (auto [use, constant] : uses) {
      Type type = use->get().getType();
      OpBuilder builder(use->getOwner());
      TypedAttr attribute = builder.getIntegerAttr(getElementTypeOrSelf(type), constant);
      if (auto tile = dyn_cast<RankedTensorType>(type))
        attribute = SplatElementsAttr::get(tile, attribute);
      use->set(arith::ConstantOp::create(builder, use->get().getLoc(), attribute));
    }
  }
};

} // namespace

std::unique_ptr<Pass> tilec::createFoldFactsPass() {
  return std::make_unique<FoldFactsPass>();
}
