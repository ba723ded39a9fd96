// Integers: division by sign, shifts, and offsets that do not fit 32 bits.
#include "harness.hpp"
#include "integers.tile.h"

using namespace test;

TEST_SUITE_BEGIN("integers");

namespace {

constexpr int kNumbers = 1000;
using Wide = __int128; // C++'s division truncates, and INT_MIN / -1 does not overflow

template <typename T, typename F> std::vector<T> wide(const Pairs<T> &in, F op) {
  return mapped<T>(in.a, in.b, [&](T x, T y) { return static_cast<T>(op(Wide(x), Wide(y))); });
}

/// A pointer `elements` before `data`: what a kernel's offset of `elements` leads back to `data`.
template <typename T> T *before(T *data, std::int64_t elements) {
  return reinterpret_cast<T *>(reinterpret_cast<std::uintptr_t>(data) -
                               static_cast<std::uintptr_t>(elements) * sizeof(T));
}

} // namespace

TEST_CASE_TEMPLATE("division and remainder truncate, for every pair of signs", T, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  Pairs<T> in = operandPairs<T>(kNumbers, 20);
  for (T &divisor : in.b)
    if (divisor == 0)
      divisor = T(5);
  Guarded<T> a(in.a), b(in.b), out(2 * kNumbers);
  require(tiles::divisions(stream(), out, a, b, kNumbers));
  std::vector<T> got = out.read();
  checkSame(part(got, 0, kNumbers), wide(in, [](Wide x, Wide y) { return x / y; }), "/");
  checkSame(part(got, 1, kNumbers), wide(in, [](Wide x, Wide y) { return x % y; }), "%");
}

TEST_CASE_TEMPLATE("division by constants is division", T, std::int8_t, std::int32_t, std::int64_t,
                   std::uint8_t, std::uint32_t, std::uint64_t) {
  Pairs<T> in = operandPairs<T>(kNumbers, 21);
  Guarded<T> a(in.a), out(6 * kNumbers);
  require(tiles::constant_divisions(stream(), out, a, kNumbers));
  std::vector<T> got = out.read();
  int k = 0;
  for (int divisor : {7, 8, 1}) {
    checkSame(part(got, k++, kNumbers), wide(in, [&](Wide x, Wide) { return x / divisor; }), "/");
    checkSame(part(got, k++, kNumbers), wide(in, [&](Wide x, Wide) { return x % divisor; }), "%");
  }
}

TEST_CASE_TEMPLATE("division by negative constants is division", T, std::int8_t, std::int32_t,
                   std::int64_t) {
  Pairs<T> in = operandPairs<T>(kNumbers, 22);
  Guarded<T> a(in.a), out(6 * kNumbers);
  require(tiles::negative_divisions(stream(), out, a, kNumbers));
  std::vector<T> got = out.read();
  int k = 0;
  for (int divisor : {-1, -8, -5}) {
    checkSame(part(got, k++, kNumbers), wide(in, [&](Wide x, Wide) { return x / divisor; }), "/");
    checkSame(part(got, k++, kNumbers), wide(in, [&](Wide x, Wide) { return x % divisor; }), "%");
  }
}

TEST_CASE_TEMPLATE("shifts by every amount below the width", T, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  Pairs<T> in = operandPairs<T>(kNumbers, 23);
  for (int i = 0; i < kNumbers; ++i)
    in.b[i] = T(i % (8 * sizeof(T)));
  Guarded<T> a(in.a), b(in.b), out(4 * kNumbers);
  require(tiles::shifts(stream(), out, a, b, kNumbers));
  std::vector<T> got = out.read();
  auto left = [](Wide x, int by) { return Wide((unsigned __int128)(x) << by); };
  checkSame(part(got, 0, kNumbers), wide(in, [&](Wide x, Wide y) { return left(x, y); }), "<<");
  checkSame(part(got, 1, kNumbers), wide(in, [](Wide x, Wide y) { return x >> int(y); }), ">>");
  checkSame(part(got, 2, kNumbers), wide(in, [&](Wide x, Wide) { return left(x, 3); }), "<< 3");
  checkSame(part(got, 3, kNumbers), wide(in, [](Wide x, Wide) { return x >> 7; }), ">> 7");
}

