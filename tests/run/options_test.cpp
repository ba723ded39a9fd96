// One source, compiled several ways: exact for integers, within bounds for floats. Each way is a
// program of its own (CMakeLists.txt), so that its kernels are the only ones of their name.
#include "harness.hpp"
#include "options.tile.h"

using namespace test;

TEST_SUITE_BEGIN("options");

namespace {

template <typename F> void forEachWarpsAndStages(F f) {
  auto withWarps = [&]<int warps>() {
    f.template operator()<warps, 1>();
    f.template operator()<warps, 2>();
    f.template operator()<warps, 3>();
    f.template operator()<warps, 4>();
  };
  withWarps.template operator()<1>();
  withWarps.template operator()<2>();
  withWarps.template operator()<4>();
  withWarps.template operator()<8>();
}

std::vector<std::int32_t> mixedIntegers(const std::vector<std::int32_t> &x, int rows, int n) {
  std::vector<std::int32_t> want(rows * n + rows);
  for (int row = 0; row < rows; ++row) {
    std::uint32_t v[128], u[128], total = 0;
    for (int i = 0; i < 128; ++i)
      v[i] = i < n ? x[row * n + i] : 3;
    for (int a = 0; a < 8; ++a) {
      std::uint32_t sum = 0;
      std::int32_t most = INT32_MIN;
      for (int b = 0; b < 16; ++b) {
        sum += v[a * 16 + b];
        most = std::max(most, std::int32_t(v[a * 16 + b]));
      }
      for (int b = 0; b < 16; ++b)
        u[b * 8 + a] = v[a * 16 + b] ^ (sum * 2 + std::uint32_t(most));
    }
    int first = 0;
    for (int i = 0; i < 128; ++i) {
      u[i] += i * row;
      total += u[i];
      if (std::int32_t(v[i]) > std::int32_t(v[first]))
        first = i;
      if (i < n)
        want[row * n + i] = std::int32_t(u[i]);
    }
    want[rows * n + row] = std::int32_t(total - first);
  }
  return want;
}

} // namespace

TEST_CASE("integers agree over warps and stages") {
  for (auto [rows, n] : {std::pair(5, 128), {1, 3}, {3, 77}}) {
    auto x = randomValues<std::int32_t>(rows * n, 140);
    std::vector<std::int32_t> want = mixedIntegers(x, rows, n);
    forEachWarpsAndStages([&]<int warps, int stages>() {
      Guarded<std::int32_t> in(x), out(want.size());
      require(tiles::mixed_integers<warps, stages>(stream(), out, in, rows, n));
      checkSame(out.read(), want,
                std::to_string(warps) + " warps, " + std::to_string(stages) + " stages, " +
                    std::to_string(n));
    });
  }
}

TEST_CASE("floats agree within their bounds over warps and stages") {
  for (auto [rows, n] : {std::pair(2, 128), {1, 1}, {3, 77}, {1, 200}}) {
    std::vector<half> x = uniformValues<half>(rows * n, 141, 5);
    std::vector<double> want(rows * n);
    for (int row = 0; row < rows; ++row) {
      double sum = 0;
      for (int i = 0; i < n; ++i)
        sum += want[row * n + i] = std::exp(toDouble(x[row * n + i]));
      for (int i = 0; i < n; ++i)
        want[row * n + i] /= sum;
    }
    forEachWarpsAndStages([&]<int warps, int stages>() {
      Guarded<half> in(x);
      Guarded<float> out(want.size());
      require(tiles::mixed_floats<warps, stages>(stream(), out, in, rows, n));
      checkClose(out.read(), want, 2e-6, 0,
                 std::to_string(warps) + " warps, " + std::to_string(stages) + " stages");
    });
  }
}

TEST_CASE("windows agree over warps and stages") {
  for (auto [rows, columns] : {std::pair(1, 32), {8, 64}, {11, 100}, {16, 31}, {3, 0}}) {
    std::vector<float> x = uniformValues<float>(rows * columns, 143, 5);
    std::vector<float> want(rows * columns);
    for (int row = 0; row < rows; ++row)
      for (int i = 0; i < columns; ++i)
        want[row * columns + i] =
            x[row * columns + i] + (i < 32 ? 0 : want[row * columns + i - 32]);
    forEachWarpsAndStages([&]<int warps, int stages>() {
      Guarded<float> in(x), out(want.size());
      require(tiles::mixed_windows<warps, stages>(
          stream(), tilert::contiguous(out.data(), {rows, columns}),
          tilert::contiguous(static_cast<const float *>(in.data()), {rows, columns})));
      checkSame(out.read(), want,
                std::to_string(warps) + " warps, " + std::to_string(stages) + " stages");
    });
  }
}

TEST_CASE("products agree over warps and stages") {
  for (auto [rows, inner] : {std::pair(16, 32), {70, 94}, {5, 2}, {3, 160}}) {
    // Small integers: every sum is exact, in f16 too.
    auto small = [](int count, int seed) {
      std::vector<half> values(count);
      auto random = randomValues<std::uint8_t>(count, seed);
      for (int i = 0; i < count; ++i)
        values[i] = half(float(random[i] % 3) - 1);
      return values;
    };
    std::vector<half> a = small(rows * inner, 144), b = small(inner * 32, 145),
                      c = small(32 * 32, 146);
    std::vector<float> want(rows * 32);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < 32; ++j) {
        double sum = 0;
        for (int k = 0; k < inner; ++k)
          sum += toDouble(a[i * inner + k]) * toDouble(b[k * 32 + j]);
        for (int n = 0; n < 32; ++n)
          want[i * 32 + n] += float(sum * toDouble(c[j * 32 + n]));
      }
    auto run = [&]<int warps, int stages>() {
      Guarded<half> inA(a), inB(b), inC(c);
      Guarded<float> out(want.size());
      auto view = [](const half *data, int m, int n) { return tilert::contiguous(data, {m, n}); };
      require(tiles::mixed_products<warps, stages>(
          stream(), tilert::contiguous(out.data(), {rows, 32}), view(inA.data(), rows, inner),
          view(inB.data(), inner, 32), view(inC.data(), 32, 32)));
      checkSame(out.read(), want,
                std::to_string(warps) + " warps, " + std::to_string(stages) + " stages");
    };
    run.operator()<1, 1>();
    run.operator()<1, 3>();
    run.operator()<1, 4>();
    run.operator()<4, 1>();
    run.operator()<4, 3>();
    run.operator()<4, 4>();
  }
}

TEST_CASE("control flow agrees over warps and stages") {
  std::vector<double> x = uniformValues<double>(256, 142);
  auto run = [&]<int warps, int stages>() {
    for (int n : {0, 1, 9}) {
      Guarded<double> in(x), out(192);
      require(tiles::mixed_control<warps, stages>(stream(), out, in, n));
      std::vector<double> want(128), got = out.read();
      for (int i = 0; i < 128; ++i) {
        double v = x[i % 64];
        for (int k = 0; k < n; ++k)
          v = (k + i / 64) % 2 == 0 ? v + x[k % 4 * 64 + i % 64] : -v;
        want[i] = v * 0.5;
      }
      checkSame(part(got, 0, 128), want, std::to_string(warps) + " warps");
      CHECK_MESSAGE(bitsOf(got[128]) == kPoison<double>, "the third program returned early");
    }
  };
  run.operator()<1, 1>();
  run.operator()<4, 1>();
  run.operator()<1, 3>();
  run.operator()<4, 3>();
}

TEST_SUITE_END();
