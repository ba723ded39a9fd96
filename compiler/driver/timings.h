// Where the time goes: seconds and calls by stage or pass, for --time-passes and --report.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace tilec {

/// Sums by name, in the order of first use. Safe to use from several threads.
class Timings {
public:
  struct Entry {
    std::string name;
    double seconds = 0;
    unsigned count = 0;
  };
  void add(const std::string &name, double seconds);
  std::vector<Entry> entries() const;
  /// A table; `total` is the wall time of the whole run.
  std::string table(double total) const;

private:
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

/// Adds the time of its own life to a stage.
class StageTimer {
public:
  StageTimer(Timings &timings, std::string name)
      : timings_(timings), name_(std::move(name)), start_(std::chrono::steady_clock::now()) {}
  ~StageTimer() { timings_.add(name_, seconds()); }
  StageTimer(const StageTimer &) = delete;
  StageTimer &operator=(const StageTimer &) = delete;
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  Timings &timings_;
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

/// Calls `work` and adds its time to a stage.
template <typename Work> auto timed(Timings &timings, std::string name, Work work) {
  StageTimer timer(timings, std::move(name));
  return work();
}

} // namespace tilec
