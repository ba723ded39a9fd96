#include "compiler/driver/middle.h"

#include "compiler/driver/errors.h"
#include "compiler/driver/progress.h"
#include "compiler/ir/dialect.h"
#include "compiler/lowering/device_primitives.h"
#include "compiler/lowering/lower.h"
#include "compiler/transforms/passes.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tilec {

llvm::Expected<LlvmUnit> makeUnit(const Target &target, const CodegenOptions &options,
                                  const std::string &name) {
  LlvmUnit unit;
  unit.context = std::make_unique<llvm::LLVMContext>();
  unit.module = std::make_unique<llvm::Module>(name, *unit.context);
  unit.module->setSourceFileName(name);
  if (llvm::Error error = prepareModule(*unit.module, target, options))
    return error;
  return unit;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out);
  return text + "\n";
}

/// Writes the module for whoever looks into an internal error; the file's path, or "".
static std::string writeReproducer(ModuleOp module, const std::string &variant) {
  llvm::SmallString<128> path;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
  llvm::sys::path::append(path, "tilec-reproducer-" + variant + ".mlir");
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error)
    return "";
  out << print(module);
  out.close();
  return path.str().str();
}

namespace {

/// The way of one variant, stage by stage. Every method returns failure after an error that is in
/// the session's diagnostics.
class VariantRun {
public:
  /// `original`: the variant as sema made it, which stays as it is.
  VariantRun(Session &session, const Target &target, PassManager &passes, ModuleOp original)
      : session_(session), target_(target), passes_(passes), original_(original),
        clone_(cast<ModuleOp>(original->clone())), module_(*clone_) {}

  ModuleOp module() { return module_; }

  LogicalResult runPasses() {
    session_.watch.currentPass.clear();
    session_.watch.captured.clear();
    return ensure(passes_.run(module_), "a pass failed");
  }

  /// Shared memory a program needs, in bytes; an error where the target has less.
  FailureOr<unsigned> sharedBytes() {
    Operation *kernel = nullptr;
    module_.walk([&](func::FuncOp function) { kernel = function; });
    auto shared = kernel ? kernel->getAttrOfType<IntegerAttr>(tile::kSharedAttr) : IntegerAttr();
    unsigned bytes = shared ? unsigned(shared.getInt()) : 0;
    if (bytes <= target_.arch->maxSharedBytes)
      return bytes;
    Diagnostic &error = session_.diagnostics.error(
        rangeOf(kernel->getLoc(), session_.sources, session_.mainFile),
        "'" + session_.watch.variant + "' needs " + std::to_string(bytes) +
            " bytes of shared memory a program; " + std::string(target_.arch->name) + " has " +
            std::to_string(target_.arch->maxSharedBytes));
    module_.walk([&](tile::AllocOp alloc) {
      tile::BufferType buffer = alloc.getBuffer().getType();
      if (llvm::any_of(alloc->getUsers(), llvm::IsaPred<tile::InitMbarriersOp>))
        return; // a few bytes, and of no load
      std::string shape;
      for (int64_t size : buffer.getShape())
        shape += (shape.empty() ? "" : ", ") + std::to_string(size);
      std::string element;
      llvm::raw_string_ostream(element) << buffer.getElement();
      DiagnosticEngine::note(error, rangeOf(alloc.getLoc(), session_.sources, session_.mainFile),
                             std::to_string(buffer.bytes()) + " bytes are a buffer of " +
                                 std::to_string(buffer.getSlots()) + " slots of [" + shape +
                                 "] x " + element + " for this load");
    });
    return failure();
  }

  /// The tensor maps that a launch makes, in the order of the kernel's parameters.
  std::vector<TensorMapInfo> maps() {
    std::map<unsigned, TensorMapInfo> found;
    module_.walk([&](tile::TensorCopyOp copy) {
      tile::MapAttr map = copy.getDescription();
      found[cast<BlockArgument>(copy.getMap()).getArgNumber()] = {
          static_cast<unsigned>(map.getView()), map.getOrder().vec(), map.getBox().vec(),
          static_cast<unsigned>(map.getSwizzle())};
    });
    std::vector<TensorMapInfo> inOrder;
    for (auto &[number, map] : found)
      inOrder.push_back(std::move(map));
    return inOrder;
  }

