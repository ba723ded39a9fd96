// Adds two arrays of several lengths and checks every element, and that nothing past the end was
// written.   example_vector_add [host | cuda]
#include "common/example.hpp"
#include "vector_add.tile.h"

using namespace example;

static bool check(const tilert::Device &device, int64_t n) {
  constexpr std::size_t kGuard = 64;
  std::vector<float> x = randomNormal(n, 1), y = randomNormal(n, 2);
  auto xBuffer = upload(device, x), yBuffer = upload(device, y);
  auto out = poisoned<float>(device, n + kGuard);
  std::vector<float> before = download(out);

  require(examples::vector_add(device.stream(), out.data(), xBuffer.data(), yBuffer.data(), n));
  require(device.synchronize());

  std::vector<float> got = download(out);
  bool guarded = std::equal(got.begin() + n, got.end(), before.begin() + n, [](float a, float b) {
    return std::bit_cast<int>(a) == std::bit_cast<int>(b);
  });
  got.resize(n);
  std::vector<double> want(n);
  for (int64_t i = 0; i < n; ++i)
    want[i] = x[i] + y[i]; // one rounding, as on the device
  double error = worstError(got, want, 0, 1e-30);
  return report(("n = " + std::to_string(n)).c_str(), guarded && error <= 1, error);
}

int main(int argc, char **argv) {
  tilert::Device device = openDevice(argc, argv);
  bool passed = true;
  for (int64_t n : {0, 1, 31, 1024, 98432})
    passed &= check(device, n);
  return passed ? 0 : 1;
}
