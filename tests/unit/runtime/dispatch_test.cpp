// Alone: build/release/bin/unit_runtime --test-case='dispatch*'
#include "runtime/source/dispatch.h"
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

using namespace tilert;
using namespace tilert::test;

namespace {

constexpr DeviceLimits kDevice{132, 232448, 90};

/// Arguments of softmaxManifest's kernel.
struct SoftmaxArguments {
  float *dst = reinterpret_cast<float *>(0x1000), *src = reinterpret_cast<float *>(0x2000);
  int32_t rows = 10, columns = 100;
  void *pointers[4] = {&dst, &src, &rows, &columns};
  Launch launch() { return {pointers, 4, nullptr, 0}; }
};

std::string chosen(const KernelTable &kernel, const Launch &launch) {
  return kernel.variants[Dispatcher(kernel, launch, kDevice).choose()].symbol;
}

std::string failureOf(const KernelTable &kernel, const Launch &launch,
                      const DeviceLimits &limits = kDevice) {
  try {
    Dispatcher dispatcher(kernel, launch, limits);
    const Variant &variant = kernel.variants[dispatcher.choose()];
    dispatcher.checkAlignment(variant);
    unsigned programs[3];
    dispatcher.grid(variant, 1, programs);
  } catch (const Failure &failure) {
    return failure.message();
  }
  return "";
}

/// The failure of conditionManifest's kernel for given a and b.
std::string conditionFailure(const std::string &condition, int64_t a, int64_t b,
                             const std::string &grid = "1") {
  const Manifest manifest = readManifest(conditionManifest(condition, grid), "test");
  double x = 0.5;
  float *p = reinterpret_cast<float *>(0x1004), *q = nullptr;
  void *arguments[] = {&a, &b, &x, &p, &q};
  return failureOf(*manifest.kernels[0], {arguments, 5, nullptr, 0});
}

} // namespace

TEST_CASE("dispatch: the first variant in order whose clauses hold, specialised before general") {
  const Manifest manifest = readManifest(softmaxManifest("sm_90"), "test");
  const KernelTable &kernel = *manifest.kernels[0];
  SoftmaxArguments arguments;
  CHECK(chosen(kernel, arguments.launch()) == "softmax__128__s");
  arguments.columns = 101;
  CHECK(chosen(kernel, arguments.launch()) == "softmax__128");
  arguments.columns = 132;
  CHECK(chosen(kernel, arguments.launch()) == "softmax__512__s");
  arguments.src += 1;
  CHECK(chosen(kernel, arguments.launch()) == "softmax__512");
  arguments.columns = 2048;
  CHECK(chosen(kernel, arguments.launch()) == "softmax__2048");
}

TEST_CASE("dispatch: no variant: the clause, its arguments, the largest value that would help") {
  const Manifest manifest = readManifest(softmaxManifest("sm_90"), "test");
  SoftmaxArguments arguments;
  arguments.columns = 20000;
  CHECK(failureOf(*manifest.kernels[0], arguments.launch()) ==
        "softmax: no variant fits: requires n_cols <= BLOCK (n_cols = 20000, largest BLOCK = "
        "2048)");
  arguments.columns = 0;
  CHECK(failureOf(*manifest.kernels[0], arguments.launch()) ==
        "softmax: no variant fits: requires n_cols >= 1 (n_cols = 0)");
}

TEST_CASE("dispatch: a clause that cannot be evaluated says why") {
  CHECK(conditionFailure(R"(["eq", ["rem", ["arg", 0], ["arg", 1]], 0])", 4, 0) ==
        "k: no variant fits: requires a % b == 0 (division by zero, a = 4, b = 0)");
  CHECK(conditionFailure(R"(["lt", ["mul", ["arg", 0], ["arg", 1]], 10])", INT64_MAX, 2) ==
        "k: no variant fits: requires a * b < 10 (integer overflow, a = 9223372036854775807, b = "
        "2)");
}

TEST_CASE("dispatch: a misaligned pointer is named with its address and alignment") {
  CHECK(conditionFailure(R"(["aligned", 3, 16])", 0, 0) ==
        "k: no variant fits: requires aligned(p, 16) (p is at 0x1004, aligned to 4)");
  const Manifest manifest = readManifest(softmaxManifest("sm_90"), "test");
  SoftmaxArguments arguments;
  arguments.dst = reinterpret_cast<float *>(0x1002);
  CHECK(failureOf(*manifest.kernels[0], arguments.launch()) ==
        "softmax: dst is at 0x1002, aligned to 2; its elements need 4");
}