  LogicalResult lower() {
    session_.watch.currentPass = "lowering";
    std::unique_ptr<DevicePrimitives> primitives =
        target_.host ? makeHostPrimitives() : makeNvptxPrimitives(target_.arch->version);
    if (failed(ensure(lowerToLlvm(module_, *primitives), "the lowering failed")) ||
        failed(ensure(module_.verify(), "the lowering made invalid IR")))
      return failure();
    if (!session_.options.lineInfo)
      return success();
    // Without a subprogram on the function, locations do not reach LLVM.
    PassManager debug(module_.getContext());
    LLVM::DIScopeForLLVMFuncOpPassOptions lines;
    lines.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    debug.addPass(LLVM::createDIScopeForLLVMFuncOpPass(lines));
    return ensure(debug.run(module_), "line information failed");
  }

  /// The variant as LLVM IR, its function renamed by `suffix`, linked into `unit`.
  LogicalResult link(LlvmUnit &unit, const std::string &suffix) {
    session_.watch.currentPass = "translation";
    std::unique_ptr<llvm::Module> variant =
        translateModuleToLLVMIR(module_, *unit.context, session_.watch.variant);
    if (failed(ensure(success(variant != nullptr), "no LLVM IR could be made")))
      return failure();
    variant->setTargetTriple(unit.module->getTargetTriple());
    variant->setDataLayout(unit.module->getDataLayout());
    if (llvm::Function *function = variant->getFunction(session_.watch.variant))
      function->setName(session_.watch.variant + suffix);
    return ensure(success(!llvm::Linker::linkModules(*unit.module, std::move(variant))),
                  "the variants could not be linked");
  }

private:
  /// Makes sure that a failure was reported, and keeps what led to it in a file.
  LogicalResult ensure(LogicalResult result, const char *message) {
    if (succeeded(result))
      return result;
    session_.mlirDiagnostics->ensureError(original_.getLoc(), message);
    std::string path = writeReproducer(original_, session_.watch.variant);
    if (!path.empty())
      session_.mlirDiagnostics->addNote("what the passes were given is in '" + path +
                                        "' (tilec-opt --tile-pipeline)");
    return result;
  }

  Session &session_;
  const Target &target_;
  PassManager &passes_;
  ModuleOp original_;
  OwningOpRef<ModuleOp> clone_;
  ModuleOp module_;
};

} // namespace

/// The pass whose result a stage of --emit is.
static std::string capturePass(std::optional<Product> product) {
  if (product == Product::Layouts)
    return "tile-assign-layouts";
  if (product == Product::Pipelined)
    return "tile-prefetch";
  return "";
}

llvm::Error runMiddle(Session &session, const Program &program, const Target &target,
                      const std::string &suffix, std::vector<KernelContract> &kernels,
                      llvm::function_ref<llvm::Expected<LlvmUnit *>()> unitOfNext,
                      std::string &text) {
  const std::optional<Product> product = session.options.product;
  PassManager passes(&session.context);
  passes.enableVerifier();
  passes.addInstrumentation(std::make_unique<PassWatcher>(
      WatchRequest{session.options.dumpAfter, session.options.dumpFolder, capturePass(product)},
      session.watch, session.timings));
  buildTilePipeline(passes, {target.arch->maxVectorBytes, session.options.remarks,
                             session.options.disabledPasses, session.options.stageAllLoads,
                             target.arch->float8Matrix, target.arch->maxSharedBytes,
                             target.arch->tensorCopies});

  Progress progress(program.variants.size(), program.variants.size() > 1);
  for (const CompiledVariant &compiled : program.variants) {
    VariantContract &variant = kernels[compiled.kernel].variants[compiled.variant];
    session.watch.variant = variant.symbol;
    progress.step(variant.symbol + " for " + target.name());
    VariantRun run(session, target, passes, *compiled.module);
    if (product == Product::Tile) {
      text += print(run.module());
      continue;
    }
    {
      StageTimer timer(session.timings, "tile passes");
      if (failed(run.runPasses()))
        continue; // other variants may have more to say
    }
    if (product == Product::Layouts || product == Product::Pipelined) {
      text += session.watch.captured;
      continue;
    }
    if (product == Product::FinalTile)
      text += print(run.module());
    FailureOr<unsigned> shared = run.sharedBytes();
    if (failed(shared))
      continue;
    variant.resources.sharedBytes = *shared;
    variant.maps = run.maps();
    if (product == Product::FinalTile || product == Product::Manifest)
      continue;
    {
      StageTimer timer(session.timings, "lowering");
      if (failed(run.lower()))
        continue;
    }
    if (product == Product::LlvmMlir) {
      text += print(run.module());
      continue;
    }
    StageTimer timer(session.timings, "translation");
    llvm::Expected<LlvmUnit *> unit = unitOfNext();
    if (!unit)
      return unit.takeError();
    if (failed(run.link(**unit, suffix)))
      continue;
  }
  return session.check();
}

} // namespace tilec
