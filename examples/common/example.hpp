// What the examples share: opening a device, failing with a message, random data, comparing with a
// double-precision reference.
#pragma once

#include "tilert/tilert.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace example {

/// Ends the program with the status's text when it is a failure.
inline void require(const tilert::Status &status) {
  if (status)
    return;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  std::exit(1);
}

/// The device named by the first argument ("host", "cuda", ...), else a GPU or the host.
inline tilert::Device openDevice(int argc, char **argv) {
  tilert::Device device;
  require(tilert::Device::open(argc > 1 ? argv[1] : "auto", device));
  std::printf("device: %s\n", device.name().c_str());
  return device;
}

template <typename T>
tilert::Buffer<T> upload(const tilert::Device &device, const std::vector<T> &values) {
  tilert::Buffer<T> buffer;
  require(tilert::Buffer<T>::from(device, values, buffer));
  return buffer;
}

/// Memory filled with 0xA5: what a kernel does not write shows.
template <typename T> tilert::Buffer<T> poisoned(const tilert::Device &device, std::size_t count) {
  tilert::Buffer<T> buffer;
  require(tilert::Buffer<T>::allocate(device, count, buffer));
  require(buffer.fill(0xA5));
  return buffer;
}

template <typename T> std::vector<T> download(const tilert::Buffer<T> &buffer) {
  std::vector<T> values;
  require(buffer.copyOut(values));
  return values;
}

/// Normally distributed values, the same every run.
inline std::vector<float> randomNormal(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(generator);
  return values;
}

/// The values as T holds them, and as floats again.
template <typename T> std::vector<T> narrowed(const std::vector<float> &values) {
  std::vector<T> result;
  for (float value : values)
    result.push_back(T(value));
  return result;
}
template <typename T> std::vector<float> widened(const std::vector<T> &values) {
  std::vector<float> result;
  for (T value : values)
    result.push_back(float(value));
  return result;
}

/// Largest |got - want| / (absolute + relative * |want|): at most 1 is within tolerance. NaN where
/// none is wanted counts as infinite.
inline double worstError(const std::vector<float> &got, const std::vector<double> &want,
                         double relative, double absolute) {
  double worst = got.size() == want.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    double error = std::fabs(got[i] - want[i]) / (absolute + relative * std::fabs(want[i]));
    worst = error <= worst ? worst : std::isnan(error) ? INFINITY : error;
  }
  return worst;
}

/// One line of the result table; returns whether it passed.
inline bool report(const char *what, bool passed, double error) {
  std::printf("  %-34s %-6s error / tolerance %.3f\n", what, passed ? "ok" : "FAILED", error);
  return passed;
}

} // namespace example
