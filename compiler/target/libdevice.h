// NVIDIA's libdevice (`__nv_sinf`, ...): linked into an nvptx module that calls it.
// Private to compiler/target.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class Module;
}

namespace tilec {

/// Links the functions of libdevice that `module` calls, as internal functions, and sets the module
/// flag that its `__nvvm_reflect` asks for. Reads nothing when there is no such call. Before: the
/// module's triple and data layout are set. A ToolError when `path` is empty or unreadable and the
/// module needs it.
llvm::Error linkLibdevice(llvm::Module &module, const std::string &path);

} // namespace tilec
