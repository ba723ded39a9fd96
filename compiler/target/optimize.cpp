// The LLVM middle end, with the target machine attached.
#include "compiler/target/collect_diagnostics.h"
#include "compiler/target/fatal.h"
#include "compiler/target/joint_conditions.h"
#include "compiler/target/libdevice.h"
#include "compiler/target/machine.h"
#include "compiler/target/sum_offsets.h"
#include "compiler/target/wide_multiply.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec {

/// Invalid IR would crash the optimiser: here it becomes an error.
static Error verify(const Module &module, const char *when) {
  std::string problems;
  raw_string_ostream out(problems);
  if (!verifyModule(module, &out))
    return Error::success();
  return createStringError(Twine("invalid LLVM IR ") + when + ": " + problems);
}

static OptimizationLevel passLevel(unsigned optLevel) {
  switch (optLevel) {
  case 0:
    return OptimizationLevel::O0;
  case 1:
    return OptimizationLevel::O1;
  case 2:
    return OptimizationLevel::O2;
  default:
    return OptimizationLevel::O3;
  }
}

/// What kernels take by value - tensor maps - stays where the launch put it: without this the
/// backend copies it to the thread's stack, where the tensor-copy engine does not read it.
static void keepValuesInParameters(Module &module) {
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::PTX_Kernel)
      for (Argument &argument : function.args())
        if (argument.hasByValAttr())
          argument.addAttr(Attribute::get(module.getContext(), "nvvm.grid_constant"));
}

Error optimize(Module &module, const Target &target, const CodegenOptions &options) {
  if (Error error = verify(module, "after lowering"))
    return error;
  if (!target.host) {
    keepValuesInParameters(module);
    if (Error error = linkLibdevice(module, options.libdevice))
      return error;
  }
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(target, options);
  if (!machine)
    return machine.takeError();

  CollectDiagnostics diagnostics(module.getContext());
  FatalErrorModule fatal(module);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(machine->get()); // also registers the target's own passes (NVVMReflect)
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  // Also the O0 pipeline comes from here: it runs what is needed for correctness.
  builder.buildPerModuleDefaultPipeline(passLevel(options.optLevel)).run(module, modules);
  if (!target.host) {
    sumOffsets(module);
    keepJointConditions(module);
    selectWideProducts(module);
  }
  return diagnostics.takeError();
}

} // namespace tilec
