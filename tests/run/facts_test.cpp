// Facts about addresses: the right elements arrive whatever the compiler believes about an index.
#include "facts.tile.h"
#include "harness.hpp"

using namespace test;

TEST_SUITE_BEGIN("facts");

namespace {
constexpr int kLanes = 256;
}

TEST_CASE("loads by remainder, quotient, stride, descent, shift and selection") {
  constexpr int n = 272;
  std::vector<float> x = iota<float>(12 * kLanes);
  auto check = [&]<int kind>(int s, auto offset) {
    Guarded<float> in(x), out(kLanes);
    require(tiles::offsets<kind>(stream(), out, in, s, n));
    std::vector<float> want(kLanes);
    for (int i = 0; i < kLanes; ++i)
      want[i] = x[offset(i)];
    checkSame(out.read(), want, "kind " + std::to_string(kind) + ", s = " + std::to_string(s));
  };
  for (int s : {1, 2, 3, 4, 5, 8, 11}) {
    check.operator()<0>(s, [&](int i) { return i % s; });
    check.operator()<1>(s, [&](int i) { return i % 6; });
    check.operator()<2>(s, [&](int i) { return i / 3; });
    check.operator()<3>(s, [&](int i) { return (i - 128) / 4 + 64; });
    check.operator()<4>(s, [&](int i) { return i * 3; });
    check.operator()<5>(s, [&](int i) { return i * s; });
    check.operator()<6>(s, [&](int i) { return n - 1 - i; });
    check.operator()<7>(s, [&](int i) { return (i + s) % n; });
    check.operator()<8>(s, [&](int i) { return i ^ 1; });
    check.operator()<9>(s, [&](int i) { return i & 0xfe; });
    check.operator()<10>(s, [&](int i) { return i / 4 * 4; });
    check.operator()<11>(s, [&](int i) { return i | 3; });
    check.operator()<12>(s, [&](int i) { return 2 * i + s; });
    check.operator()<13>(s, [&](int i) { return i >> 2; });
    check.operator()<14>(s, [&](int i) { return i < s ? i : n - 1 - i; });
    check.operator()<15>(s, [&](int i) { return std::min(i + s, n - 1); });
  }
}

TEST_CASE("stores by descent, shift, exchange and transposition") {
  std::vector<float> x = iota<float>(kLanes);
  auto check = [&]<int kind>(int s, auto offset) {
    Guarded<float> in(x), out(kLanes);
    require(tiles::scattered<kind>(stream(), out, in, s, kLanes));
    std::vector<float> want(kLanes);
    for (int i = 0; i < kLanes; ++i)
      want[offset(i)] = x[i];
    checkSame(out.read(), want, "kind " + std::to_string(kind) + ", s = " + std::to_string(s));
  };
  for (int s : {0, 1, 4, 10, 255}) {
    check.operator()<0>(s, [&](int i) { return kLanes - 1 - i; });
    check.operator()<1>(s, [&](int i) { return (i + s) % kLanes; });
    check.operator()<2>(s, [&](int i) { return i ^ 1; });
    check.operator()<3>(s, [&](int i) { return i * 5 % kLanes; });
    check.operator()<4>(s, [&](int i) { return i % 16 * 16 + i / 16; });
  }
}

TEST_CASE("rows at any stride, specialised or not, from any alignment") {
  for (auto [outStride, xStride] : {std::pair(64, 64), {65, 64}, {64, 67}, {72, 80}, {66, 100}})
    for (std::size_t shift : {0, 1, 4, 8}) {
      std::vector<half> x = uniformValues<half>(16 * xStride, 60);
      Guarded<half> in(x, shift), out(16 * outStride, shift);
      require(tiles::strided_rows(stream(), out, in, outStride, xStride));
      std::vector<half> got = out.read();
      int wrong = 0;
      for (int r = 0; r < 16; ++r)
        for (int c = 0; c < outStride; ++c) {
          bool isGap = c >= 64;
          std::uint16_t want = isGap ? kPoison<half> : bitsOf(x[r * xStride + c]);
          wrong += bitsOf(got[r * outStride + c]) != want;
        }
      CHECK_MESSAGE(wrong == 0, outStride, " from ", xStride, " shifted by ", shift);
    }
}

