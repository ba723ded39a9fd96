// ReLU and dropout at several probabilities: the drop rate, the exact scale of the survivors, that
// the same seed gives the same mask, and that the length of an array changes nothing.
//   example_relu_dropout [host | cuda]
#include "common/example.hpp"
#include "relu_dropout.tile.h"

using namespace example;

static std::vector<float> run(const tilert::Device &device, const std::vector<float> &x, float p,
                              int seed) {
  auto in = upload(device, x);
  auto out = poisoned<float>(device, x.size());
  require(examples::relu_dropout(device.stream(), out.data(), in.data(),
                                 static_cast<int32_t>(x.size()), p, seed));
  require(device.synchronize());
  return download(out);
}

static bool check(const tilert::Device &device, float p) {
  constexpr int kCount = 100000;
  std::vector<float> x = randomNormal(kCount, 3);
  std::vector<float> got = run(device, x, p, 123), again = run(device, x, p, 123),
                     other = run(device, x, p, 124);
  int positive = 0, dropped = 0, differs = 0;
  bool exact = got == again;
  for (int i = 0; i < kCount; ++i) {
    if (x[i] <= 0) {
      exact &= got[i] == 0.0f;
      continue;
    }
    ++positive;
    dropped += got[i] == 0.0f;
    exact &= got[i] == 0.0f || got[i] == x[i] * (1.0f / (1.0f - p));
    differs += (got[i] == 0.0f) != (other[i] == 0.0f);
  }
  double rate = double(dropped) / positive;
  bool passed = exact && std::fabs(rate - p) < 0.01 && differs > 0;
  char what[64];
  std::snprintf(what, sizeof what, "p = %.1f: dropped %.4f", p, rate);
  return report(what, passed, std::fabs(rate - p) / 0.01);
}

/// Long arrays go through another variant, which must drop the same elements; behind those that a
/// shorter one has, an element is dropped or scaled.
static bool checkLong(const tilert::Device &device) {
  constexpr int kShort = (1 << 23) - 4, kLong = (1 << 23) + 1237;
  std::vector<float> x = randomNormal(kLong, 3), got = run(device, x, 0.5f, 123);
  std::vector<float> shorter = run(device, {x.begin(), x.begin() + kShort}, 0.5f, 123);
  bool passed = std::equal(shorter.begin(), shorter.end(), got.begin());
  int kept = 0;
  for (int i = kShort; i < kLong; ++i) {
    passed &= got[i] == 0.0f || (x[i] > 0 && got[i] == 2 * x[i]);
    kept += got[i] != 0.0f;
  }
  return report("a long array", passed && kept > 0, 0);
}

int main(int argc, char **argv) {
  tilert::Device device = openDevice(argc, argv);
  bool passed = true;
  for (float p : {0.1f, 0.5f, 0.9f})
    passed &= check(device, p);
  passed &= checkLong(device);
  return passed ? 0 : 1;
}
