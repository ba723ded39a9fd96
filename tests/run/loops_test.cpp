// Loops and stages against loops in C++.
#include "harness.hpp"
#include "loops.tile.h"

using namespace test;

TEST_SUITE_BEGIN("loops");

namespace {

/// Runs trips<step, stages> and checks the log and the weighted sums.
template <int step, int stages> void checkTrips(std::int64_t lo, std::int64_t hi) {
  std::vector<std::int32_t> log, sums(64);
  auto x = randomValues<std::int32_t>(64 * 64, 90);
  for (std::int64_t i = lo; step > 0 ? i < hi : i > hi; i += step) {
    log.push_back(std::int32_t(i));
    std::int64_t from = (i - lo) * 64 * (step > 0 ? 1 : -1);
    for (int lane = 0; lane < 64; ++lane)
      sums[lane] += std::uint32_t(x[from + lane]) * std::uint32_t(log.size());
  }
  log.insert(log.begin(), std::int32_t(log.size()));
  Guarded<std::int32_t> in(x), gotLog(log.size()), gotSums(64);
  require(tiles::trips<step, stages>(stream(), gotLog, gotSums, in, int(lo), int(hi)));
  std::string what = std::to_string(lo) + " to " + std::to_string(hi) + " by " +
                     std::to_string(step) + ", stages " + std::to_string(stages);
  checkSame(gotLog.read(), log, what + ": log");
  checkSame(gotSums.read(), sums, what + ": sums");
}

/// Trip counts around the number of stages, and bounds of the wrong order.
template <int step> void checkTripsFrom(std::int64_t lo) {
  forEach<1, 2, 3, 4>([&]<int stages>() {
    for (int trips = 0; trips <= stages + 2; ++trips)
      checkTrips<step, stages>(lo, lo + trips * step);
    checkTrips<step, stages>(lo, lo - 5 * step);
  });
}

} // namespace

TEST_CASE("a loop runs 0 to stages + 2 times, and not at all when its bounds are reversed") {
  checkTripsFrom<1>(0);
  checkTripsFrom<1>(-3);
}

TEST_CASE("steps of 3, longer than the range too") {
  checkTripsFrom<3>(10);
  forEach<1, 2, 4>([]<int stages>() {
    checkTrips<3, stages>(0, 1);
    checkTrips<3, stages>(0, 2);
    checkTrips<3, stages>(0, 7);
  });
}

TEST_CASE("negative steps") {
  checkTripsFrom<-1>(2);
  checkTripsFrom<-4>(10);
  forEach<1, 3>([]<int stages>() {
    checkTrips<-4, stages>(5, 4);
    checkTrips<-4, stages>(5, -6);
  });
}

TEST_CASE("bounds at the limits of i32 do not wrap") {
  forEach<1, 2, 3, 4>([]<int stages>() {
    checkTrips<1, stages>(INT32_MAX - 3, INT32_MAX);
    checkTrips<3, stages>(INT32_MAX - 4, INT32_MAX);
    checkTrips<3, stages>(INT32_MAX - 1, INT32_MAX);
    checkTrips<1, stages>(INT32_MIN, INT32_MIN + 2);
    checkTrips<-1, stages>(INT32_MIN + 2, INT32_MIN);
    checkTrips<-4, stages>(INT32_MIN + 3, INT32_MIN);
  });
}

TEST_CASE("a loop over almost all of i32 ends at once when reversed") {
  checkTrips<1, 2>(INT32_MAX, INT32_MIN);
  checkTrips<-1, 2>(INT32_MIN, INT32_MAX);
}

TEST_CASE("a step known at run time only") {
  for (auto [lo, hi, step] : {std::tuple(0, 10, 3),
                              {0, 10, 10},
                              {0, 10, 11},
                              {-7, 7, 2},
                              {5, 5, 1},
                              {6, 5, 1},
                              {0, 1, INT32_MAX},
                              {INT32_MAX - 10, INT32_MAX, 7},
                              {INT32_MIN, INT32_MAX, 1 << 30}}) {
    std::vector<std::int32_t> log;
    for (std::int64_t i = lo; i < hi; i += step)
      log.push_back(std::int32_t(i));
    log.insert(log.begin(), std::int32_t(log.size()));
    Guarded<std::int32_t> out(log.size());
    require(tiles::stepped(stream(), out, lo, hi, step));
    checkSame(out.read(), log, std::to_string(lo) + " by " + std::to_string(step));
  }
}

TEST_CASE("constant bounds, unrolled or not") {
  Guarded<std::int32_t> out(3);
  require(tiles::constant_bounds(stream(), out));
  checkSame(out.read(), {0, 0 + 4 + 8 + 100 * (10 + 7 + 4 + 1), 0 + 1 + 4 + 9 + 16 + 6000}, "sums");
}

TEST_CASE("a staged loop loads what it has just stored") {
  forEach<1, 2, 3, 4>([]<int stages>() {
    for (int n : {0, 1, 2, 3, 4, 9}) {
      std::vector<float> x(128 * (n + 1)), y = iota<float>(128 * std::max(n, 1), 1);
      std::fill_n(x.begin(), 128, 0.5f);
      Guarded<float> inOut(x), in(y);
      require(tiles::running_sums<stages>(stream(), inOut, in, n));
      for (int i = 0; i < 128 * n; ++i)
        x[i + 128] = x[i] + y[i];
      checkSame(inOut.read(), x, std::to_string(n) + " trips, stages " + std::to_string(stages));
    }
  });
}

