// Reductions against loops over the elements, in order.
#include "harness.hpp"
#include "reductions.tile.h"

using namespace test;

TEST_SUITE_BEGIN("reductions");

namespace {

template <typename T> std::int64_t indexOfLargest(const std::vector<T> &v) {
  return std::max_element(v.begin(), v.end()) - v.begin(); // the first of equals
}
template <typename T> std::int64_t indexOfSmallest(const std::vector<T> &v) {
  return std::min_element(v.begin(), v.end()) - v.begin();
}

std::vector<std::int64_t> integerReferences(const std::vector<std::int32_t> &v) {
  std::int64_t sum = 0, parity = 0;
  for (std::int32_t e : v) {
    sum += e;
    parity ^= e;
  }
  bool has17 = std::find(v.begin(), v.end(), 17) != v.end();
  return {sum,
          *std::max_element(v.begin(), v.end()),
          *std::min_element(v.begin(), v.end()),
          indexOfLargest(v),
          indexOfSmallest(v),
          parity,
          has17,
          !has17};
}

/// Calls f<values, others>() for every pair.
template <int... sizes, int... warps, typename F>
void forEach(std::integer_sequence<int, sizes...>, std::integer_sequence<int, warps...>, F f) {
  auto withSize = [&]<int size>() { (f.template operator()<size, warps>(), ...); };
  (withSize.template operator()<sizes>(), ...);
}

} // namespace

TEST_CASE("integer reductions of tiles from 1 to 4096 elements on 1 to 32 warps") {
  forEach(std::integer_sequence<int, 1, 2, 8, 16, 32, 64, 128, 512, 4096>(),
          std::integer_sequence<int, 1, 4, 8, 32>(), []<int size, int warps>() {
            std::vector<std::int32_t> x(2 * size);
            for (int i = 0; i < 2 * size; ++i)
              x[i] = (i * 7919 + size) % 1000 - 500; // repeats: ties
            Guarded<std::int32_t> in(x);
            Guarded<std::int64_t> out(16);
            require(tiles::integer_reductions<size, warps>(stream(), out, in));
            std::vector<std::int64_t> got = out.read();
            for (int p = 0; p < 2; ++p)
              checkSame(part(got, p, 8), integerReferences(part(x, p, size)),
                        std::to_string(size) + " elements, " + std::to_string(warps) + " warps");
          });
}

TEST_CASE("float reductions skip NaN unless it propagates") {
  forEach(std::integer_sequence<int, 1, 8, 64, 1024>(), std::integer_sequence<int, 1, 4, 16>(),
          []<int size, int warps>() {
            std::vector<float> x = uniformValues<float>(size, 70), numbers;
            for (int i = 0; i < size; i += 5)
              if (size > 1)
                x[i] = NAN;
            for (float v : x)
              numbers.push_back(std::isnan(v) ? 0 : v);
            Guarded<float> in(x), clean(numbers), out(7), cleanOut(7);
            require(tiles::float_reductions<size, warps>(stream(), out, in));
            require(tiles::float_reductions<size, warps>(stream(), cleanOut, clean));
            double largest = -INFINITY, smallest = INFINITY, sum = 0;
            int at = 0, lowest = 0;
            for (int i = 0; i < size; ++i) {
              sum += numbers[i];
              if (x[i] > largest)
                largest = x[at = i];
              if (x[i] < smallest)
                smallest = x[lowest = i];
            }
            double nan = size > 1 ? NAN : x[0];
            std::vector<double> want = {
                size > 1 ? NAN : x[0], largest, smallest, nan, nan, double(at), double(lowest)};
            checkClose(out.read(), want, 0, 0, std::to_string(size) + " with NaN");
            checkClose(part(cleanOut.read(), 0, 1), std::vector<double>{sum}, 1e-6, 1e-6 * size,
                       "sum");
          });
}

