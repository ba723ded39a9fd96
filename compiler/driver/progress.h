// "[3/16] softmax__BLOCK_512 for sm_90a" on a terminal, in place, gone at the end. Nothing where
// standard error is no terminal.
#pragma once

#include <mutex>
#include <string>

namespace tilec {

class Progress {
public:
  /// `wanted`: there is enough to do for somebody to wait.
  Progress(size_t total, bool wanted);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  /// Says what is done next. From any thread.
  void step(const std::string &what);

private:
  std::mutex mutex_;
  size_t total_, done_ = 0;
  bool show_;
};

} // namespace tilec
