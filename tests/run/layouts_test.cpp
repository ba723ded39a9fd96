// Data movement between layouts: every element where row-major order puts it.
#include "harness.hpp"
#include "layouts.tile.h"

#include <array>
#include <numeric>

using namespace test;

TEST_SUITE_BEGIN("layouts");

namespace {

/// Row-major `x` of `shape` with its dimensions in `order`, row-major again.
template <typename T>
std::vector<T> permuted(const std::vector<T> &x, const std::vector<int> &shape,
                        const std::vector<int> &order) {
  std::vector<T> result;
  std::vector<int> index(shape.size());
  for (std::size_t n = 0; n < x.size(); ++n) {
    int flat = 0;
    std::vector<int> source(shape.size());
    for (std::size_t d = 0; d < order.size(); ++d)
      source[order[d]] = index[d];
    for (std::size_t d = 0; d < shape.size(); ++d)
      flat = flat * shape[d] + source[d];
    result.push_back(x[flat]);
    for (std::size_t d = order.size(); d-- > 0;) {
      if (++index[d] < shape[order[d]])
        break;
      index[d] = 0;
    }
  }
  return result;
}

template <typename T> std::vector<Stored<T>> bits(std::size_t count, unsigned seed) {
  if constexpr (std::is_same_v<T, bool>)
    return randomValues<bool>(count, seed);
  else
    return uniformValues<T>(count, seed, 100);
}

} // namespace

TEST_CASE_TEMPLATE("transposition from 1 x 1 to 64 x 32, of every element size", T, bool,
                   std::uint8_t, std::int16_t, half, float, std::int64_t, double) {
  auto run = []<int m, int n>() {
    auto x = bits<T>(m * n, 110);
    Guarded<T> in(x), out(m * n);
    require(tiles::transposed<m, n>(stream(), out, in));
    checkSame(out.read(), permuted(x, {m, n}, {1, 0}),
              std::to_string(m) + " x " + std::to_string(n));
  };
  auto withRows = [&]<int m>() {
    run.template operator()<m, 1>();
    run.template operator()<m, 8>();
    run.template operator()<m, 32>();
  };
  withRows.template operator()<1>();
  withRows.template operator()<4>();
  withRows.template operator()<64>();
}

TEST_CASE("every order of three dimensions") {
  std::vector<std::int32_t> x = iota<std::int32_t>(1024);
  auto check = [&]<int order>(const std::vector<int> &dims) {
    Guarded<std::int32_t> in(x), out(1024);
    require(tiles::permuted_3<order>(stream(), out, in));
    checkSame(out.read(), permuted(x, {8, 4, 32}, dims), "order " + std::to_string(order));
  };
  check.operator()<0>({0, 1, 2});
  check.operator()<1>({0, 2, 1});
  check.operator()<2>({1, 0, 2});
  check.operator()<3>({1, 2, 0});
  check.operator()<4>({2, 0, 1});
  check.operator()<5>({2, 1, 0});
}

TEST_CASE_TEMPLATE("rank 5, reshaped and permuted again, on 1 to 8 warps", T, bool, std::uint8_t,
                   half, std::int32_t, double) {
  auto x = bits<T>(2048, 111);
  auto want = permuted(permuted(x, {4, 2, 16, 1, 16}, {4, 0, 3, 2, 1}), {8, 8, 32}, {2, 0, 1});
  auto run = [&]<int warps>() {
    Guarded<T> in(x), out(2048);
    require(tiles::permuted_5<warps>(stream(), out, in));
    checkSame(out.read(), want, std::to_string(warps) + " warps");
  };
  run.template operator()<1>();
  run.template operator()<4>();
  run.template operator()<8>();
}

TEST_CASE_TEMPLATE("there and back is the identity", T, std::uint8_t, bfloat16, float, double) {
  auto x = bits<T>(1024, 112);
  Guarded<T> in(x), out(3072);
  require(tiles::round_trips(stream(), out, in));
  auto got = out.read();
  checkSame(part(got, 0, 1024), x, "transposed twice");
  checkSame(part(got, 1, 1024), x, "reshaped between");
  checkSame(part(got, 2, 1024), x, "permuted at rank 4");
}

TEST_CASE("broadcasting of rows and columns") {
  auto x = randomValues<std::int32_t>(16, 113), y = randomValues<std::int32_t>(32, 114);
  Guarded<std::int32_t> a(x), b(y), out(5 * 512);
  require(tiles::outer_products(stream(), out, a, b));
  std::vector<std::int32_t> want(5 * 512);
  for (int r = 0; r < 16; ++r)
    for (int c = 0; c < 32; ++c) {
      std::uint32_t v = x[r], w = y[c];
      int i = r * 32 + c;
      want[i] = std::int32_t(v * w);
      want[512 + i] = std::int32_t(v - w);
      want[1024 + i] = x[r];
      want[1536 + i] = y[c];
      want[2048 + i] = std::int32_t(w * 3 + v);
    }
  checkSame(out.read(), want, "broadcast");
}

