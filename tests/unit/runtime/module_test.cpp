// Modules from files and memory, dynamic launches. Alone: unit_runtime --test-case='module*'
#include "tests/unit/runtime/support.h"
#include "tests/unit/temporary_folder.h"

#include <doctest/doctest.h>

using namespace tilert;
using namespace tilert::test;

namespace {

/// A module that fill was loaded from, and its kernel.
struct Fill {
  Fill() {
    const std::string bytes = makeCubin(fillManifest("sm_90"));
    REQUIRE(Module::load(bytes.data(), bytes.size(), module));
    REQUIRE(module.find("fill", kernel));
  }
  Module module;
  Kernel kernel;
};

} // namespace

TEST_CASE("module: a file is loaded, its kernels are listed and launched") {
  FakeCuda &fake = fakeCuda();
  TemporaryFolder folder;
  folder.write("softmax.cubin", makeCubin(softmaxManifest("sm_90")));
  {
    Module module;
    REQUIRE(Module::load((folder.path / "softmax.cubin").c_str(), module));
    CHECK(module.kernelCount() == 1);
    const Kernel kernel = module.kernel(0);
    CHECK(kernel.name() == "softmax");
    CHECK(std::string(tilert_kernel_doc(kernel.get())) == "Row-wise softmax.");
    CHECK(tilert_kernel_argument_count(kernel.get()) == 4);
    CHECK(tilert_kernel_variant_count(kernel.get()) == 6);
    tilert_variant_info info;
    REQUIRE(tilert_kernel_variant(kernel.get(), 1, &info) == TILERT_OK);
    CHECK(std::string(info.symbol) == "softmax__128");
    CHECK(std::string(info.values) == "BLOCK = 128");
    CHECK(info.registers == 24);
    float *data = reinterpret_cast<float *>(0x1000);
    const float *source = data;
    CHECK(kernel.launch(nullptr, data, source, 10, 100));
    CHECK(contains(kernel.explain(nullptr, data, source, 10, 100), "softmax__128__s: fits"));
    CHECK(fake.launches.size() == 1);
  }
  CHECK(fake.unloads == 1);
}

TEST_CASE("module: missing files, directories, foreign and damaged images are refused") {
  tilert_module module = nullptr;
  CHECK(tilert_module_load_file("/nonexistent/x.cubin", &module) == TILERT_ERROR_NOT_FOUND);
  CHECK(std::string(tilert_last_message()) ==
        "/nonexistent/x.cubin: cannot be read: No such file or directory");
  CHECK(tilert_module_load_file("/", &module) == TILERT_ERROR_NOT_FOUND);
  CHECK(tilert_module_load_file("/dev/null", &module) == TILERT_ERROR_BAD_IMAGE);
  CHECK(tilert_module_load_memory("x", 1, &module) == TILERT_ERROR_BAD_IMAGE);
  CHECK(tilert_module_load_memory(nullptr, 0, &module) == TILERT_ERROR_INVALID_ARGUMENT);
  const std::string host = makeCubin(softmaxManifest("host"));
  CHECK(tilert_module_load_memory(host.data(), host.size(), &module) == TILERT_ERROR_BAD_IMAGE);
  CHECK(module == nullptr);
}

TEST_CASE("module: a kernel that is not there, the ones that are") {
  const Fill fill;
  Kernel kernel;
  const Status status = fill.module.find("fil", kernel);
  CHECK(status.code() == TILERT_ERROR_NOT_FOUND);
  CHECK(status.message() == "image: no kernel fil (there is fill)");
  CHECK_FALSE(kernel);
}

TEST_CASE("module: null handles are errors, not crashes") {
  CHECK(tilert_launch(nullptr, nullptr, nullptr, 0) == TILERT_ERROR_INVALID_ARGUMENT);
  CHECK(tilert_launch_ref(nullptr, nullptr, nullptr, 0, nullptr, 0) ==
        TILERT_ERROR_INVALID_ARGUMENT);
  tilert_kernel_ref empty{nullptr, nullptr, nullptr};
  CHECK(tilert_launch_ref(&empty, nullptr, nullptr, 0, nullptr, 0) ==
        TILERT_ERROR_INVALID_ARGUMENT);
  CHECK(tilert_module_load_file(nullptr, nullptr) == TILERT_ERROR_INVALID_ARGUMENT);
  CHECK(tilert_kernel_find(nullptr, "x", nullptr) == TILERT_ERROR_INVALID_ARGUMENT);
  tilert_module_unload(nullptr);
  CHECK(tilert_module_kernel(nullptr, 0) == nullptr);
  CHECK(std::string(tilert_kernel_name(nullptr)).empty());
}

