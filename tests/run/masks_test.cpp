// Masks: what is masked off is neither read nor written, to the element.
#include "harness.hpp"
#include "masks.tile.h"

using namespace test;

TEST_SUITE_BEGIN("masks");

namespace {

/// The buffer's poison, which masked-off elements keep.
template <typename T> T poison() {
  return fromBits<T>(isFloat<T> ? kPoison<T> : static_cast<Bits<T>>(0xa5a5a5a5a5a5a5a5ull));
}

template <typename T>
void checkBits(const std::vector<T> &got, const std::vector<T> &want, const std::string &what) {
  compare(got, want, what, [&](std::size_t i) { return bitsOf(got[i]) == bitsOf(want[i]); });
}

std::vector<int> lengths() {
  std::vector<int> result = {-1, 0, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256};
  for (int n = 1; n <= 33; ++n)
    result.push_back(n);
  return result;
}

} // namespace

TEST_CASE_TEMPLATE("vector accesses stop at a mask of every length", T, std::uint8_t, half, float,
                   double) {
  std::vector<T> x = uniformValues<T>(256, 40, 100);
  for (int n : lengths()) {
    Guarded<T> in(x), out(256);
    require(tiles::masked_copy(stream(), out, in, n));
    std::vector<T> want(256, poison<T>());
    std::copy_n(x.begin(), std::max(n, 0), want.begin());
    checkBits(out.read(), want, "length " + std::to_string(n));
  }
}

TEST_CASE("a mask in steps of 4 is not one in steps of 8") {
  std::vector<half> x = uniformValues<half>(256, 41);
  for (int n = 0; n <= 256; n += n < 40 ? 4 : 36) {
    Guarded<half> in(x), out(256);
    require(tiles::masked_copy_by_4(stream(), out, in, n));
    std::vector<half> want(256, poison<half>());
    std::copy_n(x.begin(), n, want.begin());
    checkBits(out.read(), want, "length " + std::to_string(n));
  }
}

TEST_CASE("masks cut at both ends") {
  std::vector<float> x = uniformValues<float>(128, 42);
  for (int lo : {-5, 0, 1, 2, 3, 5, 63, 127})
    for (int hi : {0, 1, 4, 6, 7, 64, 126, 128, 140}) {
      Guarded<float> in(x), out(128);
      require(tiles::window_copy(stream(), out, in, lo, hi));
      std::vector<float> want(128, poison<float>());
      for (int i = std::max(lo, 0); i < std::min(hi, 128); ++i)
        want[i] = x[i];
      checkBits(out.read(), want, std::to_string(lo) + " to " + std::to_string(hi));
    }
}

TEST_CASE_TEMPLATE("masked-off elements read 0, a literal, a tile or a scalar", T, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, half, bfloat16, float, double) {
  std::vector<T> x = uniformValues<T>(64, 43, 50), y = uniformValues<T>(64, 44, 50);
  for (int n : {0, 1, 13, 32, 63, 64}) {
    Guarded<T> a(x), b(y), out(256);
    require(tiles::others(stream(), out, a, b, n));
    std::vector<T> want(256);
    for (int i = 0; i < 64; ++i) {
      want[i] = i < n ? x[i] : nearest<T>(0);
      want[64 + i] = i < n ? x[i] : nearest<T>(7);
      want[128 + i] = i < n ? x[i] : y[i];
      want[192 + i] = i < n ? x[i] : y[0];
    }
    checkSame(out.read(), want, "n = " + std::to_string(n));
  }
}

TEST_CASE("NaN in masked-off elements stays out of reductions") {
  for (int n : {1, 31, 32, 100, 511, 512}) {
    std::vector<float> x(512, NAN);
    double sum = 0;
    for (int i = 0; i < n; ++i)
      sum += x[i] = float(i % 7) - 3;
    Guarded<float> in(x), out(3);
    require(tiles::masked_sum(stream(), out, in, n));
    double largest = n > 6 ? 3 : float((n - 1) % 7) - 3;
    std::vector<float> want = {float(sum), float(largest), float(sum)};
    checkSame(out.read(), want, "n = " + std::to_string(n));
  }
}

TEST_CASE("masks that are constant along rows or columns") {
  constexpr int kStride = 37;
  std::vector<float> x = uniformValues<float>(16 * kStride, 45);
  for (auto [rows, cols] : {std::pair(16, 32), {3, 32}, {16, 5}, {0, 31}, {15, 0}, {7, 17}}) {
    Guarded<float> in(x), out(16 * kStride);
    require(tiles::rows_and_columns(stream(), out, in, kStride, rows, cols));
    std::vector<float> want(16 * kStride, poison<float>());
    for (int r = 0; r < 16; ++r)
      for (int c = 0; c < cols; ++c)
        want[r * kStride + c] = r < rows ? x[r * kStride + c] : 5.0f;
    checkBits(out.read(), want, std::to_string(rows) + " x " + std::to_string(cols));
  }
}

TEST_CASE("masks loaded from memory, without a pattern") {
  std::vector<float> x = uniformValues<float>(256, 46);
  for (unsigned seed : {47u, 48u, 49u}) {
    std::vector<std::uint8_t> flags = randomValues<bool>(256, seed);
    Guarded<float> in(x), out(256);
    Guarded<bool> mask(flags);
    require(tiles::every_other(stream(), out, in, mask));
    std::vector<float> want(256, poison<float>());
    for (int i = 0; i < 256; ++i)
      if (flags[i])
        want[i] = x[i] + 1;
    checkBits(out.read(), want, "flags");
  }
}

TEST_CASE("a null pointer is not read or written where the mask is false") {
  require(tiles::nothing(stream(), nullptr, nullptr, 0));
  require(device().synchronize());
}

TEST_CASE("a scalar mask covers the whole tile") {
  std::vector<float> x = uniformValues<float>(64, 50);
  for (bool flag : {false, true}) {
    Guarded<float> in(x), out(129);
    require(tiles::scalar_mask(stream(), out, in, flag, flag ? 4 : 2));
    std::vector<float> want(129, poison<float>());
    for (int i = 0; i < 64; ++i) {
      want[i] = flag ? x[i] : 9.0f;
      if (!flag)
        want[64 + i] = x[i];
    }
    want[128] = flag ? x[5] : -1.0f;
    checkBits(out.read(), want, "flag");
  }
}

TEST_CASE("tiles smaller than the program") {
  std::vector<std::int32_t> x = iota<std::int32_t>(32, 100);
  auto run = [&]<int size, int warps>() {
    for (int n : {0, 1, size / 2, size}) {
      Guarded<std::int32_t> in(x), out(32);
      require(tiles::small_tiles<size, warps>(stream(), out, in, n));
      std::vector<std::int32_t> want(32, poison<std::int32_t>());
      for (int i = 0; i < std::min(n, size); ++i)
        want[i] = x[i] + 1;
      checkSame(out.read(), want, std::to_string(size) + " elements, n = " + std::to_string(n));
    }
  };
  [&]<int... sizes>(std::integer_sequence<int, sizes...>) {
    (run.template operator()<sizes, 1>(), ...);
    (run.template operator()<sizes, 4>(), ...);
  }(std::integer_sequence<int, 1, 2, 4, 16, 32>());
}

TEST_SUITE_END();
