// How a failure travels inside tilert: as an exception up to the C ABI, where `guarded` turns it
// into a status and keeps its text for tilert_last_message().
#pragma once

#include "tilert/tilert.h"

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace tilert {

class Failure : public std::exception {
public:
  Failure(tilert_status status, std::string message)
      : status_(status), message_(std::move(message)) {}
  tilert_status status() const { return status_; }
  const std::string &message() const { return message_; }
  const char *what() const noexcept override { return message_.c_str(); }

private:
  tilert_status status_;
  std::string message_;
};

/// Throws INVALID_ARGUMENT, which says what is null, where `pointer` is.
inline void need(const void *pointer, const char *what) {
  if (!pointer) [[unlikely]]
    throw Failure(TILERT_ERROR_INVALID_ARGUMENT, std::string(what) + " is null");
}

/// Keeps `message` as the calling thread's last one and gives `status` back.
tilert_status report(tilert_status status, std::string message) noexcept;
/// Reports the exception that is being handled.
tilert_status reportCurrentException() noexcept;

/// Runs `body`, which returns a status or throws; what every function of the C ABI that can fail is
/// wrapped in.
template <typename Body> tilert_status guarded(Body &&body) noexcept {
  try {
    return body();
  } catch (...) {
    return reportCurrentException();
  }
}

} // namespace tilert
