// Matrix multiply against a double-precision reference: odd sizes, all transposes, batches, bias
// and activation, strides that are nothing special.
//   example_matmul [host | cuda]
#include "common/example.hpp"
#include "matmul.tile.h"

#include <array>
#include <string>

using namespace example;

namespace {

/// A batch of matrices in memory, and how it is read.
template <typename T> struct Matrix {
  std::vector<T> values;
  std::array<std::int64_t, 3> extents, strides;

  /// `transposed`: stored column by column. `gap` elements stand between rows, `step` between the
  /// elements of a row.
  Matrix(std::int64_t batch, std::int64_t rows, std::int64_t columns, bool transposed,
         unsigned seed, std::int64_t gap = 0, std::int64_t step = 1)
      : extents{batch, rows, columns} {
    const std::int64_t inner = (transposed ? rows : columns) * step + gap;
    const std::int64_t outer = transposed ? columns : rows;
    strides = {inner * outer, transposed ? step : inner, transposed ? inner : step};
    values = narrowed<T>(randomNormal(std::size_t(batch * inner * outer), seed));
  }
  double at(std::int64_t batch, std::int64_t row, std::int64_t column) const {
    return double(
        float(values[std::size_t(batch * strides[0] + row * strides[1] + column * strides[2])]));
  }
  tilert::View<const T, 3> view(const tilert::Buffer<T> &memory) const {
    return {memory.data(), extents, strides};
  }
};

struct Problem {
  std::int64_t batch, m, n, k;
  bool transposeA = false, transposeB = false, bias = false, relu = false;
  std::int64_t gap = 0, step = 1;
};

std::string describe(const Problem &p, const char *type) {
  char text[96];
  std::snprintf(text, sizeof text, "%s %ldx %ld x %ld x %ld %c%c%s%s%s", type, long(p.batch),
                long(p.m), long(p.n), long(p.k), p.transposeA ? 'T' : 'N', p.transposeB ? 'T' : 'N',
                p.bias ? " bias" : "", p.relu ? " relu" : "", p.step > 1 ? " strided" : "");
  return text;
}

template <typename T>
bool check(const tilert::Device &device, const Problem &p, const char *type, double tolerance) {
  const Matrix<T> a(p.batch, p.m, p.k, p.transposeA, 21, p.gap, p.step);
  const Matrix<T> b(p.batch, p.k, p.n, p.transposeB, 22, p.gap, p.step);
  const std::vector<T> bias = narrowed<T>(randomNormal(std::size_t(p.bias ? p.n : 0), 23));
  auto memoryA = upload(device, a.values), memoryB = upload(device, b.values);
  auto memoryBias = upload(device, bias);
  auto out = poisoned<T>(device, std::size_t(p.batch * p.m * p.n));
  const tilert::View<const T, 1> biasView{memoryBias.data(), {p.bias ? p.n : 0}, {1}};
  require(examples::matmul(device.stream(), tilert::contiguous(out.data(), {p.batch, p.m, p.n}),
                           a.view(memoryA), b.view(memoryB), biasView, p.relu));
  require(device.synchronize());

  // Every element of a small product, and some of each row of a large one.
  const std::vector<float> all = widened(download(out));
  const std::int64_t count = p.batch * p.m * p.n, step = count * p.k < 20'000'000 ? 1 : 997;
  std::vector<float> got;
  std::vector<double> want;
  for (std::int64_t element = 0; element < count; element += step) {
    const std::int64_t batch = element / (p.m * p.n), row = element / p.n % p.m,
                       column = element % p.n;
    double sum = p.bias ? double(float(bias[std::size_t(column)])) : 0;
    for (std::int64_t k = 0; k < p.k; ++k)
      sum += a.at(batch, row, k) * b.at(batch, k, column);
    want.push_back(p.relu ? std::max(sum, 0.0) : sum);
    got.push_back(all[std::size_t(element)]);
  }
  // Half a unit of T, and of the sum of k products in f32.
  double error = worstError(got, want, tolerance, 1e-5 * double(p.k) + 1e-6);
  return report(describe(p, type).c_str(), error <= 1, error);
}

struct Choice {
  Problem problem;
  const char *tile; ///< part of the variant's name
};

/// Whether a product takes the variant that it should, which a launch that is right does not show.
bool checkChoice(const tilert::Device &device, const Choice &choice) {
  const Problem &p = choice.problem;
  // Nothing is read: any aligned address serves.
  auto *memory = reinterpret_cast<tilert::half *>(std::uintptr_t{1} << 20);
  auto matrix = [&](std::int64_t rows, std::int64_t columns, bool transposed) {
    auto view = tilert::contiguous(memory, {p.batch, rows, columns});
    if (!transposed)
      return view;
    return tilert::View<tilert::half, 3>{
        memory, {p.batch, rows, columns}, {rows * columns, 1, rows}};
  };
  const auto out = matrix(p.m, p.n, false), a = matrix(p.m, p.k, p.transposeA),
             b = matrix(p.k, p.n, p.transposeB);
  const tilert::View<tilert::half, 1> bias{memory, {0}, {1}};
  tilert_view views[] = {out.abi(), a.abi(), b.abi(), bias.abi()};
  bool relu = false;
  void *const arguments[] = {&views[0], &views[1], &views[2], &views[3], &relu};
  const tilert_selection selection = {"T", "f16", 0};
  std::string text(1 << 16, '\0');
  std::size_t size = 0;
  require(tilert_explain_ref(&examples::kernels::matmul, device.stream().get(), arguments, 5,
                             &selection, 1, text.data(), text.size(), &size));
  // The last line: "launch matmul__T_f16__BM_256__...: programs, warps, ..."
  const std::size_t launch = text.find("launch ");
  const std::string name = text.substr(launch, text.find(':', launch) - launch);
  const bool passed = launch != std::string::npos && name.find(choice.tile) != std::string::npos;
  if (!passed)
    std::puts(text.c_str());
  return report((describe(p, "f16") + " takes " + choice.tile).c_str(), passed, passed ? 0 : 1);
}

} // namespace

