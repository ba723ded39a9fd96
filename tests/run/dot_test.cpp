// Products of matrices against sums in double. Alone: run_tests --test-suite=dot
#include "dot.tile.h"
#include "harness.hpp"

using namespace test;

TEST_SUITE_BEGIN("dot");

namespace {

/// Small whole numbers, so that products and sums are exact in every type.
template <typename T> std::vector<T> wholeNumbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = exactly<T>(static_cast<double>(random() % 8) - (std::is_unsigned_v<T> ? 0 : 3));
  return values;
}

/// c + a x b, row-major: m x k times k x n.
template <typename T, typename R>
std::vector<double> product(const std::vector<T> &a, const std::vector<T> &b,
                            const std::vector<R> &c, int m, int n, int k) {
  std::vector<double> result;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = toDouble(c[row * n + column]);
      for (int i = 0; i < k; ++i)
        sum += toDouble(a[row * k + i]) * toDouble(b[i * n + column]);
      result.push_back(sum);
    }
  return result;
}

} // namespace

TEST_CASE("dots of every pair of sizes from 1 to 64") {
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) {
      int l = (14 * 7 - 3 * i - 2 * j) % 7, m = 1 << i, n = 1 << j, k = 1 << l;
      auto a = wholeNumbers<half>(m * k, 1), b = wholeNumbers<half>(k * n, 2);
      auto c = wholeNumbers<float>(m * n, 3);
      Guarded<half> left(a), right(b);
      Guarded<float> sums(c), out(m * n);
      require(tiles::dot_shapes(stream(), out, left, right, sums, i, j, 1 << (i + 2 * j) % 4));
      checkClose(out.read(), product(a, b, c, m, n, k), 0, 0,
                 std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k));
    }
}
