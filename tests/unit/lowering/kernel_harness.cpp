#include "kernel_harness.h"

#include "compiler/ir/dialect.h"
#include "compiler/lowering/device_primitives.h"
#include "compiler/lowering/lower.h"

#include <doctest/doctest.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace tilec::test {

namespace {

struct Lowered {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  Launch launch;
};

Lowered lower(const std::string &text, DevicePrimitives &primitives) {
  DialectRegistry registry;
  tile::registerTileDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Lowered result;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  REQUIRE_MESSAGE(module, text);
  for (auto function : module->getOps<func::FuncOp>()) {
    if (auto warps = function->getAttrOfType<IntegerAttr>(tile::kWarpsAttr))
      result.launch.warps = warps.getInt();
    if (auto bytes = function->getAttrOfType<IntegerAttr>(tile::kSharedAttr))
      result.launch.sharedBytes = bytes.getInt();
  }
  REQUIRE_MESSAGE(succeeded(lowerToLlvm(*module, primitives)), text);
  REQUIRE(succeeded(verify(*module)));
  result.module = translateModuleToLLVMIR(*module, *result.context);
  REQUIRE_MESSAGE(result.module, text);
  std::string errors;
  llvm::raw_string_ostream stream(errors);
  REQUIRE_MESSAGE(!llvm::verifyModule(*result.module, &stream), errors);
  return result;
}

void optimizeModule(llvm::Module &module, llvm::TargetMachine *machine) {
  llvm::PassBuilder builder(machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

} // namespace

struct HostKernel::Jit {
  std::unique_ptr<llvm::orc::LLJIT> engine;
  KernelFunction function = nullptr;
};

HostKernel::HostKernel(const std::string &text, bool optimize) : jit_(std::make_unique<Jit>()) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  std::unique_ptr<DevicePrimitives> primitives = makeHostPrimitives();
  Lowered lowered = lower(text, *primitives);
  launch = lowered.launch;
  jit_->engine = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  llvm::orc::LLJIT &engine = *jit_->engine;
  lowered.module->setDataLayout(engine.getDataLayout());
  lowered.module->setTargetTriple(engine.getTargetTriple());
  if (optimize)
    optimizeModule(*lowered.module, nullptr);
  llvm::orc::SymbolMap symbols;
  for (auto [name, address] : deviceFunctions())
    symbols[engine.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                             llvm::JITSymbolFlags::Exported};
  llvm::cantFail(engine.getMainJITDylib().define(llvm::orc::absoluteSymbols(symbols)));
  llvm::cantFail(engine.addIRModule({std::move(lowered.module), std::move(lowered.context)}));
  jit_->function = llvm::cantFail(engine.lookup("k")).toPtr<KernelFunction>();
}

HostKernel::~HostKernel() = default;

void HostKernel::run(const std::vector<void *> &arguments) const {
  CHECK(runPrograms(jit_->function, arguments, launch));
}

std::string nvptxIr(const std::string &text) {
  std::unique_ptr<DevicePrimitives> primitives = makeNvptxPrimitives(80);
  Lowered lowered = lower(text, *primitives);
  std::string result;
  llvm::raw_string_ostream(result) << *lowered.module;
  return result;
}

std::string nvptxPtx(const std::string &text, const std::string &arch) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  std::unique_ptr<DevicePrimitives> primitives = makeNvptxPrimitives(std::stoi(arch.substr(3)));
  Lowered lowered = lower(text, *primitives);
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  REQUIRE_MESSAGE(target, error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, arch, "+ptx90", {}, llvm::Reloc::PIC_));
  lowered.module->setTargetTriple(triple);
  lowered.module->setDataLayout(machine->createDataLayout());
  optimizeModule(*lowered.module, machine.get());
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  llvm::legacy::PassManager passes;
  REQUIRE(
      !machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile));
  passes.run(*lowered.module);
  return std::string(ptx);
}

bool assembles(const std::string &ptx, const std::string &arch) {
  constexpr const char *kPtxas = "/usr/local/cuda/bin/ptxas";
  if (!llvm::sys::fs::can_execute(kPtxas))
    return true;
  llvm::SmallString<128> source, log;
  int file;
  REQUIRE(!llvm::sys::fs::createTemporaryFile("tilec", "ptx", file, source));
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << ptx;
  std::string gpu = "-arch=" + arch;
  int status = llvm::sys::ExecuteAndWait(kPtxas, {kPtxas, gpu, source, "-o", "/dev/null"});
  llvm::sys::fs::remove(source);
  return status == 0;
}

std::string layoutText(const LinearLayout &layout) {
  auto list = [](auto &&values) {
    std::string text = "[";
    for (auto value : values)
      text += (text.size() > 1 ? ", " : "") + std::to_string(value);
    return text + "]";
  };
  return "#tile.layout<" + list(layout.shape()) + ", reg = " + list(layout.reg()) +
         ", lane = " + list(layout.lane()) + ", warp = " + list(layout.warp()) + ">";
}

std::string tileText(const LinearLayout &layout, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : layout.shape())
    text += std::to_string(size) + "x";
  return text + element + ", " + layoutText(layout) + ">";
}

std::string kernelText(unsigned warps, const std::string &parameters, const std::string &body,
                       unsigned sharedBytes) {
  return "func.func @k(" + parameters +
         ") attributes {tile.kernel, tile.warps = " + std::to_string(warps) +
         " : i32, tile.shared = " + std::to_string(sharedBytes) + " : i32} {\n" + body +
         "  func.return\n}\n";
}

std::string pointersText(const LinearLayout &layout, const std::string &result,
                         const std::string &pointer, const std::string &element) {
  // Element numbers are an arange of the flattened tile, reshaped.
  LinearLayout flat = layout.reshaped({layout.elements()});
  std::string pointerTile = tileText(layout, "!tile.ptr<" + element + ">");
  std::string text = "  %flat_" + result + " = tile.arange 0 : " + tileText(flat, "i32") + "\n";
  text += "  %numbers_" + result + " = tile.reshape %flat_" + result + " : " +
          tileText(flat, "i32") + " -> " + tileText(layout, "i32") + "\n";
  text += "  %base_" + result + " = tile.splat %" + pointer + " : !tile.ptr<" + element + "> -> " +
          pointerTile + "\n";
  text += "  %" + result + " = tile.addptr %base_" + result + ", %numbers_" + result + " : " +
          pointerTile + ", " + tileText(layout, "i32") + "\n";
  return text;
}

} // namespace tilec::test
