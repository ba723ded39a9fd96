#include "compiler/target/machine.h"

#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

// Only the back ends that are used are initialised: all of them would cost start-up time.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeX86AsmParser();
void LLVMInitializeAArch64TargetInfo();
void LLVMInitializeAArch64Target();
void LLVMInitializeAArch64TargetMC();
void LLVMInitializeAArch64AsmPrinter();
void LLVMInitializeAArch64AsmParser();
}

using namespace llvm;

namespace tilec {

static constexpr const char *kNvptxTriple = "nvptx64-nvidia-cuda";
/// AVX2, FMA and F16C: every x86-64 server and desktop since 2015.
static constexpr const char *kX86Cpu = "x86-64-v3";

static void initializeNvptx() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

static void initializeHost(const Triple &triple) {
  static std::once_flag x86, aarch64;
  if (triple.getArch() == Triple::x86_64)
    std::call_once(x86, [] {
      LLVMInitializeX86TargetInfo();
      LLVMInitializeX86Target();
      LLVMInitializeX86TargetMC();
      LLVMInitializeX86AsmPrinter();
      LLVMInitializeX86AsmParser();
    });
  if (triple.getArch() == Triple::aarch64)
    std::call_once(aarch64, [] {
      LLVMInitializeAArch64TargetInfo();
      LLVMInitializeAArch64Target();
      LLVMInitializeAArch64TargetMC();
      LLVMInitializeAArch64AsmPrinter();
      LLVMInitializeAArch64AsmParser();
    });
}

static CodeGenOptLevel codegenLevel(unsigned optLevel) {
  switch (optLevel) {
  case 0:
    return CodeGenOptLevel::None;
  case 1:
    return CodeGenOptLevel::Less;
  case 2:
    return CodeGenOptLevel::Default;
  default:
    return CodeGenOptLevel::Aggressive;
  }
}

/// The host runs a thread's code between fibers' switches and checks, so that LLVM's fast code
/// generator serves as well as its best, of which it takes a quarter of the time.
static CodeGenOptLevel codegenLevel(const Target &target, unsigned optLevel) {
  return target.host ? CodeGenOptLevel::None : codegenLevel(optLevel);
}

Expected<std::unique_ptr<TargetMachine>> createMachine(const Target &target,
                                                       const CodegenOptions &options) {
  Triple triple(kNvptxTriple);
  std::string cpu(target.arch ? target.arch->name : ""), features(kPtxFeature);
  if (target.host) {
    triple = Triple(Triple::normalize(options.hostTriple.empty() ? sys::getDefaultTargetTriple()
                                                                 : options.hostTriple));
    cpu = triple.getArch() == Triple::x86_64 ? kX86Cpu : "generic";
    features.clear();
    initializeHost(triple);
  } else {
    initializeNvptx();
  }
  std::string reason;
  const llvm::Target *backend = TargetRegistry::lookupTarget(triple, reason);
  if (!backend)
    return createStringError("no code can be generated for host triple '" + triple.str() +
                             "': x86_64 and aarch64 are supported");
  TargetOptions machineOptions;
  // a*b+c becomes one instruction only where both operations carry `contract`: the language says
  // which do.
  machineOptions.AllowFPOpFusion = FPOpFusion::Standard;
  std::unique_ptr<TargetMachine> machine(
      backend->createTargetMachine(triple, cpu, features, machineOptions, Reloc::PIC_,
                                   CodeModel::Small, codegenLevel(target, options.optLevel)));
  if (!machine)
    return createStringError("LLVM has no code generator for '" + triple.str() + "'");
  return machine;
}

Error prepareModule(Module &module, const Target &target, const CodegenOptions &options) {
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(target, options);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  return Error::success();
}

} // namespace tilec
