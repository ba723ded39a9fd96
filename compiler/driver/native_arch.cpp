#include "compiler/driver/native_arch.h"

#include <dlfcn.h>

namespace tilec {

/// CUdevice_attribute, from the CUDA Driver API.
static constexpr int kComputeMajor = 75, kComputeMinor = 76;

const Arch *findNativeArch() {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    return nullptr;
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto deviceGet = reinterpret_cast<int (*)(int *, int)>(dlsym(driver, "cuDeviceGet"));
  auto attribute =
      reinterpret_cast<int (*)(int *, int, int)>(dlsym(driver, "cuDeviceGetAttribute"));
  const Arch *arch = nullptr;
  int device = 0, major = 0, minor = 0;
  if (init && deviceGet && attribute && init(0) == 0 && deviceGet(&device, 0) == 0 &&
      attribute(&major, kComputeMajor, device) == 0 &&
      attribute(&minor, kComputeMinor, device) == 0)
    arch = archForDevice(unsigned(major * 10 + minor));
  // The driver stays open: it has threads of its own by now.
  return arch;
}

} // namespace tilec
