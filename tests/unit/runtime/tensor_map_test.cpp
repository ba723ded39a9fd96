// Tensor maps from the manifest to the kernel's arguments.
// Alone: build/release/bin/unit_runtime --test-case='tensor map*'
#include "runtime/source/dispatch.h"
#include "runtime/source/tensor_map.h"
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace tilert;
using namespace tilert::test;

namespace {

constexpr DeviceLimits kDevice{132, 232448, 90};
/// Of x, whose axis 1 is innermost: boxes of 32 x 8.
const std::string kMap = R"({"view": 1, "order": [1, 0], "box": [32, 8], "swizzle": 128})";

/// Why the image is refused; empty when it is read.
std::string refusedImage(const std::string &json) {
  try {
    readManifest(json, "m");
  } catch (const Failure &failure) {
    CHECK(failure.status() == TILERT_ERROR_BAD_IMAGE);
    const std::string start = "m: the manifest is damaged: kernel load: ", text = failure.message();
    return text.substr(0, start.size()) == start ? text.substr(start.size()) : text;
  }
  return "";
}

/// Why the maps are.
std::string mapRefusal(const std::string &maps) {
  return refusedImage(mapsManifest("sm_90", maps));
}

/// The refusal of kMap with `from` replaced.
std::string refusalWith(const std::string &from, const std::string &to) {
  std::string map = kMap;
  REQUIRE(contains(map, from));
  return mapRefusal("[" + map.replace(map.find(from), from.size(), to) + "]");
}

/// Arguments of mapsManifest's kernel: x has 100 rows of 64 without gaps.
struct Arguments {
  float y = 0;
  int64_t extents[2] = {100, 64}, strides[2] = {64, 1};
  tilert_view x{reinterpret_cast<void *>(0x1000), extents, strides};
  void *pointers[2] = {&y, &x};
  Arguments() = default;
  Arguments(const Arguments &) = delete; // it points into itself
  Launch launch() { return {pointers, 2, nullptr, 0}; }
};

/// What explain says of the variant with maps; checks that what it does not fit falls through.
std::string reason(Arguments &arguments, const DeviceLimits &limits = kDevice) {
  const Manifest manifest = readManifest(mapsManifest("sm_90", "[" + kMap + "]"), "m");
  Dispatcher dispatcher(*manifest.kernels[0], arguments.launch(), limits);
  const std::string text = dispatcher.explain(), start = "load__map: ";
  const bool fits = contains(text, "load__map: fits\n");
  CHECK(contains(text, fits ? "load__plain: not reached" : "load__plain: fits"));
  CHECK(dispatcher.choose() == (fits ? 0 : 1));
  return text.substr(start.size(), text.find('\n') - start.size());
}

} // namespace

TEST_CASE("tensor map: an image that says it has none has none") {
  std::string json = mapsManifest("sm_90", "[" + kMap + "]");
  json.replace(json.find("\"schema\": 2"), 11, "\"schema\": 1");
  CHECK(refusedImage(json) == "tensor maps are of schema 2, it has schema 1");
}

TEST_CASE("tensor map: a variant's maps are read") {
  const Manifest manifest = readManifest(mapsManifest("sm_90", "[" + kMap + "]"), "m");
  const Variant &variant = manifest.kernels[0]->variants[0];
  REQUIRE(variant.maps.size() == 1);
  const TensorMap &map = variant.maps[0];
  CHECK((map.view == 1 && map.rank == 2 && map.elementBytes == 4 && map.swizzle == 128));
  CHECK((map.order[0] == 1 && map.order[1] == 0 && map.box[0] == 32 && map.box[1] == 8));
  CHECK(manifest.kernels[0]->variants[1].maps.empty());
}

TEST_CASE("tensor map: what is none is refused with a reason") {
  CHECK(mapRefusal("[" + kMap + "]") == "");
  CHECK(mapRefusal("3") == "`maps` is no array");
  CHECK(mapRefusal("[3]") == "`view` is asked of what is no object");
  CHECK(refusalWith("1, \"order", "0, \"order") ==
        "variant load__map has a tensor map of parameter 0, which is no view");
  CHECK(contains(refusalWith("1, \"order", "2, \"order"), "parameter 2, which is no view"));
  CHECK(contains(refusalWith("1, \"order", "-1, \"order"), "`view` is no integer from 0"));
  CHECK(refusalWith("[1, 0]", "[1]") == "variant load__map: the tensor map of x has 1 axes in "
                                        "`order` and 2 in `box` for a view of rank 2");
  CHECK(contains(refusalWith("[1, 0]", "[1, 1]"), "has axis 1 twice in `order`"));
  CHECK(refusalWith("[1, 0]", "[1, 2]") == "`order` is no integer from 0 to 1");
  CHECK(refusalWith("[32, 8]", "[32, 257]") == "`box` is no integer from 1 to 256");
  CHECK(refusalWith("[32, 8]", "[32, 0]") == "`box` is no integer from 1 to 256");
  CHECK(contains(refusalWith("[32, 8]", "[32]"), "1 in `box`"));
  CHECK(contains(refusalWith("[32, 8]", "[30, 8]"), "rows of 120 bytes, no multiple of 16"));
  CHECK(contains(refusalWith("128", "64"), "rows of 128 bytes, more than its swizzle of 64"));
  CHECK(contains(refusalWith("128", "96"), "a swizzle of 96 instead of 0, 32, 64 or 128"));
  CHECK(refusalWith("128", "0") == "");
  CHECK(contains(refusalWith(", \"swizzle\": 128", ""), "`swizzle` is missing"));
  std::string many = "[" + kMap;
  for (int i = 1; i < 17; ++i)
    many += "," + kMap;
  CHECK(mapRefusal(many + "]") == "variant load__map has more than 16 tensor maps");
}

