// What the attention examples share: a double-precision reference, and its inputs.
#pragma once

#include "common/example.hpp"

namespace example {

struct AttentionShape {
  std::int64_t heads, queries, keys, width;
  bool causal = false;
};

/// Row-major q, k, v: [heads, length, width].
template <typename T> struct AttentionInputs {
  AttentionShape shape;
  std::vector<T> q, k, v;
  float scale;

  explicit AttentionInputs(const AttentionShape &shape)
      : shape(shape), q(random(shape.queries, 41)), k(random(shape.keys, 42)),
        v(random(shape.keys, 43)), scale(float(1 / std::sqrt(double(shape.width)))) {}

private:
  std::vector<T> random(std::int64_t length, unsigned seed) const {
    return narrowed<T>(randomNormal(std::size_t(shape.heads * length * shape.width), seed));
  }
};

struct AttentionResult {
  std::vector<double> out;       ///< [heads, queries, width]
  std::vector<double> logSumExp; ///< [heads, queries]
};

template <typename T> AttentionResult attentionReference(const AttentionInputs<T> &in) {
  const auto [heads, queries, keys, width, causal] = in.shape;
  AttentionResult result;
  std::vector<double> weights(std::size_t(keys), 0.0);
  for (std::int64_t head = 0; head < heads; ++head)
    for (std::int64_t row = 0; row < queries; ++row) {
      const std::int64_t seen = causal ? std::min(keys, row + 1) : keys;
      double largest = -INFINITY, total = 0;
      for (std::int64_t key = 0; key < seen; ++key) {
        double score = 0;
        for (std::int64_t i = 0; i < width; ++i)
          score += double(float(in.q[std::size_t((head * queries + row) * width + i)])) *
                   double(float(in.k[std::size_t((head * keys + key) * width + i)]));
        weights[std::size_t(key)] = score * double(in.scale);
        largest = std::max(largest, weights[std::size_t(key)]);
      }
      for (std::int64_t key = 0; key < seen; ++key)
        total += weights[std::size_t(key)] = std::exp(weights[std::size_t(key)] - largest);
      for (std::int64_t i = 0; i < width; ++i) {
        double sum = 0;
        for (std::int64_t key = 0; key < seen; ++key)
          sum += weights[std::size_t(key)] / total *
                 double(float(in.v[std::size_t((head * keys + key) * width + i)]));
        result.out.push_back(sum);
      }
      result.logSumExp.push_back(largest + std::log(total));
    }
  return result;
}

template <typename T>
tilert::View<const T, 3> attentionView(const tilert::Buffer<T> &memory, std::int64_t heads,
                                       std::int64_t length, std::int64_t width) {
  return tilert::contiguous(static_cast<const T *>(memory.data()), {heads, length, width});
}

} // namespace example
