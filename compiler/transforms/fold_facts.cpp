// What the contracts decide is decided here.
//
// Changes: an integer or boolean value that fact analysis proves constant becomes that constant, so
// that a mask proven true disappears from its load.
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

using namespace mlir;
using namespace tilec;

namespace {

struct FoldFactsPass : PassWrapper<FoldFactsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldFactsPass)
  StringRef getArgument() const override { return "tile-fold-facts"; }
  StringRef getDescription() const override { return "Replaces values proven constant"; }

  /// A condition of an assume is the source of the fact: folding it would forget the fact.
  static bool feedsAssume(Value value) {
    return llvm::any_of(value.getUsers(), [](Operation *user) {
      if (isa<tile::AssumeOp>(user))
        return true;
      return isa<arith::AndIOp, arith::CmpIOp, arith::RemSIOp, arith::RemUIOp>(user) &&
             user->getNumResults() == 1 && !tile::isTile(user->getResult(0).getType()) &&
             feedsAssume(user->getResult(0));
    });
  }

  void runOnOperation() override {
    FactAnalysis facts(getOperation());
    SmallVector<std::pair<Value, int64_t>> constants;
    getOperation().walk([&](Operation *op) {
      if (op->hasTrait<OpTrait::ConstantLike>() || !isPure(op))
        return;
      for (Value result : op->getResults())
        if (isa<IntegerType>(getElementTypeOrSelf(result.getType())) && !result.use_empty() &&
            !feedsAssume(result))
          if (std::optional<int64_t> constant = facts.of(result).constant)
            constants.emplace_back(result, *constant);
    });
    for (auto [value, constant] : constants) {
      OpBuilder builder(value.getDefiningOp());
      TypedAttr attribute = builder.getIntegerAttr(getElementTypeOrSelf(value.getType()), constant);
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        attribute = SplatElementsAttr::get(type, attribute);
      value.replaceAllUsesWith(arith::ConstantOp::create(builder, value.getLoc(), attribute));
    }
  }
};

} // namespace

std::unique_ptr<Pass> tilec::createFoldFactsPass() {
  return std::make_unique<FoldFactsPass>();
}
