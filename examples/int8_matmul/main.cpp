// Quantised matrix multiply against exact sums, with weights stored either way.
//   example_int8_matmul [host | cuda]
#include "common/example.hpp"
#include "int8_matmul.tile.h"

#include <tuple>

using namespace example;

static std::vector<std::int8_t> randomBytes(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<std::int8_t> values(count);
  for (std::int8_t &value : values)
    value = std::int8_t(generator());
  return values;
}

/// b as [N, K] (what weights look like) or [K, N].
template <typename T>
static bool check(const tilert::Device &device, std::int64_t m, std::int64_t n, std::int64_t k,
                  bool weights, const char *type, double tolerance) {
  const std::vector<std::int8_t> a = randomBytes(std::size_t(m * k), 31);
  const std::vector<std::int8_t> b = randomBytes(std::size_t(k * n), 32);
  std::vector<float> rowScale = randomNormal(std::size_t(m), 33),
                     columnScale = randomNormal(std::size_t(n), 34);
  for (float &scale : rowScale)
    scale *= 1e-3f; // sums of f16 stay finite
  auto deviceA = upload(device, a), deviceB = upload(device, b);
  auto rows = upload(device, rowScale), columns = upload(device, columnScale);
  auto out = poisoned<T>(device, std::size_t(m * n));
  const tilert::View<const std::int8_t, 2> viewA{deviceA.data(), {m, k}, {k, 1}};
  const tilert::View<const std::int8_t, 2> viewB{
      deviceB.data(), {k, n}, {weights ? 1 : n, weights ? k : 1}};
  require(examples::int8_matmul(device.stream(), tilert::contiguous(out.data(), {m, n}), viewA,
                                viewB, tilert::View<const float, 1>{rows.data(), {m}, {1}},
                                tilert::View<const float, 1>{columns.data(), {n}, {1}}));
  require(device.synchronize());

  std::vector<double> want;
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t column = 0; column < n; ++column) {
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < k; ++i)
        sum += std::int64_t(a[std::size_t(row * k + i)]) *
               b[std::size_t(weights ? column * k + i : i * n + column)];
      want.push_back(double(sum) * double(rowScale[std::size_t(row)]) *
                     double(columnScale[std::size_t(column)]));
    }
  double error = worstError(widened(download(out)), want, tolerance, 1e-6);
  char what[96];
  std::snprintf(what, sizeof what, "%ld x %ld x %ld %s b: %s", long(m), long(n), long(k), type,
                weights ? "[N, K]" : "[K, N]");
  return report(what, error <= 1, error);
}

int main(int argc, char **argv) {
  tilert::Device device = openDevice(argc, argv);
  bool passed = true;
  for (auto [m, n, k] : {std::tuple(1, 1, 1),
                         {16, 128, 64},
                         {64, 64, 128},
                         {65, 144, 192},
                         {37, 75, 101},
                         {7, 200, 256}})
    for (bool weights : {true, false}) {
      passed &= check<tilert::half>(device, m, n, k, weights, "f16", 1e-3);
      passed &= check<tilert::bfloat16>(device, m, n, k, weights, "bf16", 8e-3);
    }
  if (!device.isHost())
    for (bool weights : {true, false})
      passed &= check<tilert::half>(device, 1024, 1152, 512, weights, "f16", 1e-3);
  return passed ? 0 : 1;
}
