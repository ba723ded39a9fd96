#include "compiler/driver/crash.h"

#include "llvm/Support/Signals.h"

#include <atomic>

#include <unistd.h>

namespace tilec {

#if defined(__SANITIZE_ADDRESS__)
const bool CrashScope::enabled = false;
#elif defined(__has_feature)
const bool CrashScope::enabled = !__has_feature(address_sanitizer);
#else
const bool CrashScope::enabled = true;
#endif

// A signal handler sees nothing but globals; null while nothing is being compiled.
static std::atomic<const CrashScope *> current = nullptr;

/// Only what may be called in a signal handler.
static void put(const char *text, size_t size) {
  (void)!write(STDERR_FILENO, text, size);
}
static void put(const std::string &text) {
  put(text.data(), text.size());
}
template <size_t N> static void put(const char (&text)[N]) {
  put(text, N - 1);
}

static void report(void *) {
  const CrashScope *scope = current.load();
  if (!scope)
    return;
  put(scope->input);
  put(": error: internal error: the compiler crashed");
  if (!scope->watch.currentPass.empty()) {
    put(" in ");
    put(scope->watch.currentPass);
  }
  if (!scope->watch.variant.empty()) {
    put(" while compiling '");
    put(scope->watch.variant);
    put("'");
  }
  put("\n");
  _exit(1); // LLVM has removed temporary files before it called us
}

CrashScope::CrashScope(const std::string &input, const WatchState &watch)
    : input(input), watch(watch) {
  current = this;
  if (enabled)
    llvm::sys::AddSignalHandler(report, nullptr);
}

CrashScope::~CrashScope() {
  current = nullptr;
}

} // namespace tilec
