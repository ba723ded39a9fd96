// Everything a compilation builds, target by target: from tile IR to the files.
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

class Builds {
public:
  Builds(Session &session, const Plan &plan);

  /// True when the product is made of MLIR alone.
  bool endInMlir() const;

  /// Tile IR to one LLVM module a GPU target, and one for all host targets. `text` receives the
  /// stage of MLIR that was asked for.
  llvm::Error makeModules(const Program &program, std::string &text);
  /// GPU modules to PTX and cubins, several targets at once.
  llvm::Error finishModules();
  /// Sets `product` to the bytes of what was asked for, unless it is text of MLIR, which stays.
  llvm::Error makeProduct(std::string &product);
  /// Product, header, depfile, report: all of them or none.
  llvm::Error write(const Program &program, const std::string &product) const;

private:
  llvm::Error finishGpu(GpuBuild &build);
  llvm::Expected<std::string> finishHost();
  std::vector<Image> makeImages() const;
  std::string report() const;

  Session &session_;
  const Options &options_;
  const Plan &plan_;
  CodegenOptions codegen_;
  std::string stem_;    ///< of the input's name
  size_t variants_ = 0; ///< of the whole program
  std::vector<GpuBuild> gpus_;
  HostBuild host_;
};

} // namespace tilec