TEST_CASE("column-major tiles") {
  for (auto [outStride, xStride] : {std::pair(32, 32), {33, 40}, {35, 33}}) {
    std::vector<float> x = iota<float>(64 * xStride);
    Guarded<float> in(x), out(64 * outStride);
    require(tiles::column_major(stream(), out, in, outStride, xStride));
    std::vector<float> got = out.read();
    int wrong = 0;
    for (int c = 0; c < 64; ++c)
      for (int r = 0; r < 32; ++r)
        wrong += got[c * outStride + r] != x[c * xStride + r];
    CHECK(wrong == 0);
  }
}

TEST_CASE("a dimension of size 1 is not contiguous") {
  std::vector<float> x = iota<float>(64 * 9);
  for (int stride : {1, 3, 9}) {
    Guarded<float> in(x), out(128);
    require(tiles::size_one(stream(), out, in, stride));
    std::vector<float> want(x.begin(), x.begin() + 64);
    for (int i = 0; i < 64; ++i)
      want.push_back(x[i * stride]);
    checkSame(out.read(), want, "stride " + std::to_string(stride));
  }
}

TEST_CASE("one address for every lane") {
  Guarded<float> in(std::vector<float>{4, 5}), out(129);
  require(tiles::uniform(stream(), out, in));
  std::vector<float> want(128, 4);
  want.push_back(5);
  checkSame(out.read(), want, "uniform");
}

TEST_CASE("hints that hold change nothing") {
  std::vector<float> x = iota<float>(512);
  for (int s : {0, 1, 3, 64}) {
    Guarded<float> in(x), out(kLanes);
    require(tiles::hinted(stream(), out, in, s));
    checkSame(out.read(), std::vector<float>(x.begin() + 4 * s, x.begin() + 4 * s + kLanes),
              "s = " + std::to_string(s));
  }
}

TEST_CASE("a remainder known to be 4 is neither 0 nor 2") {
  std::vector<float> x = iota<float>(1024);
  for (auto [s, n] : {std::pair(4, 0), {12, 1}, {20, 2}, {100, 7}}) {
    Guarded<float> in(x), out(4 * kLanes);
    require(tiles::assumed_remainder(stream(), out, in, s, n));
    std::vector<float> want;
    for (int start : {s, s / 2, s + 4, n})
      want.insert(want.end(), x.begin() + start, x.begin() + start + kLanes);
    checkSame(out.read(), want, "s = " + std::to_string(s));
  }
}

TEST_CASE("a pointer that moves by 65 loses its alignment") {
  std::vector<float> x = iota<float>(10 * 65);
  Guarded<float> in(x), out(10 * 64);
  require(tiles::moving_pointer(stream(), out, in, 10));
  std::vector<float> want;
  for (int k = 0; k < 10; ++k)
    want.insert(want.end(), x.begin() + k * 65, x.begin() + k * 65 + 64);
  checkSame(out.read(), want, "moved");
}

TEST_CASE("a choice of pointers has the facts of both") {
  std::vector<float> x = iota<float>(128), y = iota<float>(128, 1000);
  for (int s : {0, 1, 2, 63, 64, 66, 128}) {
    Guarded<float> a(x), b(y, 1), out(128);
    require(tiles::through_where(stream(), out, a, b, s));
    std::vector<float> want(128);
    for (int i = 0; i < 128; ++i)
      want[i] = i < s ? x[i] : y[i];
    checkSame(out.read(), want, "s = " + std::to_string(s));
  }
}

TEST_SUITE_END();
