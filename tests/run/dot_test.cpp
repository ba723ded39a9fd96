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
    value = static_cast<T>(static_cast<float>(random() % 8) - (std::is_unsigned_v<T> ? 0 : 3));
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

namespace {

template <typename T> std::vector<T> transposed(const std::vector<T> &x, int rows, int columns) {
  std::vector<T> result;
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < rows; ++row)
      result.push_back(x[row * columns + column]);
  return result;
}

/// Runs a kernel of 32 x 64 times 64 x 16 with both operands as they are, turned as tiles, and
/// turned as addresses.
template <typename T, typename R, typename Kernel>
void checkTranspositions(Kernel kernel, const std::string &what) {
  auto a = wholeNumbers<T>(32 * 64, 1), b = wholeNumbers<T>(64 * 16, 2);
  auto c = wholeNumbers<R>(32 * 16, 3);
  std::vector<double> want = product(a, b, c, 32, 16, 64);
  for (int left = 0; left < 3; ++left)
    for (int right : {left, (left + 1) % 3}) {
      Guarded<T> first(left ? transposed(a, 32, 64) : a), second(right ? transposed(b, 64, 16) : b);
      Guarded<R> sums(c), out(32 * 16);
      require(kernel(out, first, second, sums, left, right));
      checkClose(out.read(), want, 0, 0,
                 what + ", operands " + std::to_string(left) + " and " + std::to_string(right));
    }
}

} // namespace

TEST_CASE_TEMPLATE("dots into f32, each operand transposed in each way", T, half, bfloat16, float) {
  checkTranspositions<T, float>(
      [](auto &...arguments) { return tiles::dot_into_f32(stream(), arguments...); }, "into f32");
}

TEST_CASE_TEMPLATE("dots into i32, each operand transposed in each way", T, std::int8_t,
                   std::uint8_t) {
  checkTranspositions<T, std::int32_t>(
      [](auto &...arguments) { return tiles::dot_into_i32(stream(), arguments...); }, "into i32");
}

TEST_CASE_TEMPLATE("dots into the operands' type, each transposed in each way", T, half, float,
                   double) {
  checkTranspositions<T, T>(
      [](auto &...arguments) { return tiles::dot_into_own(stream(), arguments...); }, "into T");
}

namespace {

struct Precisions {
  std::vector<float> tf32, tf32x3, ieee;
};

Precisions runPrecisions(const std::vector<float> &a, const std::vector<float> &b, int m, int n,
                         int k) {
  Guarded<float> left(a), right(b), tf32(m * n), tf32x3(m * n), ieee(m * n);
  require(tiles::dot_precisions(stream(), tf32, tf32x3, ieee, left, right, m, n, k));
  return {tf32.read(), tf32x3.read(), ieee.read()};
}

/// |a| x |b|: what rounding errors are relative to.
std::vector<double> magnitudes(std::vector<float> a, std::vector<float> b, int m, int n, int k) {
  for (auto *values : {&a, &b})
    for (float &value : *values)
      value = std::fabs(value);
  return product(a, b, std::vector<float>(m * n), m, n, k);
}

void checkRelative(const std::vector<float> &got, const std::vector<double> &want,
                   const std::vector<double> &scale, double error, const std::string &what) {
  compare(got, want, what,
          [&](std::size_t i) { return std::fabs(got[i] - want[i]) <= error * scale[i]; });
}

} // namespace

TEST_CASE("dots of f32 are as precise as they say") {
  for (int m : {1, 16})
    for (int n : {4, 32})
      for (int k : {2, 64}) {
        auto a = uniformValues<float>(m * k, 1, 4), b = uniformValues<float>(k * n, 2, 4);
        auto want = product(a, b, std::vector<float>(m * n), m, n, k);
        auto scale = magnitudes(a, b, m, n, k);
        Precisions got = runPrecisions(a, b, m, n, k);
        checkRelative(got.tf32, want, scale, std::ldexp(1, -10), "tf32");
        checkRelative(got.tf32x3, want, scale, std::ldexp(1, -19), "tf32x3");
        checkRelative(got.ieee, want, scale, std::ldexp(k, -24), "ieee");
      }
}

TEST_CASE("dots of f32 pass infinities and NaN on, and only those") {
  constexpr int m = 16, n = 32, k = 64;
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> a(m * k, 1.5f), b(k * n, 0.25f);
  a[3 * k + 5] = infinity;
  a[4 * k + 7] = -infinity;
  a[6 * k + 1] = std::numeric_limits<float>::quiet_NaN();
  b[9 * n + 2] = infinity;
  b[5 * n + 11] = infinity; // meets the one of row 3
  b[1 * n + 13] = 0;
  auto want = product(a, b, std::vector<float>(m * n), m, n, k);
  Precisions got = runPrecisions(a, b, m, n, k);
  checkClose(got.tf32, want, 0, 0, "tf32");
  checkClose(got.tf32x3, want, 0, 0, "tf32x3");
  checkClose(got.ieee, want, 0, 0, "ieee");
}

TEST_CASE("dots smaller than an instruction keep infinities out of other results") {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> a = {infinity, 2}, b = {1, 2, -1, 3, infinity, 1, 1, 1};
  auto want = product(a, b, std::vector<float>(4), 1, 4, 2);
  Precisions got = runPrecisions(a, b, 1, 4, 2);
  checkClose(got.tf32, want, 0, 0, "tf32");
  checkClose(got.tf32x3, want, 0, 0, "tf32x3");
  checkClose(got.ieee, want, 0, 0, "ieee");
}

