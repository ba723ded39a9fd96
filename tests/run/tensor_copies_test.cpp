// Windows that the tensor-copy engine copies, and launches that it cannot serve: which variant is
// taken, and that the results are right either way. Small integers are exact in every type.
// Alone: build/release/bin/run_tensor_copies --test-case='...'
#include "harness.hpp"
#include "tensor_copies.tile.h"

#include <array>
#include <atomic>

using namespace test;

TEST_SUITE_BEGIN("tensor_copies");

namespace {

/// What the engine of the host device was given since the counts were reset.
std::atomic<std::uint64_t> boxes;    ///< that it copied
std::atomic<std::uint32_t> swizzles; ///< a bit each: 1 << bytes / 16

} // namespace

// The linker sends the kernels' copies here (--wrap).
extern "C" {
void __real_tilert_host_tensor_copy(tilert_host_thread *, const tilert_host_tensor_map *, void *,
                                    void *, std::int32_t, std::int32_t, std::int32_t, std::int32_t,
                                    std::int32_t, std::uint32_t);

void __wrap_tilert_host_tensor_copy(tilert_host_thread *self, const tilert_host_tensor_map *map,
                                    void *shared, void *barrier, std::int32_t c0, std::int32_t c1,
                                    std::int32_t c2, std::int32_t c3, std::int32_t c4,
                                    std::uint32_t predicate) {
  if (predicate) {
    ++boxes;
    swizzles |= 1u << map->swizzle / 16;
  }
  __real_tilert_host_tensor_copy(self, map, shared, barrier, c0, c1, c2, c3, c4, predicate);
}
}