TEST_CASE("dispatch: messages print expressions with the parentheses they need and no others") {
  CHECK(conditionFailure(
            R"(["eq", ["mul", ["add", ["arg", 0], 1], ["sub", 2, ["sub", ["arg", 1], 3]]], 0])", 0,
            0) == "k: no variant fits: requires (a + 1) * (2 - (b - 3)) == 0 (a = 0, b = 0)");
  CHECK(conditionFailure(
            R"(["or", ["not", ["le", ["arg", 0], 5]], ["lt", ["min", ["arg", 0], 7], 0]])", 1, 0) ==
        "k: no variant fits: requires !(a <= 5) || min(a, 7) < 0 (a = 1)");
}

TEST_CASE("dispatch: the clause of the variants that came furthest is reported") {
  std::string json = conditionManifest("true");
  const std::string one = R"({"symbol": "k__0", "values": [], "warps": 1})";
  json.replace(json.find(one), one.size(),
               R"({"symbol": "k__64", "values": [64], "warps": 1},
                  {"symbol": "k__128", "values": [128], "warps": 1})");
  const std::string requires_ = R"("requires": [{"text": "it", "expr": true}])";
  json.replace(json.find(requires_), requires_.size(),
               R"("const_params": [{"name": "D", "type": "i32"}], "requires": [{"text": "it",
                  "expr": ["and", ["eq", ["arg", 0], ["const", "D"]], ["eq", ["arg", 1], ["const", "D"]]]}])");
  const Manifest manifest = readManifest(json, "test");
  int64_t a = 64, b = 96;
  double x = 0;
  void *null = nullptr;
  void *arguments[] = {&a, &b, &x, &null, &null};
  const Launch launch{arguments, 5, nullptr, 0};
  CHECK(failureOf(*manifest.kernels[0], launch) ==
        "k: no variant fits: requires b == D (b = 96, D = 64)");
  a = 65;
  CHECK(failureOf(*manifest.kernels[0], launch) ==
        "k: no variant fits: requires a == D (a = 65, D in 64, 128)");
}

TEST_CASE("dispatch: selections choose among the variants and must exist") {
  const Manifest manifest = readManifest(fillManifest("sm_90"), "test");
  const KernelTable &kernel = *manifest.kernels[0];
  void *dst = reinterpret_cast<void *>(0x1000);
  int32_t n = 100;
  void *arguments[] = {&dst, &n};
  tilert_selection selections[] = {{"N", nullptr, 256}, {"T", "f16", 0}};
  const Launch launch{arguments, 2, selections, 2};
  CHECK(chosen(kernel, launch) == "fill__f16_256");
  selections[1].type = "bf16";
  CHECK(failureOf(kernel, launch) ==
        "fill: no variant has T = bf16, N = 256 (built: T in f16, f32; N in 64, 256)");
  selections[1].type = "quad";
  CHECK(failureOf(kernel, launch) == "fill: select T: `quad` is no type");
  selections[1].name = "U";
  CHECK(failureOf(kernel, launch) == "fill: no value is selected for T");
  CHECK(failureOf(kernel, {arguments, 2, selections, 1}) ==
        "fill: 1 selections for 2 selected const params");
}

TEST_CASE("dispatch: wrong argument counts and null arguments are refused") {
  const Manifest manifest = readManifest(softmaxManifest("sm_90"), "test");
  SoftmaxArguments arguments;
  CHECK(failureOf(*manifest.kernels[0], {arguments.pointers, 3, nullptr, 0}) ==
        "softmax: 3 arguments for 4 parameters: softmax(dst: ptr<f32>, src: ptr<const f32>, "
        "n_rows: i32, n_cols: i32)");
  arguments.pointers[2] = nullptr;
  CHECK(failureOf(*manifest.kernels[0], arguments.launch()) ==
        "softmax: argument 2 (n_rows) points nowhere");
  CHECK(failureOf(*manifest.kernels[0], {nullptr, 4, nullptr, 0}) ==
        "softmax: the argument array is null");
}

TEST_CASE("dispatch: grids: persistent, empty, negative, beyond the limits") {
  const Manifest manifest = readManifest(softmaxManifest("sm_90"), "test");
  const KernelTable &kernel = *manifest.kernels[0];
  SoftmaxArguments arguments;
  unsigned programs[3];
  const auto grid = [&] {
    Dispatcher dispatcher(kernel, arguments.launch(), kDevice);
    return dispatcher.grid(kernel.variants[0], 2, programs);
  };
  CHECK(grid());
  CHECK(programs[0] == 10);
  arguments.rows = 1 << 30;
  CHECK(grid());
  CHECK(programs[0] == 264);
  arguments.rows = 0;
  CHECK_FALSE(grid());
  arguments.rows = -1;
  CHECK(failureOf(kernel, arguments.launch()) ==
        "softmax: grid x = min(n_rows, num_sms * occupancy) = -1 is negative (n_rows = -1, num_sms "
        "= 132, occupancy = 1)");
  CHECK(conditionFailure("true", INT64_C(1) << 31, 0, R"(["arg", 0])") ==
        "k: grid x = a = 2147483648 is beyond the limit of 2147483647 (a = 2147483648)");
  CHECK(conditionFailure("true", (INT64_C(1) << 31) - 1, 0, R"(["arg", 0])") == "");
  CHECK(conditionFailure("true", 1, 0, R"(["div", ["arg", 0], ["arg", 1]])") ==
        "k: grid x = a / b: division by zero (a = 1, b = 0)");
}