TEST_CASE("broadcasting of three dimensions") {
  auto x = randomValues<std::int32_t>(28, 115);
  Guarded<std::int32_t> in(x), out(1024);
  require(tiles::three_ways(stream(), out, in));
  std::vector<std::int32_t> want(1024);
  for (int i = 0; i < 512; ++i) {
    std::uint32_t a = x[i / 128], b = x[4 + i / 16 % 8], c = x[12 + i % 16];
    want[i] = std::int32_t(a * b + c);
    want[512 + i] = std::int32_t(a - b * c);
  }
  checkSame(out.read(), want, "three");
}

TEST_CASE("dimensions of size 1, and tiles of one element") {
  std::vector<float> x = iota<float>(16, 1);
  Guarded<float> in(x), out(58);
  require(tiles::ones(stream(), out, in));
  std::vector<float> want = x;
  want.insert(want.end(), x.begin(), x.end());
  want.push_back(8);
  want.insert(want.end(), 9, 4);
  for (float v : x)
    want.push_back(v + 4);
  checkSame(out.read(), want, "ones");
}

TEST_CASE("tiles of bool change their layout") {
  auto x = randomValues<std::int32_t>(1024, 116);
  Guarded<std::int32_t> in(x), counts(32);
  Guarded<bool> out(3072);
  require(tiles::bool_tiles(stream(), out, counts, in));
  std::vector<std::uint8_t> want(3072);
  std::vector<std::int32_t> wantCounts(32);
  for (int r = 0; r < 32; ++r)
    for (int c = 0; c < 32; ++c) {
      bool less = x[r * 32 + c] < x[c * 32 + r];
      want[r * 32 + c] = less;
      want[1024 + c * 32 + r] = less;
      want[2048 + r * 32 + c] = less; // never both ways
      wantCounts[r] += less;
    }
  checkSame(out.read(), want, "less");
  checkSame(counts.read(), wantCounts, "counts");
}

TEST_CASE("layouts that change in loops and branches") {
  std::vector<float> x = iota<float>(512);
  for (int n : {0, 1, 2, 5}) {
    Guarded<float> in(x), out(512);
    require(tiles::through_regions(stream(), out, in, n));
    std::vector<float> want = x;
    for (int k = 0; k < n; ++k) {
      want = permuted(want, {16, 32}, {1, 0});
      for (float &v : want)
        v += 1;
    }
    if (n > 1)
      want = permuted(want, {4, 4, 32}, {1, 0, 2});
    checkSame(out.read(), want, "n = " + std::to_string(n));
  }
}

TEST_CASE("a conversion stays in its branch") {
  std::vector<float> x = iota<float>(512);
  for (bool flag : {false, true}) {
    Guarded<float> in(x), out(512);
    require(tiles::in_one_branch(stream(), out, in, flag));
    std::vector<float> want = flag ? permuted(x, {16, 32}, {1, 0}) : x;
    for (float &v : want)
      v *= flag ? 2 : 1;
    checkSame(out.read(), want, "flag");
  }
}

TEST_CASE("tiles of pointers are transposed") {
  std::vector<float> x = iota<float>(512);
  Guarded<float> in(x), out(1024);
  require(tiles::pointer_tiles(stream(), out, in));
  auto want = permuted(x, {16, 32}, {1, 0});
  checkSame(part(out.read(), 0, 512), want, "data");
  checkSame(part(out.read(), 1, 512), want, "pointers");
}

TEST_CASE("what a loop carries has one layout, whatever leads there") {
  std::vector<std::int32_t> x = iota<std::int32_t>(32, 5);
  for (int n : {0, 1, 4}) {
    Guarded<std::int32_t> in(x), out(33);
    require(tiles::carried_between_layouts(stream(), out, in, n));
    std::vector<std::int32_t> u = permuted(x, {2, 16}, {1, 0});
    std::int32_t total = 0;
    for (int i = 0; i < 32; ++i) {
      u[i] = n == 1 ? 2 * u[i] : x[i] + std::accumulate(x.begin(), x.end(), 0);
      u[i] += x[i] * (n * (n - 1) / 2);
      total += u[i] + x[i];
    }
    u.insert(u.begin(), total);
    checkSame(out.read(), u, "n = " + std::to_string(n));
  }
}

TEST_CASE("what all warps hold becomes each warp's part") {
  std::vector<std::int32_t> x(256), a(256);
  for (int i = 0; i < 256; ++i) {
    x[i] = i * 37 % 201 - 100;
    a[i] = x[i] > x[i] * 5 ? x[i] + 1 : x[i] >> 1;
  }
  for (int n : {0, 1}) {
    Guarded<std::int32_t> in(x), out(1);
    require(tiles::replicas_to_parts(stream(), out, in, n));
    std::int32_t total = 0, sum = std::accumulate(a.begin(), a.end(), 0);
    for (int i = 0; i < 256; ++i) {
      int largest = 0;
      for (int k = 1; k < 4; ++k) // -6 x is largest where x is smallest
        largest = x[k * 64 + i % 64] < x[largest * 64 + i % 64] ? k : largest;
      total += (n == 1 ? 2 * a[i] : a[i] + sum) - (largest ^ (-6 * x[i])) * 7;
    }
    checkSame(out.read(), {total}, "n = " + std::to_string(n));
  }
}

TEST_SUITE_END();