namespace {

/// How a launch is served.
enum class Way {
  Engine,  ///< by the specialised variant, whose copies the engine makes
  Nothing, ///< by the specialised variant, which has nothing to copy
  General, ///< by the general one
};

tilert::Kernel kernelNamed(const char *name) {
  tilert_module module = nullptr;
  require(tilert_module_from_library(&tilec_library_tiles__tensor_copies, &module));
  tilert_kernel kernel = nullptr;
  require(tilert_kernel_find(module, name, &kernel));
  return kernel;
}

/// Launches, and checks that the launch is served in that way; for a general variant, that `why` is
/// said.
template <typename... Arguments>
void launch(const char *name, Way way, const std::string &why, const Arguments &...arguments) {
  const tilert::Kernel kernel = kernelNamed(name);
  const std::string text = kernel.explain(stream(), arguments...);
  const std::size_t at = text.rfind("launch ");
  REQUIRE_MESSAGE(at != std::string::npos, text);
  const std::string symbol = text.substr(at + 7, text.find(':', at) - at - 7);
  CHECK_MESSAGE(symbol.ends_with("__s") == (way != Way::General), text);
  CHECK_MESSAGE(text.find(why) != std::string::npos, text, "\nwhich does not say: ", why);
  boxes = 0;
  swizzles = 0;
  require(kernel.launch(stream(), arguments...));
  const std::uint64_t copied = boxes;
  if (onHost())
    CHECK_MESSAGE((copied > 0) == (way == Way::Engine), copied, " boxes: ", text);
}

/// A strided array over `data`, whose element (0, 0, ...) is data[origin]. 0 outside.
template <typename T, std::size_t Rank> struct Array {
  using Index = std::array<std::int64_t, Rank>;
  std::vector<T> data;
  Index extents, strides;
  std::int64_t origin = 0;

  double at(const Index &index) const {
    std::int64_t place = origin;
    for (std::size_t axis = 0; axis < Rank; ++axis) {
      if (index[axis] < 0 || index[axis] >= extents[axis])
        return 0;
      place += index[axis] * strides[axis];
    }
    return toDouble(data.at(std::size_t(place)));
  }
  tilert::View<const T, Rank> view(const Guarded<T> &memory) const {
    return {memory.data() + origin, extents, strides};
  }
};

/// Integers from -3 to 3.
template <typename T> std::vector<T> integers(std::int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<T> values(std::size_t(count), T(0));
  for (T &value : values)
    value = nearest<T>(double(generator() % 7) - 3);
  return values;
}

constexpr std::int64_t roundUp(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// A matrix whose rows, or columns when `transposed`, are dense and begin at multiples of 16
/// elements.
template <typename T>
Array<T, 2> matrix(std::int64_t rows, std::int64_t columns, unsigned seed,
                   bool transposed = false) {
  const std::int64_t step = roundUp(transposed ? rows : columns, 16);
  return {integers<T>(step * (transposed ? columns : rows), seed),
          {rows, columns},
          transposed ? std::array<std::int64_t, 2>{1, step} : std::array<std::int64_t, 2>{step, 1}};
}

/// Such matrices behind each other.
template <typename T>
Array<T, 3> batchOf(std::int64_t batch, std::int64_t rows, std::int64_t columns, unsigned seed,
                    bool transposed = false) {
  const std::int64_t step = roundUp(transposed ? rows : columns, 16),
                     size = step * (transposed ? columns : rows);
  return {integers<T>(batch * size, seed),
          {batch, rows, columns},
          {size, transposed ? 1 : step, transposed ? step : 1}};
}

/// a b, of a window of [M, K] at (row, first) and one of [K, N] at (first, column).
template <typename A, typename B>
double dotOf(const A &a, const B &b, std::int64_t row, std::int64_t column, std::int64_t first,
             std::int64_t count) {
  double sum = 0;
  for (std::int64_t k = first; k < first + count; ++k)
    sum += a.at({row, k}) * b.at({k, column});
  return sum;
}

/// f(row, column), row-major.
template <typename R, typename F>
std::vector<R> tabulated(std::int64_t rows, std::int64_t columns, F f) {
  std::vector<R> values;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      values.push_back(R(f(i, j)));
  return values;
}

/// Multiplies batches, and compares with the sums of products.
template <typename T>
void checkProduct(const Array<T, 3> &a, const Array<T, 3> &b, bool at, bool bt, Way way,
                  const std::string &why = "") {
  const std::int64_t batch = a.extents[0], m = a.extents[1], k = a.extents[2], n = b.extents[2];
  Guarded<T> memoryA(a.data), memoryB(b.data);
  Guarded<double> out(std::size_t(batch * m * n));
  launch("product", way, why, at, bt, tilert::contiguous(out.data(), {batch, m, n}),
         a.view(memoryA), b.view(memoryB));
  std::vector<double> want;
  for (std::int64_t i = 0; i < batch * m * n; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < k; ++j)
      sum += a.at({i / (m * n), i / n % m, j}) * b.at({i / (m * n), j, i % n});
    want.push_back(sum);
  }
  checkSame(out.read(), want,
            std::to_string(batch) + " x " + std::to_string(m) + " x " + std::to_string(n) + " x " +
                std::to_string(k) + (at ? " T" : " N") + (bt ? "T" : "N"));
}

} // namespace

TEST_CASE_TEMPLATE("products of every type, whole tiles and cut ones, operands dense either way", T,
                   half, bfloat16, float, std::int8_t, double) {
  for (bool at : {false, true})
    for (bool bt : {false, true})
      for (auto [m, n, k] :
           {std::tuple(64, 32, 96), {33, 45, 70}, {1, 32, 40}, {31, 1, 33}, {32, 32, 1}, {1, 1, 1}})
        checkProduct<T>(batchOf<T>(2, m, k, 1, at), batchOf<T>(2, k, n, 2, bt), at, bt,
                        Way::Engine);
}

TEST_CASE("rows of a batch that lie between those of others, or over each other") {
  // [rows, batch, columns] in memory: the stride of the batch is the smaller one.
  Array<half, 3> a{integers<half>(40 * 3 * 64, 3), {3, 40, 50}, {64, 192, 1}};
  checkProduct(a, batchOf<half>(3, 50, 33, 4), false, false, Way::Engine);
  // Each row begins within the one before, as in a convolution.
  Array<half, 3> overlapping{integers<half>(40 * 16 + 50, 5), {1, 40, 50}, {0, 16, 1}};
  checkProduct(overlapping, batchOf<half>(1, 50, 33, 6), false, false, Way::Engine);
}

