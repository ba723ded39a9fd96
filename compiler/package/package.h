// Packaging: contracts and images to what is written: manifest, header, object file; and back.
#pragma once

#include "compiler/package/contract.h"
#include "compiler/target/arch.h"
#include "compiler/target/codegen.h"

#include "llvm/Support/Error.h"

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace tilec {

/// The manifest (docs/manifest.md) as JSON. `reserveResources`: registers and spills are followed
/// by blanks, to be filled in by `patchResources`.
std::string writeManifest(const std::vector<KernelContract> &kernels, const Target &target,
                          bool reserveResources);
/// Adds the constant `__tilec_manifest` to an nvptx module. Call after the optimiser.
void embedManifest(llvm::Module &module, const std::string &manifest);
/// Enters the registers and spills that ptxas reported into `kernels`.
void recordResources(const std::map<std::string, KernelResources> &found,
                     std::vector<KernelContract> &kernels);
/// Writes the registers and spills that ptxas reported into the manifest inside a cubin's bytes
/// (same length), and into `kernels`.
llvm::Error patchResources(std::string &cubin, const std::map<std::string, KernelResources> &found,
                           std::vector<KernelContract> &kernels);
/// The manifest inside a .ptx, .cubin or .o (several for .o); an error says what the file is
/// instead.
llvm::Expected<std::vector<std::string>> readManifests(const std::string &bytes);

/// A kernel of the host: the manifest's symbol, and the function in the module that is it.
struct HostSymbol {
  std::string symbol, function;
};

/// One image of a library.
struct Image {
  Target target;
  bool ptx = false;  ///< PTX text rather than a cubin (not for the host)
  std::string bytes; ///< empty for the host
  std::string manifest;
  std::vector<HostSymbol> hostSymbols; ///< host: functions defined in the same module
};
/// Adds the images and the `tilert_library` descriptor named `librarySymbol(stem, ns)` to `module`
/// (a host module, which may hold host kernels; they become internal). Call after the optimiser.
void embedLibrary(llvm::Module &module, const std::string &stem, const std::string &ns,
                  const std::vector<Image> &images);
std::string librarySymbol(const std::string &stem, const std::string &ns);

/// The C and C++ header of one .tile file: typed functions, doc comments.
std::string writeHeader(const std::vector<KernelContract> &kernels, const std::string &stem,
                        const std::string &ns);

/// `tilec inspect`: what is inside, as text or JSON.
llvm::Expected<std::string> inspect(const std::string &bytes, bool json);

} // namespace tilec
