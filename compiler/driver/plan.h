// What a command line asks to be built: which targets, and which images of each.
#pragma once

#include "compiler/driver/options.h"

#include "llvm/Support/Error.h"

namespace tilec {

/// One GPU architecture: compiled once, packaged as one or two images.
struct GpuPlan {
  Target target;
  bool ptx = false, cubin = false;
};

struct Plan {
  std::vector<GpuPlan> gpus;
  std::vector<Target> hosts;      ///< in one module
  std::string ptxas;              ///< its path; empty when there is none and none is needed
  std::string libdevice;          ///< path or empty
  std::vector<std::string> notes; ///< decisions the user should know of
};

/// Resolves architectures (`native`, defaults) and tools. A CommandError when the product does not
/// go with the architectures, a ToolError when it needs a ptxas that is missing.
llvm::Expected<Plan> makePlan(const Options &options);

} // namespace tilec
