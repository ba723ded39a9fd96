// Tensor maps: what the tensor-copy engine of a GPU (sm_90) is told of a view to copy boxes of it.
// The driver encodes them for a GPU; the host device takes them as they are. A map is made at every
// launch, of the view that the launch brings: a variant with maps fits only views that have one.
#pragma once

#include "driver.h"
#include "manifest.h"

#include <memory>
#include <string>

namespace tilert {

/// Longest axis of a view that has a tensor map. The engine's coordinates are i32, and a box may
/// lie beside the array.
constexpr int64_t kMaxMapExtent = INT32_MAX - 65536;

/// Why a view has no tensor map, and along which of its axes: the limits of cuTensorMapEncodeTiled
/// (CUDA driver API), and those of coordinates.
struct MapFault {
  enum Kind : uint8_t {
    None,
    Base,        ///< is not aligned to 16
    Extent,      ///< is not in 1 .. kMaxMapExtent
    Gaps,        ///< the innermost axis has a stride, not 1
    StrideSign,  ///< is negative
    StrideLong,  ///< 2^40 bytes or more
    StrideChunks ///< is no multiple of 16 bytes
  } kind = None;
  unsigned axis = 0;
};
MapFault mapFault(const TensorMap &map, const tilert_view &view);

/// "x.stride(0) = 7 is 28 bytes, no multiple of 16", for a view with a fault.
std::string mapFaultText(const KernelTable &kernel, const TensorMap &map,
                         const LaunchValues &values);

inline const tilert_view &viewOf(const TensorMap &map, void *const *arguments) {
  return *static_cast<const tilert_view *>(arguments[map.view]);
}

/// The map of a view without a fault.
tilert_host_tensor_map describeMap(const TensorMap &map, const tilert_view &view);

/// `described` as a GPU reads it.
CUresult encodeMap(const Driver &driver, const tilert_host_tensor_map &described,
                   CUtensorMap &encoded);

/// Tensor maps that a launch keeps on its stack; variants with more allocate.
constexpr size_t kInlineMaps = 8;

/// Room for the tensor maps of one launch, uninitialised.
template <typename Map> class MapRoom {
public:
  explicit MapRoom(size_t count) : maps_(inline_) {
    if (count > kInlineMaps) [[unlikely]] {
      many_ = std::make_unique_for_overwrite<Map[]>(count);
      maps_ = many_.get();
    }
  }
  MapRoom(const MapRoom &) = delete;
  MapRoom &operator=(const MapRoom &) = delete;
  Map &operator[](size_t index) { return maps_[index]; }

private:
  Map inline_[kInlineMaps];
  std::unique_ptr<Map[]> many_;
  Map *maps_;
};

} // namespace tilert
