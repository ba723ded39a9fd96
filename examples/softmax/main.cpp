// Softmax over several shapes, both kernels, against a double-precision reference; and what happens
// to rows that no variant fits.   example_softmax [host | cuda]
#include "common/example.hpp"
#include "softmax.tile.h"

using namespace example;

static std::vector<double> reference(const std::vector<float> &x, int rows, int cols) {
  std::vector<double> out(x.size());
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[std::size_t(r) * cols];
    double largest = *std::max_element(row, row + cols), sum = 0;
    for (int c = 0; c < cols; ++c)
      sum += out[std::size_t(r) * cols + c] = std::exp(row[c] - largest);
    for (int c = 0; c < cols; ++c)
      out[std::size_t(r) * cols + c] /= sum;
  }
  return out;
}

static bool check(const tilert::Device &device, int rows, int cols, bool persistent) {
  std::vector<float> x = randomNormal(std::size_t(rows) * cols, rows + cols);
  auto in = upload(device, x);
  auto out = poisoned<float>(device, x.size());
  auto kernel = persistent ? examples::softmax_persistent : examples::softmax;
  require(kernel(device.stream(), out.data(), in.data(), cols, cols, rows, cols));
  require(device.synchronize());
  double error = worstError(download(out), reference(x, rows, cols), 1e-5, 1e-7);
  char what[64];
  std::snprintf(what, sizeof what, "%d x %d%s", rows, cols, persistent ? ", persistent" : "");
  return report(what, error <= 1, error);
}

int main(int argc, char **argv) {
  tilert::Device device = openDevice(argc, argv);
  bool passed = true;
  const int shapes[][2] = {{1, 1},      {4, 5},      {128, 256}, {129, 255}, {1823, 781},
                           {200, 2000}, {4100, 250}, {64, 8192}, {8, 16384}, {1030, 1024},
                           {5, 2048},   {3, 4096},   {3, 20000}, {2, 32768}};
  for (auto [rows, cols] : shapes)
    for (bool persistent : {false, true})
      if (!persistent || cols <= 16384)
        passed &= check(device, rows, cols, persistent);

  tilert::Status tooWide =
      examples::softmax_persistent(device.stream(), nullptr, nullptr, 20000, 20000, 1, 20000);
  std::printf("  20000 columns: %s\n", tooWide.message().c_str());
  passed &= tooWide.code() == TILERT_ERROR_CONTRACT;
  return passed ? 0 : 1;
}
