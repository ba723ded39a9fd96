// The CUDA driver API, opened at run time: tilert's own declarations of the few functions it needs,
// in one table filled by dlsym. No CUDA header and no CUDA library is needed to build or start.
#pragma once

#include "failure.h"

#include <cstddef>
#include <cstdint>

namespace tilert {

// Types of the driver's ABI (cuda.h): opaque handles, enums as int.
using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;

/// A tensor map, encoded: the driver's and the hardware's own format.
struct alignas(64) CUtensorMap {
  uint64_t words[16];
};

struct CUlaunchAttribute {
  int id;
  int padding;
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
  } value;
};
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned attributeCount;
};

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_INVALID_SOURCE = 300,
  CUDA_ERROR_NOT_FOUND = 500
};
enum : int {
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
  CU_STREAM_NON_BLOCKING = 1,
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
  CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
  CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
  CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
  CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
  CU_TENSOR_MAP_SWIZZLE_NONE = 0,
  CU_TENSOR_MAP_SWIZZLE_32B = 1,
  CU_TENSOR_MAP_SWIZZLE_64B = 2,
  CU_TENSOR_MAP_SWIZZLE_128B = 3,
  CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3,
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0
};

/// member, symbol in the library, parameters. All return CUresult. The second list may be missing
/// in older drivers.
#define TILERT_DRIVER_REQUIRED(X)                                                                  \
  X(init, "cuInit", (unsigned flags))                                                              \
  X(getErrorName, "cuGetErrorName", (CUresult error, const char **name))                           \
  X(getErrorString, "cuGetErrorString", (CUresult error, const char **text))                       \
  X(deviceGet, "cuDeviceGet", (CUdevice * device, int ordinal))                                    \
  X(deviceGetCount, "cuDeviceGetCount", (int *count))                                              \
  X(deviceGetName, "cuDeviceGetName", (char *name, int length, CUdevice device))                   \
  X(deviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, CUdevice device))      \
  X(primaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext * context, CUdevice device))          \
  X(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice device))                          \
  X(ctxGetCurrent, "cuCtxGetCurrent", (CUcontext * context))                                       \
  X(ctxSetCurrent, "cuCtxSetCurrent", (CUcontext context))                                         \
  X(ctxGetDevice, "cuCtxGetDevice", (CUdevice * device))                                           \
  X(moduleLoadData, "cuModuleLoadData", (CUmodule * module, const void *image))                    \
  X(moduleLoadDataEx, "cuModuleLoadDataEx",                                                        \
    (CUmodule * module, const void *image, unsigned count, int *options, void **values))           \
  X(moduleUnload, "cuModuleUnload", (CUmodule module))                                             \
  X(moduleGetFunction, "cuModuleGetFunction",                                                      \
    (CUfunction * function, CUmodule module, const char *name))                                    \
  X(funcGetAttribute, "cuFuncGetAttribute", (int *value, int attribute, CUfunction function))      \
  X(funcSetAttribute, "cuFuncSetAttribute", (CUfunction function, int attribute, int value))       \
  X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                      \
    (int *blocks, CUfunction function, int threads, size_t shared))                                \
  X(launchKernelEx, "cuLaunchKernelEx",                                                            \
    (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra))          \
  X(memAlloc, "cuMemAlloc_v2", (CUdeviceptr * memory, size_t size))                                \
  X(memFree, "cuMemFree_v2", (CUdeviceptr memory))                                                 \
  X(memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                                       \
    (CUdeviceptr to, const void *from, size_t size, CUstream stream))                              \
  X(memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                                       \
    (void *to, CUdeviceptr from, size_t size, CUstream stream))                                    \
  X(memsetD8Async, "cuMemsetD8Async",                                                              \
    (CUdeviceptr memory, unsigned char value, size_t size, CUstream stream))                       \
  X(streamCreate, "cuStreamCreate", (CUstream * stream, unsigned flags))                           \
  X(streamDestroy, "cuStreamDestroy_v2", (CUstream stream))                                        \
  X(streamSynchronize, "cuStreamSynchronize", (CUstream stream))                                   \
  X(streamGetCtx, "cuStreamGetCtx", (CUstream stream, CUcontext * context))                        \
  X(eventCreate, "cuEventCreate", (CUevent * event, unsigned flags))                               \
  X(eventDestroy, "cuEventDestroy_v2", (CUevent event))                                            \
  X(eventRecord, "cuEventRecord", (CUevent event, CUstream stream))                                \
  X(eventSynchronize, "cuEventSynchronize", (CUevent event))                                       \
  X(eventElapsedTime, "cuEventElapsedTime", (float *milliseconds, CUevent start, CUevent end))
#define TILERT_DRIVER_OPTIONAL(X)                                                                  \
  X(ctxGetId, "cuCtxGetId", (CUcontext context, unsigned long long *id))                           \
  X(threadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *mode))             \
  X(tensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                                \
    (CUtensorMap * map, int type, uint32_t rank, void *base, const uint64_t *extents,              \
     const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,          \
     int swizzle, int l2Promotion, int fill))

struct Driver {
#define TILERT_DECLARE(member, symbol, parameters) CUresult(*member) parameters = nullptr;
  TILERT_DRIVER_REQUIRED(TILERT_DECLARE)
  TILERT_DRIVER_OPTIONAL(TILERT_DECLARE)
#undef TILERT_DECLARE

  /// "cuLaunchKernelEx: CUDA_ERROR_INVALID_VALUE (invalid argument)"
  std::string describe(const char *call, CUresult result) const;
  /// Throws unless `result` is success; `context` stands before the description.
  void check(CUresult result, const char *call, const std::string &context) const {
    if (result != CUDA_SUCCESS) [[unlikely]]
      fail(result, call, context);
  }
  [[noreturn]] void fail(CUresult result, const char *call, const std::string &context) const;
  int attribute(CUdevice device, int attribute) const;
};

/// The process's driver, opened and initialised at the first call. Reads TILERT_LIBCUDA, the path
/// of a library to open in place of libcuda.so.1. Throws NO_DRIVER or NO_DEVICE with the reason; a
/// failure is not tried again.
const Driver &driver();

} // namespace tilert
