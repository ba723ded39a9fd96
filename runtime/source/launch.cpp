#include "launch.h"

#include "host_device.h"
#include "tensor_map.h"

namespace tilert {
namespace {

const HostKernel &hostKernel(const tilert_kernel_state &kernel) {
  if (!kernel.host)
    throw Failure(TILERT_ERROR_NO_IMAGE, kernel.name + ": no image for the host (built for " +
                                             kernel.module->archList() + ")");
  return *kernel.host;
}

tilert_host_function hostFunction(const HostKernel &kernel, size_t variant) {
  const tilert_host_function function = kernel.functions[variant];
  if (!function)
    throw Failure(TILERT_ERROR_BAD_IMAGE, kernel.table->name + ": the host image has no function " +
                                              kernel.table->variants[variant].symbol);
  return function;
}

void launchOnHost(const tilert_kernel_state &kernel, const Launch &launch) {
  const HostKernel &host = hostKernel(kernel);
  const DeviceLimits limits = hostLimits();
  Dispatcher dispatcher(*host.table, launch, limits);
  const size_t index = dispatcher.choose();
  const Variant &variant = host.table->variants[index];
  dispatcher.checkAlignment(variant);
  HostLaunch job;
  if (!dispatcher.grid(variant, kHostOccupancy, job.programs))
    return;
  AbiArguments arguments(*host.table, launch.arguments, variant.maps.size());
  MapRoom<tilert_host_tensor_map> maps(variant.maps.size());
  for (size_t i = 0; i < variant.maps.size(); ++i) {
    maps[i] = describeMap(variant.maps[i], viewOf(variant.maps[i], launch.arguments));
    arguments.setMap(i, &maps[i]);
  }
  job.name = variant.symbol.c_str();
  job.values = variant.valuesText.c_str();
  job.function = hostFunction(host, index);
  job.arguments = arguments.pointers();
  job.warps = variant.warps;
  job.sharedBytes = variant.shared;
  runOnHost(job);
}

/// What the kernel gets of `variant`'s tensor map `index`.
void makeMap(const KernelTable &kernel, const Variant &variant, size_t index,
             void *const *arguments, CUtensorMap &encoded) {
  const TensorMap &map = variant.maps[index];
  const CUresult result = encodeMap(driver(), describeMap(map, viewOf(map, arguments)), encoded);
  if (result != CUDA_SUCCESS) [[unlikely]]
    driver().fail(result, "cuTensorMapEncodeTiled",
                  kernel.name + ": " + variant.symbol + ": the tensor map of " +
                      kernel.params[map.view].name);
}

/// Cold: the driver refused a launch. Says more than its error where tilert can.
[[noreturn]] void launchFailed(const tilert_kernel_state &kernel, const ContextKernel &entry,
                               const Variant &variant, tilert_stream stream, CUresult result) {
  const Driver &cuda = driver();
  std::string what = kernel.name + ": " + variant.symbol;
  CUcontext owner = nullptr;
  if (stream && cuda.streamGetCtx(static_cast<CUstream>(stream), &owner) == CUDA_SUCCESS &&
      owner != entry.context)
    what += ": the stream belongs to another context than the current one";
  cuda.fail(result, "cuLaunchKernelEx", what);
}

void launchOnGpu(tilert_kernel_state &kernel, tilert_stream stream, const Launch &launch) {
  const ContextKernel &entry = kernel.inCurrentContext();
  Dispatcher dispatcher(*entry.table, launch, entry.image->limits);
  const size_t index = dispatcher.choose();
  const Variant &variant = entry.table->variants[index];
  dispatcher.checkAlignment(variant);
  const LoadedFunction &loaded = kernel.function(entry, index);
  unsigned programs[3];
  if (!dispatcher.grid(variant, loaded.occupancy, programs))
    return;
  AbiArguments arguments(*entry.table, launch.arguments, variant.maps.size());
  MapRoom<CUtensorMap> maps(variant.maps.size());
  for (size_t i = 0; i < variant.maps.size(); ++i) {
    makeMap(*entry.table, variant, i, launch.arguments, maps[i]);
    arguments.setMap(i, &maps[i]);
  }
  CUlaunchAttribute attributes[2];
  CUlaunchConfig config{programs[0],
                        programs[1],
                        programs[2],
                        variant.warps * 32,
                        1,
                        1,
                        variant.shared,
                        static_cast<CUstream>(stream),
                        attributes,
                        0};
  if (variant.cluster > 1) {
    CUlaunchAttribute &cluster = attributes[config.attributeCount++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {variant.cluster, 1, 1};
  }
  if (entry.image->dependentLaunch) {
    CUlaunchAttribute &dependent = attributes[config.attributeCount++];
    dependent.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    dependent.value.programmaticStreamSerializationAllowed = 1;
  }
  const CUresult result = driver().launchKernelEx(
      &config, loaded.function.load(std::memory_order_relaxed), arguments.pointers(), nullptr);
  if (result != CUDA_SUCCESS) [[unlikely]]
    launchFailed(kernel, entry, variant, stream, result);
}

std::string resourcesText(const Variant &variant) {
  std::string text = std::to_string(variant.warps) + " warps, " + std::to_string(variant.shared) +
                     " bytes of shared memory";
  if (variant.cluster > 1)
    text += ", clusters of " + std::to_string(variant.cluster);
  if (const size_t count = variant.maps.size())
    text += ", " + std::to_string(count) + (count == 1 ? " tensor map" : " tensor maps");
  if (variant.registers >= 0)
    text += ", " + std::to_string(variant.registers) + " registers";
  if (variant.spills > 0)
    text += ", " + std::to_string(variant.spills) + " bytes spilled";
  return text;
}

} // namespace

void launchKernel(tilert_kernel_state &kernel, tilert_stream stream, const Launch &launch) {
  if (stream == TILERT_HOST_STREAM)
    launchOnHost(kernel, launch);
  else
    launchOnGpu(kernel, stream, launch);
}

std::string explainKernel(tilert_kernel_state &kernel, tilert_stream stream, const Launch &launch) {
  const bool host = stream == TILERT_HOST_STREAM;
  const ContextKernel *entry = host ? nullptr : &kernel.inCurrentContext();
  const KernelTable &table = host ? *hostKernel(kernel).table : *entry->table;
  const DeviceLimits limits = host ? hostLimits() : entry->image->limits;
  Dispatcher dispatcher(table, launch, limits);
  std::string text = dispatcher.explain();
  if (dispatcher.explained() < 0)
    return text;
  const auto index = static_cast<size_t>(dispatcher.explained());
  const Variant &variant = table.variants[index];
  dispatcher.checkAlignment(variant);
  const int64_t occupancy = host ? kHostOccupancy : kernel.function(*entry, index).occupancy;
  unsigned programs[3];
  const bool any = dispatcher.grid(variant, occupancy, programs);
  text += "launch " + variant.symbol + ": " + std::to_string(programs[0]) + " x " +
          std::to_string(programs[1]) + " x " + std::to_string(programs[2]) + " programs" +
          (any ? ", " : " (nothing to do), ") + resourcesText(variant) + "\n";
  return text;
}

} // namespace tilert