TEST_CASE("module: a dynamic launch selects T by the pointer and N by the leading argument") {
  FakeCuda &fake = fakeCuda();
  const Fill fill;
  half *dst = reinterpret_cast<half *>(0x1000);
  REQUIRE(fill.kernel.launch(nullptr, 256, dst, 1000));
  REQUIRE(fake.launches.size() == 1);
  CHECK(fake.launches[0].symbol == "fill__f16_256");
  CHECK(fake.launches[0].config.gridDimX == 4);
  bfloat16 *other = reinterpret_cast<bfloat16 *>(0x1000);
  CHECK(fill.kernel.launch(nullptr, 256, other, 1000).message() ==
        "fill: no variant has T = bf16, N = 256 (built: T in f16, f32; N in 64, 256)");
}

TEST_CASE("module: wrong counts, types and sizes of dynamic arguments name the argument") {
  fakeCuda();
  const Fill fill;
  float *dst = reinterpret_cast<float *>(0x1000);
  CHECK(fill.kernel.launch(nullptr, dst, 1000).message() ==
        "fill: 2 arguments instead of 3: fill(N: i32, dst: ptr<T>, n: i32)");
  CHECK(fill.kernel.launch(nullptr, 64, dst, 1000.0f).message() ==
        "fill: argument 2 (n) is f32 instead of i32");
  CHECK(fill.kernel.launch(nullptr, 64, 5, 1000).message() ==
        "fill: argument 1 (dst) is i32 instead of ptr");
  CHECK(fill.kernel.launch(nullptr, int64_t{64}, dst, 1000).message() ==
        "fill: argument 0 (N) is i64 instead of i32");
  int32_t block = 64;
  int16_t small = 3;
  tilert_argument arguments[] = {
      {&block, 4, 0, 0, 0, 0}, {&dst, 8, 0, TILERT_TYPE_F32, 0, 0}, {&small, 2, 0, 0, 0, 0}};
  CHECK(Status(tilert_launch(fill.kernel.get(), nullptr, arguments, 3)).message() ==
        "fill: argument 2 (n) has 2 bytes; i32 has 4");
  arguments[1].element = TILERT_TYPE_ANY;
  arguments[2] = {&block, 4, 0, 0, 0, 0};
  CHECK(contains(Status(tilert_launch(fill.kernel.get(), nullptr, arguments, 3)).message(),
                 "no argument says what T is"));
  arguments[2].value = nullptr;
  CHECK(contains(Status(tilert_launch(fill.kernel.get(), nullptr, arguments, 3)).message(),
                 "argument 2 (n) points nowhere"));
}

TEST_CASE("module: elements and ranks of dynamic arguments must match") {
  fakeCuda();
  const std::string bytes = makeCubin(scaleManifest("sm_90"));
  Module module;
  Kernel kernel;
  REQUIRE(Module::load(bytes.data(), bytes.size(), module));
  REQUIRE(module.find("scale", kernel));
  float *data = reinterpret_cast<float *>(0x1000);
  CHECK(kernel.launch(nullptr, contiguous(data, {4, 5}), 2.0f));
  CHECK(kernel.launch(nullptr, contiguous(data, {4, 5, 6}), 2.0f).message() ==
        "scale: argument 0 (x) has rank 3 instead of 2");
  CHECK(kernel.launch(nullptr, contiguous(reinterpret_cast<double *>(data), {4, 5}), 2.0f)
            .message() == "scale: argument 0 (x) points to f64 instead of f32");
  CHECK(kernel.launch(nullptr, contiguous(data + 0, {4, 5}), half(2.0f)).message() ==
        "scale: argument 1 (factor) is f16 instead of f32");
}

TEST_CASE("module: a launch on the host of what has no host image") {
  const Fill fill;
  half *dst = nullptr;
  const Status status = fill.kernel.launch(host_stream(), 64, dst, 10);
  CHECK(status.code() == TILERT_ERROR_NO_IMAGE);
  CHECK(status.message() == "fill: no image for the host (built for sm_90)");
}
