// Launches against the fake driver. Alone: build/release/bin/unit_runtime --test-case='launch*'
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <thread>

using namespace tilert;
using namespace tilert::test;

namespace {

tilert_stream streamOf(int device) {
  return reinterpret_cast<tilert_stream>(static_cast<intptr_t>(0x1000 + device));
}

/// Launches softmax on 10 rows of `columns`.
Status softmax(tilert_kernel_ref &kernel, int32_t columns = 100, tilert_stream stream = nullptr) {
  float *dst = reinterpret_cast<float *>(0x1000), *src = reinterpret_cast<float *>(0x2000);
  int32_t rows = 1000;
  void *arguments[] = {&dst, &src, &rows, &columns};
  return tilert_launch_ref(&kernel, stream, arguments, 4, nullptr, 0);
}

tilert_kernel_ref softmaxRef() {
  return TestLibrary().cubin("sm_90", softmaxManifest("sm_90")).ref("softmax");
}

} // namespace

TEST_CASE("launch: the chosen variant with its threads, shared memory, grid and stream") {
  FakeCuda &fake = fakeCuda();
  tilert_kernel_ref kernel = softmaxRef();
  REQUIRE(softmax(kernel, 300, streamOf(0)));
  REQUIRE(fake.launches.size() == 1);
  const FakeLaunch &launch = fake.launches[0];
  CHECK(launch.symbol == "softmax__512__s");
  CHECK(launch.config.gridDimX == 132 * 3); // occupancy 3
  CHECK(launch.config.gridDimY == 1);
  CHECK(launch.config.blockDimX == 128);
  CHECK(launch.config.sharedMemBytes == 64);
  CHECK(launch.config.stream == static_cast<CUstream>(streamOf(0)));
  CHECK(launch.config.attributeCount == 0);
}

TEST_CASE("launch: arguments reach the kernel in the order of its ABI") {
  FakeCuda &fake = fakeCuda();
  static float factor = 0;
  static int64_t stride = 0;
  static int32_t extent = 0;
  fake.onLaunch = [](const FakeLaunch &, void **parameters) {
    extent = *static_cast<int32_t *>(parameters[2]);
    stride = *static_cast<int64_t *>(parameters[3]);
    factor = *static_cast<float *>(parameters[5]);
  };
  tilert_kernel_ref kernel = TestLibrary().cubin("sm_90", scaleManifest("sm_90")).ref("scale");
  const View<float, 2> view = contiguous(reinterpret_cast<float *>(0x1000), {2, 7});
  tilert_view x = view.abi();
  float half_ = 0.5f;
  void *arguments[] = {&x, &half_};
  REQUIRE(Status(tilert_launch_ref(&kernel, nullptr, arguments, 2, nullptr, 0)));
  CHECK(extent == 7);
  CHECK(stride == 7);
  CHECK(factor == 0.5f);
}

TEST_CASE("launch: a view without strides is row-major without gaps") {
  using Sizes = std::array<std::int64_t, 3>;
  float data = 0;
  CHECK(View<float, 3>{&data, {4, 2, 7}}.strides == Sizes{14, 7, 1});
  CHECK(View<float, 3>{&data, {4, 0, 7}}.strides == Sizes{0, 7, 1});
  CHECK(View<float, 3>{&data, {4, 2, 7}, {0, 1, 2}}.strides == Sizes{0, 1, 2});
  View<const float, 3> same = View<float, 3>{&data, {4, 2, 7}};
  CHECK(same.strides == Sizes{14, 7, 1});
  CHECK(contiguous(&data, {4, 2, 7}).strides == Sizes{14, 7, 1});
}

TEST_CASE("launch: an image is loaded once a context, a function once a variant") {
  FakeCuda &fake = fakeCuda();
  tilert_kernel_ref kernel = TestLibrary()
                                 .cubin("sm_90", softmaxManifest("sm_90"))
                                 .cubin("sm_80", softmaxManifest("sm_80"))
                                 .ref("softmax");
  for (int i = 0; i < 5; ++i)
    REQUIRE(softmax(kernel));
  CHECK(fake.loadedImages.size() == 1);
  CHECK(fake.functionLookups == 1);
  Device other;
  REQUIRE(Device::open("cuda:1", other)); // current now
  REQUIRE(softmax(kernel));
  CHECK(fake.loadedImages.size() == 2);
  CHECK(fake.loadedImages[0] != fake.loadedImages[1]); // device 1 is sm_80
  fakeCuda().loadedImages.clear();                     // device 0 again
  REQUIRE(softmax(kernel));
  CHECK(fake.loadedImages.empty());
}

