// Contracts at launch: the variant, the grid, and the errors; typed and dynamic launches.
#include "dispatch.tile.h"
#include "harness.hpp"

#include <thread>

using namespace test;

TEST_SUITE_BEGIN("dispatch");

namespace {

/// The dynamic form of a kernel of dispatch.tile.
tilert::Kernel dynamicKernel(const char *name) {
  tilert_module module = nullptr;
  require(tilert_module_from_library(&tilec_library_tiles__dispatch, &module));
  tilert_kernel kernel = nullptr;
  require(tilert_kernel_find(module, name, &kernel));
  return kernel;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// The status and that its text names all of `parts`.
void checkFailure(const tilert::Status &status, tilert_status code,
                  std::initializer_list<const char *> parts) {
  CHECK_MESSAGE(status.code() == code, status.message());
  for (const char *part : parts)
    CHECK_MESSAGE(contains(status.message(), part), part, " is not in: ", status.message());
}

} // namespace

TEST_CASE("the first variant that fits is launched") {
  for (auto [n, block] : {std::pair(1, 64), {64, 64}, {65, 256}, {256, 256}, {257, 1024}})
    for (int stride : {4, 5}) {
      Guarded<std::int32_t> out(3);
      require(tiles::variants_(stream(), out, n, stride));
      checkSame(out.read(), {block, 1, n}, "n = " + std::to_string(n));
    }
}

TEST_CASE("no variant fits: an error that names kernel, clause and values") {
  Guarded<std::int32_t> out(3);
  checkFailure(tiles::variants_(stream(), out, 1025, 4), TILERT_ERROR_CONTRACT,
               {"variants_", "n <= BLOCK", "n = 1025", "1024"});
  checkFailure(tiles::variants_(stream(), out, 0, 4), TILERT_ERROR_CONTRACT,
               {"variants_", "n >= 1", "n = 0"});
  checkSame(out.read(), std::vector<std::int32_t>(3, std::int32_t(0xa5a5a5a5)), "nothing ran");
}

TEST_CASE("explain says which variant and why not the others") {
  Guarded<std::int32_t> out(3);
  int n = 100, stride = 5;
  std::string text = dynamicKernel("variants_").explain(stream(), out.data(), n, stride);
  CHECK_MESSAGE(contains(text, "n <= BLOCK"), text);
  CHECK_MESSAGE(contains(text, "stride % 4 == 0"), text);
  CHECK_MESSAGE(contains(text, "fits"), text);
  n = 5000;
  text = dynamicKernel("variants_").explain(stream(), out.data(), n, stride);
  CHECK_MESSAGE(contains(text, "no variant fits"), text);
}

TEST_CASE_TEMPLATE("misaligned pointers take the general variant, with the same result", T,
                   std::uint8_t, half, float) {
  for (int n : {0, 1, 16, 100, 256, 1024, 1031})
    for (std::size_t shift : {0, 1, 3}) {
      std::vector<T> x = uniformValues<T>(n, 130, 100);
      Guarded<T> in(x, shift), aligned(x), out(n, shift), out2(n, 1);
      require(tiles::copy(stream(), out, in, n));
      require(tiles::copy(stream(), out2, aligned, n));
      checkSame(out.read(), x, "shift " + std::to_string(shift));
      checkSame(out2.read(), x, "only one misaligned");
    }
}

TEST_CASE("a pointer that is no multiple of its element's size is refused") {
  Guarded<float> in(8), out(8);
  auto odd = reinterpret_cast<const float *>(reinterpret_cast<std::uintptr_t>(in.data()) + 2);
  checkFailure(tiles::copy(stream(), out, odd, 4), TILERT_ERROR_INVALID_ARGUMENT, {"copy", "x"});
}

TEST_CASE("grids of three dimensions") {
  for (auto [x, y, z] : {std::tuple(1, 1, 1), {5, 1, 1}, {2, 3, 1}, {3, 2, 4}, {1, 1, 7}}) {
    Guarded<std::int32_t> out(x * y * z);
    require(tiles::grids(stream(), out, x, y, z));
    std::vector<std::int32_t> want;
    for (int c = 0; c < z; ++c)
      for (int b = 0; b < y; ++b)
        for (int a = 0; a < x; ++a)
          want.push_back(a + 100 * b + 10000 * c);
    checkSame(out.read(), want, "grid");
  }
}

TEST_CASE("a grid of 0 is nothing to do; beyond the limits it is an error") {
  Guarded<std::int32_t> out(1);
  require(tiles::grids(stream(), out, 0, 1, 1));
  require(tiles::grids(stream(), out, 5, 0, 1));
  require(tiles::grids(stream(), out, 5, 1, 0));
  checkFailure(tiles::grids(stream(), out, 1, 65536, 1), TILERT_ERROR_GRID, {"grids", "65536"});
  checkFailure(tiles::grids(stream(), out, 1, 1, 65536), TILERT_ERROR_GRID, {"grids", "65536"});
  checkFailure(tiles::grids(stream(), out, -1, 1, 1), TILERT_ERROR_GRID, {"grids", "-1"});
  checkFailure(tiles::grid_expressions(stream(), out, -10, false, 1), TILERT_ERROR_GRID,
               {"grid_expressions"});
  CHECK(out.read()[0] == std::int32_t(0xa5a5a5a5));
}

TEST_CASE("grid expressions are evaluated in 64 bits") {
  for (auto [n, flag, programs] : {std::tuple(5, true, 8),
                                   {8, true, 8},
                                   {1, true, 1},
                                   {100, false, 34},
                                   {7, false, 3},
                                   {3, false, 2}}) {
    Guarded<std::int32_t> out(programs);
    require(tiles::grid_expressions(stream(), out, n, flag, 0.75f));
    checkSame(out.read(), std::vector<std::int32_t>(programs, programs),
              "n = " + std::to_string(n));
  }
  Guarded<std::int32_t> out(1);
  checkFailure(tiles::grid_expressions(stream(), out, 5, false, 0.25f), TILERT_ERROR_CONTRACT,
               {"grid_expressions", "scale > 0.5"});
  checkFailure(tiles::grid_expressions(stream(), out, 1000000, true, 1), TILERT_ERROR_CONTRACT,
               {"n < 1000000", "n = 1000000"});
}

TEST_CASE("num_sms and occupancy limit the grid") {
  for (int n : {0, 1, 20, 10000}) {
    Guarded<std::int32_t> out(n);
    require(tiles::at_most_resident(stream(), out, n));
    checkSame(out.read(), iota<std::int32_t>(n), "n = " + std::to_string(n));
  }
}

TEST_CASE("noalias is checked") {
  Guarded<float> x(std::vector<float>(64, 1.0f)), out(64);
  require(tiles::separate(stream(), out, x, 64));
  checkFailure(tiles::separate(stream(), x, x, 64), TILERT_ERROR_CONTRACT, {"separate", "noalias"});
}

TEST_CASE("scalars of every type arrive") {
  Guarded<double> out(13);
  require(tiles::every_scalar(stream(), out, true, -5, -300, -70000, -5000000000, 250, 65000,
                              4000000000u, 18446744073709549568ull, exactly<half>(-1.5),
                              exactly<bfloat16>(2.5), 0.25f, -1e300));
  checkSame(
      out.read(),
      {1, -5, -300, -70000, -5e9, 250, 65000, 4e9, 18446744073709549568.0, -1.5, 2.5, 0.25, -1e300},
      "scalars");
}

TEST_CASE("selected const params: of C++ types, and by name at run time") {
  Guarded<float> out(1);
  Guarded<std::int32_t> integers(1);
  Guarded<std::int64_t> count(1);
  require((tiles::chosen<true, 5000000000>(stream(), out, count)));
  CHECK(out.read()[0] == 2.0f);
  CHECK(count.read()[0] == 5000000000);
  require((tiles::chosen<false, 1>(stream(), integers, count)));
  CHECK(integers.read()[0] == 1);
  CHECK(count.read()[0] == 1);
  checkFailure(tiles::chosen<false, 7>(stream(), out, count), TILERT_ERROR_CONTRACT,
               {"chosen", "COUNT = 7"});
  bool flag = true;
  std::int64_t wanted = 1;
  require(dynamicKernel("chosen").launch(stream(), flag, wanted, integers.data(), count.data()));
  CHECK(integers.read()[0] == 2);
}

TEST_CASE("a dynamic launch checks count and types") {
  tilert::Kernel kernel = dynamicKernel("variants_");
  Guarded<std::int32_t> out(3);
  Guarded<float> wrong(3);
  int n = 5;
  std::int64_t wide = 5;
  checkFailure(kernel.launch(stream(), out.data(), n), TILERT_ERROR_INVALID_ARGUMENT,
               {"variants_"});
  checkFailure(kernel.launch(stream(), out.data(), n, n, n), TILERT_ERROR_INVALID_ARGUMENT,
               {"variants_"});
  checkFailure(kernel.launch(stream(), out.data(), wide, n), TILERT_ERROR_INVALID_ARGUMENT, {"n"});
  checkFailure(kernel.launch(stream(), n, n, n), TILERT_ERROR_INVALID_ARGUMENT, {"out"});
  checkFailure(kernel.launch(stream(), wrong.data(), n, n), TILERT_ERROR_INVALID_ARGUMENT, {"out"});
  require(kernel.launch(stream(), out.data(), n, n));
  checkSame(out.read(), {64, 1, 5}, "right at last");
}

TEST_CASE("a null pointer to read or write is the caller's, a null stream is CUDA's default") {
  if (onHost())
    return;
  Guarded<std::int32_t> out(3);
  require(tiles::variants_(tilert::Stream(), out, 5, 5));
  require(device().synchronize());
  checkSame(out.read(), {64, 1, 5}, "default stream");
}

TEST_CASE("many threads launch at once") {
  constexpr int kThreads = 6;
  std::vector<Guarded<std::int32_t>> outs;
  for (int t = 0; t < kThreads; ++t)
    outs.emplace_back(64);
  std::vector<std::thread> threads;
  std::vector<std::string> failures(kThreads);
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      tilert::Status current = device().makeCurrent();
      for (int k = 0; k < 5 && current; ++k)
        current = tiles::busy(stream(), outs[t].data(), 10 + t);
      failures[t] = current.message();
    });
  for (std::thread &thread : threads)
    thread.join();
  require(device().synchronize());
  for (int t = 0; t < kThreads; ++t) {
    std::uint32_t total = 0;
    for (int i = 0; i < 10 + t; ++i)
      total = total * 5 + i;
    CHECK(failures[t] == "");
    checkSame(outs[t].read(), std::vector<std::int32_t>(64, std::int32_t(total)), "thread");
  }
}

