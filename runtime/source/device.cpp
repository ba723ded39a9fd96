// A device for examples and tests (tilert.h, "a device"): memory, copies, a stream, a timer - the
// same calls on a GPU and on the host.
#include "driver.h"
#include "host_device.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

using namespace tilert;

struct tilert_device_state {
  bool host = true;
  std::string name = "host";
  uint32_t smCount = 0, compute = 0;
  // GPU
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUevent start = nullptr, stop = nullptr;
  // host
  std::chrono::steady_clock::time_point started;
};

namespace {

constexpr size_t kAlignment = 256;
constexpr unsigned char kPoison = 0xA5;

CUdeviceptr pointerOf(const void *memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

void makeCurrent(const tilert_device_state &device) {
  if (!device.host)
    driver().check(driver().ctxSetCurrent(device.context), "cuCtxSetCurrent", device.name);
}

void closeGpu(tilert_device_state &device) noexcept {
  try {
    const Driver &cuda = driver();
    CUcontext before = nullptr;
    cuda.ctxGetCurrent(&before);
    if (device.context && cuda.ctxSetCurrent(device.context) == CUDA_SUCCESS) {
      if (device.start)
        cuda.eventDestroy(device.start);
      if (device.stop)
        cuda.eventDestroy(device.stop);
      if (device.stream)
        cuda.streamDestroy(device.stream);
      cuda.ctxSetCurrent(before == device.context ? nullptr : before);
    }
    if (device.context)
      cuda.primaryCtxRelease(device.device);
  } catch (const Failure &) {
    // The driver was there when the device was opened.
  }
}

void openGpu(tilert_device_state &device, int ordinal) {
  const Driver &cuda = driver();
  int count = 0;
  cuda.check(cuda.deviceGetCount(&count), "cuDeviceGetCount", "");
  if (ordinal < 0 || ordinal >= count)
    throw Failure(TILERT_ERROR_NO_DEVICE, "cuda:" + std::to_string(ordinal) + ": there are " +
                                              std::to_string(count) + " GPUs");
  device.host = false;
  cuda.check(cuda.deviceGet(&device.device, ordinal), "cuDeviceGet", "");
  char name[256] = "";
  cuda.check(cuda.deviceGetName(name, sizeof name, device.device), "cuDeviceGetName", "");
  device.name = name;
  device.smCount = static_cast<uint32_t>(
      cuda.attribute(device.device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  device.compute = static_cast<uint32_t>(
      cuda.attribute(device.device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
      cuda.attribute(device.device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  cuda.check(cuda.primaryCtxRetain(&device.context, device.device), "cuDevicePrimaryCtxRetain",
             device.name);
  makeCurrent(device);
  cuda.check(cuda.streamCreate(&device.stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate",
             device.name);
  cuda.check(cuda.eventCreate(&device.start, 0), "cuEventCreate", device.name);
  cuda.check(cuda.eventCreate(&device.stop, 0), "cuEventCreate", device.name);
}

void openHost(tilert_device_state &device) {
  device.smCount = static_cast<uint32_t>(hostLimits().numSms);
}

/// The ordinal in "cuda" or "cuda:N"; -1 when `name` is neither.
int gpuOrdinal(const std::string &name) {
  if (name == "cuda")
    return 0;
  if (name.compare(0, 5, "cuda:") != 0 || name.size() == 5 || name.size() > 9 ||
      name.find_first_not_of("0123456789", 5) != std::string::npos)
    return -1;
  return std::stoi(name.substr(5));
}

void open(const std::string &name, tilert_device_state &device) {
  if (name == "host")
    return openHost(device);
  if (name != "auto") {
    const int ordinal = gpuOrdinal(name);
    if (ordinal < 0)
      throw Failure(TILERT_ERROR_INVALID_ARGUMENT,
                    "no device " + name + ": there are host, cuda, cuda:N and auto");
    return openGpu(device, ordinal);
  }
  try {
    openGpu(device, 0);
  } catch (const Failure &failure) {
    if (failure.status() != TILERT_ERROR_NO_DRIVER && failure.status() != TILERT_ERROR_NO_DEVICE)
      throw;
    closeGpu(device);
    device = tilert_device_state();
    openHost(device);
  }
}

/// A call on `device`: its context is made current, failures become statuses.
template <typename Body> tilert_status onDevice(tilert_device device, Body &&body) {
  return guarded([&] {
    need(device, "the device");
    makeCurrent(*device);
    body();
    return TILERT_OK;
  });
}

void finish(const tilert_device_state &device) {
  driver().check(driver().streamSynchronize(device.stream), "cuStreamSynchronize", device.name);
}

} // namespace

extern "C" {

tilert_status tilert_device_open(const char *name, tilert_device *device) {
  return guarded([&] {
    need(name, "the device's name");
    need(device, "`device`");
    *device = nullptr;
    auto state = std::make_unique<tilert_device_state>();
    try {
      open(name, *state);
    } catch (...) {
      if (!state->host)
        closeGpu(*state);
      throw;
    }
    *device = state.release();
    return TILERT_OK;
  });
}

void tilert_device_close(tilert_device device) {
  if (device && !device->host)
    closeGpu(*device);
  delete device;
}

tilert_status tilert_device_make_current(tilert_device device) {
  return onDevice(device, [] {});
}

int tilert_device_is_host(tilert_device device) {
  return device && device->host;
}

const char *tilert_device_name(tilert_device device) {
  return device ? device->name.c_str() : "";
}

uint32_t tilert_device_sm_count(tilert_device device) {
  return device ? device->smCount : 0;
}

uint32_t tilert_device_compute(tilert_device device) {
  return device ? device->compute : 0;
}

tilert_stream tilert_device_stream(tilert_device device) {
  if (!device)
    return nullptr;
  return device->host ? TILERT_HOST_STREAM : static_cast<tilert_stream>(device->stream);
}

tilert_status tilert_device_alloc(tilert_device device, size_t size, void **memory) {
  return onDevice(device, [&] {
    need(memory, "`memory`");
    *memory = nullptr;
    if (size == 0)
      return;
    if (size > PTRDIFF_MAX)
      throw Failure(TILERT_ERROR_OUT_OF_MEMORY, "no " + std::to_string(size) + " bytes");
    if (device->host) {
      *memory = ::operator new(size, std::align_val_t{kAlignment}, std::nothrow);
      if (!*memory)
        throw Failure(TILERT_ERROR_OUT_OF_MEMORY, "no " + std::to_string(size) + " bytes");
      if (hostChecks().flags & TILERT_HOST_CHECK_POISON)
        std::memset(*memory, kPoison, size);
      return;
    }
    CUdeviceptr pointer = 0;
    driver().check(driver().memAlloc(&pointer, size), "cuMemAlloc",
                   device->name + ": " + std::to_string(size) + " bytes");
    *memory = reinterpret_cast<void *>(pointer);
  });
}

tilert_status tilert_device_free(tilert_device device, void *memory) {
  return onDevice(device, [&] {
    if (!memory)
      return;
    if (device->host)
      ::operator delete(memory, std::align_val_t{kAlignment});
    else
      driver().check(driver().memFree(pointerOf(memory)), "cuMemFree", device->name);
  });
}

tilert_status tilert_device_copy_in(tilert_device device, void *to_device, const void *from_host,
                                    size_t size) {
  return onDevice(device, [&] {
    if (size == 0)
      return;
    need(to_device, "the device memory");
    need(from_host, "the host memory");
    if (device->host) {
      std::memcpy(to_device, from_host, size);
      return;
    }
    driver().check(driver().memcpyHtoDAsync(pointerOf(to_device), from_host, size, device->stream),
                   "cuMemcpyHtoDAsync", device->name);
    finish(*device);
  });
}

tilert_status tilert_device_copy_out(tilert_device device, void *to_host, const void *from_device,
                                     size_t size) {
  return onDevice(device, [&] {
    if (size == 0)
      return;
    need(to_host, "the host memory");
    need(from_device, "the device memory");
    if (device->host) {
      std::memcpy(to_host, from_device, size);
      return;
    }
    driver().check(driver().memcpyDtoHAsync(to_host, pointerOf(from_device), size, device->stream),
                   "cuMemcpyDtoHAsync", device->name);
    finish(*device);
  });
}

tilert_status tilert_device_fill(tilert_device device, void *memory, uint8_t value, size_t size) {
  return onDevice(device, [&] {
    if (size == 0)
      return;
    need(memory, "the device memory");
    if (device->host) {
      std::memset(memory, value, size);
      return;
    }
    driver().check(driver().memsetD8Async(pointerOf(memory), value, size, device->stream),
                   "cuMemsetD8Async", device->name);
    finish(*device);
  });
}

tilert_status tilert_device_synchronize(tilert_device device) {
  return onDevice(device, [&] {
    if (!device->host)
      finish(*device);
  });
}

tilert_status tilert_device_timer_start(tilert_device device) {
  return onDevice(device, [&] {
    if (device->host)
      device->started = std::chrono::steady_clock::now();
    else
      driver().check(driver().eventRecord(device->start, device->stream), "cuEventRecord",
                     device->name);
  });
}

tilert_status tilert_device_timer_stop(tilert_device device, float *milliseconds) {
  return onDevice(device, [&] {
    need(milliseconds, "`milliseconds`");
    if (device->host) {
      *milliseconds = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() -
                                                               device->started)
                          .count();
      return;
    }
    const Driver &cuda = driver();
    cuda.check(cuda.eventRecord(device->stop, device->stream), "cuEventRecord", device->name);
    cuda.check(cuda.eventSynchronize(device->stop), "cuEventSynchronize", device->name);
    cuda.check(cuda.eventElapsedTime(milliseconds, device->start, device->stop),
               "cuEventElapsedTime", device->name);
  });
}

} // extern "C"
