#include "driver.h"

#include <cstdlib>
#include <dlfcn.h>

namespace tilert {
namespace {

/// What opening the driver came to.
struct Opened {
  Driver driver;
  tilert_status status = TILERT_OK;
  std::string message;
};

tilert_status statusOf(CUresult result) {
  switch (result) {
  case CUDA_SUCCESS:
    return TILERT_OK;
  case CUDA_ERROR_OUT_OF_MEMORY:
    return TILERT_ERROR_OUT_OF_MEMORY;
  case CUDA_ERROR_STUB_LIBRARY:
    return TILERT_ERROR_NO_DRIVER;
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_INVALID_DEVICE:
  case CUDA_ERROR_INVALID_CONTEXT:
    return TILERT_ERROR_NO_DEVICE;
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
    return TILERT_ERROR_NO_IMAGE;
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_INVALID_SOURCE:
  case CUDA_ERROR_NOT_FOUND:
    return TILERT_ERROR_BAD_IMAGE;
  default:
    return TILERT_ERROR_LAUNCH;
  }
}

Opened open() {
  Opened result;
  const char *override = std::getenv("TILERT_LIBCUDA");
  const char *path = override && *override ? override : "libcuda.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL); // stays open for the process's life
  if (!library) {
    const char *why = dlerror();
    result.status = TILERT_ERROR_NO_DRIVER;
    result.message = std::string("no CUDA driver: ") + (why ? why : path);
    return result;
  }
#define TILERT_LOAD(member, symbol, parameters)                                                    \
  result.driver.member = reinterpret_cast<CUresult(*) parameters>(dlsym(library, symbol));
#define TILERT_REQUIRE(member, symbol, parameters)                                                 \
  if (!result.driver.member) {                                                                     \
    result.status = TILERT_ERROR_NO_DRIVER;                                                        \
    result.message =                                                                               \
        std::string("the CUDA driver is older than 11.8: ") + path + " has no " + symbol;          \
    return result;                                                                                 \
  }
  TILERT_DRIVER_REQUIRED(TILERT_LOAD)
  TILERT_DRIVER_OPTIONAL(TILERT_LOAD)
  TILERT_DRIVER_REQUIRED(TILERT_REQUIRE)
#undef TILERT_LOAD
#undef TILERT_REQUIRE
  if (const CUresult initialised = result.driver.init(0)) {
    result.status = statusOf(initialised);
    result.message = "no usable GPU: " + result.driver.describe("cuInit", initialised);
  }
  return result;
}

} // namespace

std::string Driver::describe(const char *call, CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  return std::string(call) + ": " + (name ? name : "error " + std::to_string(result)) +
         (text ? std::string(" (") + text + ")" : "");
}

void Driver::fail(CUresult result, const char *call, const std::string &context) const {
  throw Failure(statusOf(result), (context.empty() ? "" : context + ": ") + describe(call, result));
}

int Driver::attribute(CUdevice device, int attribute) const {
  int value = 0;
  check(deviceGetAttribute(&value, attribute, device), "cuDeviceGetAttribute", "");
  return value;
}

const Driver &driver() {
  static const Opened opened = open();
  if (opened.status != TILERT_OK) [[unlikely]]
    throw Failure(opened.status, opened.message);
  return opened.driver;
}

} // namespace tilert