TEST_CASE("tensor map: a view of more than five axes has none") {
  std::string json = mapsManifest("sm_90", "[" + kMap + "]");
  json.replace(json.find("\"rank\": 2"), 9, "\"rank\": 6");
  CHECK(contains(refusedImage(json), "the tensor map of x has 6 axes, more than 5"));
}

TEST_CASE("tensor map: views that have one fit") {
  Arguments arguments;
  CHECK(reason(arguments) == "fits");
  arguments.strides[0] = 68; // a window
  CHECK(reason(arguments) == "fits");
  arguments.strides[0] = 4; // rows overlap
  CHECK(reason(arguments) == "fits");
  arguments.extents[0] = 1;
  arguments.strides[0] = -3; // leads nowhere
  CHECK(reason(arguments) == "fits");
  Arguments column;
  column.extents[1] = 1;
  column.strides[1] = 0;
  CHECK(reason(column) == "fits");
}

TEST_CASE("tensor map: views that have none say why and go to the next variant") {
  const auto with = [](auto change, const DeviceLimits &limits = kDevice) {
    Arguments arguments;
    change(arguments);
    return reason(arguments, limits);
  };
  const std::string start = "needs a tensor map of x: ";
  CHECK(with([](Arguments &a) { a.x.data = reinterpret_cast<void *>(0x1008); }) ==
        start + "x is at 0x1008, aligned to 8 and not to 16");
  CHECK(with([](Arguments &a) { a.strides[1] = 2; }) == start + "x.stride(1) = 2 is not 1");
  CHECK(with([](Arguments &a) { a.extents[0] = 0; }) ==
        start + "x.dim(0) = 0 is not in 1 .. 2147418111");
  CHECK(with([](Arguments &a) { a.extents[1] = kMaxMapExtent + 1; }) ==
        start + "x.dim(1) = 2147418112 is not in 1 .. 2147418111");
  CHECK(with([](Arguments &a) { a.extents[1] = kMaxMapExtent; }) == "fits");
  CHECK(with([](Arguments &a) { a.strides[0] = 66; }) ==
        start + "x.stride(0) = 66 is 264 bytes, no multiple of 16");
  CHECK(with([](Arguments &a) { a.strides[0] = 0; }) == "fits");
  CHECK(with([](Arguments &a) { a.strides[0] = -64; }) == start + "x.stride(0) = -64 is negative");
  CHECK(with([](Arguments &a) { a.strides[0] = INT64_C(1) << 38; }) ==
        start + "x.stride(0) = 274877906944 is not below 2^40 bytes");
  CHECK(with([](Arguments &a) { a.strides[0] = (INT64_C(1) << 38) - 4; }) == "fits");
  CHECK(contains(with([](Arguments &a) { a.strides[0] = INT64_MAX; }), "is not below 2^40 bytes"));
}

TEST_CASE("tensor map: devices and drivers without them") {
  Arguments arguments;
  CHECK(reason(arguments, {1, 101376, 89}) == "needs tensor maps, which the device does not have");
  CHECK(reason(arguments, {132, 232448, 90, false}) ==
        "needs tensor maps, which the driver does not have");
  CHECK(reason(arguments, {4, 0, 0}) == "fits"); // the host
}

TEST_CASE("tensor map: without a general variant the launch fails with the reason") {
  const Manifest manifest = readManifest(mapsManifest("sm_90", "[" + kMap + "]", false), "m");
  Arguments arguments;
  arguments.strides[1] = 3;
  try {
    Dispatcher(*manifest.kernels[0], arguments.launch(), kDevice).choose();
    FAIL("chosen");
  } catch (const Failure &failure) {
    CHECK(failure.status() == TILERT_ERROR_CONTRACT);
    CHECK(failure.message() ==
          "load: no variant fits: needs a tensor map of x: x.stride(1) = 3 is not 1");
  }
}

