// Alone: build/release/bin/run_tests --test-suite=products
#include "harness.hpp"
#include "products.tile.h"

using namespace test;

TEST_SUITE_BEGIN("products");

namespace {

/// Small whole numbers, so that every sum of products is exact in f32.
template <typename T> std::vector<T> wholeNumbers(std::size_t count, int seed) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] =
        nearest<T>(double(i * 7 + i / 5 + seed) - 9 * double((i * 7 + i / 5 + seed) / 9) - 4);
  return values;
}

template <int stages, bool turnedA, bool turnedB, int align> void checkProduct(int size) {
  int as = turnedA ? 72 : (size + 8) / 8 * 8, bs = turnedB ? (size + 8) / 8 * 8 : 72;
  if (align == 1)
    ++as, bs += 3;
  auto a = wholeNumbers<half>(std::size_t(turnedA ? size + 1 : 64) * as, 1);
  auto b = wholeNumbers<half>(std::size_t(turnedB ? 64 : size + 1) * bs, 5);
  Guarded<half> left(a), right(b);
  Guarded<float> out(64 * 64);
  require(
      tiles::product<stages, turnedA, turnedB, align>(stream(), out, left, right, size, as, bs));
  std::vector<float> want(64 * 64);
  for (int m = 0; m < 64; ++m)
    for (int n = 0; n < 64; ++n)
      for (int k = 0; k < size; ++k)
        want[m * 64 + n] += toDouble(a[turnedA ? k * as + m : m * as + k]) *
                            toDouble(b[turnedB ? n * bs + k : k * bs + n]);
  checkSame(out.read(), want,
            "size " + std::to_string(size) + ", stages " + std::to_string(stages));
}

template <bool turnedA, bool turnedB> void checkTransposition() {
  forEach<2, 4>([]<int stages>() {
    for (int size : {0, 8, 32, 64, 72, 200})
      checkProduct<stages, turnedA, turnedB, 8>(size);
    for (int size : {1, 31, 33, 130})
      checkProduct<stages, turnedA, turnedB, 1>(size);
  });
}

} // namespace

TEST_CASE("staged operands as they lie") {
  checkTransposition<false, false>();
}

TEST_CASE("staged operands, the left one transposed in memory") {
  checkTransposition<true, false>();
}

TEST_CASE("staged operands, the right one transposed in memory") {
  checkTransposition<false, true>();
}

TEST_CASE("staged operands, both transposed in memory") {
  checkTransposition<true, true>();
}

TEST_CASE("two products through one accumulator, trip counts around the stages") {
  forEach<2, 3, 5>([]<int stages>() {
    for (int trips = 0; trips <= stages + 2; ++trips) {
      auto a = wholeNumbers<half>(512 * 8, 2), b = wholeNumbers<half>(256 * 8, 3);
      auto d = wholeNumbers<std::int8_t>(256 * 8, 4);
      Guarded<half> left(a), right(b);
      Guarded<std::int8_t> bytes(d);
      Guarded<float> out(512);
      require(tiles::two_products<stages>(stream(), out, left, right, bytes, trips));
      std::vector<float> want(512);
      for (int t = 0; t < trips; ++t)
        for (int m = 0; m < 32; ++m)
          for (int n = 0; n < 16; ++n)
            for (int k = 0; k < 16; ++k)
              want[m * 16 + n] += toDouble(a[t * 512 + m * 16 + k]) *
                                  (toDouble(b[t * 256 + k * 16 + n]) + 2 * d[t * 256 + k * 16 + n]);
      checkSame(out.read(), want, std::to_string(trips) + " trips");
    }
  });
}

TEST_CASE("a product of a product over staged keys and values") {
  forEach<2, 3>([]<int stages>() {
    for (int n : {0, 1, 32, 33, 100, 160}) {
      auto q = wholeNumbers<half>(1024, 2), k = wholeNumbers<half>(160 * 32, 3),
           v = wholeNumbers<half>(160 * 32, 4);
      Guarded<half> query(q), keys(k), values(v);
      Guarded<float> out(1024 + 32);
      require(tiles::chained<stages>(stream(), out, query, keys, values, n));
      std::vector<float> want(1024 + 32);
      for (int row = 0; row < 32; ++row) {
        float largest = -1e30f;
        for (int key = 0; key < (n + 31) / 32 * 32; ++key) {
          float score = 0;
          for (int i = 0; i < 32 && key < n; ++i)
            score += toDouble(q[row * 32 + i]) * toDouble(k[key * 32 + i]);
          largest = std::max(largest, score);
          for (int i = 0; i < 32 && key < n; ++i)
            want[row * 32 + i] += score * toDouble(v[key * 32 + i]);
        }
        want[1024 + row] = largest;
      }
      checkSame(out.read(), want, std::to_string(n) + " keys");
    }
  });
}

TEST_SUITE_END();
