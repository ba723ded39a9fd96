#include "tensor_map.h"

#include "expression_text.h"

#include <algorithm>

namespace tilert {
namespace {

constexpr unsigned kChunkBytes = 16; ///< what addresses and strides are multiples of
constexpr int64_t kMaxStrideBytes = (INT64_C(1) << 40) - 1;

int dataTypeOf(uint32_t elementBytes) {
  switch (elementBytes) {
  case 1:
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  case 2:
    return CU_TENSOR_MAP_DATA_TYPE_UINT16;
  case 4:
    return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  default:
    return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  }
}

int swizzleOf(uint32_t bytes) {
  switch (bytes) {
  case 32:
    return CU_TENSOR_MAP_SWIZZLE_32B;
  case 64:
    return CU_TENSOR_MAP_SWIZZLE_64B;
  case 128:
    return CU_TENSOR_MAP_SWIZZLE_128B;
  default:
    return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

MapFault::Kind strideFault(int64_t stride, unsigned elementBytes) {
  if (stride < 0)
    return MapFault::StrideSign;
  if (stride > kMaxStrideBytes / elementBytes)
    return MapFault::StrideLong;
  return stride * elementBytes % kChunkBytes != 0 ? MapFault::StrideChunks : MapFault::None;
}

} // namespace

MapFault mapFault(const TensorMap &map, const tilert_view &view) {
  if (reinterpret_cast<uintptr_t>(view.data) % kChunkBytes != 0)
    return {MapFault::Base, 0};
  for (unsigned i = 0; i < map.rank; ++i) {
    const unsigned axis = map.order[i];
    const int64_t extent = view.extents[axis], stride = view.strides[axis];
    if (extent < 1 || extent > kMaxMapExtent)
      return {MapFault::Extent, axis};
    if (extent == 1)
      continue; // its stride leads nowhere
    if (i > 0) {
      if (const MapFault::Kind kind = strideFault(stride, map.elementBytes))
        return {kind, axis};
    } else if (stride != 1) {
      return {MapFault::Gaps, axis};
    }
  }
  return {};
}

std::string mapFaultText(const KernelTable &kernel, const TensorMap &map,
                         const LaunchValues &values) {
  const tilert_view &view = viewOf(map, values.arguments);
  const MapFault fault = mapFault(map, view);
  if (fault.kind == MapFault::Base)
    return addressText(kernel, map.view, values) + " and not to " + std::to_string(kChunkBytes);
  const bool extent = fault.kind == MapFault::Extent;
  const int64_t value = extent ? view.extents[fault.axis] : view.strides[fault.axis];
  std::string text = kernel.params[map.view].name + (extent ? ".dim(" : ".stride(") +
                     std::to_string(fault.axis) + ") = " + std::to_string(value);
  switch (fault.kind) {
  case MapFault::Extent:
    return text + " is not in 1 .. " + std::to_string(kMaxMapExtent);
  case MapFault::Gaps:
    return text + " is not 1";
  case MapFault::StrideSign:
    return text + " is negative";
  case MapFault::StrideLong:
    return text + " is not below 2^40 bytes";
  case MapFault::StrideChunks:
    return text + " is " + std::to_string(value * map.elementBytes) + " bytes, no multiple of " +
           std::to_string(kChunkBytes);
  case MapFault::None:
  case MapFault::Base:
    break;
  }
  return text;
}

tilert_host_tensor_map describeMap(const TensorMap &map, const tilert_view &view) {
  tilert_host_tensor_map result;
  result.base = view.data;
  result.rank = map.rank;
  result.element_bytes = map.elementBytes;
  result.swizzle = map.swizzle;
  for (unsigned i = 0; i < kMaxMapRank; ++i) {
    const bool used = i < map.rank;
    result.extents[i] = used ? view.extents[map.order[i]] : 1;
    // An axis with one element takes any stride that the driver takes.
    result.strides[i] = !used                    ? 0
                        : i == 0                 ? map.elementBytes
                        : result.extents[i] == 1 ? kChunkBytes
                                                 : view.strides[map.order[i]] * map.elementBytes;
    result.box[i] = used ? map.box[i] : 1;
  }
  return result;
}

CUresult encodeMap(const Driver &driver, const tilert_host_tensor_map &described,
                   CUtensorMap &encoded) {
  static constexpr uint32_t kSteps[kMaxMapRank] = {1, 1, 1, 1, 1};
  uint64_t extents[kMaxMapRank], strides[kMaxMapRank];
  std::copy_n(described.extents, kMaxMapRank, extents);
  std::copy_n(described.strides, kMaxMapRank, strides);
  // The driver knows the stride of the innermost axis: its array starts at the next.
  return driver.tensorMapEncodeTiled(
      &encoded, dataTypeOf(described.element_bytes), described.rank,
      const_cast<void *>(described.base), extents, strides + 1, described.box, kSteps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzleOf(described.swizzle),
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

} // namespace tilert
