// Work on several threads, each with a stack that deep recursion inside LLVM fits into.
#pragma once

#include <functional>
#include <string>

namespace tilec {

/// Bytes of stack of every thread that compiles.
inline constexpr unsigned kStackBytes = 128u << 20;

/// Calls work(0) .. work(count - 1), at most `jobs` at once; returns when all are done. One job
/// runs them in order on the calling thread.
void runParallel(unsigned jobs, size_t count, const std::function<void(size_t)> &work);

/// Runs `work` on one such thread and waits.
void runOnLargeStack(const std::function<void()> &work);

} // namespace tilec
