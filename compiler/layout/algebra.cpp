#include "compiler/layout/algebra.h"

#include <algorithm>

namespace tilec {

LayoutInverse::LayoutInverse(const LinearLayout &layout) {
  // Zero columns never enter the span, so replicated bits of a place are 0: it is the owner's.
  gf2::Span span;
  std::vector<Place> added;
  auto add = [&](const std::vector<Bits> &columns, Bits Place::*part) {
    for (size_t i = 0; i < columns.size(); ++i)
      if (columns[i] && span.add(columns[i]))
        added.emplace_back().*part = Bits(1) << i;
  };
  add(layout.reg(), &Place::reg);
  add(layout.lane(), &Place::lane);
  add(layout.warp(), &Place::warp);
  for (unsigned bit = 0; bit < layout.elementBits(); ++bit) {
    Bits parts = span.combination(Bits(1) << bit).value_or(0);
    Place &place = places_.emplace_back();
    for (size_t i = 0; i < added.size(); ++i)
      if (parts >> i & 1) {
        place.reg ^= added[i].reg;
        place.lane ^= added[i].lane;
        place.warp ^= added[i].warp;
      }
  }
}

Place LayoutInverse::owner(Bits element) const {
  Place place;
  for (size_t bit = 0; bit < places_.size(); ++bit)
    if (element >> bit & 1) {
      place.reg ^= places_[bit].reg;
      place.lane ^= places_[bit].lane;
      place.warp ^= places_[bit].warp;
    }
  return place;
}

LinearLayout composed(const LinearLayout &layout, const std::vector<Bits> &map,
                      std::vector<int64_t> shape) {
  return {std::move(shape), gf2::multiply(map, layout.reg()), gf2::multiply(map, layout.lane()),
          gf2::multiply(map, layout.warp())};
}

namespace {

/// Where element bits of a factor lie in the product.
std::vector<Bits> embedding(const LinearLayout &factor, const LinearLayout &whole,
                            const std::vector<int64_t> &innerShape, bool isOuter) {
  std::vector<Bits> map(factor.elementBits());
  for (unsigned dim = 0; dim < factor.rank(); ++dim)
    for (unsigned bit = 0; int64_t(1) << bit < factor.shape()[dim]; ++bit) {
      Bits coordinate = (isOuter ? static_cast<Bits>(innerShape[dim]) : 1) << bit;
      map[factor.dimShift(dim) + bit] = coordinate << whole.dimShift(dim);
    }
  return map;
}

void append(std::vector<Bits> &columns, const std::vector<Bits> &more) {
  columns.insert(columns.end(), more.begin(), more.end());
}

/// What follows `prefix` in `columns`; nothing when it does not start so.
std::optional<std::vector<Bits>> after(const std::vector<Bits> &prefix,
                                       const std::vector<Bits> &columns) {
  if (columns.size() < prefix.size() || !std::equal(prefix.begin(), prefix.end(), columns.begin()))
    return std::nullopt;
  return std::vector<Bits>(columns.begin() + prefix.size(), columns.end());
}

} // namespace

LinearLayout product(const LinearLayout &inner, const LinearLayout &outer) {
  std::vector<int64_t> shape = inner.shape();
  for (size_t dim = 0; dim < shape.size(); ++dim)
    shape[dim] *= outer.shape()[dim];
  LinearLayout whole(shape, {}, {}, {});
  LinearLayout low = composed(inner, embedding(inner, whole, inner.shape(), false), shape);
  LinearLayout high = composed(outer, embedding(outer, whole, inner.shape(), true), shape);
  std::vector<Bits> reg = low.reg(), lane = low.lane(), warp = low.warp();
  append(reg, high.reg());
  append(lane, high.lane());
  append(warp, high.warp());
  return {std::move(shape), std::move(reg), std::move(lane), std::move(warp)};
}

std::optional<LinearLayout> quotient(const LinearLayout &layout, const LinearLayout &inner) {
  if (layout.rank() != inner.rank())
    return std::nullopt;
  std::vector<int64_t> outerShape = layout.shape();
  for (size_t dim = 0; dim < outerShape.size(); ++dim) {
    if (inner.shape()[dim] <= 0 || outerShape[dim] % inner.shape()[dim] != 0)
      return std::nullopt;
    outerShape[dim] /= inner.shape()[dim];
  }
  LinearLayout outer(outerShape, {}, {}, {});
  LinearLayout low =
      composed(inner, embedding(inner, layout, inner.shape(), false), layout.shape());
  std::optional<std::vector<Bits>> reg = after(low.reg(), layout.reg()),
                                   lane = after(low.lane(), layout.lane()),
                                   warp = after(low.warp(), layout.warp());
  if (!reg || !lane || !warp)
    return std::nullopt;
  // What remains must not reach into inner's part of any coordinate.
  gf2::Span high(embedding(outer, layout, inner.shape(), true));
  for (std::vector<Bits> *columns : {&*reg, &*lane, &*warp})
    for (Bits &column : *columns) {
      std::optional<Bits> element = high.combination(column);
      if (!element)
        return std::nullopt;
      column = *element;
    }
  return LinearLayout(std::move(outerShape), *std::move(reg), *std::move(lane), *std::move(warp));
}

} // namespace tilec