namespace {

/// Sums, largest elements and their positions along `axis`, over row-major `x`.
struct AlongAxis {
  std::vector<std::int32_t> sums, largest, at;
  AlongAxis(const std::vector<std::int32_t> &x, const std::vector<int> &shape, int axis) {
    int inner = 1, length = shape[axis], outer = 1;
    for (int d = 0; d < int(shape.size()); ++d)
      (d < axis ? outer : inner) *= d == axis ? 1 : shape[d];
    for (int o = 0; o < outer; ++o)
      for (int i = 0; i < inner; ++i) {
        std::vector<std::int32_t> line;
        for (int k = 0; k < length; ++k)
          line.push_back(x[(o * length + k) * inner + i]);
        std::int64_t index = indexOfLargest(line);
        std::int32_t sum = 0;
        for (std::int32_t v : line)
          sum += v;
        sums.push_back(sum);
        largest.push_back(line[index]);
        at.push_back(std::int32_t(index));
      }
  }
};

template <typename Launch>
void checkAlongAxis(const std::vector<int> &shape, int axis, Launch launch) {
  std::vector<std::int32_t> x(1024);
  for (int i = 0; i < 1024; ++i)
    x[i] = i * 263 % 101;
  std::size_t n = 1024 / shape[axis];
  Guarded<std::int32_t> in(x), sums(n), largest(n), at(n);
  require(launch(sums.data(), largest.data(), at.data(), in.data()));
  AlongAxis want(x, shape, axis);
  std::string what = "rank " + std::to_string(shape.size()) + ", axis " + std::to_string(axis);
  checkSame(sums.read(), want.sums, what + ": sum");
  checkSame(largest.read(), want.largest, what + ": max");
  checkSame(at.read(), want.at, what + ": argmax");
}

} // namespace

TEST_CASE("every axis of rank 2") {
  auto run = []<int axis>() {
    checkAlongAxis({16, 64}, axis,
                   [](auto *...p) { return tiles::along_axis_2<axis>(stream(), p...); });
  };
  run.operator()<0>();
  run.operator()<1>();
}

TEST_CASE("every axis of rank 3") {
  auto run = []<int axis>() {
    checkAlongAxis({4, 32, 8}, axis,
                   [](auto *...p) { return tiles::along_axis_3<axis>(stream(), p...); });
  };
  run.operator()<0>();
  run.operator()<1>();
  run.operator()<2>();
}

TEST_CASE("every axis of rank 4") {
  auto run = []<int axis>() {
    checkAlongAxis({4, 2, 16, 8}, axis,
                   [](auto *...p) { return tiles::along_axis_4<axis>(stream(), p...); });
  };
  run.operator()<0>();
  run.operator()<1>();
  run.operator()<2>();
  run.operator()<3>();
}

TEST_CASE("a sum of sums counts every element once, in any order of axes") {
  auto x = randomValues<std::int32_t>(512, 71);
  for (std::int32_t &v : x)
    v %= 1000;
  Guarded<std::int32_t> in(x), out(6);
  require(tiles::sums_of_sums(stream(), out, in));
  std::int32_t total = 0, most = INT32_MIN, least = INT32_MAX;
  for (int line = 0; line < 64; ++line) {
    std::int32_t sum = 0;
    for (int i = 0; i < 8; ++i)
      sum += x[line * 8 + i];
    total += sum;
    most = std::max(most, sum);
    least = std::min(least, sum);
  }
  checkSame(out.read(), {total, total, total, total, total, most - least}, "sums");
}

TEST_CASE("keep_dims keeps a dimension of size 1") {
  std::vector<float> x = uniformValues<float>(512, 72);
  Guarded<float> in(x), out(5 * 512);
  require(tiles::keeping_dims(stream(), out, in));
  std::vector<float> got = out.read(), byRow(512), byColumn(512), byAll(512);
  for (int r = 0; r < 16; ++r)
    for (int c = 0; c < 32; ++c) {
      float rowMax = -INFINITY, columnMax = -INFINITY;
      for (int k = 0; k < 32; ++k)
        rowMax = std::max(rowMax, x[r * 32 + k]);
      for (int k = 0; k < 16; ++k)
        columnMax = std::max(columnMax, x[k * 32 + c]);
      byRow[r * 32 + c] = x[r * 32 + c] - rowMax;
      byColumn[r * 32 + c] = x[r * 32 + c] - columnMax;
      byAll[r * 32 + c] = x[r * 32 + c] - *std::max_element(x.begin(), x.end());
    }
  checkSame(part(got, 0, 512), byRow, "axis 1 kept");
  checkSame(part(got, 1, 512), byRow, "axis 1 added back");
  checkSame(part(got, 2, 512), byColumn, "axis 0 kept");
  checkSame(part(got, 3, 512), byColumn, "axis 0 added back");
  checkSame(part(got, 4, 512), byAll, "all kept");
}

