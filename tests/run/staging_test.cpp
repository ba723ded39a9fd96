// Alone: build/release/bin/run_staged --test-suite=staging (and run_tests: without shared memory)
#include "harness.hpp"
#include "staging.tile.h"

using namespace test;

TEST_SUITE_BEGIN("staging");

namespace {

template <typename T, int stages, int align> void checkBlocks(int blocks, int stride) {
  int n = blocks * 16;
  std::vector<T> x(std::size_t(32) * stride + n + 1);
  std::vector<double> values(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    values[i] = double(i * 7 % 11) - 5;
    x[i] = nearest<T>(values[i]);
  }
  Guarded<T> in(x), out(512);
  require(tiles::blocks<stages, align>(stream(), out, in, n, stride));
  std::vector<double> want(512);
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < n; ++column)
      want[row + column % 16 * 32] += values[std::size_t(row) * stride + column];
  checkClose(out.read(), want, 0, 0,
             std::to_string(blocks) + " blocks, stride " + std::to_string(stride));
}

std::vector<std::int32_t> numbers(std::size_t count) {
  return randomValues<std::int32_t>(count, 77);
}

std::int32_t wrapped(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint64_t>(value));
}

} // namespace

TEST_CASE_TEMPLATE("blocks of every element size, copied as widely as the stride allows", T,
                   std::int8_t, std::int16_t, half, float, double) {
  forEach<2, 4>([]<int stages>() {
    for (int blocks : {0, 1, 2, 3, 6}) {
      checkBlocks<T, stages, 16>(blocks, 160);
      checkBlocks<T, stages, 4>(blocks, 100);
      checkBlocks<T, stages, 2>(blocks, 98);
      checkBlocks<T, stages, 1>(blocks, 97);
    }
  });
}

TEST_CASE("masked tails read 0 or what the load says") {
  forEach<2, 3, 4>([]<int stages>() {
    for (int n : {0, 1, 3, 127, 128, 129, 300, 640}) {
      auto x = numbers(std::max(n, 1));
      Guarded<std::int32_t> in(x), out(128);
      require(tiles::tails<stages>(stream(), out, in, n));
      std::vector<std::int32_t> want(128);
      for (int i = 0; i < (n + 127) / 128 * 128; ++i)
        want[i % 128] = wrapped(std::int64_t(want[i % 128]) + (i < n ? std::int64_t(x[i]) * 3 : 7));
      checkSame(out.read(), want, std::to_string(n) + " elements");
    }
  });
}

TEST_CASE("induction variables at the end of their range") {
  auto run = []<int stages, int step>(int trips) {
    auto x = numbers(64 * 8);
    Guarded<std::int32_t> in(x), out(64);
    require(tiles::last_numbers<stages, step>(stream(), out, in, trips));
    std::vector<std::int32_t> want(64);
    for (int k = 0; k < trips; ++k)
      for (int lane = 0; lane < 64; ++lane)
        want[lane] = wrapped(std::int64_t(want[lane]) * 3 + x[k * 64 + lane]);
    checkSame(out.read(), want, std::to_string(trips) + " trips");
  };
  forEach<2, 4>([&]<int stages>() {
    for (int trips : {0, 1, 2, 3, 4, 6})
      run.operator()<stages, 1>(trips);
    for (int trips : {0, 1, 2, 3})
      run.operator()<stages, 1000000000>(trips);
  });
}

TEST_CASE("rings of two loops and the scratch of reductions") {
  forEach<2, 3>([]<int stages>() {
    for (auto [n, m] : {std::pair(0, 0), {1, 9}, {2, 1}, {5, 20}}) {
      auto x = numbers(512 * 5);
      Guarded<std::int32_t> in(x), out(4);
      require(tiles::one_after_another<stages>(stream(), out, in, n, m));
      std::int64_t total = 0;
      std::int32_t largest = 0;
      for (int i = 0; i < 512 * n; ++i)
        total += x[i];
      for (int i = 0; i < 128 * m; ++i)
        largest = std::max(largest, x[i]);
      checkSame(out.read(), {wrapped(total), largest, wrapped(total), largest},
                std::to_string(n) + " and " + std::to_string(m) + " trips");
    }
  });
}

TEST_CASE("a staged load used behind a loop and a reduction") {
  forEach<2, 3, 4>([]<int stages>() {
    for (int n : {0, 1, 2, 3, 7}) {
      auto x = numbers(256 * 7), y = numbers(256 * 7);
      Guarded<std::int32_t> a(x), b(y), out(256);
      require(tiles::late<stages>(stream(), out, a, b, n));
      std::vector<std::int32_t> want(256);
      for (int k = 0; k < n; ++k) {
        std::int64_t inner = 0;
        for (int i = 0; i < 256 * k; ++i)
          inner += y[i];
        for (int lane = 0; lane < 256; ++lane)
          want[lane] =
              wrapped(want[lane] + std::int64_t(x[k * 256 + lane]) * (wrapped(inner) % 17 + 1));
      }
      checkSame(out.read(), want, std::to_string(n) + " trips");
    }
  });
}

TEST_CASE("staged loads on both sides of a branch") {
  forEach<2, 3, 4>([]<int stages>() {
    for (int n : {0, 1, 2, 3, 4, 5, 9}) {
      auto x = numbers(128 * 9), y = numbers(128 * 9);
      Guarded<std::int32_t> a(x), b(y), out(128);
      require(tiles::branch_loads<stages>(stream(), out, a, b, n));
      std::vector<std::int32_t> want(128);
      for (int k = 0, moved = 0; k < n; moved += k % 3 != 0, ++k)
        for (int lane = 0; lane < 128; ++lane)
          want[lane] = wrapped(want[lane] + (k % 3 == 0 ? std::int64_t(x[k * 128 + lane])
                                                        : std::int64_t(y[moved * 128 + lane]) * 5));
      checkSame(out.read(), want, std::to_string(n) + " trips");
    }
  });
}

TEST_CASE("divisions for iterations that do not run") {
  forEach<2, 3, 4>([]<int stages>() {
    auto x = numbers(128 * 16);
    for (int start : {INT32_MIN, -77, 0, 1000})
      for (int n : {0, 1, 2, 3, 4, 5, 9}) {
        Guarded<std::int32_t> in(x), out(128);
        require(tiles::divided<stages>(stream(), out, in, start, n));
        std::vector<std::int32_t> want(128);
        for (int k = 0; k < n; ++k) {
          int row = k % 2 == 1 ? (start + k) % (n - k) : start / (n - k) % 8;
          for (int lane = 0; lane < 128; ++lane)
            want[lane] = wrapped(want[lane] * std::int64_t(3) +
                                 x[std::abs(row) * 128 + std::abs((start + lane) / (n - k) % 128)]);
        }
        checkSame(out.read(), want, std::to_string(n) + " trips from " + std::to_string(start));
      }
  });
}

TEST_SUITE_END();
