#include "failure.h"

namespace tilert {
namespace {

/// The text lives until the thread's next failure.
thread_local std::string lastMessage;

} // namespace

tilert_status report(tilert_status status, std::string message) noexcept {
  lastMessage = std::move(message);
  return status;
}

tilert_status reportCurrentException() noexcept {
  try {
    throw;
  } catch (const Failure &failure) {
    try {
      return report(failure.status(), failure.message());
    } catch (...) { // no memory for the copy
      lastMessage.clear();
      return failure.status();
    }
  } catch (const std::bad_alloc &) {
    lastMessage.clear();
    return TILERT_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception &exception) {
    try {
      return report(TILERT_ERROR_INTERNAL, std::string("internal error: ") + exception.what());
    } catch (...) {
      lastMessage.clear();
      return TILERT_ERROR_INTERNAL;
    }
  } catch (...) {
    lastMessage.clear();
    return TILERT_ERROR_INTERNAL;
  }
}

} // namespace tilert

extern "C" {

const char *tilert_last_message(void) {
  return tilert::lastMessage.c_str();
}

const char *tilert_status_text(tilert_status status) {
  switch (status) {
  case TILERT_OK:
    return "success";
  case TILERT_ERROR_INVALID_ARGUMENT:
    return "invalid argument";
  case TILERT_ERROR_CONTRACT:
    return "the kernel's contract does not hold";
  case TILERT_ERROR_GRID:
    return "the grid is negative or too large";
  case TILERT_ERROR_NO_DRIVER:
    return "the CUDA driver is missing or too old";
  case TILERT_ERROR_NO_DEVICE:
    return "no GPU, or no current CUDA context";
  case TILERT_ERROR_NO_IMAGE:
    return "no image for this device";
  case TILERT_ERROR_BAD_IMAGE:
    return "the image is damaged or not of tilec";
  case TILERT_ERROR_NOT_FOUND:
    return "not found";
  case TILERT_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case TILERT_ERROR_LAUNCH:
    return "the driver refused a call, or an earlier launch failed";
  case TILERT_ERROR_HOST_DIVERGENCE:
    return "threads met at different operations, or wait for what never comes";
  case TILERT_ERROR_HOST_RACE:
    return "threads race in shared memory";
  case TILERT_ERROR_HOST_ACCESS:
    return "a thread touched shared memory that is not the program's, or not aligned";
  case TILERT_ERROR_INTERNAL:
    return "internal error";
  }
  return "unknown status";
}

const char *tilert_version(void) {
  return TILERT_VERSION;
}

} // extern "C"
