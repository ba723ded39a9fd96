// The LLVM code generators, in process.
#include "compiler/target/collect_diagnostics.h"
#include "compiler/target/dependent_launch.h"
#include "compiler/target/fatal.h"
#include "compiler/target/machine.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec {

static Expected<GeneratedCode> generate(Module &module, const Target &target,
                                        const CodegenOptions &options, CodeGenFileType kind) {
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(target, options);
  if (!machine)
    return machine.takeError();
  CollectDiagnostics diagnostics(module.getContext());
  FatalErrorModule fatal(module);
  SmallVector<char, 0> bytes;
  raw_svector_ostream out(bytes);
  legacy::PassManager passes;
  passes.add(
      new TargetLibraryInfoWrapperPass(TargetLibraryInfoImpl((*machine)->getTargetTriple())));
  if ((*machine)->addPassesToEmitFile(passes, out, nullptr, kind))
    return createStringError("LLVM cannot write this kind of file for '" + target.name() + "'");
  passes.run(module);
  if (Error error = diagnostics.takeError())
    return error;
  return GeneratedCode{std::string(bytes.begin(), bytes.end()), diagnostics.largeFrames()};
}

static Expected<GeneratedCode> generateHost(Module &module, const CodegenOptions &options,
                                            CodeGenFileType kind) {
  for (Function &function : module) {
    function.addFnAttr("probe-stack", "inline-asm");
    function.addFnAttr("warn-stack-size", std::to_string(kHostFrameBytes));
  }
  return generate(module, {true, findArch("sm_80")}, options, kind);
}

Expected<std::string> emitPtx(Module &module, const Target &target, const CodegenOptions &options) {
  const bool isDependent = target.arch->dependentLaunch;
  const unsigned kernels = isDependent ? letDependentsStart(module) : 0;
  Expected<GeneratedCode> code = generate(module, target, options, CodeGenFileType::AssemblyFile);
  if (!code)
    return code.takeError();
  if (isDependent)
    return waitForPrerequisites(code->bytes, kernels);
  return std::move(code->bytes);
}

Expected<GeneratedCode> emitHostObject(Module &module, const CodegenOptions &options) {
  return generateHost(module, options, CodeGenFileType::ObjectFile);
}

Expected<GeneratedCode> emitHostAssembly(Module &module, const CodegenOptions &options) {
  return generateHost(module, options, CodeGenFileType::AssemblyFile);
}

} // namespace tilec
