// The LLVM half of the compiler: the module of one target to machine code.
#pragma once

#include "compiler/driver/middle.h"
#include "compiler/driver/plan.h"
#include "compiler/package/package.h"

namespace tilec {

/// One GPU target on its way.
struct GpuBuild {
  GpuPlan plan;
  LlvmUnit unit;
  std::vector<KernelContract> kernels; ///< with the resources known so far
  std::string ptx, llvm;
  Cubin cubin;
};

/// All host targets on their way: one module.
struct HostBuild {
  struct Part {
    Target target;
    std::string suffix; ///< of its functions' names
    std::vector<KernelContract> kernels;
  };
  LlvmUnit unit;
  std::vector<Part> parts;
};

/// Optimises and writes PTX; assembles it where a cubin is planned. `embed`: the image carries its
/// manifest (not needed inside a .o). Thread-safe for different builds.
llvm::Error finishGpu(GpuBuild &build, const Options &options, const CodegenOptions &codegen,
                      const std::string &ptxas, bool embed, Timings &timings);

/// The images of a .o, in the order of the command line.
std::vector<Image> makeImages(const std::vector<GpuBuild> &gpus, const HostBuild &host);

/// The --report file.
std::string writeReport(const Options &options, const std::vector<GpuBuild> &gpus,
                        const HostBuild &host, const std::vector<std::string> &remarks,
                        const Timings &timings);

} // namespace tilec
