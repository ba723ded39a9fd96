// What only a real driver shows: contexts, graph capture, images that it has to read. The host
// device has none of these; there the cases say so and pass.
#include "harness.hpp"
#include "runtime.tile.h"

#include <dlfcn.h>
#include <numeric>

using namespace test;

TEST_SUITE_BEGIN("runtime");

namespace {

/// Functions of the CUDA driver by name; null where there is no driver.
template <typename Function> Function driverFunction(const char *name) {
  static void *const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}

template <typename... Arguments> void call(const char *name, Arguments... arguments) {
  auto function = driverFunction<int (*)(Arguments...)>(name);
  const bool found = function != nullptr;
  REQUIRE_MESSAGE(found, name);
  const int result = function(arguments...);
  REQUIRE_MESSAGE(result == 0, name, ": ", result);
}

bool hasDriver() {
  if (onHost())
    MESSAGE("needs a GPU: not run on the host device");
  return !onHost();
}

/// add_one over 1000 numbers on `where`, in whatever context is current.
void checkAddOne(tilert::Stream where, std::int32_t *numbers) {
  require(tiles::add_one(where, numbers, 1000));
}

using Context = void *;
using Stream = void *;

} // namespace

TEST_CASE("a kernel runs in two contexts, each with its own module") {
  if (!hasDriver())
    return;
  Guarded<std::int32_t> first(std::vector<std::int32_t>(1000, 5));
  checkAddOne(stream(), first);
  Context before = nullptr, second = nullptr;
  call("cuCtxGetCurrent", &before);
  call("cuCtxCreate_v2", &second, 0u, 0);
  std::uint64_t memory = 0;
  call("cuMemAlloc_v2", &memory, std::size_t{4000});
  call("cuMemsetD32_v2", memory, 41u, std::size_t{1000});
  checkAddOne(tilert::Stream(nullptr), reinterpret_cast<std::int32_t *>(memory));
  std::vector<std::int32_t> got(1000);
  call("cuMemcpyDtoH_v2", static_cast<void *>(got.data()), memory, std::size_t{4000});
  checkSame(got, std::vector<std::int32_t>(1000, 42), "in the second context");
  // A stream of one context while the other is current is an error, not a launch.
  CHECK(tiles::add_one(stream(), reinterpret_cast<std::int32_t *>(memory), 1000).code() ==
        TILERT_ERROR_LAUNCH);
  call("cuCtxDestroy_v2", second);
  call("cuCtxSetCurrent", before);
  checkAddOne(stream(), first);
  checkSame(first.read(), std::vector<std::int32_t>(1000, 7), "in the first context");
}

TEST_CASE("a launch sees what those before it in the stream wrote, however late they end") {
  constexpr int kRounds = 60;
  const std::int32_t steps = onHost() ? 10 : 20000;
  for (std::int32_t n : {100, 3000, 300000}) {
    std::vector<std::int32_t> want(static_cast<std::size_t>(n));
    std::iota(want.begin(), want.end(), 7);
    Guarded<std::int32_t> a(want), b(want), small(std::vector<std::int32_t>(10, 0));
    for (int round = 0; round < kRounds; ++round) {
      require(tiles::reversed_plus_one(stream(), b, a, n, steps));
      require(tiles::add_one(stream(), small, 10)); // ends before what was launched before it could
      require(tiles::reversed_plus_one(stream(), a, b, n, round % 3 ? 0 : steps));
    }
    for (std::int32_t &number : want)
      number += 2 * kRounds;
    checkSame(a.read(), want, "after all rounds");
    checkSame(small.read(), std::vector<std::int32_t>(10, kRounds), "the small one");
  }
}

TEST_CASE("launches are captured into a graph, which runs them each time") {
  if (!hasDriver())
    return;
  Guarded<std::int32_t> numbers(std::vector<std::int32_t>(1000, 0));
  checkAddOne(stream(), numbers); // loads the module
  constexpr int kRelaxed = 2;
  Stream capturing = nullptr;
  call("cuStreamCreate", &capturing, 1u);
  call("cuStreamBeginCapture_v2", capturing, kRelaxed);
  checkAddOne(tilert::Stream(capturing), numbers);
  checkAddOne(tilert::Stream(capturing), numbers);
  void *graph = nullptr, *executable = nullptr;
  call("cuStreamEndCapture", capturing, &graph);
  call("cuGraphInstantiateWithFlags", &executable, graph, 0ull);
  for (int i = 0; i < 3; ++i)
    call("cuGraphLaunch", executable, capturing);
  call("cuStreamSynchronize", capturing);
  checkSame(numbers.read(), std::vector<std::int32_t>(1000, 7), "1 + 3 * 2 launches");
  call("cuGraphExecDestroy", executable);
  call("cuGraphDestroy", graph);
  call("cuStreamDestroy_v2", capturing);
}

TEST_CASE("a truncated or altered cubin is an error, and the device goes on") {
  if (!hasDriver())
    return;
  Guarded<std::int32_t> numbers(std::vector<std::int32_t>(1000, 0));
  const tilert_library &library = tilec_library_tiles__runtime;
  for (std::uint32_t i = 0; i < library.image_count; ++i) {
    const tilert_image &image = library.images[i];
    if (image.kind != TILERT_IMAGE_CUBIN)
      continue;
    const auto *data = static_cast<const std::uint8_t *>(image.data);
    for (std::size_t part = 1; part < 40; ++part) {
      std::vector<std::uint8_t> bytes(data, data + image.size);
      if (part % 2)
        bytes.resize(image.size * part / 40);
      else // a stretch of it is overwritten
        std::fill_n(bytes.begin() + std::ptrdiff_t(image.size * part / 40), image.size / 40, 0xff);
      tilert_module module = nullptr;
      if (tilert_module_load_memory(bytes.data(), bytes.size(), &module) != TILERT_OK)
        continue; // most of them; what the manifest does not show, the driver sees or nobody
      tilert_module_unload(module);
    }
  }
  checkAddOne(stream(), numbers);
  checkSame(numbers.read(), std::vector<std::int32_t>(1000, 1), "after the damaged images");
}

TEST_SUITE_END();
