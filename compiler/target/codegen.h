// LLVM IR to machine code: NVPTX -> PTX text, host -> object file; PTX -> cubin by ptxas.
//
// The optimiser always runs with the TargetMachine attached (O3 unless asked otherwise). Errors
// come back as text; nothing here aborts the process on user input. What LLVM itself calls fatal
// goes to the handler of fatal.h. Safe to use from several threads, each with an LLVMContext of its
// own.
#pragma once

#include "compiler/target/arch.h"

#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace llvm {
class Module;
}

namespace tilec {

struct CodegenOptions {
  unsigned optLevel = 3;
  bool lineInfo = false;  ///< -g
  std::string libdevice;  ///< path of libdevice.10.bc, or empty: own expansions
  std::string hostTriple; ///< empty: this machine's
};

/// A tool outside this program is missing or failed (ptxas, libdevice, nvdisasm). The text names it
/// and says how to get it, or holds its own words. The driver's exit status is 3.
class ToolError : public llvm::ErrorInfo<ToolError> {
public:
  static char ID;
  explicit ToolError(std::string text) : text_(std::move(text)) {}
  void log(llvm::raw_ostream &out) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string text_;
};

/// Sets triple and data layout of `module` for `target`; call before anything is linked into it.
llvm::Error prepareModule(llvm::Module &module, const Target &target,
                          const CodegenOptions &options);
/// Links libdevice where it is referenced (nvptx), then runs the optimiser.
llvm::Error optimize(llvm::Module &module, const Target &target, const CodegenOptions &options);
/// PTX text of an nvptx module. Where the architecture has dependent launches, its kernels wait for
/// what was launched before them (dependent_launch.h), as the manifest says.
llvm::Expected<std::string> emitPtx(llvm::Module &module, const Target &target,
                                    const CodegenOptions &options);
/// What a host thread's stack holds of a kernel's frame (TILERT_HOST_STACK's default, less what
/// tilert takes).
inline constexpr unsigned kHostFrameBytes = (1u << 20) - (64u << 10);
struct GeneratedCode {
  std::string bytes;
  std::string largeFrames; ///< a line for each kernel whose frame is beyond kHostFrameBytes
};
/// An object file of a host module: position independent, for x86-64-v3 (AVX2, FMA, F16C) on x86-64
/// whatever this machine has, so that the bytes depend on the input alone. Frames are probed page
/// by page: one that is too large faults, and never reaches beyond a guard.
llvm::Expected<GeneratedCode> emitHostObject(llvm::Module &module, const CodegenOptions &options);
/// The same as assembly text.
llvm::Expected<GeneratedCode> emitHostAssembly(llvm::Module &module, const CodegenOptions &options);

/// Where ptxas was found or why not. Looks at `option` (--ptxas), TILEC_PTXAS, CUDA_HOME,
/// CUDA_PATH, PATH, /usr/local/cuda. The first two are what the user asked for: when they name
/// something that cannot be run, nothing else is tried.
struct PtxasLocation {
  std::string path;
  std::string error; ///< what was tried and how to get it, when path is empty
};
PtxasLocation findPtxas(const std::string &option);
/// libdevice.10.bc near ptxas or in the toolkit's default place; empty when there is none.
std::string findLibdevice(const std::string &ptxasPath);

/// What ptxas -v says of one kernel. Spills: bytes stored plus bytes loaded.
struct KernelResources {
  int registers = -1, spillBytes = -1, staticSharedBytes = 0;
};
struct Cubin {
  std::string bytes;
  std::map<std::string, KernelResources> kernels;
  std::string warnings; ///< lines of ptxas that are neither information nor errors
};
/// Runs ptxas without a shell. Fails with a ToolError; its text holds ptxas's own words.
llvm::Expected<Cubin> assemble(const std::string &ptx, const Target &target,
                               const std::string &ptxas, unsigned optLevel, bool lineInfo);
/// Disassembles a cubin with the nvdisasm beside `ptxas` (or on PATH).
llvm::Expected<std::string> disassemble(const std::string &cubin, const std::string &ptxas);

} // namespace tilec