TEST_CASE("any, all and the count of bools") {
  for (unsigned seed : {73u, 74u}) {
    std::vector<std::uint8_t> x(512, seed == 73);
    std::mt19937 generator(seed);
    for (int i = 0; i < 20; ++i)
      x[generator() % 512] ^= 1;
    Guarded<bool> in(x), out(98);
    Guarded<std::int32_t> counts(17);
    require(tiles::of_bools(stream(), out, counts, in));
    std::vector<std::uint8_t> want(98);
    std::vector<std::int32_t> wantCounts(17);
    std::fill_n(want.begin() + 16, 16, 1);
    std::fill_n(want.begin() + 64, 32, 1);
    want[97] = 1;
    for (int i = 0; i < 512; ++i) {
      int r = i / 32, c = i % 32;
      want[r] |= x[i], want[16 + r] &= x[i], want[32 + c] |= x[i], want[64 + c] &= x[i];
      want[96] |= x[i], want[97] &= x[i];
      wantCounts[r] += x[i], wantCounts[16] += x[i];
    }
    checkSame(out.read(), want, "any, all");
    checkSame(counts.read(), wantCounts, "counts");
  }
}

TEST_CASE_TEMPLATE("sums of small integers are computed in 32 bits", T, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  std::vector<T> x(1024);
  for (int i = 0; i < 1024; ++i)
    x[i] = T(std::is_signed_v<T> ? i * 31 % 251 - 125 : i * 31 % 251);
  x[700] = x[300] = T(126); // ties with others, unless unsigned
  Guarded<T> in(x), largest(2);
  Guarded<std::int64_t> sums(4);
  require(tiles::widened(stream(), sums, largest, in));
  std::int64_t sum = 0;
  T parity = 0;
  for (T v : x) {
    sum += v;
    parity ^= v;
  }
  checkSame(sums.read(), {sum, std::int64_t(parity), indexOfLargest(x), indexOfSmallest(x)},
            "sums");
  checkSame(largest.read(),
            {*std::max_element(x.begin(), x.end()), *std::min_element(x.begin(), x.end())}, "max");
}

TEST_CASE_TEMPLATE("sums of half floats are computed in f32", T, half, bfloat16, float, double) {
  std::vector<T> x = uniformValues<T>(1024, 75, 100);
  x[0] = nearest<T>(200); // 1000 later elements would vanish beside it in 8 bits
  Guarded<T> in(x), largest(2);
  Guarded<double> sums(2);
  require(tiles::widened_floats(stream(), sums, largest, in));
  double sum = 0, magnitude = 0, least = INFINITY;
  for (T v : x) {
    sum += toDouble(v);
    magnitude += std::fabs(toDouble(v));
    least = std::min(least, toDouble(v));
  }
  checkClose(sums.read(), {sum, 0}, 0, magnitude * 1e-6, "sum");
  checkSame(largest.read(), {nearest<T>(200), nearest<T>(least)}, "max, min");
}

namespace {
/// x -> a * x + b, then x -> next.a * x + next.b, modulo 2^32.
struct Affine {
  std::uint32_t a = 1, b = 0;
  Affine then(Affine next) const { return {a * next.a, b * next.a + next.b}; }
};

Affine composed(const std::vector<std::int32_t> &a, const std::vector<std::int32_t> &b, int first,
                int step, int count) {
  Affine result;
  for (int i = 0; i < count; ++i)
    result = result.then({std::uint32_t(a[first + i * step]), std::uint32_t(b[first + i * step])});
  return result;
}
} // namespace

TEST_CASE("a combination that does not commute is taken in order") {
  auto a = randomValues<std::int32_t>(1024, 76), b = randomValues<std::int32_t>(1024, 77);
  for (std::int32_t &v : a)
    v |= 1; // odd: nothing degenerates to 0
  Guarded<std::int32_t> inA(a), inB(b);
  forEach(std::integer_sequence<int, 2, 16, 128, 1024>(), std::integer_sequence<int, 1, 4, 32>(),
          [&]<int size, int warps>() {
            Guarded<std::int32_t> out(2);
            require(tiles::compositions<size, warps>(stream(), out, inA, inB));
            Affine want = composed(a, b, 0, 1, size);
            checkSame(out.read(), {std::int32_t(want.a), std::int32_t(want.b)},
                      std::to_string(size) + " on " + std::to_string(warps) + " warps");
          });
}