TEST_CASE("launch: many threads at the first launch load once and all succeed") {
  FakeCuda &fake = fakeCuda();
  tilert_kernel_ref kernel = softmaxRef();
  std::atomic<int> succeeded{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i)
    threads.emplace_back([&] {
      tilert_device device = nullptr;
      if (tilert_device_open("cuda:0", &device) == TILERT_OK && softmax(kernel))
        ++succeeded;
      tilert_device_close(device);
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(succeeded == 32);
  CHECK(fake.loadedImages.size() == 1);
  CHECK(fake.functionLookups == 1);
  CHECK(fake.launches.size() == 32);
}

TEST_CASE("launch: no image for the device lists what there is") {
  fakeCuda().compute[0] = 75;
  tilert_kernel_ref kernel = TestLibrary()
                                 .cubin("sm_90", softmaxManifest("sm_90"))
                                 .ptx("sm_80", softmaxManifest("sm_80"))
                                 .ref("softmax");
  const Status status = softmax(kernel);
  CHECK(status.code() == TILERT_ERROR_NO_IMAGE);
  CHECK(status.message() == "test: no image for sm_75 (built for sm_90, sm_80 PTX)");
}

TEST_CASE("launch: PTX that the driver refuses comes back with the compiler's words") {
  FakeCuda &fake = fakeCuda();
  fake.compute[0] = 120;
  fake.failures["cuModuleLoadDataEx"] = 218;
  fake.jitLog = "ptxas: line 3: unknown opcode\n";
  tilert_kernel_ref kernel = TestLibrary().ptx("sm_80", softmaxManifest("sm_80")).ref("softmax");
  Status status = softmax(kernel);
  CHECK(status.code() == TILERT_ERROR_BAD_IMAGE);
  CHECK(contains(status.message(), "test (sm_80): ptxas: line 3: unknown opcode: "
                                   "cuModuleLoadDataEx: CUDA_ERROR_FAKE (injected)"));
  fake.failures.clear();
  CHECK(softmax(kernel)); // nothing half-made stays behind
}

TEST_CASE("launch: failures while loading a variant are not kept") {
  FakeCuda &fake = fakeCuda();
  tilert_kernel_ref kernel =
      TestLibrary().cubin("sm_90", scaleManifest("sm_90", R"("shared": 100000)")).ref("scale");
  const View<float, 2> view = contiguous(reinterpret_cast<float *>(0x1000), {2, 7});
  tilert_view x = view.abi();
  float factor = 1;
  void *arguments[] = {&x, &factor};
  const auto launch = [&] {
    return Status(tilert_launch_ref(&kernel, nullptr, arguments, 2, nullptr, 0));
  };
  fake.failures["cuFuncSetAttribute"] = 1;
  CHECK(contains(launch().message(), "scale: scale__0: cuFuncSetAttribute: "));
  fake.failures.clear();
  REQUIRE(launch());
  CHECK(fake.attributesSet == 1);
  CHECK(fake.launches.back().config.sharedMemBytes == 100000);
}

TEST_CASE("launch: the first launch may be inside a stream capture") {
  FakeCuda &fake = fakeCuda();
  fake.capturing = true;
  tilert_kernel_ref kernel = softmaxRef();
  CHECK(softmax(kernel));
  CHECK(fake.launches.size() == 1);
}

TEST_CASE("launch: clusters are a launch attribute and divide the grid") {
  FakeCuda &fake = fakeCuda();
  tilert_kernel_ref kernel =
      TestLibrary().cubin("sm_90", scaleManifest("sm_90", R"("cluster": 2)")).ref("scale");
  float factor = 1;
  for (int64_t rows : {4, 5}) {
    const View<float, 2> view = contiguous(reinterpret_cast<float *>(0x1000), {rows, 7});
    tilert_view x = view.abi();
    void *arguments[] = {&x, &factor};
    const Status status = tilert_launch_ref(&kernel, nullptr, arguments, 2, nullptr, 0);
    CHECK(bool(status) == (rows == 4));
  }
  REQUIRE(fake.launches.size() == 1);
  CHECK(fake.launches[0].cluster == 2);
}

/// The only launch of scale, from an image whose manifest has `flag` behind the PTX version.
static FakeLaunch launchFlagged(const std::string &flag, const std::string &extra = "") {
  FakeCuda &fake = fakeCuda();
  std::string manifest = scaleManifest("sm_90", extra);
  const std::string version = R"("ptx": "9.0")";
  manifest.insert(manifest.find(version) + version.size(), flag);
  tilert_kernel_ref kernel = TestLibrary().cubin("sm_90", manifest).ref("scale");
  const View<float, 2> view = contiguous(reinterpret_cast<float *>(0x1000), {4, 7});
  tilert_view x = view.abi();
  float factor = 1;
  void *arguments[] = {&x, &factor};
  REQUIRE(Status(tilert_launch_ref(&kernel, nullptr, arguments, 2, nullptr, 0)));
  REQUIRE(fake.launches.size() == 1);
  return fake.launches[0];
}

TEST_CASE("launch: only kernels that wait themselves are started while others end") {
  CHECK(launchFlagged(R"(, "dependent_launch": true)").dependent);
  CHECK_FALSE(launchFlagged(R"(, "dependent_launch": false)").dependent);
  CHECK_FALSE(launchFlagged("").dependent); // of a tilec that knew nothing of it
  const FakeLaunch both = launchFlagged(R"(, "dependent_launch": true)", R"("cluster": 2)");
  CHECK((both.dependent && both.cluster == 2));
}

TEST_CASE("launch: TILERT_DEPENDENT_LAUNCH=0 starts kernels one after the other") {
  setenv("TILERT_DEPENDENT_LAUNCH", "0", 1);
  CHECK_FALSE(launchFlagged(R"(, "dependent_launch": true)").dependent);
  setenv("TILERT_DEPENDENT_LAUNCH", "1", 1);
  CHECK(launchFlagged(R"(, "dependent_launch": true)").dependent);
  unsetenv("TILERT_DEPENDENT_LAUNCH");
}

TEST_CASE("launch: an empty grid launches nothing and succeeds") {
  FakeCuda &fake = fakeCuda();
  tilert_kernel_ref kernel = TestLibrary().cubin("sm_90", scaleManifest("sm_90")).ref("scale");
  const View<float, 2> view = contiguous<float>(nullptr, {0, 7});
  tilert_view x = view.abi();
  float factor = 1;
  void *arguments[] = {&x, &factor};
  CHECK(Status(tilert_launch_ref(&kernel, nullptr, arguments, 2, nullptr, 0)));
  CHECK(fake.launches.empty());
}

TEST_CASE("launch: without a context it says how to get one") {
  fakeCuda();
  tilert_kernel_ref kernel = softmaxRef();
  Status status;
  std::thread([&] { status = softmax(kernel); }).join(); // a new thread has none
  CHECK(status.code() == TILERT_ERROR_NO_DEVICE);
  CHECK(contains(status.message(), "softmax: no CUDA context is current on this thread"));
}

TEST_CASE("launch: a refused launch names the variant, and the stream's wrong context") {
  FakeCuda &fake = fakeCuda();
  tilert_kernel_ref kernel = softmaxRef();
  fake.failures["cuLaunchKernelEx"] = 400;
  CHECK(softmax(kernel, 100, streamOf(0)).message() ==
        "softmax: softmax__128__s: cuLaunchKernelEx: CUDA_ERROR_FAKE (injected)");
  const Status status = softmax(kernel, 100, streamOf(1));
  CHECK(status.code() == TILERT_ERROR_LAUNCH);
  CHECK(contains(status.message(), "the stream belongs to another context"));
}

TEST_CASE("launch: a variant of which not one program fits an SM is an error") {
  fakeCuda().occupancy = 0;
  tilert_kernel_ref kernel = softmaxRef();
  CHECK(contains(softmax(kernel).message(), "softmax__128__s: not one program fits an SM"));
}

TEST_CASE("launch: explain names the launch that would happen") {
  fakeCuda();
  tilert_kernel_ref kernel = softmaxRef();
  float *pointer = reinterpret_cast<float *>(0x1000);
  int32_t rows = 1000, columns = 301;
  void *arguments[] = {&pointer, &pointer, &rows, &columns};
  char small[16], text[2000];
  size_t needed = 0;
  REQUIRE(tilert_explain_ref(&kernel, nullptr, arguments, 4, nullptr, 0, small, sizeof small,
                             &needed) == TILERT_OK);
  CHECK(std::string(small) == "softmax__128__s");
  REQUIRE(needed < sizeof text);
  REQUIRE(tilert_explain_ref(&kernel, nullptr, arguments, 4, nullptr, 0, text, sizeof text,
                             nullptr) == TILERT_OK);
  CHECK(std::string(text).size() + 1 == needed);
  CHECK(contains(text, "launch softmax__512: 396 x 1 x 1 programs, 4 warps, 64 bytes of shared "
                       "memory, 24 registers\n"));
}

TEST_CASE("launch: a library of another ABI version, or whose images disagree, is refused") {
  TestLibrary library;
  tilert_library other = *library.cubin("sm_90", softmaxManifest("sm_90")).get();
  other.abi_version = 7;
  tilert_module module = nullptr;
  CHECK(tilert_module_from_library(&other, &module) == TILERT_ERROR_BAD_IMAGE);
  CHECK(contains(tilert_last_message(), "ABI version 7"));
  std::string changed = softmaxManifest("sm_80");
  changed.replace(changed.find(R"("n_rows", "kind": "i32")"), 23, R"("n_rows", "kind": "i64")");
  TestLibrary mixed;
  mixed.cubin("sm_90", softmaxManifest("sm_90")).cubin("sm_80", changed);
  CHECK(tilert_module_from_library(mixed.get(), &module) == TILERT_ERROR_BAD_IMAGE);
  CHECK(contains(tilert_last_message(), "the images disagree on kernel softmax("));
}
