#include "compiler/driver/progress.h"

#include "llvm/Support/Process.h"

#include <iostream>

namespace tilec {

/// Back to the first column, and the line cleared.
static constexpr const char *kClearLine = "\r\x1b[K";

Progress::Progress(size_t total, std::string what)
    : total_(total), what_(std::move(what)),
      show_(total > 1 && llvm::sys::Process::StandardErrIsDisplayed()) {}

Progress::~Progress() {
  if (show_)
    std::cerr << kClearLine << std::flush;
}

void Progress::step(const std::string &name) {
  ++done_;
  if (show_)
    std::cerr << kClearLine << '[' << done_ << '/' << total_ << "] " << name << " for " << what_
              << std::flush;
}

} // namespace tilec