TEST_CASE_TEMPLATE("batches of dots", T, half, float) {
  for (int batch : {2, 8})
    for (auto [m, warps] : {std::pair(2, 1), std::pair(2, 8), std::pair(32, 8)}) {
      auto a = wholeNumbers<T>(batch * m * 16, 1), b = wholeNumbers<T>(batch * 16 * 8, 2);
      std::vector<double> want;
      for (int i = 0; i < batch; ++i) {
        auto one =
            product(part(a, i, m * 16), part(b, i, 16 * 8), std::vector<float>(m * 8), m, 8, 16);
        want.insert(want.end(), one.begin(), one.end());
      }
      Guarded<T> left(a), right(b);
      Guarded<float> out(batch * m * 8);
      require(tiles::dot_batches(stream(), out, left, right, batch, m, warps));
      checkClose(out.read(), want, 0, 0,
                 std::to_string(batch) + " of " + std::to_string(m) + " rows");
    }
}

TEST_CASE("dots accumulate in a loop, with an epilogue, for every number of warps") {
  constexpr int m = 70, n = 50, k = 192; // 50 columns: rows start unaligned
  auto a = wholeNumbers<half>(m * k, 1), b = wholeNumbers<half>(k * n, 2);
  auto bias = wholeNumbers<float>(n, 3);
  std::vector<double> want = product(a, b, std::vector<float>(m * n), m, n, k);
  for (int i = 0; i < m * n; ++i)
    want[i] = std::max(want[i] + bias[i % n], 0.0);
  Guarded<half> left(a), right(b);
  Guarded<float> shift(bias);
  for (int rows : {16, 64})
    for (int warps : {1, 2, 4, 8}) {
      Guarded<half> out(m * n);
      require(tiles::dot_in_loop(stream(), out, left, right, shift, m, n, k, rows, warps));
      checkUlps(out.read(), want, 0.5, std::to_string(warps) + " warps");
    }
}

namespace {

/// softmax(q x k^T) x v in double.
template <typename T>
std::vector<double> attention(const std::vector<T> &q, const std::vector<T> &k,
                              const std::vector<T> &v, int rows, int keys, int d) {
  auto s = product(q, transposed(k, keys, d), std::vector<float>(rows * keys), rows, keys, d);
  std::vector<double> result(rows * d);
  for (int row = 0; row < rows; ++row) {
    double total = 0;
    for (int key = 0; key < keys; ++key) {
      double p = std::exp2(s[row * keys + key]);
      total += p;
      for (int i = 0; i < d; ++i)
        result[row * d + i] += p * toDouble(v[key * d + i]);
    }
    for (int i = 0; i < d; ++i)
      result[row * d + i] /= total;
  }
  return result;
}

} // namespace

TEST_CASE_TEMPLATE("chained dots share rows: attention", T, half, bfloat16) {
  constexpr int keys = 96;
  struct Size {
    int rows, d, warps;
  };
  // The last has more than registers hold: q waits in shared memory.
  for (auto [rows, d, warps] :
       {Size{64, 32, 1}, Size{64, 32, 4}, Size{64, 32, 8}, Size{16, 32, 4}, Size{128, 128, 4}}) {
    auto q = uniformValues<T>(rows * d, 1, 0.5), k = uniformValues<T>(keys * d, 2, 0.5);
    auto v = uniformValues<T>(keys * d, 3, 1);
    Guarded<T> query(q), key(k), value(v);
    Guarded<float> out(rows * d);
    require(tiles::dot_chain(stream(), out, query, key, value, keys, d, rows, warps));
    checkClose(out.read(), attention(q, k, v, rows, keys, d), 0,
               4 * std::ldexp(1, -Format<T>::fraction),
               std::to_string(rows) + " rows, " + std::to_string(warps) + " warps");
  }
}

TEST_CASE("results of dots as either operand of another") {
  auto a = wholeNumbers<half>(32 * 32, 1), b = wholeNumbers<half>(32 * 32, 2);
  auto bytes = wholeNumbers<std::int8_t>(32 * 32, 3);
  std::vector<float> none(32 * 32);
  auto first = product(a, b, none, 32, 32, 32);
  std::vector<double> left = product(first, mapped<double>(b, toDouble<half>), none, 32, 32, 32);
  std::vector<double> right = product(mapped<double>(a, toDouble<half>), first, none, 32, 32, 32);
  std::vector<double> square = product(bytes, bytes, none, 32, 32, 32), masked;
  for (double value : square)
    masked.push_back(static_cast<int>(value) & 63);
  auto words = product(masked, mapped<double>(bytes, toDouble<std::int8_t>), none, 32, 32, 32);
  for (int warps : {1, 4}) {
    Guarded<half> x(a), y(b);
    Guarded<std::int8_t> z(bytes);
    Guarded<float> out(32 * 32);
    Guarded<std::int32_t> integers(32 * 32);
    require(tiles::dot_of_dot(stream(), out, integers, x, y, z, warps));
    checkClose(out.read(), mapped<double>(left, right, std::plus<>()), 0, 0, "halves");
    checkClose(integers.read(), words, 0, 0, "bytes");
  }
}

TEST_CASE_TEMPLATE("sums of bytes that no f32 holds", T, std::int8_t, std::uint8_t) {
  constexpr int k = 64 * 24;
  const T most = std::numeric_limits<T>::max();
  std::vector<T> a(16 * k, most), b(k * 16, most);
  a[5] = 1; // an odd sum above 2^24
  auto want = product(a, b, std::vector<float>(16 * 16), 16, 16, k);
  Guarded<T> left(a), right(b);
  Guarded<std::int32_t> out(16 * 16);
  require(tiles::dot_large_sums(stream(), out, left, right, k));
  REQUIRE(want[0] > std::ldexp(1, 24));
  checkClose(out.read(), want, 0, 0, "large sums");
}