TEST_CASE("dispatch: y and z grids end at 65535; extents must fit i32") {
  const Manifest manifest = readManifest(scaleManifest("sm_90"), "test");
  int64_t extents[] = {4, 65536}, strides[] = {65536, 1};
  tilert_view view{nullptr, extents, strides};
  float factor = 1;
  void *arguments[] = {&view, &factor};
  const Launch launch{arguments, 2, nullptr, 0};
  CHECK(contains(failureOf(*manifest.kernels[0], launch), "beyond the limit of 65535"));
  extents[1] = 65535;
  CHECK(failureOf(*manifest.kernels[0], launch) == "");
  extents[0] = INT64_C(1) << 31;
  CHECK(failureOf(*manifest.kernels[0], launch) == "scale: x.dim(0) = 2147483648 does not fit i32; "
                                                   "kernels with `option extents = i64` take more");
  extents[0] = -1;
  CHECK(failureOf(*manifest.kernels[0], launch) == "scale: x.dim(0) = -1 is negative");
  view.extents = nullptr;
  CHECK(failureOf(*manifest.kernels[0], launch) == "scale: view x has no extents or no strides");
}

TEST_CASE("dispatch: a variant that the device cannot run does not fit") {
  void *null = nullptr;
  float factor = 1;
  int64_t extents[] = {1, 1}, strides[] = {1, 1};
  tilert_view view{null, extents, strides};
  void *arguments[] = {&view, &factor};
  const Launch launch{arguments, 2, nullptr, 0};
  const Manifest shared = readManifest(scaleManifest("sm_80", R"("shared": 200000)"), "test");
  CHECK(failureOf(*shared.kernels[0], launch, {1, 101376, 86}) ==
        "scale: no variant fits: needs 200000 bytes of shared memory a program, the device has "
        "101376");
  const Manifest cluster = readManifest(scaleManifest("sm_80", R"("cluster": 2)"), "test");
  CHECK(contains(failureOf(*cluster.kernels[0], launch, {1, 101376, 80}), "needs clusters of 2"));
  CHECK(failureOf(*cluster.kernels[0], launch) ==
        "scale: grid x = 1 is no multiple of the cluster of 2 programs");
}

TEST_CASE("dispatch: explain lists every variant with its reason") {
  const Manifest manifest = readManifest(softmaxManifest("sm_90"), "test");
  SoftmaxArguments arguments;
  arguments.columns = 301;
  Dispatcher dispatcher(*manifest.kernels[0], arguments.launch(), kDevice);
  const std::string text = dispatcher.explain();
  CHECK(contains(text, "softmax__128: requires n_cols <= BLOCK (n_cols = 301, BLOCK = 128)\n"));
  CHECK(contains(text, "softmax__512__s: specialize n_cols % 4 == 0 (n_cols = 301)\n"));
  CHECK(contains(text, "softmax__512: fits\nsoftmax__2048__s: not reached\n"));
  CHECK(dispatcher.explained() == 3);
}

TEST_CASE("dispatch: views as ABI parameters: pointer, i32 extents, i64 strides") {
  const Manifest manifest = readManifest(scaleManifest("sm_90"), "test");
  int64_t extents[] = {3, 5}, strides[] = {INT64_C(1) << 40, 1};
  float data = 0, factor = 2;
  tilert_view view{&data, extents, strides};
  void *arguments[] = {&view, &factor};
  AbiArguments abi(*manifest.kernels[0], arguments);
  CHECK(manifest.kernels[0]->abiCount == 6);
  CHECK(*static_cast<float **>(abi.pointers()[0]) == &data);
  CHECK(*static_cast<int32_t *>(abi.pointers()[1]) == 3);
  CHECK(*static_cast<int32_t *>(abi.pointers()[2]) == 5);
  CHECK(*static_cast<int64_t *>(abi.pointers()[3]) == INT64_C(1) << 40);
  CHECK(*static_cast<float *>(abi.pointers()[5]) == 2);
}