TEST_CASE("one matrix for a whole batch: a stride of 0") {
  Array<half, 3> one = batchOf<half>(1, 50, 33, 7);
  one.strides[0] = 0;
  checkProduct(batchOf<half>(1, 40, 50, 8), one, false, false, Way::Engine);
  one.extents[0] = 3;
  checkProduct(batchOf<half>(3, 40, 50, 9), one, false, false, Way::Engine);
}

TEST_CASE_TEMPLATE("launches that the engine cannot serve take the general twin", T, half, float,
                   std::int8_t) {
  const Array<T, 3> b = batchOf<T>(1, 40, 33, 10);
  const auto check = [&](const Array<T, 3> &a, const char *why) {
    checkProduct(a, b, false, false, Way::General, why);
  };
  const std::vector<T> data = integers<T>(4000, 11);
  check({data, {1, 35, 40}, {0, 48, 1}, 1}, "aligned(a, 16)");
  check({data, {1, 35, 40}, {0, 49, 1}, 0}, "% 16 == 0");
  check({data, {1, 35, 40}, {1, 48, 1}, 0}, ""); // an axis with one element, too
  check({data, {1, 35, 40}, {0, -48, 1}, 35 * 48}, "a.stride(1) = -48 is negative");
  check({data, {1, 35, 40}, {0, 48, -1}, 64}, "== 1");
  check({data, {1, 35, 40}, {0, 96, 2}, 0}, "== 1");
  check({data, {1, 1, 40}, {0, 0, 0}, 0}, "== 1");
  checkProduct<T>({data, {1, 35, 0}, {0, 48, 1}}, {data, {1, 0, 33}, {0, 48, 1}}, false, false,
                  Way::General, "a.dim(2) = 0 is not in 1");
  checkProduct<T>({data, {1, 0, 40}, {0, 48, 1}}, b, false, false, Way::General,
                  "a.dim(1) = 0 is not in 1");
}

TEST_CASE("views of four axes, two of them indices") {
  // [batch, place, head, element] in memory.
  const std::int64_t batch = 2, places = 45, heads = 3;
  const auto make = [&](unsigned seed) {
    return Array<half, 4>{integers<half>(batch * places * heads * 32, seed),
                          {batch, heads, places, 32},
                          {places * heads * 32, 32, heads * 32, 1}};
  };
  const Array<half, 4> a = make(12), b = make(13);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  Guarded<float> out(std::size_t(batch * heads * 32 * 32));
  launch("heads", Way::Engine, "", tilert::contiguous(out.data(), {batch, heads, 32, 32}),
         a.view(memoryA), b.view(memoryB));
  const std::vector<float> want =
      tabulated<float>(batch * heads * 32, 32, [&](std::int64_t row, std::int64_t column) {
        double sum = 0;
        for (std::int64_t k = 0; k < places; ++k)
          sum += a.at({row / 32 / heads, row / 32 % heads, k, row % 32}) *
                 b.at({row / 32 / heads, row / 32 % heads, k, column});
        return sum;
      });
  checkSame(out.read(), want, "heads");
}

