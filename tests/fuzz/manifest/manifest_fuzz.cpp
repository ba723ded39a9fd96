// Arbitrary bytes as an image and as a manifest; what is accepted is dispatched with null
// arguments. Whatever the bytes, tilert answers with a status: no crash, no hang, no read out of
// bounds.
#include "runtime/source/dispatch.h"
#include "runtime/source/image_reader.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

using namespace tilert;

namespace {

constexpr size_t kMostAxes = 8;
/// Zeros for every scalar, and for the extents and strides of every view.
int64_t zeros[kMostAxes] = {};

void dispatch(const KernelTable &kernel) {
  tilert_view view{nullptr, zeros, zeros};
  std::vector<void *> arguments;
  for (const Parameter &param : kernel.params)
    arguments.push_back(param.type == TILERT_TYPE_VIEW ? static_cast<void *>(&view)
                                                       : static_cast<void *>(zeros));
  std::vector<tilert_selection> selections;
  for (unsigned index : kernel.selected)
    selections.push_back({kernel.constParams[index].name.c_str(), "f32", 0});
  const Launch launch{arguments.data(), arguments.size(), selections.data(), selections.size()};
  const DeviceLimits limits{132, 232448, 90};
  try {
    Dispatcher dispatcher(kernel, launch, limits);
    dispatcher.explain();
    const Variant &variant = kernel.variants[dispatcher.choose()];
    dispatcher.checkAlignment(variant);
    unsigned programs[3];
    dispatcher.grid(variant, 1, programs);
    AbiArguments abi(kernel, arguments.data(), variant.maps.size());
  } catch (const Failure &) {
  }
}

void readAndDispatch(std::string_view json) {
  try {
    for (const auto &kernel : readManifest(json, "fuzz").kernels)
      dispatch(*kernel);
  } catch (const Failure &) {
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  readAndDispatch(bytes);
  try {
    readAndDispatch(readImage(bytes, "fuzz").manifest);
  } catch (const Failure &) {
  }
  return 0;
}
