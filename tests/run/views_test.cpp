// Views: windows inside, across and outside every edge of strided arrays.
#include "harness.hpp"
#include "views.tile.h"

#include <array>

using namespace test;

TEST_SUITE_BEGIN("views");

namespace {

/// A strided array over `data`, whose element (0, 0, ...) is data[origin].
template <typename T, std::size_t Rank> struct Array {
  std::vector<T> data;
  std::array<std::int64_t, Rank> extents, strides;
  std::int64_t origin = 0;

  bool contains(const std::array<std::int64_t, Rank> &index) const {
    for (std::size_t axis = 0; axis < Rank; ++axis)
      if (index[axis] < 0 || index[axis] >= extents[axis])
        return false;
    return true;
  }
  std::size_t place(const std::array<std::int64_t, Rank> &index) const {
    std::int64_t at = origin;
    for (std::size_t axis = 0; axis < Rank; ++axis)
      at += index[axis] * strides[axis];
    return std::size_t(at);
  }
  T at(const std::array<std::int64_t, Rank> &index, T pad) const {
    return contains(index) ? data[place(index)] : pad;
  }
  /// The same array where the device holds it.
  template <typename U> tilert::View<U, Rank> view(U *memory) const {
    return {memory + origin, extents, strides};
  }
};

template <typename T> std::vector<T> numbers(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = nearest<T>(double(i % 90 + 10));
  return values;
}

/// Row-major, negative, transposed, spread out, and with one row for all.
template <typename T> std::vector<Array<T, 2>> matrices() {
  return {{numbers<T>(6 * 20), {6, 20}, {20, 1}, 0},
          {numbers<T>(6 * 20), {6, 20}, {-20, -1}, 119},
          {numbers<T>(6 * 20), {20, 6}, {1, 20}, 0},
          {numbers<T>(400), {5, 19}, {67, 3}, 5},
          {numbers<T>(20), {6, 20}, {0, 1}, 0},
          {numbers<T>(20), {6, 20}, {0, 0}, 7},
          {numbers<T>(16 * 32), {16, 32}, {32, 1}, 0},
          {{}, {0, 20}, {20, 1}, 0},
          {{}, {6, 0}, {0, 1}, 0}};
}

const std::vector<std::int64_t> kStarts = {
    INT64_MIN, -1000, -9, -8, -3, -1, 0, 1, 2, 4, 5, 6, 13, 16, 19, 20, 32, 40, INT64_MAX - 3};

template <typename T> T literal(double value) {
  return nearest<T>(value);
}

/// What is left of a buffer of poison.
template <typename T> T untouched() {
  return fromBits<T>(isFloat<T> ? kPoison<T> : static_cast<Bits<T>>(0xa5a5a5a5a5a5a5a5ull));
}

} // namespace

TEST_CASE_TEMPLATE("windows of rank 1 across every edge", T, std::int8_t, std::uint16_t,
                   std::int32_t, std::uint64_t, half, bfloat16, float, double) {
  for (std::int64_t stride : {1, 2, -1, 0})
    for (std::int64_t extent : {0, 1, 15, 16, 17, 33}) {
      Array<T, 1> x{numbers<T>(67), {extent}, {stride}, stride < 0 ? 66 : 0};
      Guarded<T> memory(x.data);
      for (std::int64_t i : kStarts) {
        Guarded<T> out(34);
        require(tiles::window_1(stream(), out.data(), x.template view<const T>(memory), i));
        std::vector<T> want(34);
        for (std::int64_t lane = 0; lane < 16; ++lane) {
          // INT64_MAX - 3 + lane wraps, to numbers that are outside as well.
          std::int64_t at = std::int64_t(std::uint64_t(i) + std::uint64_t(lane));
          want[lane] = x.at({at}, literal<T>(1));
          want[16 + lane] = x.at({at}, literal<T>(0));
        }
        want[32] = x.at({i}, literal<T>(1));
        want[33] = x.at({i}, literal<T>(0));
        checkSame(out.read(), want,
                  "start " + std::to_string(i) + ", extent " + std::to_string(extent) +
                      ", stride " + std::to_string(stride));
      }
    }
}

