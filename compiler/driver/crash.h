// When the compiler itself crashes - which is a bug - the user reads one line that says where, not
// a stack dump: "FILE: error: internal error: crashed in PASS while compiling VARIANT".
#pragma once

#include "compiler/driver/pass_watcher.h"

#include <string>

namespace tilec {

/// While it lives, fatal signals print that line, remove temporary files and end the process with
/// status 1. To be made on the thread that compiles: it gets a stack for the handler, so that stack
/// overflow is reported too. One at a time. Under a sanitizer it does nothing: that reports more.
class CrashScope {
public:
  CrashScope(const std::string &input, const WatchState &watch);
  ~CrashScope();
  CrashScope(const CrashScope &) = delete;
  CrashScope &operator=(const CrashScope &) = delete;

  static const bool enabled; ///< false under a sanitizer
  const std::string &input;
  const WatchState &watch;
};

} // namespace tilec