TEST_CASE_TEMPLATE("umulhi is the upper half of the product", T, std::uint32_t, std::uint64_t) {
  Pairs<T> in = operandPairs<T>(kNumbers, 24);
  Guarded<T> a(in.a), b(in.b), out(kNumbers);
  require(tiles::high_products(stream(), out, a, b, kNumbers));
  checkSame(out.read(),
            mapped<T>(in.a, in.b,
                      [](T x, T y) { return T((unsigned __int128)(x)*y >> (8 * sizeof(T))); }),
            "umulhi");
}

TEST_CASE_TEMPLATE("cdiv rounds up", T, std::int32_t, std::int64_t, std::uint32_t) {
  std::vector<T> x(kNumbers), y(kNumbers);
  for (int i = 0; i < kNumbers; ++i) {
    x[i] = T(i * 7 / 3);
    y[i] = T(1 + i % 9);
  }
  Guarded<T> a(x), b(y), out(kNumbers);
  require(tiles::ceiling_divisions(stream(), out, a, b, kNumbers));
  checkSame(out.read(), mapped<T>(x, y, [](T v, T w) { return T((v + w - 1) / w); }), "cdiv");
}

TEST_CASE("constant expressions follow the rules of run time") {
  Guarded<std::int32_t> out(8);
  require(tiles::folded(stream(), out));
  // `<<` binds more weakly than `-`, `|` more weakly than `&`, as in C.
  checkSame(out.read(), {-3, -1, -3, 1, 715827882, 1 << 30, -4, 0x10f}, "folded");
}

TEST_CASE("a row's offset may pass 2^31 elements") {
  auto x = randomValues<std::int8_t>(64, 25);
  Guarded<std::int8_t> in(x), out(64);
  for (auto [row, stride] : {std::pair(70000, 70001), std::pair(-70000, 70001),
                             std::pair(2, 2147483647), std::pair(-3, 2147483647)}) {
    const std::int8_t *base = before(in.data(), std::int64_t(row) * stride);
    require(tiles::far_rows(stream(), out, base, row, stride));
    checkSame(out.read(), x, "row " + std::to_string(row));
  }
}

TEST_CASE("offsets within one tile may lie further apart than 2^32") {
  constexpr int kStride = 0x40000001;
  auto x = randomValues<std::int8_t>(16, 26);
  Guarded<std::int8_t> in(x), out(128);
  for (int row = 0; row < 8; ++row) {
    const std::int8_t *base = before(in.data(), std::int64_t(row) * kStride);
    require(tiles::far_columns(stream(), out, base, kStride, row));
    std::vector<std::int8_t> want(128);
    std::copy(x.begin(), x.end(), want.begin() + (7 - row) * 16);
    checkSame(out.read(), want, "row " + std::to_string(row));
  }
}

TEST_CASE("an unsigned offset with its top bit set is not negative") {
  auto x = randomValues<std::int8_t>(64, 27);
  Guarded<std::int8_t> in(x), out(128);
  for (std::uint32_t offset : {0x80000000u, 0xffffff00u, 5u}) {
    require(tiles::unsigned_offset(stream(), out, before(in.data(), offset), offset));
    checkSame(part(out.read(), 0, 64), x, "two sums");
    checkSame(part(out.read(), 1, 64), x, "one sum");
  }
}

TEST_CASE("nothing wraps on the way to an offset") {
  auto x = randomValues<std::int8_t>(64, 28);
  Guarded<std::int8_t> in(x), out(64);
  for (int factor : {3, 1000003, 2147483647, -1000003}) {
    require(tiles::quotient_of_a_long_product(stream(), out, in, factor));
    checkSame(out.read(), x, "factor " + std::to_string(factor));
  }
}

TEST_CASE("offsets may be negative") {
  auto x = randomValues<std::int32_t>(200, 29);
  Guarded<std::int32_t> in(x), out(128);
  require(tiles::negative_offset(stream(), out, in.data() + 100, 70));
  std::vector<std::int32_t> want(x.begin() + 30, x.begin() + 94);
  checkSame(part(out.read(), 0, 64), want, "+ (i - back)");
  checkSame(part(out.read(), 1, 64), want, "- (back - i)");
}

TEST_SUITE_END();
