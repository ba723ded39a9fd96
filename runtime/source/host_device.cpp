#include "host_device.h"

#include "host_crew.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace tilert {
namespace {

constexpr unsigned kMinSms = 4;
constexpr unsigned kMaxWorkers = 256;
/// Of a host thread's stack; TILERT_HOST_STACK gives another number of KiB. Only touched pages
/// exist. A kernel keeps there what a GPU thread keeps in registers and spills.
constexpr size_t kStackBytes = size_t{1} << 20;
constexpr size_t kMinStackBytes = size_t{64} << 10, kMaxStackBytes = size_t{1} << 28;

/// A whole number in the environment, or `otherwise`.
uint64_t environmentNumber(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return otherwise;
  char *end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 0);
  return *end ? otherwise : value;
}

unsigned workerLimit() {
  static const unsigned limit = static_cast<unsigned>(std::clamp<uint64_t>(
      environmentNumber("TILERT_HOST_THREADS", std::thread::hardware_concurrency()), 1,
      kMaxWorkers));
  return limit;
}

size_t stackBytes() {
  static const size_t bytes =
      std::clamp<uint64_t>(environmentNumber("TILERT_HOST_STACK", kStackBytes >> 10),
                           kMinStackBytes >> 10, kMaxStackBytes >> 10)
      << 10;
  return bytes;
}

/// Checks in force; a launch takes a copy when it starts.
struct CheckState {
  std::mutex mutex;
  HostChecks checks;
};

constexpr std::pair<std::string_view, uint32_t> kCheckNames[] = {
    {"poison", TILERT_HOST_CHECK_POISON},
    {"order", TILERT_HOST_CHECK_ORDER},
    {"race", TILERT_HOST_CHECK_RACE},
    {"async", TILERT_HOST_CHECK_ASYNC}};

HostChecks checksOfEnvironment() {
  HostChecks checks;
  const char *text = std::getenv("TILERT_HOST_CHECK");
  for (std::string_view rest = text ? text : ""; !rest.empty();) {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    for (const auto &[name, flag] : kCheckNames)
      if (word == name || word == "all")
        checks.flags |= flag;
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  checks.seed = environmentNumber("TILERT_HOST_SEED", checks.seed);
  return checks;
}

CheckState &checkState() {
  static CheckState *const state = new CheckState{{}, checksOfEnvironment()};
  return *state;
}

/// Crews that no launch uses. Never destroyed, as launches may still run while statics die.
class CrewPool {
public:
  static CrewPool &instance() {
    static CrewPool *const pool = new CrewPool;
    return *pool;
  }
  std::unique_ptr<Crew> take(unsigned warps) {
    {
      const std::lock_guard lock(mutex_);
      // The smallest that is large enough.
      const auto larger = std::find_if(idle_.begin(), idle_.end(), [&](const auto &crew) {
        return crew->warpCapacity() >= warps;
      });
      if (larger != idle_.end()) {
        std::unique_ptr<Crew> crew = std::move(*larger);
        idle_.erase(larger);
        return crew;
      }
    }
    return std::make_unique<Crew>(warps, stackBytes());
  }
  void give(std::unique_ptr<Crew> crew) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() >= workerLimit())
      idle_.erase(idle_.begin()); // the smallest serves the fewest
    const auto place = std::find_if(idle_.begin(), idle_.end(), [&](const auto &other) {
      return other->warpCapacity() >= crew->warpCapacity();
    });
    idle_.insert(place, std::move(crew));
  }

private:
  CrewPool() { idle_.reserve(kMaxWorkers + 1); } // so that giving back cannot fail
  std::mutex mutex_;
  std::vector<std::unique_ptr<Crew>> idle_; ///< by capacity
};

