// Gradients of layer normalisation against a double-precision reference.
//   example_layernorm_backward [host | cuda]
#include "common/example.hpp"
#include "layernorm_backward.tile.h"

#include <tuple>

using namespace example;

namespace {

/// A row-major rows x cols matrix of numbers as T holds them.
template <typename T> struct Inputs {
  int rows, cols;
  std::vector<T> x, dy, weight;
  std::vector<float> mean, rstd;

  Inputs(int rows, int cols)
      : rows(rows), cols(cols), x(narrowed<T>(randomNormal(std::size_t(rows) * cols, 15))),
        dy(narrowed<T>(randomNormal(std::size_t(rows) * cols, 16))),
        weight(narrowed<T>(randomNormal(cols, 17))) {
    for (int r = 0; r < rows; ++r) {
      double average = 0, variance = 0;
      for (int c = 0; c < cols; ++c)
        average += at(x, r, c) / cols;
      for (int c = 0; c < cols; ++c)
        variance += (at(x, r, c) - average) * (at(x, r, c) - average) / cols;
      mean.push_back(float(average));
      rstd.push_back(float(1 / std::sqrt(variance + 1e-5)));
    }
  }
  double at(const std::vector<T> &values, int r, int c) const {
    return float(values[std::size_t(r) * cols + c]);
  }
};

struct Gradients {
  std::vector<double> dx, dweight, dbias;
};

template <typename T> Gradients reference(const Inputs<T> &in) {
  Gradients out;
  out.dweight.assign(in.cols, 0);
  out.dbias.assign(in.cols, 0);
  for (int r = 0; r < in.rows; ++r) {
    double mean = in.mean[r], rstd = in.rstd[r], both = 0, alone = 0;
    auto xhat = [&](int c) { return (in.at(in.x, r, c) - mean) * rstd; };
    auto wdy = [&](int c) { return float(in.weight[c]) * in.at(in.dy, r, c); };
    for (int c = 0; c < in.cols; ++c) {
      both += wdy(c) * xhat(c) / in.cols;
      alone += wdy(c) / in.cols;
      out.dweight[c] += in.at(in.dy, r, c) * xhat(c);
      out.dbias[c] += in.at(in.dy, r, c);
    }
    for (int c = 0; c < in.cols; ++c)
      out.dx.push_back((wdy(c) - alone - xhat(c) * both) * rstd);
  }
  return out;
}

template <typename T>
bool check(const tilert::Device &device, int rows, int cols, int programs, const char *type,
           double tolerance) {
  const Inputs<T> in(rows, cols);
  auto x = upload(device, in.x), dy = upload(device, in.dy), weight = upload(device, in.weight);
  auto mean = upload(device, in.mean), rstd = upload(device, in.rstd);
  auto dx = poisoned<T>(device, in.x.size());
  auto dweight = poisoned<T>(device, cols), dbias = poisoned<T>(device, cols);
  auto weightParts = poisoned<float>(device, std::size_t(programs) * cols);
  auto biasParts = poisoned<float>(device, std::size_t(programs) * cols);
  auto constant = [&](auto &buffer, auto... extents) {
    using Element = std::remove_reference_t<decltype(*buffer.data())>;
    return tilert::contiguous(static_cast<const Element *>(buffer.data()), {extents...});
  };
  require(examples::layernorm_backward(
      device.stream(), tilert::contiguous(dx.data(), {rows, cols}),
      tilert::contiguous(weightParts.data(), {programs, cols}),
      tilert::contiguous(biasParts.data(), {programs, cols}), constant(dy, rows, cols),
      constant(x, rows, cols), constant(weight, cols), constant(mean, rows), constant(rstd, rows)));
  require(examples::layernorm_parameters(
      device.stream(), tilert::contiguous(dweight.data(), {cols}),
      tilert::contiguous(dbias.data(), {cols}), constant(weightParts, programs, cols),
      constant(biasParts, programs, cols)));
  require(device.synchronize());

  const Gradients want = reference(in);
  double sums = tolerance * std::sqrt(double(rows)) * 4; // of as many rounded terms
  double error = std::max({worstError(widened(download(dx)), want.dx, tolerance, tolerance),
                           worstError(widened(download(dweight)), want.dweight, tolerance, sums),
                           worstError(widened(download(dbias)), want.dbias, tolerance, sums)});
  char what[64];
  std::snprintf(what, sizeof what, "%d x %d %s, %d programs", rows, cols, type, programs);
  return report(what, error <= 1, error);
}

} // namespace

int main(int argc, char **argv) {
  tilert::Device device = openDevice(argc, argv);
  bool passed = true;
  for (auto [rows, cols, programs] :
       {std::tuple(1, 1, 1), {5, 768, 8}, {70, 1000, 66}, {33, 4096, 4}}) {
    passed &= check<float>(device, rows, cols, programs, "f32", 1e-5);
    passed &= check<tilert::half>(device, rows, cols, programs, "f16", 2e-3);
    passed &= check<tilert::bfloat16>(device, rows, cols, programs, "bf16", 1.6e-2);
  }
  return passed ? 0 : 1;
}