TEST_CASE("windows of bool") {
  std::vector<std::uint8_t> bytes = {1, 0, 1, 1, 0, 0, 1};
  Guarded<std::uint8_t> memory(bytes), out(34);
  const bool *data = reinterpret_cast<const bool *>(memory.data());
  require(tiles::window_1(stream(), reinterpret_cast<bool *>(out.data()),
                          tilert::View<const bool, 1>{data, {7}, {1}}, -2));
  std::vector<std::uint8_t> want(34, 0);
  for (int lane = 0; lane < 16; ++lane) {
    bool inside = lane >= 2 && lane < 9;
    want[lane] = inside ? bytes[lane - 2] : 1;
    want[16 + lane] = inside ? bytes[lane - 2] : 0;
  }
  want[32] = 1;
  checkSame(out.read(), want, "bool");
}

TEST_CASE("windows of float8") {
  std::vector<std::uint8_t> bytes = {0x01, 0x7e, 0x80, 0xfe, 0x33};
  Guarded<std::uint8_t> memory(bytes), out(20);
  require(tiles::window_float8(stream(), tilert::View<std::uint8_t, 1>{out.data(), {15}, {1}},
                               tilert::View<const std::uint8_t, 1>{memory.data(), {5}, {1}}, -3));
  std::vector<std::uint8_t> want(20, 0x38); // 1.0
  std::copy(bytes.begin(), bytes.end(), want.begin() + 3);
  std::fill(want.begin() + 15, want.end(), std::uint8_t(0xa5));
  checkSame(out.read(), want, "e4m3");
}

TEST_CASE_TEMPLATE("windows and indices of rank 2, any strides, across every edge", T, std::uint8_t,
                   half, float, double) {
  for (const Array<T, 2> &x : matrices<T>()) {
    Guarded<T> memory(x.data);
    for (std::int64_t i : kStarts)
      for (std::int64_t j : kStarts) {
        Guarded<T> out(56);
        require(tiles::window_2(stream(), out.data(), x.template view<const T>(memory), i, j));
        std::vector<T> want(56, untouched<T>());
        auto at = [&](std::int64_t row, std::int64_t column) {
          return x.at({std::int64_t(std::uint64_t(i) + std::uint64_t(row)),
                       std::int64_t(std::uint64_t(j) + std::uint64_t(column))},
                      literal<T>(7));
        };
        for (int row = 0; row < 4; ++row)
          for (int column = 0; column < 8; ++column)
            want[row * 8 + column] = at(row, column);
        for (int column = 0; column < 8; ++column)
          want[32 + column] = want[48 + column] = at(0, column);
        for (int row = 0; row < 4; ++row)
          want[40 + row] = at(row, 0);
        want[44] = at(0, 0);
        compare(out.read(), want, std::to_string(i) + ", " + std::to_string(j),
                [&, got = out.read()](std::size_t n) { return bitsOf(got[n]) == bitsOf(want[n]); });
      }
  }
}

TEST_CASE("windows of rank 3") {
  Array<std::int32_t, 3> x{numbers<std::int32_t>(3 * 7 * 5), {3, 7, 5}, {35, 5, 1}, 0};
  Array<std::int32_t, 3> y{x.data, {5, 7, 3}, {1, 5, 35}, 0};
  for (const auto &array : {x, y}) {
    Guarded<std::int32_t> memory(array.data);
    for (int i : {-1, 0, 2, 3})
      for (int j : {-3, 0, 1, 6, 7})
        for (int k : {-2, 0, 3, 9}) {
          Guarded<std::int32_t> out(72);
          require(tiles::window_3(stream(), out, array.view<const std::int32_t>(memory), i, j, k));
          std::vector<std::int32_t> want(72);
          for (int a = 0; a < 2; ++a)
            for (int c = 0; c < 4; ++c) {
              for (int b = 0; b < 8; ++b)
                want[a * 32 + b * 4 + c] = array.at({i + a, j + b, k + c}, -1);
              want[64 + a * 4 + c] = array.at({i + a, j, k + c}, -1);
            }
          checkSame(out.read(), want, "rank 3");
        }
  }
}