TEST_CASE("windows across every edge of a view, and far outside of it") {
  const Array<half, 2> a = matrix<half>(37, 70, 14), b = matrix<half>(70, 53, 15);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  const auto check = [&](std::int64_t row, std::int64_t column, std::int64_t first) {
    const std::int32_t trips = 4;
    Guarded<float> out(32 * 64);
    const bool atChunks = column % 8 == 0 && first % 8 == 0;
    launch("shifted", atChunks ? Way::Engine : Way::General, "",
           tilert::contiguous(out.data(), {32, 64}), a.view(memoryA), b.view(memoryB), row, column,
           first, trips);
    // Sums of i64 wrap.
    const auto plus = [](std::int64_t x, std::int64_t y) {
      return std::int64_t(std::uint64_t(x) + std::uint64_t(y));
    };
    const auto want = tabulated<float>(32, 64, [&](std::int64_t i, std::int64_t j) {
      double sum = 0;
      for (int k = 0; k < trips * 16; ++k)
        sum += a.at({plus(row, i), plus(first, k)}) * b.at({plus(first, k), plus(column, j)});
      return sum;
    });
    checkSame(out.read(), want,
              "at " + std::to_string(row) + ", " + std::to_string(column) + ", " +
                  std::to_string(first));
  };
  const std::int64_t big = std::int64_t(1) << 31;
  for (std::int64_t start : {-64L,
                             -32L,
                             -17L,
                             -1L,
                             0L,
                             5L,
                             16L,
                             36L,
                             37L,
                             52L,
                             69L,
                             70L,
                             big - 40,
                             big - 1,
                             big,
                             2 * big - 3,
                             2 * big,
                             2 * big + 7,
                             -big + 1,
                             -big,
                             -big - 1,
                             -2 * big - 5,
                             -2 * big,
                             -8L,
                             40L,
                             64L,
                             72L,
                             big + 8,
                             INT64_MIN,
                             INT64_MAX - 100,
                             INT64_MAX - 127}) {
    check(start, 8, 0);
    check(2, start, 0);
    check(2, 8, start);
  }
  check(-7, -20, -30);
  check(-7, -24, -32);
  check(30, 50, 60);
  check(30, 48, 56);
}

TEST_CASE("extents as long as a map can say, and longer ones") {
  Array<half, 2> a = matrix<half>(40, 48, 16);
  const Array<half, 2> b = matrix<half>(48, 64, 17);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  const auto check = [&](std::int64_t rows, Way way, const char *why) {
    a.extents[0] = rows; // of which only the first are read
    Guarded<float> out(32 * 64);
    launch("shifted", way, why, tilert::contiguous(out.data(), {32, 64}), a.view(memoryA),
           b.view(memoryB), std::int64_t(5), std::int64_t(0), std::int64_t(0), std::int32_t(3));
    checkSame(
        out.read(),
        tabulated<float>(
            32, 64, [&](std::int64_t i, std::int64_t j) { return dotOf(a, b, i + 5, j, 0, 48); }),
        std::to_string(rows) + " rows");
  };
  const std::int64_t most = INT32_MAX - 65536; // docs/manifest.md, "maps"
  check(most, Way::Engine, "");
  check(most + 1, Way::General, "a.dim(0) = 2147418112 is not in 1 .. 2147418111");
  check(std::int64_t(1) << 40, Way::General, "is not in 1");
}

TEST_CASE("stages 2 to 5, from no iteration to some more than slots; one product in each or two") {
  const Array<half, 2> a = matrix<half>(32, 215, 18), b = matrix<half>(211, 70, 19);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  for (std::int32_t stages : {2, 3, 4, 5})
    for (bool two : {false, true})
      for (std::int32_t trips = 0; trips <= stages + 2; ++trips) {
        Guarded<float> out(32 * 32);
        launch("staged", trips > 0 ? Way::Engine : Way::Nothing, "", stages, two,
               tilert::contiguous(out.data(), {32, 32}), a.view(memoryA), b.view(memoryB), trips);
        const auto want = tabulated<float>(32, 32, [&](std::int64_t i, std::int64_t j) {
          double sum = dotOf(a, b, i, j, 0, trips * 32);
          for (std::int64_t k = 0; two && k < trips * 32; ++k)
            sum += 2 * a.at({i, k}) * b.at({k - 5, j + 32});
          return sum;
        });
        checkSame(out.read(), want,
                  std::to_string(stages) + " stages, " + std::to_string(trips) + " trips" +
                      (two ? ", two products" : ""));
      }
}

