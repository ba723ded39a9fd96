#include "compiler/driver/builds.h"

#include "compiler/driver/depfile.h"
#include "compiler/driver/errors.h"
#include "compiler/driver/output.h"
#include "compiler/driver/parallel.h"
#include "compiler/driver/progress.h"
#include "compiler/target/join_ptx.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec {

/// The machine that host code is for; which architecture's lowering it runs matters to MLIR alone.
static Target hostTarget() {
  return {true, findArch("sm_80")};
}

/// Text of the module as --emit=llvm shows it.
static std::string printModule(const Module &module) {
  std::string text;
  raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

Builds::Builds(Session &session, const Plan &plan)
    : session_(session), options_(session.options), plan_(plan),
      codegen_{options_.optLevel, options_.lineInfo, plan.libdevice, options_.hostTriple},
      stem_(sys::path::stem(options_.input).str()) {}

bool Builds::endInMlir() const {
  return !options_.product || *options_.product < Product::Llvm ||
         options_.product == Product::Manifest;
}

// --- Tile IR to LLVM IR -------------------------------------------------------------------------

Error Builds::makeModules(const Program &program, std::string &text) {
  variants_ = program.variants.size();
  for (const GpuPlan &plan : plan_.gpus) {
    GpuBuild &build = gpus_.emplace_back(GpuBuild{plan, {}, {}, program.kernels, "", "", {}});
    if (Error error = makeGpuModules(program, build, text))
      return error;
  }
  // A .o needs a host module also where no kernel is for the host: images stand in it.
  if (plan_.hosts.empty() && options_.product != Product::Object)
    return Error::success();
  if (Error error = makeUnit(hostTarget(), codegen_, stem_).moveInto(host_.unit))
    return make_error<CommandError>(toString(std::move(error))); // --host-triple
  for (const Target &target : plan_.hosts) {
    // Kernels of two host targets have the same names.
    std::string suffix = host_.parts.empty() ? "" : "." + std::string(target.arch->name);
    HostBuild::Part &part =
        host_.parts.emplace_back(HostBuild::Part{target, suffix, program.kernels});
    auto hostUnit = [&]() -> Expected<LlvmUnit *> { return &host_.unit; };
    if (Error error = runMiddle(session_, program, target, suffix, part.kernels, hostUnit, text))
      return error;
  }
  return Error::success();
}

/// Line information numbers its files through a whole module, and --emit=llvm shows one.
bool Builds::unitsApart() const {
  return !options_.lineInfo && options_.product != Product::Llvm;
}

Error Builds::makeGpuModules(const Program &program, GpuBuild &build, std::string &text) {
  auto unit = [&]() -> Expected<LlvmUnit *> {
    if (build.units.empty() || unitsApart())
      if (Error error =
              makeUnit(build.plan.target, codegen_, stem_).moveInto(build.units.emplace_back()))
        return error;
    return &build.units.back();
  };
  if (Error error = runMiddle(session_, program, build.plan.target, "", build.kernels, unit, text))
    return error;
  return build.units.empty() ? unit().takeError() : Error::success();
}

// --- LLVM IR to machine code --------------------------------------------------------------------

/// Adds `next` to `errors`, unless one of `seen` says the same: modules may fail for one reason.
static void addError(StringSet<> &seen, Error &errors, Error next) {
  if (!next)
    return;
  std::string text;
  raw_string_ostream(text) << next;
  if (seen.insert(text).second)
    errors = joinErrors(std::move(errors), std::move(next));
  else
    consumeError(std::move(next));
}

Error Builds::finishModules() {
  session_.watch.currentPass = "LLVM";
  session_.watch.variant.clear();
  unsigned jobs = options_.jobs ? options_.jobs : hardware_concurrency().compute_thread_count();

  // Modules of all targets first, then what joins those of one.
  std::vector<std::pair<GpuBuild *, size_t>> units;
  for (GpuBuild &gpu : gpus_) {
    gpu.texts.resize(gpu.units.size());
    for (size_t unit = 0; unit < gpu.units.size(); ++unit)
      units.push_back({&gpu, unit});
  }
  Progress progress(units.size(), variants_ > 1);
  auto inParallel = [&](size_t count, function_ref<Error(size_t)> work) {
    std::vector<std::optional<Error>> errors(count);
    runParallel(jobs, count, [&](size_t i) { errors[i].emplace(work(i)); });
    Error joined = Error::success();
    StringSet<> seen;
    for (std::optional<Error> &error : errors)
      addError(seen, joined, std::move(*error));
    return joined;
  };
  if (Error error = inParallel(units.size(), [&](size_t i) {
        progress.step("machine code for " + units[i].first->plan.target.name());
        return generatePtx(*units[i].first, units[i].second);
      }))
    return error;
  Error error = inParallel(gpus_.size(), [&](size_t i) { return finishGpu(gpus_[i]); });
  for (const GpuBuild &gpu : gpus_)
    if (!gpu.cubin.warnings.empty())
      session_.note(gpu.plan.target.name() + ": " + StringRef(gpu.cubin.warnings).trim().str());
  return error;
}

/// Runs on a thread of its own: touches nothing of the session but its timings.
Error Builds::generatePtx(GpuBuild &build, size_t unit) {
  const Target &target = build.plan.target;
  Module &module = *build.units[unit].module;
  if (Error error = timed(session_.timings, "LLVM optimiser",
                          [&] { return optimize(module, target, codegen_); }))
    return error;
  if (options_.product == Product::Llvm) {
    build.llvm = printModule(module);
    return Error::success();
  }
  separateNames(module, unit);
  // Inside a .o the manifest stands beside the image.
  if (unit == 0 && options_.product != Product::Object)
    embedManifest(module, writeManifest(build.kernels, target, true));
  if (Error error = timed(session_.timings, "LLVM code generator", [&] {
        return emitPtx(module, target, codegen_).moveInto(build.texts[unit]);
      }))
    return error;
  build.units[unit].module.reset(); // memory: many may be under way
  build.units[unit].context.reset();
  return Error::success();
}

/// The same.
Error Builds::finishGpu(GpuBuild &build) {
  if (options_.product == Product::Llvm)
    return Error::success();
  const Target &target = build.plan.target;
  build.ptx = unitsApart() ? joinPtx(build.texts) : std::move(build.texts.front());
  if (!build.plan.cubin)
    return Error::success();
  if (Error error = timed(session_.timings, "ptxas", [&] {
        return assemble(build.ptx, target, plan_.ptxas, codegen_.optLevel, codegen_.lineInfo)
            .moveInto(build.cubin);
      }))
    return error;
  if (options_.product != Product::Object)
    return patchResources(build.cubin.bytes, build.cubin.kernels, build.kernels);
  recordResources(build.cubin.kernels, build.kernels);
  return Error::success();
}

std::vector<Image> Builds::makeImages() const {
  std::vector<Image> images;
  for (const GpuBuild &gpu : gpus_) {
    const Target &target = gpu.plan.target;
    std::string manifest = writeManifest(gpu.kernels, target, false);
    if (gpu.plan.cubin)
      images.push_back({target, false, gpu.cubin.bytes, manifest, {}});
    if (gpu.plan.ptx)
      images.push_back({target, true, gpu.ptx, manifest, {}});
  }
  for (const HostBuild::Part &part : host_.parts) {
    Image image{part.target, false, "", writeManifest(part.kernels, part.target, false), {}};
    for (const KernelContract &kernel : part.kernels)
      for (const VariantContract &variant : kernel.variants)
        image.hostSymbols.push_back({variant.symbol, variant.symbol + part.suffix});
    images.push_back(std::move(image));
  }
  return images;
}

/// The host's kernels, and in a .o the images of all targets.
Expected<std::string> Builds::finishHost() {
  Module &module = *host_.unit.module;
  if (Error error = timed(session_.timings, "LLVM optimiser, host",
                          [&] { return optimize(module, hostTarget(), codegen_); }))
    return error;
  if (options_.product == Product::Llvm)
    return printModule(module);
  StageTimer timer(session_.timings, "LLVM code generator, host");
  bool assembly = options_.product == Product::Assembly;
  if (!assembly)
    embedLibrary(module, stem_, options_.nameSpace, makeImages());
  Expected<GeneratedCode> code =
      assembly ? emitHostAssembly(module, codegen_) : emitHostObject(module, codegen_);
  if (!code)
    return code.takeError();
  if (!code->largeFrames.empty())
    session_.note("host: more than TILERT_HOST_STACK gives unless it is set\n" +
                  StringRef(code->largeFrames).rtrim().str());
  return std::move(code->bytes);
}

// --- Products -----------------------------------------------------------------------------------

Error Builds::makeProduct(std::string &product) {
  Product kind = *options_.product;
  if (kind == Product::Manifest) {
    bool host = gpus_.empty();
    product = host ? writeManifest(host_.parts.front().kernels, plan_.hosts.front(), false)
                   : writeManifest(gpus_.front().kernels, plan_.gpus.front().target, false);
    return Error::success();
  }
  if (endInMlir())
    return Error::success();
  if (gpus_.empty() || kind == Product::Object)
    return finishHost().moveInto(product);
  GpuBuild &gpu = gpus_.front();
  if (kind == Product::Sass)
    return disassemble(gpu.cubin.bytes, plan_.ptxas).moveInto(product);
  product = kind == Product::Llvm ? gpu.llvm : kind == Product::Cubin ? gpu.cubin.bytes : gpu.ptx;
  return Error::success();
}

Error Builds::write(const Program &program, const std::string &product) const {
  OutputSet outputs;
  if (options_.product)
    if (Error error = outputs.add(options_.output, product))
      return error;
  if (!options_.header.empty())
    if (Error error =
            outputs.add(options_.header, writeHeader(program.kernels, stem_, options_.nameSpace)))
      return error;
  if (options_.writeDepfile)
    if (Error error = outputs.add(options_.depfile, writeDepfile(options_, session_.sources)))
      return error;
  if (!options_.report.empty())
    if (Error error = outputs.add(options_.report, report()))
      return error;
  return outputs.commit();
}

} // namespace tilec
