// Control flow: which branches ran, how often, and with what left behind.
#include "control_flow.tile.h"
#include "harness.hpp"

using namespace test;

TEST_SUITE_BEGIN("control flow");

TEST_CASE("nested branches, and a return inside one") {
  std::vector<std::int32_t> x = iota<std::int32_t>(64, 1);
  for (int n : {-1, 0, 10, 11, 15, 20, 21}) {
    Guarded<std::int32_t> in(x), out(65);
    require(tiles::branches(stream(), out, in, n));
    std::vector<std::int32_t> want(65, std::int32_t(0xa5a5a5a5));
    for (int i = 0; i < 64 && n >= 0; ++i)
      want[i] = n <= 10 ? -x[i] : 2 * x[i] + (n > 20) - (n == 15);
    if (n >= 0)
      want[64] = n <= 10 ? 0 : n > 20 ? 3 : n == 15 ? 2 : 1;
    checkSame(out.read(), want, "n = " + std::to_string(n));
  }
}

TEST_CASE("programs that return early do not hold up a reduction") {
  std::vector<std::int32_t> x = iota<std::int32_t>(256 * 8, -1000);
  x[0] = 1, x[1] = 0, x[2] = 3, x[3] = 7, x[4] = 0, x[5] = 2;
  for (int n : {0, 1, 4, 6}) {
    Guarded<std::int32_t> in(x), out(6);
    require(tiles::early_return(stream(), out, in, n));
    std::vector<std::int32_t> want(6, std::int32_t(0xa5a5a5a5));
    for (int p = 0; p < n; ++p) {
      want[p] = x[p] == 0 ? -1 : 0;
      for (int i = 0; i < 256 && x[p]; ++i)
        want[p] += x[i * x[p]];
    }
    checkSame(out.read(), want, "n = " + std::to_string(n));
  }
}

TEST_CASE("while loops run until their condition fails") {
  std::vector<std::int32_t> start = {1, 2, 3, 6, 7, 27, 97, 1024};
  Guarded<std::int32_t> in(start), out(8);
  require(tiles::collatz(stream(), out, in));
  checkSame(out.read(), {0, 1, 7, 8, 16, 111, 118, 10}, "steps");
}

TEST_CASE("a while loop whose condition is a reduction") {
  std::vector<float> x(128, 0.5f);
  x[77] = 3;
  for (float limit : {1.0f, 3.5f, 1e6f, INFINITY}) {
    Guarded<float> in(x), out(129);
    require(tiles::while_with_tiles(stream(), out, in, limit));
    std::vector<float> want = x;
    int rounds = 0;
    for (float most = 3; most < limit && rounds < 50; most *= 2, ++rounds)
      for (float &v : want)
        v *= 2;
    want.push_back(float(rounds));
    checkSame(out.read(), want, "limit");
  }
}

TEST_CASE("branches settled at compile time") {
  std::vector<float> x(128);
  for (int i = 0; i < 128; ++i)
    x[i] = float(i * i);
  std::vector<std::int32_t> y = iota<std::int32_t>(128);
  Guarded<float> in(x), out(64);
  Guarded<std::int32_t> integers(y), wide(129);
  require(tiles::at_compile_time<false>(stream(), out, in));
  checkSame(out.read(), iota<float>(64), "sqrt");
  require(tiles::at_compile_time<true>(stream(), wide, integers));
  std::vector<std::int32_t> want = mapped<std::int32_t>(y, [](std::int32_t v) { return 2 * v; });
  want.push_back(127 * 128 / 2);
  checkSame(wide.read(), want, "shifted");
}

TEST_CASE("a chain of 40 branches") {
  for (std::int64_t bits : {0ll, -1ll, 0x5555555555ll, 0x123456789all, 1ll << 39}) {
    Guarded<std::int32_t> out(33);
    require(tiles::chain(stream(), out, bits));
    std::uint32_t a = 1;
    std::vector<std::int32_t> want = iota<std::int32_t>(32);
    for (unsigned k = 0; k < 40; ++k) {
      bool isSet = bits >> k & 1;
      a = isSet ? a * 3 + k : a ^ k;
      for (std::int32_t &v : want)
        v = isSet ? std::int32_t(std::uint32_t(v) + a) : v;
    }
    want.insert(want.begin(), std::int32_t(a));
    checkSame(out.read(), want, "bits");
  }
}

TEST_CASE("stores under scalar conditions in a loop") {
  std::vector<std::int32_t> x = iota<std::int32_t>(50), want(50, std::int32_t(0xa5a5a5a5));
  Guarded<std::int32_t> in(x), out(50);
  require(tiles::conditional_store(stream(), out, in, 50));
  for (int k = 0; k < 50; k += 2)
    want[k] = k % 4 == 0 ? k : -k;
  checkSame(out.read(), want, "stored");
}

TEST_CASE("what && and ?: do not need is neither loaded nor divided") {
  std::vector<std::int32_t> x = {1, 5, 9, 4, 8};
  Guarded<std::int32_t> in(x);
  for (int n : {0, 1, 3, -3}) {
    Guarded<std::int32_t> out(4);
    // The null pointer is loaded from unless the condition holds it back.
    require(tiles::short_circuit(stream(), out, n > 0 ? in.data() : nullptr, n));
    checkSame(out.read(),
              {n > 0 && x[n] == 5, n > 0 ? x[n] : -7, n ? 100 / n : 0, n == 0 || 100 % n == 0},
              "n = " + std::to_string(n));
  }
}

TEST_CASE("reductions inside branches") {
  std::vector<float> x(1024);
  for (int i = 0; i < 1024; ++i)
    x[i] = float(i * 37 % 101);
  for (int kind : {0, 1, 2}) {
    Guarded<float> in(x), out(32);
    require(tiles::reduce_in_branch(stream(), out, in, kind));
    std::vector<float> want(32, kind == 2 ? -1.0f : 0.0f);
    for (int i = 0; i < 1024; ++i) {
      float &to = want[kind == 1 ? i / 32 : i % 32];
      to = kind == 2 ? std::max(to, x[i]) : to + x[i];
    }
    checkSame(out.read(), want, "kind " + std::to_string(kind));
  }
}

TEST_CASE("functions return tuples, through one another") {
  auto x = randomValues<std::int32_t>(64, 100), y = randomValues<std::int32_t>(64, 101),
       z = randomValues<std::int32_t>(64, 102);
  Guarded<std::int32_t> a(x), b(y), c(z), out(129);
  require(tiles::functions(stream(), out, a, b, c));
  std::vector<std::int32_t> want(129);
  auto middle = [](std::int32_t p, std::int32_t q, std::int32_t r) {
    return std::max(std::min(p, q), std::min(std::max(p, q), r));
  };
  for (int i = 0; i < 64; ++i) {
    want[i] = std::int32_t(std::uint32_t(y[i]) - std::uint32_t(x[i]));
    want[64 + i] = middle(x[i], y[i], z[i]);
  }
  want[128] = middle(x[0], y[0], z[0]);
  checkSame(out.read(), want, "functions");
}

TEST_SUITE_END();
