#include "compiler/driver/back.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec {

Error finishGpu(GpuBuild &build, const Options &options, const CodegenOptions &codegen,
                const std::string &ptxas, bool embed, Timings &timings) {
  const Target &target = build.plan.target;
  {
    StageTimer timer(timings, "LLVM optimiser");
    if (Error error = optimize(*build.unit.module, target, codegen))
      return error;
  }
  if (options.product == Product::Llvm) {
    raw_string_ostream out(build.llvm);
    build.unit.module->print(out, nullptr);
    return Error::success();
  }
  if (embed)
    embedManifest(*build.unit.module, writeManifest(build.kernels, target, true));
  {
    StageTimer timer(timings, "LLVM code generator");
    Expected<std::string> ptx = emitPtx(*build.unit.module, target, codegen);
    if (!ptx)
      return ptx.takeError();
    build.ptx = std::move(*ptx);
  }
  build.unit.module.reset(); // memory: many targets may be under way
  build.unit.context.reset();
  if (!build.plan.cubin)
    return Error::success();
  StageTimer timer(timings, "ptxas");
  Expected<Cubin> cubin = assemble(build.ptx, target, ptxas, codegen.optLevel, codegen.lineInfo);
  if (!cubin)
    return cubin.takeError();
  build.cubin = std::move(*cubin);
  if (embed)
    return patchResources(build.cubin.bytes, build.cubin.kernels, build.kernels);
  recordResources(build.cubin.kernels, build.kernels);
  return Error::success();
}

std::vector<Image> makeImages(const std::vector<GpuBuild> &gpus, const HostBuild &host) {
  std::vector<Image> images;
  for (const GpuBuild &gpu : gpus) {
    const Target &target = gpu.plan.target;
    std::string manifest = writeManifest(gpu.kernels, target, false);
    if (gpu.plan.cubin)
      images.push_back({target, false, gpu.cubin.bytes, manifest, {}});
    if (gpu.plan.ptx)
      images.push_back({target, true, gpu.ptx, manifest, {}});
  }
  for (const HostBuild::Part &part : host.parts) {
    Image image{part.target, false, "", writeManifest(part.kernels, part.target, false), {}};
    for (const KernelContract &kernel : part.kernels)
      for (const VariantContract &variant : kernel.variants)
        image.hostSymbols.push_back({variant.symbol, variant.symbol + part.suffix});
    images.push_back(std::move(image));
  }
  return images;
}

} // namespace tilec
