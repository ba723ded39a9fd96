// "[3/16] softmax__BLOCK_512 for sm_90a" on a terminal, in place, gone at the end. Nothing where
// standard error is no terminal or there is one step only.
#pragma once

#include <string>

namespace tilec {

class Progress {
public:
  Progress(size_t total, std::string what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  void step(const std::string &name);

private:
  size_t total_, done_ = 0;
  std::string what_;
  bool show_;
};

} // namespace tilec