TEST_CASE("windows of rank 4 and 5") {
  Array<std::int32_t, 4> x{numbers<std::int32_t>(3 * 4 * 5 * 6), {3, 4, 5, 6}, {120, 30, 6, 1}, 0};
  Array<std::int32_t, 5> y{
      numbers<std::int32_t>(2 * 3 * 4 * 5 * 6), {2, 3, 4, 5, 6}, {360, 120, 30, 6, 1}, 0};
  Guarded<std::int32_t> memoryX(x.data), memoryY(y.data);
  for (int start : {-1, 0, 1, 2, 3}) {
    int i = start, j = start + 1, k = start, l = 2 * start;
    Guarded<std::int32_t> out(64), out5(33);
    require(tiles::window_4(stream(), out, x.view<const std::int32_t>(memoryX), i, j, k, l));
    require(
        tiles::window_5(stream(), out5, y.view<const std::int32_t>(memoryY), i / 2, i, j, k, l));
    std::vector<std::int32_t> want(64), want5(33);
    for (int n = 0; n < 64; ++n)
      want[n] = x.at({i + n / 32, j + n / 8 % 4, k + n / 4 % 2, l + n % 4}, -1);
    for (int n = 0; n < 32; ++n)
      want5[n] = y.at({i / 2, i + n / 16, j + n / 8 % 2, k + n / 4 % 2, l + n % 4}, -1);
    want5[32] = y.at({i / 2, i, j, k, l}, -1);
    checkSame(out.read(), want, "rank 4");
    checkSame(out5.read(), want5, "rank 5");
  }
}

TEST_CASE_TEMPLATE("stores touch what is inside only", T, std::uint8_t, std::int16_t, float,
                   std::int64_t) {
  for (const Array<T, 2> &x : matrices<T>())
    for (std::int64_t i : kStarts)
      for (std::int64_t j : kStarts) {
        Guarded<T> memory(x.data);
        require(tiles::store_2(stream(), x.template view<T>(memory.data()), i, j));
        std::vector<T> want = x.data;
        for (std::int64_t row = 0; row < x.extents[0]; ++row)
          for (std::int64_t column = 0; column < x.extents[1]; ++column)
            if (row >= i && row - 4 < i && column >= j && column - 16 < j)
              want[x.place({row, column})] = literal<T>(1);
        checkSame(memory.read(), want, std::to_string(i) + ", " + std::to_string(j));
      }
}

TEST_CASE("one element is stored, or none") {
  for (std::int64_t i : {-1, 0, 2, 3})
    for (std::int64_t j : {-1, 0, 3, 4, 5}) {
      Array<std::int32_t, 2> x{numbers<std::int32_t>(15), {3, 5}, {5, 1}, 0};
      Guarded<std::int32_t> memory(x.data);
      require(tiles::store_scalar(stream(), x.view<std::int32_t>(memory.data()), i, j));
      std::vector<std::int32_t> want = x.data;
      for (auto [column, value] : {std::pair(j, 5), {j + 1, 0}, {j + 2, 1}})
        if (x.contains({i, column}))
          want[x.place({i, column})] = value;
      checkSame(memory.read(), want, std::to_string(i) + ", " + std::to_string(j));
    }
}

TEST_CASE("strides beyond 32 bits, whose products meet again") {
  // Element (n, n) is at 10 * n: the huge parts of both dimensions cancel.
  constexpr std::int64_t kHuge = std::int64_t(1) << 33;
  Array<float, 2> x{numbers<float>(64), {6, 6}, {kHuge + 10, -kHuge}, 0};
  Guarded<float> memory(x.data);
  for (std::int64_t n = 0; n < 6; ++n) {
    Guarded<float> out(56);
    // The window ends with the array, so that only the diagonal is touched.
    tilert::View<const float, 2> view{memory.data(), {n + 1, n + 1}, {kHuge + 10, -kHuge}};
    require(tiles::window_2(stream(), out.data(), view, n, n));
    std::vector<float> got = out.read();
    CHECK(got[0] == x.data[10 * n]);
    CHECK(got[1] == 7);
    CHECK(got[44] == x.data[10 * n]);
  }
}

TEST_CASE("extents beyond 32 bits") {
  constexpr std::int64_t kLong = std::int64_t(1) << 40;
  std::vector<std::uint8_t> x = {3, 4};
  Guarded<std::uint8_t> memory(x);
  tilert::View<const std::uint8_t, 2> view{memory.data(), {2, kLong}, {1, 0}};
  for (std::int64_t j : {std::int64_t(0), kLong - 5, kLong - 1, kLong, -kLong, std::int64_t(-3)}) {
    Guarded<std::uint8_t> out(32);
    require(tiles::wide_extents(stream(), out, view, 1, j));
    std::vector<std::uint8_t> want(32, 9);
    for (std::int64_t lane = 0; lane < 16; ++lane)
      if (j + lane >= 0 && j + lane < kLong)
        want[lane] = x[1];
    if (j >= 0 && j < kLong)
      want[16] = x[1];
    checkSame(out.read(), want, std::to_string(j));
  }
}

