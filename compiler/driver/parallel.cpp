#include "compiler/driver/parallel.h"

#include "llvm/Support/thread.h"

#include <algorithm>
#include <atomic>
#include <vector>

namespace tilec {

void runParallel(unsigned jobs, size_t count, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next = 0;
  auto drain = [&] {
    for (size_t i = next++; i < count; i = next++)
      work(i);
  };
  std::vector<llvm::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(jobs, count); ++i)
    threads.emplace_back(std::optional<unsigned>(kStackBytes), drain);
  drain();
  for (llvm::thread &thread : threads)
    thread.join();
}

void runOnLargeStack(const std::function<void()> &work) {
  llvm::thread thread(std::optional<unsigned>(kStackBytes), work);
  thread.join();
}

} // namespace tilec