TEST_CASE("a staged loop inside another, with a reduction between") {
  const std::int32_t blocks = 5;
  const Array<half, 2> a = matrix<half>(150, 120, 20), b = matrix<half>(125, 32, 21);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  Guarded<float> out(blocks * 32 * 32);
  launch("nested", Way::Engine, "", tilert::contiguous(out.data(), {blocks * 32, 32}),
         a.view(memoryA), b.view(memoryB), blocks);
  std::vector<double> sums =
      tabulated<double>(blocks * 32, 32, [&](std::int64_t i, std::int64_t j) {
        return dotOf(a, b, i, j, 0, i / 32 * 32);
      });
  const auto want = tabulated<float>(blocks * 32, 32, [&](std::int64_t i, std::int64_t j) {
    double row = 0;
    for (std::int64_t column = 0; column < 32; ++column)
      row += sums[std::size_t(i * 32 + column)];
    return row + sums[std::size_t(i * 32 + j)];
  });
  checkSame(out.read(), want, "nested");
}

TEST_CASE("a load that only some iterations make") {
  const Array<half, 2> a = matrix<half>(32, 200, 22), b = matrix<half>(195, 32, 23);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  for (std::int32_t mask : {0, 1, 2, 0x15, 0x2a, 0x33, 0xffff})
    for (std::int32_t trips : {1, 2, 3, 6}) {
      Guarded<float> out(32 * 32);
      launch("conditional", Way::Engine, "", tilert::contiguous(out.data(), {32, 32}),
             a.view(memoryA), b.view(memoryB), mask, trips);
      const auto want = tabulated<float>(32, 32, [&](std::int64_t i, std::int64_t j) {
        double sum = 0;
        for (int trip = 0; trip < trips; ++trip)
          sum += mask >> trip & 1 ? dotOf(a, b, i, j, trip * 32, 32) : -a.at({i, trip * 32 + j});
        return sum;
      });
      checkSame(out.read(), want,
                "mask " + std::to_string(mask) + ", " + std::to_string(trips) + " trips");
    }
}

TEST_CASE("one operand by the engine, the other through pointers") {
  for (std::int64_t k : {1, 32, 64, 100, 224}) {
    const Array<half, 2> a = matrix<half>(30, k, 24);
    const std::vector<half> b = integers<half>(roundUp(k, 32) * 32, 25);
    Guarded<half> memoryA(a.data), memoryB(b);
    Guarded<float> out(32 * 32);
    const half *pointer = memoryB.data();
    launch("mixed", Way::Engine, "", tilert::contiguous(out.data(), {32, 32}), a.view(memoryA),
           pointer);
    const auto want = tabulated<float>(32, 32, [&](std::int64_t i, std::int64_t j) {
      double sum = 0;
      for (std::int64_t at = 0; at < k; ++at)
        sum += a.at({i, at}) * toDouble(b[std::size_t(at * 32 + j)]);
      return sum;
    });
    checkSame(out.read(), want, "k = " + std::to_string(k));
  }
}

TEST_CASE("1, 4 and 8 warps; two windows of one view, converted on their way") {
  const Array<std::int8_t, 2> x = matrix<std::int8_t>(100, 75, 26);
  Guarded<std::int8_t> memory(x.data);
  for (std::int32_t warps : {1, 4, 8}) {
    Guarded<float> out(100 * 100);
    launch("gram", Way::Engine, "", warps, tilert::contiguous(out.data(), {100, 100}),
           x.view(memory));
    const auto want = tabulated<float>(100, 100, [&](std::int64_t i, std::int64_t j) {
      double sum = 0;
      for (std::int64_t k = 0; k < 75; ++k)
        sum += x.at({i, k}) * x.at({j, k});
      return sum;
    });
    checkSame(out.read(), want, std::to_string(warps) + " warps");
  }
}