/// Gives its crew back at the end.
class BorrowedCrew {
public:
  explicit BorrowedCrew(unsigned warps) : crew_(CrewPool::instance().take(warps)) {}
  ~BorrowedCrew() { CrewPool::instance().give(std::move(crew_)); }
  BorrowedCrew(const BorrowedCrew &) = delete;
  BorrowedCrew &operator=(const BorrowedCrew &) = delete;
  Crew *operator->() const { return crew_.get(); }

private:
  std::unique_ptr<Crew> crew_;
};

/// The programs of one launch, handed out one at a time to the OS threads.
class Job {
public:
  explicit Job(const HostLaunch &launch) : launch_(launch), checks_(hostChecks()) {
    // Below 2^63: x < 2^31, y and z < 2^16.
    total_ = uint64_t{launch.programs[0]} * launch.programs[1] * launch.programs[2];
    if (checks_.flags & TILERT_HOST_CHECK_ORDER) {
      // i -> (factor * i + offset) mod total: a permutation when factor and total are coprime.
      CheckRandom random(checks_.seed);
      offset_ = random.below(total_);
      do
        factor_ = 1 + random.below(total_);
      while (std::gcd(factor_, total_) != 1);
    }
  }

  uint64_t total() const { return total_; }

  /// Runs programs until there are none left or one has failed, on one OS thread.
  void work() noexcept {
    std::unique_ptr<BorrowedCrew> crew;
    try {
      crew = std::make_unique<BorrowedCrew>(launch_.warps);
    } catch (...) {
      keep(crewFailure_); // other OS threads may have got theirs
      return;
    }
    try {
      for (uint64_t i; !failed_.load(std::memory_order_relaxed) &&
                       (i = next_.fetch_add(1, std::memory_order_relaxed)) < total_;) {
        const auto index =
            static_cast<uint64_t>((static_cast<unsigned __int128>(factor_) * i + offset_) % total_);
        const unsigned program[3] = {
            static_cast<unsigned>(index % launch_.programs[0]),
            static_cast<unsigned>(index / launch_.programs[0] % launch_.programs[1]),
            static_cast<unsigned>(index / launch_.programs[0] / launch_.programs[1])};
        (*crew)->run(launch_, program, checks_, checks_.seed ^ (index * 0x9e3779b97f4a7c15u));
      }
    } catch (...) {
      keep(failure_);
      failed_.store(true, std::memory_order_relaxed);
    }
  }
  void rethrow() {
    if (failure_)
      std::rethrow_exception(failure_);
    if (crewFailure_ && next_.load() < total_)
      std::rethrow_exception(crewFailure_);
  }

private:
  void keep(std::exception_ptr &place) {
    const std::lock_guard lock(mutex_);
    if (!place)
      place = std::current_exception();
  }

  const HostLaunch &launch_;
  HostChecks checks_;
  uint64_t total_ = 0, factor_ = 1, offset_ = 0;
  std::atomic<uint64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_, crewFailure_;
};

} // namespace

DeviceLimits hostLimits() {
  return {std::max(kMinSms, workerLimit()), 0, 0};
}

HostChecks hostChecks() {
  CheckState &state = checkState();
  const std::lock_guard lock(state.mutex);
  return state.checks;
}

void runOnHost(const HostLaunch &launch) {
  Job job(launch);
  const auto workers = static_cast<unsigned>(std::min<uint64_t>(workerLimit(), job.total()));
  std::vector<std::thread> threads;
  threads.reserve(workers);
  try {
    while (threads.size() + 1 < workers)
      threads.emplace_back([&job] { job.work(); });
  } catch (const std::system_error &) {
    // No more threads to be had: those there are do all the work.
  }
  job.work();
  for (std::thread &thread : threads)
    thread.join();
  job.rethrow();
}

} // namespace tilert

extern "C" {

void tilert_host_set_checks(uint32_t checks, uint64_t seed) {
  tilert::CheckState &state = tilert::checkState();
  const std::lock_guard lock(state.mutex);
  state.checks = {checks, seed};
}

uint32_t tilert_host_checks(void) {
  return tilert::hostChecks().flags;
}

} // extern "C"