TEST_CASE("a staged loop loads what it stored some iterations before") {
  auto run = []<int stages, int distance>() {
    constexpr int n = 9;
    auto x = randomValues<std::int32_t>(64 * (n + distance), 91);
    Guarded<std::int32_t> inOut(x);
    require(tiles::stored_ahead<stages, distance>(stream(), inOut, n));
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 64; ++i)
        x[(k + distance) * 64 + i] = std::int32_t(std::uint32_t(x[k * 64 + i]) * 2 + k);
    checkSame(inOut.read(), x,
              "distance " + std::to_string(distance) + ", stages " + std::to_string(stages));
  };
  forEach<1, 2, 3, 4>([&]<int stages>() {
    forEach<1, 2, 3, 5>([&]<int distance>() { run.operator()<stages, distance>(); });
  });
}

TEST_CASE("a staged load used conditionally and an iteration later") {
  forEach<1, 2, 3, 4>([]<int stages>() {
    for (int n : {0, 1, 2, 3, 5, 8}) {
      std::vector<float> x = iota<float>(128 * 8), y = iota<float>(128 * 8, 7);
      Guarded<float> a(x), b(y), out(256);
      require(tiles::conditional_use<stages>(stream(), out, a, b, n));
      std::vector<float> want(256);
      for (int lane = 0; lane < 128; ++lane) {
        float total = 0, last = 0;
        for (int k = 0; k < n; ++k) {
          if (k % 3 == 1)
            total += x[k * 128 + lane] * 2;
          else if (k % 3 == 2)
            total += y[k * 128 + lane] + last;
          last = x[k * 128 + lane];
        }
        want[lane] = total;
        want[128 + lane] = last;
      }
      checkSame(out.read(), want, std::to_string(n) + " trips");
    }
  });
}

TEST_CASE("a staged load whose address was loaded") {
  forEach<1, 2, 4>([]<int stages>() {
    std::vector<float> x = iota<float>(64 * 10);
    std::vector<std::int32_t> order = {9, 0, 3, 3, 7, 1};
    for (int n = 0; n <= 6; ++n) {
      Guarded<float> in(x), out(64);
      Guarded<std::int32_t> rows(order);
      require(tiles::indirect<stages>(stream(), out, in, rows, n));
      std::vector<float> want(64);
      for (int k = 0; k < n; ++k)
        for (int lane = 0; lane < 64; ++lane)
          want[lane] = want[lane] * 0.5f + x[order[k] * 64 + lane];
      checkSame(out.read(), want, std::to_string(n) + " trips");
    }
  });
}

TEST_CASE("nested staged loops, the inner one from none to many trips") {
  forEach<1, 2, 3>([]<int stages>() {
    constexpr int rows = 7, cols = 5;
    auto x = randomValues<std::int32_t>(rows * cols * 32, 92);
    Guarded<std::int32_t> in(x), out(rows * 32);
    require(tiles::nested<stages>(stream(), out, in, rows, cols));
    std::vector<std::int32_t> want(rows * 32);
    for (int r = 0; r < rows; ++r)
      for (int c = r; c < cols; c += 2)
        for (int lane = 0; lane < 32; ++lane)
          want[r * 32 + lane] += std::uint32_t(x[(r * cols + c) * 32 + lane]);
    checkSame(out.read(), want, "stages " + std::to_string(stages));
  });
}

TEST_CASE("pointers, tiles and scalars that a loop carries") {
  forEach<1, 3>([]<int stages>() {
    for (int n : {0, 1, 2, 5}) {
      std::vector<float> x = iota<float>(64 * 5);
      Guarded<float> in(x), out(193);
      require(tiles::carried<stages>(stream(), out, in, n));
      std::vector<float> even(64), odd(64), rows(64);
      float scale = 1;
      for (int k = 0; k < n; ++k, scale *= 0.5f)
        for (int lane = 0; lane < 64; ++lane) {
          float v = x[k * 64 + lane], swapped = even[lane];
          even[lane] = odd[lane] + v * scale;
          odd[lane] = swapped;
          rows[lane] += v * 2;
        }
      std::vector<float> want = even;
      want.insert(want.end(), odd.begin(), odd.end());
      want.insert(want.end(), rows.begin(), rows.end());
      want.push_back(scale);
      checkSame(out.read(), want, std::to_string(n) + " trips");
    }
  });
}

TEST_CASE("programs that share rows, whose blocks a mask cuts") {
  forEach<1, 2, 3, 4>([]<int stages>() {
    for (auto [rows, n] : {std::pair(0, 64), {1, 1}, {2, 63}, {7, 65}, {4, 200}, {3, 0}}) {
      std::vector<float> x(rows * n + 1);
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = float(i % 13) - 6;
      Guarded<float> in(x), out(rows);
      require(tiles::masked_blocks<stages>(stream(), out, in, rows, n));
      std::vector<float> want(rows);
      for (int i = 0; i < rows * n; ++i)
        want[i / n] += x[i];
      checkSame(out.read(), want, std::to_string(rows) + " x " + std::to_string(n));
    }
  });
}

TEST_CASE("reductions inside a staged loop") {
  forEach<1, 2, 3>([]<int stages>() {
    constexpr int n = 6;
    auto x = randomValues<std::int32_t>(256 * n, 93);
    Guarded<std::int32_t> in(x), out(n);
    require(tiles::reduced_in_loop<stages>(stream(), out, in, n));
    std::vector<std::int32_t> want(n);
    std::uint32_t total = 0;
    for (int k = 0; k < n; ++k) {
      total *= 3;
      for (int i = 0; i < 256; ++i)
        total += std::uint32_t(x[k * 256 + i]);
      total -= *std::max_element(x.begin() + k * 256, x.begin() + (k + 1) * 256);
      want[k] = std::int32_t(total);
    }
    checkSame(out.read(), want, "stages " + std::to_string(stages));
  });
}

TEST_SUITE_END();
