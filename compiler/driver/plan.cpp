#include "compiler/driver/plan.h"

#include "compiler/driver/errors.h"
#include "compiler/driver/native_arch.h"
#include "compiler/target/codegen.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilec {

/// What runs on the oldest GPUs that are supported.
static constexpr const char *kDefaultArch = "sm_80";

/// `native`, or the default: says in a note when it is a guess.
static std::string nativeArch(bool asked, std::vector<std::string> &notes) {
  if (const Arch *arch = findNativeArch())
    return std::string(arch->name);
  notes.push_back(std::string("no GPU of a known architecture was found") +
                  (asked ? "" : " and no --arch given") + ": building for " + kDefaultArch);
  return kDefaultArch;
}

static std::vector<Target> resolveTargets(const Options &options, std::vector<std::string> &notes) {
  std::vector<std::string> names = options.archs;
  // Stages before an architecture matters need no GPU, and none should be looked for.
  bool early = !options.product || *options.product == Product::Ast ||
               *options.product == Product::Tile || *options.product == Product::Manifest;
  if (names.empty() && options.ptxArchs.empty()) {
    names.push_back(early ? kDefaultArch : nativeArch(false, notes));
    if (options.product == Product::Object)
      names.push_back("host");
  }
  std::vector<Target> targets;
  for (const std::string &name : names) {
    Target target = *parseTarget(name == "native" ? nativeArch(true, notes) : name);
    if (!is_contained(targets, target))
      targets.push_back(target);
  }
  return targets;
}

static Error checkProduct(const Options &options, const Plan &plan) {
  if (!options.product || options.product == Product::Object)
    return Error::success();
  std::string name = productName(*options.product);
  if (!options.ptxArchs.empty())
    return make_error<CommandError>("--ptx adds images to a .o, not to " + name);
  if (plan.gpus.size() + plan.hosts.size() > 1)
    return make_error<CommandError>(name + " holds one architecture; several go into a .o");
  bool gpuOnly = is_contained({Product::Ptx, Product::Cubin, Product::Sass}, *options.product);
  if (gpuOnly && plan.gpus.empty())
    return make_error<CommandError>(name + " needs a GPU architecture, not " +
                                    plan.hosts.front().name());
  return Error::success();
}

Expected<Plan> makePlan(const Options &options) {
  Plan plan;
  bool needsPtxas = options.product == Product::Cubin || options.product == Product::Sass;
  bool cubins = needsPtxas || options.product == Product::Object;
  for (const Target &target : resolveTargets(options, plan.notes)) {
    if (target.host)
      plan.hosts.push_back(target);
    else
      plan.gpus.push_back({target, false, cubins});
  }
  if (Error error = checkProduct(options, plan))
    return error;
  for (const std::string &name : options.ptxArchs) {
    Target target = *parseTarget(name);
    auto same = find_if(plan.gpus, [&](const GpuPlan &gpu) { return gpu.target == target; });
    if (same == plan.gpus.end())
      same = plan.gpus.insert(same, {target, false, false});
    same->ptx = true;
  }

  PtxasLocation ptxas = findPtxas(options.ptxas);
  plan.ptxas = ptxas.path;
  plan.libdevice = findLibdevice(ptxas.path);
  // A --ptxas that cannot be run is a mistake wherever cubins are wanted.
  bool wantsCubins = any_of(plan.gpus, [](const GpuPlan &gpu) { return gpu.cubin; });
  if (ptxas.path.empty() && (needsPtxas || (wantsCubins && !options.ptxas.empty())))
    return make_error<ToolError>(ptxas.error);
  if (ptxas.path.empty() && wantsCubins) {
    plan.notes.push_back("ptxas was not found: PTX is embedded instead of cubins, and the driver "
                         "compiles it when it is loaded");
    for (GpuPlan &gpu : plan.gpus) {
      gpu.ptx |= gpu.cubin;
      gpu.cubin = false;
    }
  }
  return plan;
}

} // namespace tilec
