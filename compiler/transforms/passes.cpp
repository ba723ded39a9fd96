#include "compiler/transforms/passes.h"

#include "compiler/transforms/print_facts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilec;

const std::set<std::string> &tilec::optionalPasses() {
  static const std::set<std::string> names = {"tile-uniform",
                                              "tile-fold-facts",
                                              "tile-stage-loads",
                                              "tile-prefetch-operands",
                                              "tile-share-operands",
                                              "tile-prefetch",
                                              "cse",
                                              "loop-invariant-code-motion"};
  return names;
}

void tilec::buildTilePipeline(OpPassManager &manager, const PipelineOptions &options) {
  auto add = [&](std::unique_ptr<Pass> pass) {
    if (!options.disabled.count(pass->getArgument().str()))
      manager.nest<func::FuncOp>().addPass(std::move(pass));
  };

  // While the IR still says what the source says.
  add(createWarnUnmaskedPass());

  // Scalars instead of tiles wherever all elements agree; one copy of everything.
  add(createCanonicalizerPass());
  add(createUniformPass());
  add(createCSEPass());
  // Masks and conditions that the contracts decide.
  add(createFoldFactsPass());
  add(createCanonicalizerPass());
  // From here on there are no windows but those that the tensor-copy engine can load.
  add(createExpandWindowsPass(options.tensorCopies));
  add(createCanonicalizerPass());
  add(createLoopInvariantCodeMotionPass());
  add(createCSEPass());

  // Operands of dots run ahead through shared memory.
  add(createStageLoadsPass(options));
  // And from here on none.
  add(createExpandWindowsPass(false));
  add(createPrefetchOperandsPass());
  add(createCanonicalizerPass());
  add(createCSEPass());

  // From here on every tile has a layout, and then every buffer.
  add(createAssignLayoutsPass(options));
  add(createCSEPass());
  add(createLoopInvariantCodeMotionPass());
  add(createShareOperandsPass(options));
  add(createBufferLayoutsPass());

  // Other loads of staged loops run ahead in registers.
  add(createPrefetchPass(options));
  add(createCSEPass());

  // From here on shared memory is placed, and no operation that uses it may be added or moved.
  add(createPlaceSharedPass());
  add(createInsertBarriersPass());
}

void tilec::registerTilePasses() {
  registerPrintFactsPass();
  registerPass([] { return createWarnUnmaskedPass(); });
  registerPass([] { return createUniformPass(); });
  registerPass([] { return createFoldFactsPass(); });
  registerPass([] { return createExpandWindowsPass(false); });
  registerPass([] { return createStageLoadsPass({}); });
  registerPass([] { return createPrefetchOperandsPass(); });
  registerPass([] { return createAssignLayoutsPass({}); });
  registerPass([] { return createShareOperandsPass({}); });
  registerPass([] { return createBufferLayoutsPass(); });
  registerPass([] { return createPrefetchPass({}); });
  registerPass([] { return createPlaceSharedPass(); });
  registerPass([] { return createInsertBarriersPass(); });
  registerCanonicalizerPass();
  registerCSEPass();
  registerLoopInvariantCodeMotionPass();
  PassPipelineRegistration<>("tile-pipeline", "Everything between sema and lowering",
                             [](OpPassManager &manager) { buildTilePipeline(manager, {}); });
}
