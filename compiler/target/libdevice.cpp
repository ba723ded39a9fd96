#include "compiler/target/libdevice.h"

#include "compiler/target/codegen.h"
#include "compiler/target/collect_diagnostics.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

namespace tilec {

static constexpr StringLiteral kPrefix = "__nv_";
static constexpr StringLiteral kFlushAttribute = "denormal-fp-math-f32";
static constexpr StringLiteral kFlushValue = "preserve-sign,preserve-sign";
/// NVVMReflect replaces `__nvvm_reflect("__CUDA_FTZ")` by this module flag's value.
static constexpr StringLiteral kReflectFlag = "nvvm-reflect-ftz";

static const Function *firstReference(const Module &module) {
  for (const Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with(kPrefix) &&
        !function.use_empty())
      return &function;
  return nullptr;
}

/// True when every function with a body flushes f32 denormals: the flag of libdevice is one a
/// module, so a mixed module gets the exact functions.
static bool flushesDenormals(const Module &module) {
  for (const Function &function : module)
    if (!function.isDeclaration() &&
        !function.getFnAttribute(kFlushAttribute).getValueAsString().starts_with("preserve-sign"))
      return false;
  return true;
}

Error linkLibdevice(Module &module, const std::string &path) {
  const Function *reference = firstReference(module);
  if (!reference)
    return Error::success();
  if (path.empty())
    return make_error<ToolError>(
        ("libdevice.10.bc was not found and '" + reference->getName() +
         "' needs it; it comes with the CUDA toolkit (nvvm/libdevice): set CUDA_HOME")
            .str());
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  if (!file)
    return make_error<ToolError>("cannot read '" + path + "': " + file.getError().message());
  CollectDiagnostics diagnostics(module.getContext());
  Expected<std::unique_ptr<Module>> library =
      getOwningLazyBitcodeModule(std::move(*file), module.getContext());
  if (!library)
    return make_error<ToolError>("'" + path +
                                 "' is not LLVM bitcode: " + toString(library.takeError()));
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());

  bool flush = flushesDenormals(module);
  module.addModuleFlag(Module::Override, kReflectFlag, flush ? 1u : 0u);
  StringSet<> before;
  for (const Function &function : module)
    if (!function.isDeclaration())
      before.insert(function.getName());
  bool failed = Linker::linkModules(module, std::move(*library), Linker::Flags::LinkOnlyNeeded,
                                    [](Module &linked, const StringSet<> &added) {
                                      internalizeModule(linked, [&added](const GlobalValue &value) {
                                        return !value.hasName() || !added.contains(value.getName());
                                      });
                                    });
  if (Error error = diagnostics.takeError())
    return error;
  if (failed)
    return make_error<ToolError>("cannot link '" + path + "'");
  if (flush)
    for (Function &function : module)
      if (!function.isDeclaration() && !before.contains(function.getName()))
        function.addFnAttr(kFlushAttribute, kFlushValue);
  if (const Function *missing = firstReference(module))
    return make_error<ToolError>(
        ("'" + path + "' has no function '" + missing->getName() + "'").str());
  return Error::success();
}

} // namespace tilec
