// The run tests' program: kernels of this folder on the device that TILEC_TEST_DEVICE names (host,
// cuda, cuda:N). Alone: build/release/bin/run_tests --test-case='...' [--test-suite=masks].
// The host device runs with every check on, unless TILERT_HOST_CHECK names others; TILEC_TEST_SEED
// is the seed of what they do at random.
#define DOCTEST_CONFIG_IMPLEMENT
#include "harness.hpp"

#include <doctest/doctest.h> // its code: the harness may have come precompiled

#include <cstdio>
#include <cstdlib>

namespace test {

static tilert::Device *openedDevice = nullptr; // set once, before any case runs

tilert::Device &device() {
  return *openedDevice;
}

namespace {

/// Says how many cases ran, and where.
struct Summary : doctest::IReporter {
  explicit Summary(const doctest::ContextOptions &) {}
  void report_query(const doctest::QueryData &) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats &stats) override {
    std::printf("%u cases ran on %s\n", stats.numTestCasesPassingFilters, device().name().c_str());
  }
  void test_case_start(const doctest::TestCaseData &) override {}
  void test_case_reenter(const doctest::TestCaseData &) override {}
  void test_case_end(const doctest::CurrentTestCaseStats &) override {}
  void test_case_exception(const doctest::TestCaseException &) override {}
  void subcase_start(const doctest::SubcaseSignature &) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData &) override {}
  void log_message(const doctest::MessageData &) override {}
  void test_case_skipped(const doctest::TestCaseData &) override {}
};
DOCTEST_REGISTER_LISTENER("summary", 0, Summary);

} // namespace
} // namespace test

int main(int argc, char **argv) {
  const char *name = std::getenv("TILEC_TEST_DEVICE");
  const char *seed = std::getenv("TILEC_TEST_SEED");
  tilert::Device device;
  if (tilert::Status status = tilert::Device::open(name ? name : "host", device); !status) {
    std::fprintf(stderr, "run_tests: %s\n", status.message().c_str());
    return 2;
  }
  test::openedDevice = &device;
  const uint32_t all = TILERT_HOST_CHECK_RACE | TILERT_HOST_CHECK_ASYNC | TILERT_HOST_CHECK_ORDER |
                       TILERT_HOST_CHECK_POISON;
  tilert_host_set_checks(std::getenv("TILERT_HOST_CHECK") ? tilert_host_checks() : all,
                         seed ? std::strtoull(seed, nullptr, 10) : 1);
  doctest::Context context(argc, argv);
  return context.run();
}