TEST_CASE("windows of every width: each swizzle, and several boxes") {
  const Array<half, 2> a = matrix<half>(16, 200, 27), b = matrix<half>(200, 15, 28, true);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  const auto want = tabulated<float>(
      16, 16, [&](std::int64_t i, std::int64_t j) { return dotOf(a, b, i, j, 0, 200); });
  std::uint32_t seen = 0;
  for (std::int32_t width : {8, 16, 32, 64, 128}) {
    Guarded<float> out(16 * 16);
    launch("width", Way::Engine, "", width, tilert::contiguous(out.data(), {16, 16}),
           a.view(memoryA), b.view(memoryB));
    checkSame(out.read(), want, std::to_string(width) + " wide");
    seen |= swizzles;
    if (onHost())
      CHECK(boxes == 2 * ((200 + width - 1) / width) * (width == 128 ? 2 : 1));
  }
  if (onHost())
    CHECK(seen == (1u << 0 | 1u << 2 | 1u << 4 | 1u << 8));
}

TEST_CASE("axes longer than a box") {
  const Array<half, 2> a = matrix<half>(600, 37, 29), b = matrix<half>(37, 8, 30);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  for (std::int32_t depth : {8, 16}) {
    Guarded<float> out(600 * 8);
    launch("tall", Way::Engine, "", depth, tilert::contiguous(out.data(), {600, 8}),
           a.view(memoryA), b.view(memoryB));
    checkSame(out.read(),
              tabulated<float>(
                  600, 8, [&](std::int64_t i, std::int64_t j) { return dotOf(a, b, i, j, 0, 37); }),
              "depth " + std::to_string(depth));
  }
}

TEST_CASE("windows that feed no product beside those that do") {
  const Array<half, 2> a = matrix<half>(32, 130, 31), b = matrix<half>(130, 32, 32);
  const Array<float, 2> c = matrix<float>(31, 97, 33);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  Guarded<float> memoryC(c.data), out(32 * 32);
  launch("beside", Way::Engine, "", tilert::contiguous(out.data(), {32, 32}), a.view(memoryA),
         b.view(memoryB), c.view(memoryC));
  const auto want = tabulated<float>(32, 32, [&](std::int64_t i, std::int64_t j) {
    double sum = dotOf(a, b, i, j, 0, 130);
    for (std::int64_t k = 0; k < 130; k += 32)
      sum += 2 * c.at({i, k + j}); // in both loops; beyond the view it is 0
    return sum;
  });
  checkSame(out.read(), want, "beside");
}

TEST_CASE("blocks whose numbers are read from memory, the last one first") {
  const std::int64_t blocks = 5;
  const Array<half, 2> a = matrix<half>(32, 150, 34);
  const Array<half, 3> b = batchOf<half>(7, 32, 32, 35);
  const std::vector<std::int32_t> order = {3, 6, 7, -1, 0}; // two are outside
  Guarded<half> memoryA(a.data), memoryB(b.data);
  Guarded<std::int32_t> pages(order);
  Guarded<float> out(32 * 32);
  const std::int32_t *pointer = pages.data();
  launch("paged", Way::Engine, "", tilert::contiguous(out.data(), {32, 32}), a.view(memoryA),
         b.view(memoryB), pointer);
  const auto want = tabulated<float>(32, 32, [&](std::int64_t i, std::int64_t j) {
    double sum = 0;
    for (std::int64_t k = 0; k < blocks * 32; ++k)
      sum += a.at({i, k}) * b.at({order[std::size_t(k / 32)], k % 32, j});
    return sum;
  });
  checkSame(out.read(), want, "paged");
}

TEST_CASE("rings of two loops, one inside the other") {
  const Array<half, 2> a = matrix<half>(150, 32, 36), b = matrix<half>(32, 120, 37);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  Guarded<float> out(150 * 32);
  launch("two_loops", Way::Engine, "", tilert::contiguous(out.data(), {150, 32}), a.view(memoryA),
         b.view(memoryB));
  const auto want = tabulated<float>(150, 32, [&](std::int64_t i, std::int64_t j) {
    double sum = 0;
    for (std::int64_t column = 0; column < 120; column += 32)
      sum = sum / 2 + dotOf(a, b, i, column + j, 0, 32);
    return sum;
  });
  checkSame(out.read(), want, "two loops");
}