TEST_CASE("tensor map: a GPU's kernel gets what the driver encoded, after its parameters") {
  FakeCuda &fake = fakeCuda();
  static uint64_t first, second;
  static void *secondMap;
  fake.onLaunch = [](const FakeLaunch &, void **parameters) {
    first = *static_cast<uint64_t *>(parameters[6]);
    second = *static_cast<uint64_t *>(parameters[7]);
    secondMap = parameters[7];
  };
  const std::string other = R"({"view": 1, "order": [1, 0], "box": [4, 1], "swizzle": 0})";
  tilert_kernel_ref kernel =
      TestLibrary()
          .cubin("sm_90", mapsManifest("sm_90", "[" + kMap + "," + other + "]"))
          .ref("load");
  Arguments arguments;
  first = second = 7;
  REQUIRE(Status(tilert_launch_ref(&kernel, nullptr, arguments.pointers, 2, nullptr, 0)));
  CHECK(fake.launches.at(0).symbol == "load__map");
  CHECK((first == 0 && second == 1));
  REQUIRE(fake.tensorMaps.size() == 2);
  const FakeTensorMap &map = fake.tensorMaps[0];
  CHECK(map.type == 2); // CU_TENSOR_MAP_DATA_TYPE_UINT32
  CHECK(map.base == arguments.x.data);
  CHECK(map.extents == std::vector<uint64_t>{64, 100});
  CHECK(map.strides == std::vector<uint64_t>{256});
  CHECK(map.box == std::vector<uint32_t>{32, 8});
  CHECK(map.steps == std::vector<uint32_t>{1, 1});
  CHECK((map.interleave == 0 && map.swizzle == 3 && map.l2Promotion == 3 && map.fill == 0));
  CHECK(fake.tensorMaps[1].swizzle == 0);
  CHECK(fake.tensorMaps[1].map == secondMap);
  CHECK(reinterpret_cast<uintptr_t>(secondMap) % 64 == 0);
}

TEST_CASE("tensor map: more maps than a launch keeps on its stack") {
  FakeCuda &fake = fakeCuda();
  static uint64_t sum;
  sum = 0;
  fake.onLaunch = [](const FakeLaunch &, void **parameters) {
    for (int i = 0; i < 16; ++i)
      sum += *static_cast<uint64_t *>(parameters[6 + i]);
  };
  std::string maps = "[" + kMap;
  for (int i = 1; i < 16; ++i)
    maps += "," + kMap;
  tilert_kernel_ref kernel =
      TestLibrary().cubin("sm_90", mapsManifest("sm_90", maps + "]")).ref("load");
  Arguments arguments;
  REQUIRE(Status(tilert_launch_ref(&kernel, nullptr, arguments.pointers, 2, nullptr, 0)));
  CHECK(sum == 120);
  for (const FakeTensorMap &map : fake.tensorMaps)
    CHECK(reinterpret_cast<uintptr_t>(map.map) % 64 == 0);
}

TEST_CASE("tensor map: one that the driver refuses names kernel, variant and view") {
  FakeCuda &fake = fakeCuda();
  fake.failures["cuTensorMapEncodeTiled"] = 1;
  tilert_kernel_ref kernel =
      TestLibrary().cubin("sm_90", mapsManifest("sm_90", "[" + kMap + "]")).ref("load");
  Arguments arguments;
  const Status status(tilert_launch_ref(&kernel, nullptr, arguments.pointers, 2, nullptr, 0));
  CHECK(status.code() == TILERT_ERROR_LAUNCH);
  CHECK(status.message() == "load: load__map: the tensor map of x: cuTensorMapEncodeTiled: "
                            "CUDA_ERROR_FAKE (injected)");
  CHECK(fake.launches.empty());
}

TEST_CASE("tensor map: the host's kernel gets a description, innermost axis first") {
  static tilert_host_tensor_map seen;
  TestLibrary library;
  library.host(mapsManifest("host", "[" + kMap + "]"),
               {{"load__map", [](tilert_host_thread *self, void *const *arguments) {
                   if (self->thread == 0)
                     seen = *static_cast<const tilert_host_tensor_map *>(arguments[6]);
                 }}});
  tilert_kernel_ref kernel = library.ref("load");
  Arguments arguments;
  REQUIRE(
      Status(tilert_launch_ref(&kernel, TILERT_HOST_STREAM, arguments.pointers, 2, nullptr, 0)));
  CHECK(seen.base == arguments.x.data);
  CHECK((seen.rank == 2 && seen.element_bytes == 4 && seen.swizzle == 128));
  CHECK((seen.extents[0] == 64 && seen.extents[1] == 100 && seen.extents[2] == 1));
  CHECK((seen.strides[0] == 4 && seen.strides[1] == 256 && seen.strides[2] == 0));
  CHECK((seen.box[0] == 32 && seen.box[1] == 8 && seen.box[2] == 1));
  char text[400];
  REQUIRE(tilert_explain_ref(&kernel, TILERT_HOST_STREAM, arguments.pointers, 2, nullptr, 0, text,
                             sizeof text, nullptr) == TILERT_OK);
  CHECK(contains(text, "1 warps, 1024 bytes of shared memory, 1 tensor map\n"));
}
