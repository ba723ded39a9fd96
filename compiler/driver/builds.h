// Everything a compilation builds, target by target: from tile IR to the files.
#pragma once

#include "compiler/driver/middle.h"
#include "compiler/driver/plan.h"
#include "compiler/package/package.h"

namespace tilec {

/// One GPU target on its way.
struct GpuBuild {
  GpuPlan plan;
  std::vector<LlvmUnit> units;         ///< of a variant each, or one of all
  std::vector<std::string> texts;      ///< PTX of each unit
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

  /// Tile IR to an LLVM module for each variant and GPU target, and one for all of the host. `text`
  /// receives the stage of MLIR that was asked for.
  llvm::Error makeModules(const Program &program, std::string &text);
  /// GPU modules to PTX and cubins, several at once.
  llvm::Error finishModules();
  /// Sets `product` to the bytes of what was asked for, unless it is text of MLIR, which stays.
  llvm::Error makeProduct(std::string &product);
  /// Product, header, depfile, report: all of them or none.
  llvm::Error write(const Program &program, const std::string &product) const;

private:
  bool unitsApart() const;
  llvm::Error makeGpuModules(const Program &program, GpuBuild &build, std::string &text);
  llvm::Error generatePtx(GpuBuild &build, size_t unit);
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
