// Layer normalisation of f32 and f16 rows against a double-precision reference.
//   example_layernorm [host | cuda]
#include "common/example.hpp"
#include "layernorm.tile.h"

using namespace example;

template <typename T>
static bool check(const tilert::Device &device, int rows, int cols, const char *type,
                  double relative, double absolute) {
  std::vector<T> x = narrowed<T>(randomNormal(std::size_t(rows) * cols, 5)),
                 weight = narrowed<T>(randomNormal(cols, 6)),
                 bias = narrowed<T>(randomNormal(cols, 7));
  auto in = upload(device, x), w = upload(device, weight), b = upload(device, bias);
  auto out = poisoned<T>(device, x.size());
  auto mean = poisoned<float>(device, rows), rstd = poisoned<float>(device, rows);
  constexpr float kEpsilon = 1e-5f;
  require(examples::layernorm(device.stream(), out.data(), mean.data(), rstd.data(), in.data(),
                              w.data(), b.data(), cols, rows, cols, kEpsilon));
  require(device.synchronize());

  std::vector<double> want(x.size());
  for (int r = 0; r < rows; ++r) {
    const T *row = &x[std::size_t(r) * cols];
    double average = 0, variance = 0;
    for (int c = 0; c < cols; ++c)
      average += float(row[c]) / double(cols);
    for (int c = 0; c < cols; ++c)
      variance += (float(row[c]) - average) * (float(row[c]) - average) / cols;
    for (int c = 0; c < cols; ++c)
      want[std::size_t(r) * cols + c] =
          (float(row[c]) - average) / std::sqrt(variance + kEpsilon) * float(weight[c]) +
          float(bias[c]);
  }
  double error = worstError(widened(download(out)), want, relative, absolute);
  char what[64];
  std::snprintf(what, sizeof what, "%d x %d %s", rows, cols, type);
  return report(what, error <= 1, error);
}

int main(int argc, char **argv) {
  tilert::Device device = openDevice(argc, argv);
  bool passed = true;
  for (int cols : {1, 768, 1000, 4096, 8192}) {
    passed &= check<float>(device, 17, cols, "f32", 1e-5, 1e-5);
    passed &= check<tilert::half>(device, 17, cols, "f16", 2e-3, 2e-3);
    passed &= check<tilert::bfloat16>(device, 17, cols, "bf16", 1.6e-2, 1.6e-2);
  }
  return passed ? 0 : 1;
}
