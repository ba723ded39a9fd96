// Host cost of a launch: the generated function against a plain cuLaunchKernel of the same kernel,
// in turns, in one process.   bench_launch VECTOR_ADD.cubin
#include "tilert/tilert.hpp"
#include "vector_add.tile.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "bench_launch: %s\n", what.c_str());
  std::exit(1);
}

void require(const tilert::Status &status) {
  if (!status)
    fail(status.message());
}

/// The few driver functions that a plain launch takes.
struct Driver {
  int (*moduleLoadData)(void **, const void *);
  int (*moduleGetFunction)(void **, void *, const char *);
  int (*launchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      void *, void **, void **);

  Driver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
      fail("no CUDA driver");
    moduleLoadData = reinterpret_cast<decltype(moduleLoadData)>(dlsym(library, "cuModuleLoadData"));
    moduleGetFunction =
        reinterpret_cast<decltype(moduleGetFunction)>(dlsym(library, "cuModuleGetFunction"));
    launchKernel = reinterpret_cast<decltype(launchKernel)>(dlsym(library, "cuLaunchKernel"));
  }
};

template <typename Launch> double nanosecondsEach(const tilert::Device &device, Launch launch) {
  constexpr int kLaunches = 500; // fewer than fill the driver's queue
  require(device.synchronize());
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kLaunches; ++i)
    launch();
  auto end = std::chrono::steady_clock::now();
  require(device.synchronize());
  return std::chrono::duration<double, std::nano>(end - begin).count() / kLaunches;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    fail("usage: bench_launch VECTOR_ADD.cubin");
  tilert::Device device;
  require(tilert::Device::open("cuda", device));
  constexpr int64_t kCount = 2048;
  tilert::Buffer<float> x, y, out;
  for (tilert::Buffer<float> *buffer : {&x, &y, &out})
    require(tilert::Buffer<float>::allocate(device, kCount, *buffer));

  // The variant that the generated function picks for aligned f32 arrays: the first one.
  tilert_module manifest = nullptr;
  tilert_kernel kernel = nullptr;
  tilert_variant_info variant{};
  require(tilert_module_load_file(argv[1], &manifest));
  require(tilert_kernel_find(manifest, "vector_add", &kernel));
  require(tilert_kernel_variant(kernel, 0, &variant));

  Driver driver;
  std::ifstream file(argv[1], std::ios::binary);
  std::string image((std::istreambuf_iterator<char>(file)), {});
  void *module = nullptr, *function = nullptr;
  if (driver.moduleLoadData(&module, image.data()) ||
      driver.moduleGetFunction(&function, module, variant.symbol))
    fail("cannot load the cubin");

  void *outPointer = out.data(), *xPointer = x.data(), *yPointer = y.data();
  int64_t n = kCount;
  void *arguments[] = {&outPointer, &xPointer, &yPointer, &n};
  tilert::Stream stream = device.stream();
  auto plain = [&] {
    if (driver.launchKernel(function, kCount / 1024, 1, 1, 32 * variant.warps, 1, 1, 0,
                            stream.get(), arguments, nullptr))
      fail("cuLaunchKernel failed");
  };
  auto generated = [&] {
    require(examples::vector_add(stream, out.data(), static_cast<const float *>(x.data()),
                                 static_cast<const float *>(y.data()), n));
  };

  std::vector<double> plainTimes, generatedTimes;
  for (int round = 0; round < 41; ++round) {
    plainTimes.push_back(nanosecondsEach(device, plain));
    generatedTimes.push_back(nanosecondsEach(device, generated));
  }
  std::printf("launch: plain cuLaunchKernel %.0f ns, generated function %.0f ns, ratio %.3f\n",
              median(plainTimes), median(generatedTimes),
              median(generatedTimes) / median(plainTimes));
  return 0;
}