TEST_CASE_TEMPLATE("copies between strided arrays of any size", T, std::uint8_t, half, float) {
  for (auto [rows, columns] : {std::pair(1, 1),
                               {8, 32},
                               {7, 33},
                               {9, 31},
                               {16, 64},
                               {24, 96},
                               {0, 5},
                               {5, 0},
                               {3, 257},
                               {40, 48}})
    for (auto [pitch, shift] : {std::pair(0, 0), {1, 0}, {0, 1}, {16, 0}}) {
      std::int64_t stride = (columns + 15) / 16 * 16 + pitch;
      Array<T, 2> x{numbers<T>(rows * stride + 1), {rows, columns}, {stride, 1}, 0};
      Guarded<T> in(x.data, shift), out(std::vector<T>(rows * stride + 1, literal<T>(2)), shift);
      require(tiles::view_copy(stream(), x.template view<T>(out.data()),
                               x.template view<const T>(in.data())));
      std::vector<T> want(rows * stride + 1, literal<T>(2));
      for (std::int64_t row = 0; row < rows; ++row)
        std::copy_n(x.data.begin() + row * stride, columns, want.begin() + row * stride);
      checkSame(out.read(), want, std::to_string(rows) + " x " + std::to_string(columns));
    }
}

TEST_CASE("a transposed view is a transposed array") {
  Array<float, 2> x{numbers<float>(37 * 21), {37, 21}, {21, 1}, 0};
  Guarded<float> in(x.data), out(x.data.size()), back(x.data.size());
  tilert::View<float, 2> turned{out.data(), {21, 37}, {37, 1}};
  require(tiles::view_transpose(stream(), turned, x.view<const float>(in)));
  std::vector<float> want(x.data.size());
  for (int i = 0; i < 37; ++i)
    for (int j = 0; j < 21; ++j)
      want[j * 37 + i] = x.data[i * 21 + j];
  checkSame(out.read(), want, "rows become columns");
  // Written through a view with exchanged strides, the rows are rows again.
  tilert::View<float, 2> exchanged{back.data(), {21, 37}, {1, 21}};
  require(tiles::view_transpose(stream(), exchanged, x.view<const float>(in)));
  checkSame(back.read(), x.data, "twice transposed");
}

TEST_CASE("loops over windows: proven inside, or cut at the end") {
  for (int rows : {1, 5, 40})
    for (int columns : {0, 1, 31, 32, 64, 100}) {
      std::vector<float> data(rows * columns);
      for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = float(i % 13) - 5;
      Guarded<float> in(data), out(rows);
      require(
          tiles::row_sums(stream(), tilert::contiguous(out.data(), {rows}),
                          tilert::View<const float, 2>{in.data(), {rows, columns}, {columns, 1}}));
      std::vector<double> want(rows, 0.0);
      for (std::size_t i = 0; i < data.size(); ++i)
        want[i / columns] += data[i];
      checkUlps(out.read(), want, 0, std::to_string(columns) + " columns");
    }
}

TEST_CASE("whole blocks and the rest") {
  for (int columns : {0, 1, 15, 16, 17, 32, 47, 64}) {
    std::vector<float> data(3 * columns);
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = float(i % 17) - 6;
    Guarded<float> in(data), out(3);
    require(tiles::block_sums(stream(), out,
                              tilert::View<const float, 2>{in.data(), {3, columns}, {columns, 1}}));
    std::vector<double> want(3, 0.0);
    for (std::size_t i = 0; i < data.size(); ++i)
      want[i / columns] += data[i];
    checkUlps(out.read(), want, 0, std::to_string(columns) + " columns");
  }
}

TEST_CASE("windows at an offset, up to the smaller of two bounds") {
  std::vector<float> data(320);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = float(i % 11) - 4;
  Guarded<float> in(data);
  for (int extent : {0, 64, 100, 256, 320})
    for (int n : {0, 1, 64, 128, 129, 1000}) {
      Guarded<float> out(1);
      require(tiles::two_windows(stream(), out,
                                 tilert::View<const float, 1>{in.data(), {extent}, {1}}, n));
      double want = 0;
      for (int i = 0; i < extent; ++i)
        if (i / 64 * 64 < n)
          want += data[i] * (i % 64 < 32 ? 1 : 2);
      checkUlps(out.read(), {want}, 0, std::to_string(extent) + ", " + std::to_string(n));
    }
}

