// More than 2^31 elements, on GPUs with the memory for it.
#include "harness.hpp"
#include "large.tile.h"

using namespace test;

TEST_SUITE_BEGIN("large");

TEST_CASE("tensors of more than 2^31 elements") {
  if (onHost())
    return; // a GPU writes this in a millisecond, the host device in minutes
  constexpr std::int64_t kStride = 65552, kRows = 40000, kCount = kRows * kStride; // 2.6e9
  tilert::Buffer<std::uint8_t> x;
  if (!tilert::Buffer<std::uint8_t>::allocate(device(), kCount, x)) {
    MESSAGE("not enough memory");
    return;
  }
  require(tiles::fill_large(stream(), x.data(), kCount));
  for (int row : {0, 1, 32767, 32768, 39999}) {
    Guarded<std::uint8_t> out(64);
    require(tiles::sample_large(stream(), out, x.data(), row, kStride));
    std::vector<std::uint8_t> want(64);
    for (int i = 0; i < 64; ++i) {
      std::int64_t at = row * kStride + i;
      want[i] = std::uint8_t(at % 4096 * 7 + at / 4096 * 13);
    }
    checkSame(out.read(), want, "row " + std::to_string(row));
  }
}

TEST_SUITE_END();