namespace {

template <double S, double H> void checkSelected(float wantS) {
  Guarded<float> out(2);
  require(tiles::selected_floats<S, H>(stream(), out));
  checkSame(out.read(), {wantS, float(toDouble(nearest<half>(H)))}, "selected");
}

} // namespace

TEST_CASE("a selected float is the one nearest to the caller's double") {
  checkSelected<0.1, 0.1>(0.1f);
  checkSelected<double(0.1f), 65504.0>(0.1f);
  checkSelected<double(INFINITY), 65505.0>(INFINITY);
  checkSelected<-1e300, 0.1>(-INFINITY);
  checkSelected<double(NAN), 0.1>(NAN);
  checkSelected<-2.5e-42, 0.1>(-2.5e-42f);
  Guarded<float> out(2);
  checkFailure(tiles::selected_floats<0.11, 0.1>(stream(), out), TILERT_ERROR_CONTRACT,
               {"selected_floats", "S = 0.1"});
}

TEST_CASE("more than 2^32 programs") {
  if (onHost())
    return; // seconds on a GPU; unit/runtime has the host device's part
  Guarded<std::int64_t> last(1);
  require(tiles::many_programs(stream(), last, 1 << 20, 4097, 1));
  checkSame(last.read(), {(std::int64_t(1) << 20) * 4097 - 1}, "x * y");
  require(tiles::many_programs(stream(), last, 1 << 17, 256, 129));
  checkSame(last.read(), {(std::int64_t(1) << 17) * 256 * 129 - 1}, "x * y * z");
}

TEST_SUITE_END();
