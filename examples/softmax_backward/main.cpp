// Gradients of softmax against a double-precision reference, for dense rows and for columns of a
// larger array.
//   example_softmax_backward [host | cuda]
#include "common/example.hpp"
#include "softmax_backward.tile.h"

#include <tuple>

using namespace example;

template <typename T>
static bool check(const tilert::Device &device, int rows, int cols, int pitch, const char *type,
                  double relative, double absolute) {
  const std::size_t size = std::size_t(rows) * pitch;
  std::vector<T> y(size), dy = narrowed<T>(randomNormal(size, 9));
  std::vector<float> logits = randomNormal(size, 8);
  for (int r = 0; r < rows; ++r) {
    double total = 0;
    for (int c = 0; c < cols; ++c)
      total += std::exp(double(logits[std::size_t(r) * pitch + c]));
    for (int c = 0; c < cols; ++c)
      y[std::size_t(r) * pitch + c] =
          T(float(std::exp(double(logits[std::size_t(r) * pitch + c])) / total));
  }
  auto deviceY = upload(device, y), deviceDy = upload(device, dy);
  auto dx = poisoned<T>(device, std::size_t(rows) * cols);
  const tilert::View<const T, 2> in{deviceY.data(), {rows, cols}, {pitch, 1}};
  const tilert::View<const T, 2> gradient{deviceDy.data(), {rows, cols}, {pitch, 1}};
  require(examples::softmax_backward(device.stream(), tilert::contiguous(dx.data(), {rows, cols}),
                                     in, gradient));
  require(device.synchronize());

  std::vector<double> want;
  for (int r = 0; r < rows; ++r) {
    const T *p = &y[std::size_t(r) * pitch], *g = &dy[std::size_t(r) * pitch];
    double dot = 0;
    for (int c = 0; c < cols; ++c)
      dot += double(float(p[c])) * double(float(g[c]));
    for (int c = 0; c < cols; ++c)
      want.push_back(double(float(p[c])) * (double(float(g[c])) - dot));
  }
  double error = worstError(widened(download(dx)), want, relative, absolute);
  char what[64];
  std::snprintf(what, sizeof what, "%d x %d of %d %s", rows, cols, pitch, type);
  return report(what, error <= 1, error);
}

int main(int argc, char **argv) {
  tilert::Device device = openDevice(argc, argv);
  bool passed = true;
  for (auto [rows, cols, pitch] :
       {std::tuple(1, 1, 1), {17, 128, 128}, {129, 255, 255}, {33, 781, 800}, {9, 4096, 4096}}) {
    passed &= check<float>(device, rows, cols, pitch, "f32", 1e-5, 1e-7);
    passed &= check<tilert::half>(device, rows, cols, pitch, "f16", 1e-3, 1e-6);
    passed &= check<tilert::bfloat16>(device, rows, cols, pitch, "bf16", 8e-3, 1e-6);
  }
  return passed ? 0 : 1;
}
