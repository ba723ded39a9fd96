// Algebra of layouts: inverse, composition with maps of elements, product and division.
//
// The layouts of fragments are products: what one instruction holds (inner), repeated and spread
// over warps (outer). Division is the way back: it finds out whether a layout, or the offsets that
// a layout has in memory, is made of a given inner one - the test for ldmatrix, stmatrix and
// vectors.
#pragma once

#include "compiler/layout/linear_layout.h"

namespace tilec {

/// Where an element lies.
struct Place {
  Bits reg = 0, lane = 0, warp = 0;
  bool operator==(const Place &) const = default;
};

/// The inverse of a layout: of each element the place in its owner. Linear in the element.
class LayoutInverse {
public:
  explicit LayoutInverse(const LinearLayout &layout);
  Place owner(Bits element) const;

private:
  std::vector<Place> places_; ///< of each element bit
};

/// The layout after `map` (one column an element bit of `layout`) moved every element, in a space
/// of `shape`. With the inverse of a memory layout's columns the result's elements are offsets.
LinearLayout composed(const LinearLayout &layout, const std::vector<Bits> &map,
                      std::vector<int64_t> shape);

/// `outer` copies of `inner`: sizes multiply, dim by dim; inner's coordinate is the low part. Of
/// registers, lanes and warps each, inner's bits come first. Ranks must be equal. A factor need not
/// have kLaneBits lane columns; a whole layout does.
LinearLayout product(const LinearLayout &inner, const LinearLayout &outer);

/// The layout that, times `inner` on its left, is `layout`; nothing when `layout` is no such
/// product.
std::optional<LinearLayout> quotient(const LinearLayout &layout, const LinearLayout &inner);

} // namespace tilec
