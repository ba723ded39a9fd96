#include "kernel_harness.h"

#include "compiler/ir/dialect.h"
#include "compiler/lowering/device_primitives.h"
#include "compiler/lowering/lower.h"
#include "compiler/target/codegen.h"

#include <doctest/doctest.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"

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

/// The module, made for a target and optimised as tilec does.
void optimizeFor(llvm::Module &module, const Target &target) {
  llvm::cantFail(prepareModule(module, target, {}));
  llvm::cantFail(optimize(module, target, {}));
}

} // namespace

struct HostKernel::Jit {
  std::unique_ptr<llvm::orc::LLJIT> engine;
  KernelFunction function = nullptr;
};

HostKernel::HostKernel(const std::string &text, bool optimized) : jit_(std::make_unique<Jit>()) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  std::unique_ptr<DevicePrimitives> primitives = makeHostPrimitives();
  Lowered lowered = lower(text, *primitives);
  launch = lowered.launch;
  jit_->engine = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  llvm::orc::LLJIT &engine = *jit_->engine;
  if (optimized)
    optimizeFor(*lowered.module, *parseTarget("host"));
  lowered.module->setDataLayout(engine.getDataLayout());
  lowered.module->setTargetTriple(engine.getTargetTriple());
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
  std::unique_ptr<DevicePrimitives> primitives = makeNvptxPrimitives(std::stoi(arch.substr(3)));
  Lowered lowered = lower(text, *primitives);
  Target target = *parseTarget(arch);
  optimizeFor(*lowered.module, target);
  return llvm::cantFail(emitPtx(*lowered.module, target, {}));
}

bool assembles(const std::string &ptx, const std::string &arch) {
  PtxasLocation ptxas = findPtxas("");
  if (ptxas.path.empty())
    return true;
  llvm::Expected<Cubin> cubin = assemble(ptx, *parseTarget(arch), ptxas.path, 3, false);
  if (cubin)
    return true;
  MESSAGE(llvm::toString(cubin.takeError()));
  return false;
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
