#include "tests/unit/runtime/fake_cuda/fake_cuda.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace tilert;

namespace {

FakeCuda state;
std::vector<std::unique_ptr<std::string>> symbols; // CUfunction points to one
thread_local CUcontext current = nullptr;
thread_local int captureMode = 0;
int modules = 0;

CUcontext contextOf(int device) {
  return reinterpret_cast<CUcontext>(static_cast<intptr_t>(0x1000 + device));
}

CUresult injected(const char *entry) {
  const std::lock_guard lock(state.mutex);
  const auto found = state.failures.find(entry);
  return found == state.failures.end() ? CUDA_SUCCESS : found->second;
}

CUresult load(const char *entry, CUmodule *module, const void *image) {
  if (const CUresult failure = injected(entry))
    return failure;
  const std::lock_guard lock(state.mutex);
  if (state.capturing && captureMode != CU_STREAM_CAPTURE_MODE_RELAXED)
    return 900; // CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
  state.loadedImages.push_back(image);
  *module = reinterpret_cast<CUmodule>(static_cast<intptr_t>(++modules));
  return CUDA_SUCCESS;
}

} // namespace

#define FAKE_OR_RETURN(entry)                                                                      \
  if (const CUresult failure = injected(entry))                                                    \
  return failure

extern "C" {

FakeCuda *fake_cuda_state() {
  return &state;
}

CUresult cuInit(unsigned) {
  const char *failure = std::getenv("FAKE_CUDA_INIT");
  return failure ? std::atoi(failure) : CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char **name) {
  *name = error == CUDA_ERROR_NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_FAKE";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "injected";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  FAKE_OR_RETURN("cuDeviceGetCount");
  *count = state.devices;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  std::snprintf(name, static_cast<size_t>(length), "Fake GPU %d", device);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    *value = state.sms;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = state.compute[device] / 10;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = state.compute[device] % 10;
    break;
  default:
    *value = state.maxShared;
  }
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = contextOf(device);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = current;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  FAKE_OR_RETURN("cuCtxSetCurrent");
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  *device = static_cast<int>(reinterpret_cast<intptr_t>(current) - 0x1000) % 16;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  *id = reinterpret_cast<uintptr_t>(context) * 7;
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return load("cuModuleLoadData", module, image);
}
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options,
                            void **values) {
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      std::strcpy(static_cast<char *>(values[i]), state.jitLog.c_str());
  return load("cuModuleLoadDataEx", module, image);
}
CUresult cuModuleUnload(CUmodule) {
  ++state.unloads;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
  FAKE_OR_RETURN("cuModuleGetFunction");
  const std::lock_guard lock(state.mutex);
  ++state.functionLookups;
  symbols.push_back(std::make_unique<std::string>(name));
  *function = reinterpret_cast<CUfunction>(symbols.back().get());
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int *value, int, CUfunction) {
  *value = 40;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, int, int) {
  FAKE_OR_RETURN("cuFuncSetAttribute");
  ++state.attributesSet;
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction, int, size_t) {
  *blocks = state.occupancy;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                          void **) {
  FAKE_OR_RETURN("cuLaunchKernelEx");
  const std::lock_guard lock(state.mutex);
  FakeLaunch launch{*reinterpret_cast<std::string *>(function), *config, 1, false, current};
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const CUlaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      launch.cluster = attribute.value.clusterDim.x;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      launch.dependent = attribute.value.programmaticStreamSerializationAllowed;
  }
  state.launches.push_back(launch);
  if (state.onLaunch)
    state.onLaunch(launch, parameters);
  return CUDA_SUCCESS;
}
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, int type, uint32_t rank, void *base,
                                const uint64_t *extents, const uint64_t *strides,
                                const uint32_t *box, const uint32_t *steps, int interleave,
                                int swizzle, int l2Promotion, int fill) {
  FAKE_OR_RETURN("cuTensorMapEncodeTiled");
  const std::lock_guard lock(state.mutex);
  map->words[0] = state.tensorMaps.size(); // what the kernel gets can be told
  state.tensorMaps.push_back({map,
                              type,
                              base,
                              {extents, extents + rank},
                              {strides, strides + rank - 1},
                              {box, box + rank},
                              {steps, steps + rank},
                              interleave,
                              swizzle,
                              l2Promotion,
                              fill});
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc_v2(CUdeviceptr *memory, size_t size) {
  FAKE_OR_RETURN("cuMemAlloc");
  *memory = reinterpret_cast<uintptr_t>(std::malloc(size));
  return CUDA_SUCCESS;
}
CUresult cuMemFree_v2(CUdeviceptr memory) {
  std::free(reinterpret_cast<void *>(memory));
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream) {
  std::memcpy(reinterpret_cast<void *>(to), from, size);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream) {
  std::memcpy(to, reinterpret_cast<void *>(from), size);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, size_t size, CUstream) {
  std::memset(reinterpret_cast<void *>(memory), value, size);
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(current);
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy_v2(CUstream) {
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream) {
  FAKE_OR_RETURN("cuStreamSynchronize");
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  *context = reinterpret_cast<CUcontext>(stream); // as cuStreamCreate made it
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
  std::swap(captureMode, *mode);
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent *event, unsigned) {
  *event = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy_v2(CUevent) {
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent, CUstream) {
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent) {
  return CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float *milliseconds, CUevent, CUevent) {
  *milliseconds = 1.5f;
  return CUDA_SUCCESS;
}

} // extern "C"
