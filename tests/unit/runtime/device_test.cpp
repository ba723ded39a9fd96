// Alone: build/release/bin/unit_runtime --test-case='device*'
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

using namespace tilert;
using namespace tilert::test;

namespace {

/// Runs a skipped test case of this program alone, with a variable set; its exit status.
int runAlone(const char *testCase, const std::string &variable) {
  std::vector<char *> environment;
  for (char **entry = environ; *entry; ++entry)
    if (std::string(*entry).substr(0, 15) != "TILERT_LIBCUDA=")
      environment.push_back(*entry);
  std::string copy = variable, name = "unit_runtime", filter = std::string("-tc=") + testCase,
              noSkip = "--no-skip";
  environment.push_back(copy.data());
  environment.push_back(nullptr);
  char *arguments[] = {name.data(), filter.data(), noSkip.data(), nullptr};
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environment.data()) ==
          0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Scales a buffer by two on the device through the C++ helpers.
std::vector<float> roundTrip(const Device &device) {
  Buffer<float> buffer;
  REQUIRE(Buffer<float>::from(device, {1, 2, 3}, buffer));
  CHECK(buffer.size() == 3);
  CHECK(reinterpret_cast<uintptr_t>(buffer.data()) % 16 == 0);
  std::vector<float> values;
  REQUIRE(buffer.copyOut(values));
  REQUIRE(buffer.fill(0));
  std::vector<float> zeros;
  REQUIRE(buffer.copyOut(zeros));
  CHECK(zeros == std::vector<float>{0, 0, 0});
  return values;
}

} // namespace

TEST_CASE("device: memory, copies and the stream of the host") {
  Device device;
  REQUIRE(Device::open("host", device));
  CHECK(device.isHost());
  CHECK(device.name() == "host");
  CHECK(device.smCount() >= 4);
  CHECK(device.stream().isHost());
  CHECK(roundTrip(device) == std::vector<float>{1, 2, 3});
  CHECK(device.synchronize());
}

TEST_CASE("device: the same on a GPU") {
  fakeCuda();
  Device device;
  REQUIRE(Device::open("cuda:1", device));
  CHECK_FALSE(device.isHost());
  CHECK(device.name() == "Fake GPU 1");
  CHECK(device.smCount() == 132);
  CHECK(tilert_device_compute(device.get()) == 80);
  CHECK(roundTrip(device) == std::vector<float>{1, 2, 3});
  float milliseconds = 0;
  CHECK(device.startTimer());
  CHECK(device.stopTimer(milliseconds));
  CHECK(milliseconds == 1.5f);
}

TEST_CASE("device: failed allocations and sticky errors are statuses") {
  FakeCuda &fake = fakeCuda();
  Device device;
  REQUIRE(Device::open("cuda", device));
  fake.failures["cuMemAlloc"] = 2;
  Buffer<float> buffer;
  const Status status = Buffer<float>::allocate(device, 1000, buffer);
  CHECK(status.code() == TILERT_ERROR_OUT_OF_MEMORY);
  CHECK(contains(status.message(), "Fake GPU 0: 4000 bytes: cuMemAlloc"));
  CHECK(buffer.data() == nullptr);
  fake.failures["cuStreamSynchronize"] = 700;
  CHECK(device.synchronize().code() == TILERT_ERROR_LAUNCH);
  Device host;
  REQUIRE(Device::open("host", host));
  CHECK(Buffer<float>::allocate(host, SIZE_MAX / 2, buffer).code() == TILERT_ERROR_OUT_OF_MEMORY);
}

TEST_CASE("device: names that are none, ordinals that are not there") {
  fakeCuda();
  Device device;
  for (const char *name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:99999", "hostx"})
    CHECK(Device::open(name, device).code() == TILERT_ERROR_INVALID_ARGUMENT);
  CHECK(Device::open("cuda:2", device).message() == "cuda:2: there are 2 GPUs");
  CHECK_FALSE(device);
}

TEST_CASE("device: poisoned host memory") {
  tilert_host_set_checks(TILERT_HOST_CHECK_POISON, 1);
  Device device;
  REQUIRE(Device::open("host", device));
  Buffer<uint32_t> buffer;
  REQUIRE(Buffer<uint32_t>::allocate(device, 4, buffer));
  CHECK(buffer.data()[3] == 0xA5A5A5A5u);
  tilert_host_set_checks(0, 1);
}

TEST_CASE("child: no driver" * doctest::skip()) {
  Device device;
  CHECK(Device::open("cuda", device).code() == TILERT_ERROR_NO_DRIVER);
  CHECK(contains(tilert_last_message(), "no CUDA driver: /nonexistent/libcuda.so"));
  tilert_kernel_ref kernel = TestLibrary().cubin("sm_90", softmaxManifest("sm_90")).ref("softmax");
  void *null = nullptr;
  int32_t n = 1;
  void *arguments[] = {&null, &null, &n, &n};
  CHECK(tilert_launch_ref(&kernel, nullptr, arguments, 4, nullptr, 0) == TILERT_ERROR_NO_DRIVER);
  REQUIRE(Device::open("auto", device));
  CHECK(device.isHost());
}

TEST_CASE("device: a missing driver is a status, and `auto` is the host") {
  CHECK(runAlone("child: no driver", "TILERT_LIBCUDA=/nonexistent/libcuda.so") == 0);
}

TEST_CASE("child: old driver" * doctest::skip()) {
  Device device;
  CHECK(Device::open("cuda", device).code() == TILERT_ERROR_NO_DRIVER);
  CHECK(contains(tilert_last_message(), "the CUDA driver is older than 11.8"));
}

TEST_CASE("device: a library without the driver's functions is a status") {
  CHECK(runAlone("child: old driver", "TILERT_LIBCUDA=libm.so.6") == 0);
}

TEST_CASE("child: no gpu" * doctest::skip()) {
  setenv("FAKE_CUDA_INIT", "100", 1);
  Device device;
  CHECK(Device::open("cuda", device).code() == TILERT_ERROR_NO_DEVICE);
  CHECK(std::string(tilert_last_message()) ==
        "no usable GPU: cuInit: CUDA_ERROR_NO_DEVICE (injected)");
}

TEST_CASE("device: a driver without a GPU is a status") {
  CHECK(runAlone("child: no gpu", "NOTHING=1") == 0);
}
