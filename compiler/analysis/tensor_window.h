// Which windows the tensor-copy engine (TMA) can copy.
//
// A tensor map describes a view once a launch: its base, extents and strides. It takes what the
// contracts promise - a base and strides that are multiples of 16 bytes, one axis of stride 1 along
// which windows start at multiples of 16 bytes - and what only a launch can tell (extents that are
// not 0, strides that are not negative) is left to the dispatcher: only a specialised variant has
// maps, since a launch that does not fit has a general one to go to.
#pragma once

#include "compiler/analysis/facts.h"
#include "compiler/layout/tensor_box.h"

#include "llvm/ADT/SmallVector.h"

namespace tilec {

/// Tensor maps of a variant, at most: tilert takes no more (docs/manifest.md, "Limits").
inline constexpr unsigned kMaxTensorMaps = 16;

/// String attribute on a load that was a window: why the engine does not copy it.
inline constexpr llvm::StringLiteral kNotByTensorCopyAttr = "tile.not_by_tensor_copy";

/// The axes of the view, as a map has them: the dense one first. Nothing when the engine cannot
/// copy the window; `why`, in words for a user.
std::optional<llvm::SmallVector<int64_t>>
tensorMapOrder(tile::WindowLoadOp window, const FactAnalysis &facts, std::string &why);

/// A window of such lengths (by axis; 0: an index), in the order of a map.
std::vector<BoxAxis> boxAxes(llvm::ArrayRef<int64_t> lengths, llvm::ArrayRef<int64_t> order);

} // namespace tilec