TEST_CASE("views are passed to functions") {
  Array<std::int32_t, 2> x{numbers<std::int32_t>(12), {4, 3}, {3, 1}, 0};
  Guarded<std::int32_t> in(x.data), out(8);
  require(tiles::views_in_functions(stream(), tilert::contiguous(out.data(), {8}),
                                    x.view<std::int32_t>(in.data())));
  std::vector<std::int32_t> want;
  for (int row = 0; row < 4; ++row)
    want.insert(want.end(), {x.data[row * 3], x.data[row * 3 + 2]});
  checkSame(out.read(), want, "first and last of each row");
  tilert::Status overlap =
      tiles::views_in_functions(stream(), tilert::View<std::int32_t, 1>{in.data() + 11, {1}, {1}},
                                x.view<std::int32_t>(in.data()));
  CHECK_MESSAGE(overlap.code() == TILERT_ERROR_CONTRACT, overlap.message());
}

TEST_CASE("an index out of a view is checked by the array it points into") {
  Array<float, 2> table{numbers<float>(5 * 8), {5, 8}, {8, 1}, 0};
  std::vector<std::int64_t> index = {4, -1, 0, 5, 2, INT64_MAX};
  Guarded<float> memory(table.data), out(48);
  Guarded<std::int64_t> places(index);
  require(tiles::rows_of_index(stream(), out, table.view<const float>(memory),
                               tilert::View<const std::int64_t, 1>{places.data(), {6}, {1}}));
  std::vector<float> want(48);
  for (int n = 0; n < 48; ++n)
    want[n] = table.at({index[n / 8], n % 8}, -1.0f);
  checkSame(out.read(), want, "rows");
}

//===--- Contracts and dispatch
//----------------------------------------------------------------===//

TEST_CASE("extents pick the const param, strides the specialised variant") {
  for (std::int64_t columns : {16, 64, 128})
    for (std::int64_t pitch : {0, 1}) {
      Guarded<std::int64_t> out(5);
      tilert::View<const float, 2> x{nullptr, {7, columns}, {columns + pitch, 1}};
      require(tiles::view_dispatch(stream(), out, x));
      checkSame(out.read(), {columns, pitch ? 0 : 1, 7, columns + pitch, 1}, "dispatch");
    }
}

TEST_CASE("a view that no variant takes: an error with kernel, clause and values") {
  Guarded<std::int64_t> out(5);
  tilert::Status status =
      tiles::view_dispatch(stream(), out, tilert::View<const float, 2>{nullptr, {7, 17}, {17, 1}});
  CHECK(status.code() == TILERT_ERROR_CONTRACT);
  for (const char *part : {"view_dispatch", "x.dim(1) == D", "x.dim(1) = 17"})
    CHECK_MESSAGE(status.message().find(part) != std::string::npos, status.message());
  status = tiles::view_dispatch(stream(), out,
                                tilert::View<const float, 2>{nullptr, {1001, 16}, {16, 1}});
  CHECK_MESSAGE(status.message().find("x.dim(0) <= 1000") != std::string::npos, status.message());
}

TEST_CASE("an extent that i32 does not hold is refused") {
  Guarded<std::int64_t> out(5);
  tilert::Status status = tiles::view_dispatch(
      stream(), out, tilert::View<const float, 2>{nullptr, {std::int64_t(1) << 31, 16}, {16, 1}});
  CHECK(status.code() == TILERT_ERROR_INVALID_ARGUMENT);
  CHECK_MESSAGE(status.message() ==
                    "view_dispatch: x.dim(0) = 2147483648 does not fit i32; kernels "
                    "with `option extents = i64` take more",
                status.message());
}

TEST_CASE("dynamic launches take views, and type them") {
  tilert_module module = nullptr;
  require(tilert_module_from_library(&tilec_library_tiles__views, &module));
  tilert_kernel handle = nullptr;
  require(tilert_kernel_find(module, "view_copy", &handle));
  tilert::Kernel kernel(handle);
  std::vector<float> data = numbers<float>(12);
  Guarded<float> in(data), out(12);
  tilert::View<const float, 2> x{in.data(), {3, 4}, {4, 1}};
  tilert::View<float, 2> y{out.data(), {3, 4}, {4, 1}};
  require(kernel.launch(stream(), y, x));
  checkSame(out.read(), data, "copied");
  tilert::Status status = kernel.launch(stream(), y, in.data());
  CHECK_MESSAGE(status.code() == TILERT_ERROR_INVALID_ARGUMENT, status.message());
}

TEST_SUITE_END();
