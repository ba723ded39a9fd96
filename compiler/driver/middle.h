// The MLIR half of the compiler, for one target: tile IR through the passes and the lowering to
// LLVM modules. On the way it keeps the text of the stage that --emit asks for.
#pragma once

#include "compiler/driver/session.h"
#include "compiler/sema/program.h"
#include "compiler/target/arch.h"
#include "compiler/target/codegen.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace tilec {

/// An LLVM module: of one variant for a GPU target, or of several together.
struct LlvmUnit {
  std::unique_ptr<llvm::LLVMContext> context; ///< own: units are finished on different threads
  std::unique_ptr<llvm::Module> module;
};

/// A unit whose empty module is ready for `target`.
llvm::Expected<LlvmUnit> makeUnit(const Target &target, const CodegenOptions &options,
                                  const std::string &name);

/// Runs every variant of `program` down to LLVM IR and links it into what `unitOfNext` gives.
/// `kernels` is the program's contracts, and receives each variant's shared memory. Every function
/// is named by its variant's symbol and `suffix`. Text of an MLIR stage (options.product) is
/// appended to `text`, and nothing beyond that stage is run. Errors are in session.diagnostics.
llvm::Error runMiddle(Session &session, const Program &program, const Target &target,
                      const std::string &suffix, std::vector<KernelContract> &kernels,
                      llvm::function_ref<llvm::Expected<LlvmUnit *>()> unitOfNext,
                      std::string &text);

} // namespace tilec