TEST_CASE("a combination that does not commute, along either axis") {
  auto a = randomValues<std::int32_t>(2048, 78), b = randomValues<std::int32_t>(2048, 79);
  Guarded<std::int32_t> inA(a), inB(b), out(256), out2(256);
  require(tiles::compositions_by_axis<0>(stream(), out, inA, inB));
  require(tiles::compositions_by_axis<1>(stream(), out2, inA, inB));
  std::vector<std::int32_t> got = out.read(), got2 = out2.read();
  int wrong = 0;
  for (int c = 0; c < 16; ++c) {
    Affine want = composed(a, b, c, 16, 128);
    wrong += std::uint32_t(got[c]) != want.a || std::uint32_t(got[128 + c]) != want.b;
  }
  CHECK_MESSAGE(wrong == 0, "axis 0");
  for (int r = 0; r < 128; ++r) {
    Affine want = composed(a, b, r * 16, 1, 16);
    wrong += std::uint32_t(got2[r]) != want.a || std::uint32_t(got2[128 + r]) != want.b;
  }
  CHECK_MESSAGE(wrong == 0, "axis 1");
}

TEST_CASE("products of 128 and 1024 matrices") {
  auto m = randomValues<std::uint32_t>(4096, 80);
  Guarded<std::uint32_t> in(m), out(4);
  auto check = [&](int count) {
    std::uint32_t a = 1, b = 0, c = 0, d = 1;
    for (int i = 0; i < count; ++i) {
      std::uint32_t e = m[4 * i], f = m[4 * i + 1], g = m[4 * i + 2], h = m[4 * i + 3];
      std::uint32_t next[] = {a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h};
      a = next[0], b = next[1], c = next[2], d = next[3];
    }
    checkSame(out.read(), {a, b, c, d}, std::to_string(count));
  };
  require(tiles::matrix_products<128>(stream(), out, in));
  check(128);
  require(tiles::matrix_products<1024>(stream(), out, in));
  check(1024);
}

TEST_CASE("of equal elements, argmax and argmin give the first") {
  std::vector<float> x(256, 1);
  x[77] = x[78] = x[200] = x[255] = 3;
  Guarded<float> in(x);
  Guarded<std::int32_t> out(6);
  require(tiles::first_and_last(stream(), out, in));
  checkSame(out.read(), {77, 255, 1, 77, 77, 255}, "positions");
}

TEST_CASE("reductions of tiles that a loop carries") {
  for (int n : {1, 63, 64, 65, 200}) {
    std::vector<float> x = uniformValues<float>(8 * n, 81, 10);
    Guarded<float> in(x), out(16);
    require(tiles::online_softmax_sum(stream(), out, in, n));
    std::vector<double> want(16, 0);
    for (int r = 0; r < 8; ++r) {
      want[r] = *std::max_element(x.begin() + r * n, x.begin() + (r + 1) * n);
      for (int c = 0; c < n; ++c)
        want[8 + r] += std::exp(x[r * n + c] - want[r]);
    }
    checkClose(out.read(), want, 1e-5, 0, "n = " + std::to_string(n));
  }
}

TEST_CASE("sums in the type that dtype names") {
  std::vector<std::int8_t> x = randomValues<std::int8_t>(256, 70);
  std::vector<half> y(256);
  std::int64_t whole = 0, cut = 0;
  double sum = 0;
  for (int i = 0; i < 256; ++i) {
    y[i] = nearest<half>((i % 16 - 7) * 0.25); // few bits: every partial sum is exact in f16
    whole += x[i];
    sum += toDouble(y[i]);
    cut += std::int64_t(toDouble(y[i])); // cast first, then summed
  }
  Guarded<half> h(1), in(y);
  Guarded<float> f(2);
  Guarded<double> d(1);
  Guarded<std::int8_t> wrapped(1), bytes(x);
  Guarded<std::int64_t> wide(2);
  require(tiles::sums_as(stream(), h, f, d, wrapped, wide, bytes, in));
  checkSame(wrapped.read(), {std::int8_t(whole)}, "i8 wraps");
  checkSame(wide.read(), {whole, cut}, "i64");
  checkSame(f.read(), {float(whole), float(sum)}, "f32");
  checkSame(d.read(), {sum}, "f64");
  checkSame(h.read(), {nearest<half>(sum)}, "f16");
}

TEST_SUITE_END();
