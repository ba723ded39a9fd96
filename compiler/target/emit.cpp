// The LLVM code generators, in process.
#include "compiler/target/collect_diagnostics.h"
#include "compiler/target/fatal.h"
#include "compiler/target/machine.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec {

static Expected<SmallVector<char, 0>> generate(Module &module, const Target &target,
                                               const CodegenOptions &options,
                                               CodeGenFileType kind) {
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
  return bytes;
}

static Target hostTarget() {
  return {true, findArch("sm_80")};
}

static Expected<std::string> text(Expected<SmallVector<char, 0>> bytes) {
  if (!bytes)
    return bytes.takeError();
  return std::string(bytes->begin(), bytes->end());
}

Expected<std::string> emitPtx(Module &module, const Target &target, const CodegenOptions &options) {
  return text(generate(module, target, options, CodeGenFileType::AssemblyFile));
}

Expected<SmallVector<char, 0>> emitHostObject(Module &module, const CodegenOptions &options) {
  return generate(module, hostTarget(), options, CodeGenFileType::ObjectFile);
}

Expected<std::string> emitHostAssembly(Module &module, const CodegenOptions &options) {
  return text(generate(module, hostTarget(), options, CodeGenFileType::AssemblyFile));
}

} // namespace tilec
