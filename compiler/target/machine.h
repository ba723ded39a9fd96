// The LLVM target machines: one for NVPTX, one for the host. Private to compiler/target.
#pragma once

#include "compiler/target/codegen.h"

#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace tilec {

/// A machine for `target` at options.optLevel, or why there is none (a host triple LLVM was not
/// built for).
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const Target &target,
                                                                   const CodegenOptions &options);

} // namespace tilec
