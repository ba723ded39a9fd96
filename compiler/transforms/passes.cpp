#include "compiler/transforms/passes.h"

#include "compiler/transforms/print_facts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilec;

const std::set<std::string> &tilec::optionalPasses() {
  static const std::set<std::string> names = {"tile-uniform", "tile-fold-facts", "tile-prefetch",
                                              "loop-invariant-code-motion", "cse"};
  return names;
}

void tilec::buildTilePipeline(OpPassManager &manager, const PipelineOptions &options) {
  auto add = [&](std::unique_ptr<Pass> pass) {
    if (!options.disabled.count(pass->getArgument().str()))
      manager.nest<func::FuncOp>().addPass(std::move(pass));
  };

  // Scalars instead of tiles wherever all elements agree; one copy of everything.
  add(createCanonicalizerPass());
  add(createUniformPass());
  add(createCSEPass());
  // Masks and conditions that the contracts decide.
  add(createFoldFactsPass());
  add(createCanonicalizerPass());
  // From here on there are no windows.
  add(createExpandWindowsPass());
  add(createCanonicalizerPass());
  add(createLoopInvariantCodeMotionPass());
  add(createCSEPass());

  // From here on every tile has a layout.
  add(createAssignLayoutsPass(options));
  add(createCSEPass());
  add(createLoopInvariantCodeMotionPass());

  // Loads of staged loops run ahead.
  add(createPrefetchPass(options));
  add(createCSEPass());

  // From here on shared memory is laid out, and no operation with scratch may be added or moved.
  add(createPlaceScratchPass());
  add(createInsertBarriersPass());
}

void tilec::registerTilePasses() {
  registerPrintFactsPass();
  registerPass([] { return createUniformPass(); });
  registerPass([] { return createFoldFactsPass(); });
  registerPass([] { return createExpandWindowsPass(); });
  registerPass([] { return createAssignLayoutsPass({}); });
  registerPass([] { return createPrefetchPass({}); });
  registerPass([] { return createPlaceScratchPass(); });
  registerPass([] { return createInsertBarriersPass(); });
  registerCanonicalizerPass();
  registerCSEPass();
  registerLoopInvariantCodeMotionPass();
  PassPipelineRegistration<>("tile-pipeline", "Everything between sema and lowering",
                             [](OpPassManager &manager) { buildTilePipeline(manager, {}); });
}