TEST_CASE("what the loop stores is not read ahead") {
  Array<half, 2> x = matrix<half>(130, 32, 38);
  Array<half, 2> b = matrix<half>(32, 32, 39);
  for (std::int64_t i = 0; i < 32; ++i) // rows move to the left: numbers stay small
    for (std::int64_t j = 0; j < 32; ++j)
      b.data[std::size_t(i * 32 + j)] = half(i == (j + 1) % 32 ? 1.0f : 0.0f);
  Guarded<half> memoryX(x.data), memoryB(b.data);
  launch("in_place", Way::Nothing, "", tilert::View<half, 2>{memoryX.data(), x.extents, x.strides},
         b.view(memoryB));
  const auto want = tabulated<double>(
      130, 32, [&](std::int64_t i, std::int64_t j) { return x.at({i % 32, (j + i / 32) % 32}); });
  std::vector<double> got;
  for (half value : memoryX.read())
    got.push_back(toDouble(value));
  checkSame(got, want, "in place");
}

TEST_CASE("five axes, windows along three of them, dense along one in the middle") {
  // [axis 0, axis 1, axis 4, axis 2, axis 3] in memory, rows of 16.
  const Array<half, 5> x{integers<half>(2 * 3 * 7 * 5 * 16, 40),
                         {2, 3, 5, 13, 7},
                         {3 * 7 * 5 * 16, 7 * 5 * 16, 16, 1, 5 * 16}};
  const Array<half, 2> b = matrix<half>(90, 32, 41);
  Guarded<half> memoryX(x.data), memoryB(b.data);
  for (std::int32_t start : {-2, 0, 3}) {
    Guarded<float> out(16 * 32);
    launch("five", Way::Engine, "", tilert::contiguous(out.data(), {16, 32}), x.view(memoryX),
           b.view(memoryB), start);
    const auto want = tabulated<float>(16, 32, [&](std::int64_t row, std::int64_t column) {
      double sum = 0;
      for (std::int64_t i = 0; i < 6; ++i)
        for (std::int64_t k = 0; k < 16; ++k)
          sum +=
              x.at({i / 3, i % 3, start + k / 4, row - 1, k % 4 + 2}) * b.at({i * 16 + k, column});
      return sum;
    });
    checkSame(out.read(), want, "start " + std::to_string(start));
  }
}

TEST_CASE("products of batches, some of which are outside") {
  const Array<half, 3> a = batchOf<half>(6, 15, 100, 42), b = batchOf<half>(5, 100, 30, 43, true);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  Guarded<float> out(6 * 16 * 32);
  launch("batched", Way::Engine, "", tilert::contiguous(out.data(), {6, 16, 32}), a.view(memoryA),
         b.view(memoryB));
  const auto want = tabulated<float>(6 * 16, 32, [&](std::int64_t row, std::int64_t column) {
    double sum = 0;
    for (std::int64_t k = 0; k < 100; ++k)
      sum += a.at({row / 16, row % 16, k}) * b.at({row / 16, k, column});
    return sum;
  });
  checkSame(out.read(), want, "batched");
}

TEST_CASE("a kernel with more windows than tensor maps") {
  const Array<half, 2> a = matrix<half>(140, 75, 44), b = matrix<half>(75, 150, 45);
  Guarded<half> memoryA(a.data), memoryB(b.data);
  Guarded<float> out(16 * 16);
  launch("many", Way::Engine, "", tilert::contiguous(out.data(), {16, 16}), a.view(memoryA),
         b.view(memoryB));
  const auto want = tabulated<float>(16, 16, [&](std::int64_t i, std::int64_t j) {
    double sum = 0;
    for (std::int64_t block = 0; block < 9; ++block)
      sum += dotOf(a, b, block * 16 + i, block * 16 + j, 0, 75);
    return sum;
  });
  checkSame(out.read(), want, "many");
}