int main(int argc, char **argv) {
  tilert::Device device = openDevice(argc, argv);
  std::vector<Problem> problems = {
      {1, 1, 1, 1},
      {1, 1, 257, 31},
      {1, 33, 1, 64},
      {1, 200, 136, 256},
      {1, 17, 129, 100, true, false},
      {1, 65, 63, 257, false, true},
      {1, 100, 130, 70, true, true},
      {2, 64, 128, 96},
      {3, 64, 136, 72, false, true, true, true},
      {2, 72, 128, 64, true, false, true, true},
      {1, 16, 256, 128, true, true, true},
      {1, 13, 136, 200, false, true},
      {1, 40, 50, 60, false, true, true, true, 3},
      {2, 31, 45, 50, false, false, true, false, 1, 2},
      {1, 0, 5, 7},
      {1, 5, 6, 0, false, false, true, true},
  };
  if (!device.isHost()) // sizes that fill a GPU
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true}) {
        problems.push_back({1, 2048, 4096, 1024, transposeA, transposeB});
        problems.push_back({1, 2040, 4104, 1000, transposeA, transposeB, true, true});
        problems.push_back({1, 2040, 4104, 1024, transposeA, transposeB, true, true});
        problems.push_back({1, 2047, 4099, 1001, transposeA, transposeB});
      }
  bool passed = true;
  for (const Problem &problem : problems) {
    passed &= check<tilert::half>(device, problem, "f16", 1e-3);
    passed &= check<tilert::bfloat16>(device, problem, "bf16", 8e-3);
  }
  for (const Choice &choice : {
           Choice{{1, 4096, 4096, 4096}, "BM_256__BN_128"},
           Choice{{1, 1000, 4096, 4096}, "FULL_96__s"}, // sides may end within a tile
           Choice{{1, 1024, 1024, 1024, true}, "BM_64__BN_128__BK_64__A_DENSE_0"},
           Choice{{1, 512, 512, 512, false, true}, "BM_32__BN_64"},
           Choice{{1, 16, 8192, 8192}, "BM_16__BN_64"},
           Choice{{1, 4095, 4097, 4100}, "BM_128__BN_128"},
           Choice{{1, 100, 101, 102}, "BM_64__BN_128__BK_32"},
           Choice{{512, 64, 64, 64}, "BM_32__BN_64"}, // a quarter of 128 x 256 at most
           Choice{{512, 64, 128, 64}, "BM_64__BN_128__BK_64"},
       })
    passed &= checkChoice(device, choice);
  return passed ? 0 : 1;
}
