// LLVM IR to machine code: NVPTX -> PTX text, host -> object file; PTX -> cubin by ptxas.
//
// The optimiser always runs with the TargetMachine attached (O3 unless asked otherwise). Errors come
// back as text; nothing here aborts the process on user input.
#pragma once

#include "compiler/target/arch.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace llvm {
class Module;
}

namespace tilec {

struct CodegenOptions {
  unsigned optLevel = 3;
  bool lineInfo = false;     ///< -g
  std::string libdevice;     ///< path of libdevice.10.bc, or empty: own expansions
  std::string hostTriple;    ///< empty: this machine's
};

/// Sets triple and data layout of `module` for `target`; call before anything is linked into it.
llvm::Error prepareModule(llvm::Module &module, const Target &target,
                          const CodegenOptions &options);
/// Links libdevice where it is referenced (nvptx), then runs the optimiser.
llvm::Error optimize(llvm::Module &module, const Target &target, const CodegenOptions &options);
/// PTX text of an nvptx module.
llvm::Expected<std::string> emitPtx(llvm::Module &module, const Target &target,
                                    const CodegenOptions &options);
/// Object file bytes of a host module.
llvm::Expected<llvm::SmallVector<char, 0>> emitHostObject(llvm::Module &module,
                                                          const CodegenOptions &options);

/// Where ptxas was found or why not. Looks at `option` (--ptxas), TILEC_PTXAS, CUDA_HOME,
/// CUDA_PATH, PATH, /usr/local/cuda.
struct PtxasLocation {
  std::string path;
  std::string error; ///< what was tried, when path is empty
};
PtxasLocation findPtxas(const std::string &option);
/// libdevice.10.bc near ptxas or in the toolkit's default place; empty when there is none.
std::string findLibdevice(const std::string &ptxasPath);

/// What ptxas -v says of one kernel.
struct KernelResources {
  int registers = -1, spillBytes = -1, staticSharedBytes = 0;
};
struct Cubin {
  std::string bytes;
  std::map<std::string, KernelResources> kernels;
};
/// Runs ptxas without a shell. The error text holds ptxas's own words.
llvm::Expected<Cubin> assemble(const std::string &ptx, const Target &target,
                               const std::string &ptxas, unsigned optLevel, bool lineInfo);

} // namespace tilec
