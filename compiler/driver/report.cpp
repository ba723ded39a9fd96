// --report: what was built, for scripts.
#include "compiler/driver/builds.h"
#include "compiler/package/utf8.h"
#include "compiler/package/version.h"

#include "llvm/Support/JSON.h"

using namespace llvm;

namespace tilec {

static void writeKernels(json::OStream &out, const std::vector<KernelContract> &kernels) {
  out.attributeArray("variants", [&] {
    for (const KernelContract &kernel : kernels)
      for (const VariantContract &variant : kernel.variants)
        out.object([&] {
          out.attribute("kernel", kernel.name);
          out.attribute("symbol", variant.symbol);
          out.attribute("specialized", variant.specialized);
          out.attribute("warps", variant.warps);
          out.attribute("shared", variant.resources.sharedBytes);
          out.attribute("registers", variant.resources.registers);
          out.attribute("spills", variant.resources.spillBytes);
        });
  });
}

std::string Builds::report() const {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream out(stream, /*IndentSize=*/2);
  out.object([&] {
    out.attribute("tilec", version());
    out.attribute("input", validUtf8(options_.input));
    out.attributeArray("targets", [&] {
      for (const GpuBuild &gpu : gpus_)
        out.object([&] {
          out.attribute("arch", gpu.plan.target.name());
          out.attribute("ptx_bytes", gpu.ptx.size());
          out.attribute("cubin_bytes", gpu.cubin.bytes.size());
          writeKernels(out, gpu.kernels);
        });
      for (const HostBuild::Part &part : host_.parts)
        out.object([&] {
          out.attribute("arch", part.target.name());
          writeKernels(out, part.kernels);
        });
    });
    out.attributeArray("remarks", [&] {
      for (const std::string &remark : session_.mlirDiagnostics->remarks())
        out.value(validUtf8(remark));
    });
    out.attributeArray("stages", [&] {
      for (const Timings::Entry &entry : session_.timings.entries())
        out.object([&] {
          out.attribute("name", StringRef(entry.name).trim());
          out.attribute("milliseconds", entry.seconds * 1e3);
          out.attribute("calls", entry.count);
        });
    });
  });
  return text + "\n";
}

} // namespace tilec
