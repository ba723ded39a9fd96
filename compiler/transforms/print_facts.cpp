#include "compiler/transforms/print_facts.h"

#include "compiler/analysis/facts_lattice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilec;

namespace {

/// The most one lane moves at once on every architecture so far: what a vector is measured against.
constexpr unsigned kVectorBytes = 16;

struct PrintFactsPass : PassWrapper<PrintFactsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintFactsPass)
  StringRef getArgument() const override { return "test-print-facts"; }
  StringRef getDescription() const override { return "Prints the facts of values as remarks"; }

  static bool isReported(Type type) {
    return facts::isInteger(type) || isa<tile::PointerType>(getElementTypeOrSelf(type));
  }

  static void reportAccess(const FactAnalysis &analysis, Operation *op, Value ptr, Value mask) {
    auto tile = dyn_cast<RankedTensorType>(ptr.getType());
    for (int64_t dim = 0; tile && dim < tile.getRank(); ++dim) {
      std::string reason;
      unsigned width = vectorWidth(analysis, ptr, mask, dim, kVectorBytes, &reason);
      emitRemark(op->getLoc(), "dimension ")
          << dim << ": vector of " << width << (reason.empty() ? "" : ", as ") << reason;
    }
  }

  void runOnOperation() override {
    FactAnalysis analysis(getOperation());
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (OpResult result : op->getResults())
        if (isReported(result.getType()))
          emitRemark(op->getLoc(), "result ")
              << result.getResultNumber() << ": " << facts::describe(analysis.of(result));
      if (auto load = dyn_cast<tile::LoadOp>(op))
        reportAccess(analysis, op, load.getPtr(), load.getMask());
      if (auto store = dyn_cast<tile::StoreOp>(op))
        reportAccess(analysis, op, store.getPtr(), store.getMask());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (isReported(argument.getType()) && !block.empty())
              emitRemark(block.front().getLoc(), "argument ")
                  << argument.getArgNumber() << ": " << facts::describe(analysis.of(argument));
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> tilec::createPrintFactsPass() {
  return std::make_unique<PrintFactsPass>();
}

void tilec::registerPrintFactsPass() {
  registerPass([] { return createPrintFactsPass(); });
}
