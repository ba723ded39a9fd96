#include "compiler/driver/progress.h"

#include "llvm/Support/Process.h"

#include <iostream>

namespace tilec {

/// Back to the first column, and the line cleared.
static constexpr const char *kClearLine = "\r\x1b[K";

Progress::Progress(size_t total, bool wanted)
    : total_(total), show_(wanted && llvm::sys::Process::StandardErrIsDisplayed()) {}

Progress::~Progress() {
  if (show_)
    std::cerr << kClearLine << std::flush;
}

void Progress::step(const std::string &what) {
  if (!show_)
    return;
  std::lock_guard lock(mutex_);
  std::cerr << kClearLine << '[' << ++done_ << '/' << total_ << "] " << what << std::flush;
}

} // namespace tilec
