#include "compiler/driver/crash.h"

#include "llvm/Support/Signals.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>

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

namespace {
/// A line of text that needs no memory but its own; what does not fit is left out.
class Line {
public:
  Line &operator<<(std::string_view text) {
    size_t size = std::min(text.size(), sizeof text_ - size_);
    std::memcpy(text_ + size_, text.data(), size);
    size_ += size;
    return *this;
  }
  void print() const { (void)!write(STDERR_FILENO, text_, size_); }

private:
  char text_[1024];
  size_t size_ = 0;
};
} // namespace

/// Runs in a signal handler: only what may be called there.
static void report(void *) {
  const CrashScope *scope = current.load();
  if (!scope)
    return;
  Line line;
  line << scope->input << ": error: internal error: the compiler crashed";
  if (!scope->watch.currentPass.empty())
    line << " in " << scope->watch.currentPass;
  if (!scope->watch.variant.empty())
    line << " while compiling '" << scope->watch.variant << "'";
  line << "\n";
  line.print();
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
