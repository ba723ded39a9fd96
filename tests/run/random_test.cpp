// Philox 4x32-10 after Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011), and
// the conversions that Triton applies to its output.
#include "harness.hpp"
#include "random.tile.h"

#include <array>

using namespace test;

TEST_SUITE_BEGIN("random");

namespace {

using Counter = std::array<std::uint32_t, 4>;

/// The block cipher of the paper, with its constants.
Counter philox(Counter counter, std::uint64_t key) {
  std::uint32_t key0 = std::uint32_t(key), key1 = std::uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    std::uint64_t left = std::uint64_t(0xd2511f53) * counter[0];
    std::uint64_t right = std::uint64_t(0xcd9e8d57) * counter[2];
    counter = {std::uint32_t(right >> 32) ^ counter[1] ^ key0, std::uint32_t(right),
               std::uint32_t(left >> 32) ^ counter[3] ^ key1, std::uint32_t(left)};
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return counter;
}

Counter numbersAt(std::uint64_t seed, std::uint64_t offset) {
  return philox({std::uint32_t(offset), std::uint32_t(offset >> 32), 0, 0}, seed);
}

/// [0, 1) from 32 bits: the magnitude as a signed integer, scaled.
float uniform(std::uint32_t bits) {
  std::int32_t value = std::int32_t(bits);
  return float(value < 0 ? -value - 1 : value) * 4.6566127342e-10f;
}

/// Box-Muller, from two uniform numbers.
std::pair<double, double> normals(std::uint32_t first, std::uint32_t second) {
  double u = std::max(1e-7f, uniform(first)), angle = 6.283185307179586 * uniform(second);
  double radius = std::sqrt(-2 * std::log(u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

template <typename S, typename O> void checkIntegers(S seed, const std::vector<O> &offsets) {
  int n = int(offsets.size());
  Guarded<O> in(offsets);
  Guarded<std::uint32_t> out(5 * n);
  if constexpr (sizeof(S) == 4)
    require(tiles::integers_by_i32(stream(), out, in, seed, n));
  else
    require(tiles::integers_by_i64(stream(), out, in, seed, n));
  std::vector<std::uint32_t> want(5 * n);
  for (int i = 0; i < n; ++i) {
    // A narrow seed is extended by sign; a narrow offset fills the first word alone.
    std::uint64_t offset = sizeof(O) == 4 ? std::uint32_t(offsets[i]) : std::uint64_t(offsets[i]);
    Counter numbers = numbersAt(std::uint64_t(std::int64_t(seed)), offset);
    want[i] = numbers[0];
    for (int k = 0; k < 4; ++k)
      want[(k + 1) * n + i] = numbers[k];
  }
  checkSame(out.read(), want, "seed " + std::to_string(seed));
}

} // namespace

TEST_CASE("the reference gives the published vectors") {
  CHECK(philox({0, 0, 0, 0}, 0) == Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({~0u, ~0u, ~0u, ~0u}, ~0ull) ==
        Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
        Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("randint and randint4x are Philox 4x32-10, for seeds and offsets of 32 and 64 bits") {
  auto small = randomValues<std::int32_t>(200, 120);
  auto large = randomValues<std::int64_t>(200, 121);
  small[0] = 0;
  large[0] = 0;
  for (std::int32_t seed : {0, 1, 42, INT32_MAX, -1}) {
    checkIntegers<std::int32_t, std::int32_t>(seed, small);
    checkIntegers<std::int32_t, std::int64_t>(seed, large);
  }
  for (std::int64_t seed : {std::int64_t(0), std::int64_t(0x123456789abcdef), std::int64_t(-5)}) {
    checkIntegers<std::int64_t, std::uint32_t>(seed, randomValues<std::uint32_t>(100, 122));
    checkIntegers<std::int64_t, std::int64_t>(seed, large);
  }
}

TEST_CASE("rand and rand4x: the bits of Triton's") {
  for (int seed : {0, 7, -3}) {
    Guarded<float> uniforms(5 * 256), normal(5 * 256);
    require(tiles::floats(stream(), uniforms, normal, seed, 1000));
    std::vector<float> want(5 * 256);
    for (int i = 0; i < 256; ++i) {
      Counter numbers = numbersAt(std::uint64_t(std::int64_t(seed)), 1000 + i);
      want[i] = uniform(numbers[0]);
      for (int k = 0; k < 4; ++k)
        want[(k + 1) * 256 + i] = uniform(numbers[k]);
    }
    checkSame(uniforms.read(), want, "seed " + std::to_string(seed));
  }
}

TEST_CASE("randn and randn4x: Box-Muller of the same numbers") {
  Guarded<float> uniforms(5 * 256), normal(5 * 256);
  require(tiles::floats(stream(), uniforms, normal, 11, -100));
  std::vector<double> want(5 * 256);
  for (int i = 0; i < 256; ++i) {
    Counter numbers = numbersAt(11, std::uint32_t(i - 100));
    auto [a, b] = normals(numbers[0], numbers[1]);
    auto [c, d] = normals(numbers[2], numbers[3]);
    want[i] = a;
    double all[] = {a, b, c, d};
    for (int k = 0; k < 4; ++k)
      want[(k + 1) * 256 + i] = all[k];
  }
  checkClose(normal.read(), want, 2e-5, 2e-6, "normal");
}

TEST_CASE("random numbers depend on seed and offset alone") {
  std::vector<float> want(258);
  for (int i = 0; i < 256; ++i)
    want[i] = uniform(numbersAt(5, i)[0]);
  want[256] = want[0];
  want[257] = want[255];
  Guarded<float> one(258), eight(258);
  require(tiles::other_shapes<1>(stream(), one, 5));
  require(tiles::other_shapes<8>(stream(), eight, 5));
  checkSame(one.read(), want, "1 warp");
  checkSame(eight.read(), want, "8 warps");
}

TEST_SUITE_END();
