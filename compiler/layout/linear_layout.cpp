#include "compiler/layout/linear_layout.h"

#include <algorithm>
#include <bit>

namespace tilec {

namespace {

/// log2 of a size; 0 for sizes that `verify` refuses, so that nothing here depends on it.
unsigned sizeBits(int64_t size) {
  return size > 0 ? std::bit_width(static_cast<uint64_t>(size)) - 1 : 0;
}

/// Where each dim's bits start in an element number.
std::vector<unsigned> dimShifts(const std::vector<int64_t> &shape) {
  std::vector<unsigned> shifts(shape.size());
  unsigned shift = 0;
  for (size_t dim = shape.size(); dim-- > 0;) {
    shifts[dim] = shift;
    shift += sizeBits(shape[dim]);
  }
  return shifts;
}

/// Moves bits of element numbers of one shape to those of another: source dim d becomes result dim
/// `target[d]`, or vanishes where that is negative.
class BitMover {
public:
  BitMover(const std::vector<int64_t> &sourceShape, const std::vector<int64_t> &resultShape,
           const std::vector<int32_t> &target) {
    std::vector<unsigned> from = dimShifts(sourceShape), to = dimShifts(resultShape);
    for (size_t dim = 0; dim < sourceShape.size(); ++dim)
      if (target[dim] >= 0)
        fields_.push_back({from[dim], to[target[dim]], sizeBits(sourceShape[dim])});
  }

  Bits operator()(Bits element) const {
    Bits moved = 0;
    for (const Field &field : fields_)
      moved |= (element >> field.from & ((uint64_t(1) << field.bits) - 1)) << field.to;
    return moved;
  }

  std::vector<Bits> operator()(const std::vector<Bits> &columns) const {
    std::vector<Bits> moved;
    moved.reserve(columns.size());
    for (Bits column : columns)
      moved.push_back((*this)(column));
    return moved;
  }

private:
  struct Field {
    unsigned from, to, bits;
  };
  std::vector<Field> fields_;
};

/// The layout of what is left after some element bits vanished. Columns that became zero are
/// dropped (registers) or replication; so are columns that now depend on earlier ones, which
/// happens only where columns mixed the vanished bits with others.
LinearLayout projected(std::vector<int64_t> shape, std::vector<Bits> reg, std::vector<Bits> lane,
                       std::vector<Bits> warp) {
  gf2::Span span;
  for (std::vector<Bits> *columns : {&reg, &lane, &warp})
    for (Bits &column : *columns)
      if (!span.add(column))
        column = 0;
  std::erase(reg, Bits(0));
  return {std::move(shape), std::move(reg), std::move(lane), std::move(warp)};
}

std::string listOf(const std::vector<Bits> &columns) {
  std::string text = "[";
  for (size_t i = 0; i < columns.size(); ++i)
    text += (i ? ", " : "") + std::to_string(columns[i]);
  return text + "]";
}

Bits zeroColumns(const std::vector<Bits> &columns) {
  Bits zeros = 0;
  for (size_t i = 0; i < columns.size(); ++i)
    if (columns[i] == 0)
      zeros |= Bits(1) << i;
  return zeros;
}

} // namespace

LinearLayout::LinearLayout(std::vector<int64_t> shape, std::vector<Bits> reg,
                           std::vector<Bits> lane, std::vector<Bits> warp)
    : shape_(std::move(shape)), reg_(std::move(reg)), lane_(std::move(lane)),
      warp_(std::move(warp)) {}

unsigned LinearLayout::elementBits() const {
  unsigned bits = 0;
  for (int64_t size : shape_)
    bits += sizeBits(size);
  return bits;
}

Bits LinearLayout::element(Bits reg, Bits lane, Bits warp) const {
  return gf2::apply(reg_, reg) ^ gf2::apply(lane_, lane) ^ gf2::apply(warp_, warp);
}

std::vector<int64_t> LinearLayout::coordinates(Bits element) const {
  std::vector<int64_t> result(rank());
  for (unsigned dim = rank(); dim-- > 0;) {
    unsigned bits = sizeBits(shape_[dim]);
    result[dim] = element & ((uint64_t(1) << bits) - 1);
    element = static_cast<Bits>(uint64_t(element) >> bits);
  }
  return result;
}

Bits LinearLayout::elementAt(const std::vector<int64_t> &coordinates) const {
  uint64_t element = 0;
  for (unsigned dim = 0; dim < rank(); ++dim)
    element = element << sizeBits(shape_[dim]) | static_cast<uint64_t>(coordinates[dim]);
  return static_cast<Bits>(element);
}

unsigned LinearLayout::dimShift(unsigned dim) const {
  return dimShifts(shape_)[dim];
}

Bits LinearLayout::dimMask(unsigned dim) const {
  return static_cast<Bits>(((uint64_t(1) << sizeBits(shape_[dim])) - 1) << dimShift(dim));
}

Bits LinearLayout::replicatedLanes() const {
  return zeroColumns(lane_);
}
Bits LinearLayout::replicatedWarps() const {
  return zeroColumns(warp_);
}

std::optional<std::string> LinearLayout::verify() const {
  unsigned bits = 0;
  for (int64_t size : shape_) {
    if (size <= 0 || !std::has_single_bit(static_cast<uint64_t>(size)))
      return "size " + std::to_string(size) + " is not a power of two";
    bits += sizeBits(size);
    if (bits > kMaxElementBits)
      return "a tile has at most 2^" + std::to_string(kMaxElementBits) + " elements";
  }
  if (lane_.size() != kLaneBits)
    return "a layout has " + std::to_string(kLaneBits) + " lane columns, not " +
           std::to_string(lane_.size());
  if (warp_.size() > kMaxWarpBits)
    return "a layout has at most " + std::to_string(kMaxWarpBits) + " warp columns, not " +
           std::to_string(warp_.size());
  if (std::find(reg_.begin(), reg_.end(), Bits(0)) != reg_.end())
    return "a register column is zero: registers are never replicated";
  gf2::Span span;
  for (const std::vector<Bits> *columns : {&reg_, &lane_, &warp_})
    for (Bits column : *columns) {
      if (uint64_t(column) >> bits)
        return "column " + std::to_string(column) + " is outside the tile of 2^" +
               std::to_string(bits) + " elements";
      if (column && !span.add(column))
        return "column " + std::to_string(column) + " depends on the columns before it";
    }
  if (span.dimension() != bits)
    return "the columns reach only 2^" + std::to_string(span.dimension()) + " of 2^" +
           std::to_string(bits) + " elements";
  return std::nullopt;
}

std::string LinearLayout::str() const {
  std::string text = "[";
  for (unsigned dim = 0; dim < rank(); ++dim)
    text += (dim ? ", " : "") + std::to_string(shape_[dim]);
  return text + "] reg=" + listOf(reg_) + " lane=" + listOf(lane_) + " warp=" + listOf(warp_);
}

LinearLayout LinearLayout::permuted(const std::vector<int32_t> &order) const {
  std::vector<int64_t> shape(rank());
  std::vector<int32_t> target(rank());
  for (unsigned dim = 0; dim < rank(); ++dim) {
    shape[dim] = shape_[order[dim]];
    target[order[dim]] = static_cast<int32_t>(dim);
  }
  BitMover move(shape_, shape, target);
  return {shape, move(reg_), move(lane_), move(warp_)};
}

LinearLayout LinearLayout::reshaped(std::vector<int64_t> shape) const {
  // Element numbers are row-major, so a reshape does not change them.
  return {std::move(shape), reg_, lane_, warp_};
}

LinearLayout LinearLayout::expanded(unsigned axis) const {
  std::vector<int64_t> shape = shape_;
  shape.insert(shape.begin() + axis, 1);
  return {std::move(shape), reg_, lane_, warp_};
}

LinearLayout LinearLayout::sliced(unsigned axis) const {
  std::vector<int64_t> shape = shape_;
  shape.erase(shape.begin() + axis);
  std::vector<int32_t> target(rank());
  for (unsigned dim = 0; dim < rank(); ++dim)
    target[dim] = dim == axis ? -1 : static_cast<int32_t>(dim > axis ? dim - 1 : dim);
  BitMover move(shape_, shape, target);
  return projected(std::move(shape), move(reg_), move(lane_), move(warp_));
}

bool LinearLayout::separable(unsigned axis) const {
  Bits mask = dimMask(axis);
  for (const std::vector<Bits> *columns : {&reg_, &lane_, &warp_})
    for (Bits column : *columns)
      if (column & mask && column & ~mask)
        return false;
  return true;
}

LinearLayout LinearLayout::broadcastSource(const std::vector<int64_t> &sourceShape) const {
  std::vector<int32_t> target(rank());
  for (unsigned dim = 0; dim < rank(); ++dim)
    target[dim] = sourceShape[dim] == 1 ? -1 : static_cast<int32_t>(dim);
  BitMover move(shape_, sourceShape, target);
  return projected(sourceShape, move(reg_), move(lane_), move(warp_));
}

LinearLayout LinearLayout::broadcastResult(const std::vector<int64_t> &shape) const {
  std::vector<int32_t> target(rank());
  for (unsigned dim = 0; dim < rank(); ++dim)
    target[dim] = static_cast<int32_t>(dim);
  BitMover move(shape_, shape, target);
  std::vector<unsigned> shifts = dimShifts(shape);
  std::vector<Bits> reg;
  for (unsigned dim = rank(); dim-- > 0;)
    if (shape_[dim] == 1)
      for (unsigned bit = 0; bit < sizeBits(shape[dim]); ++bit)
        reg.push_back(Bits(1) << (shifts[dim] + bit));
  std::vector<Bits> old = move(reg_);
  reg.insert(reg.end(), old.begin(), old.end());
  return {shape, std::move(reg), move(lane_), move(warp_)};
}

std::optional<std::vector<unsigned>> registerPermutation(const LinearLayout &from,
                                                         const LinearLayout &to) {
  if (from.shape() != to.shape() || from.lane() != to.lane() || from.warp() != to.warp())
    return std::nullopt;
  gf2::Span span(from.reg());
  std::vector<Bits> columns;
  for (Bits column : to.reg()) {
    std::optional<Bits> source = span.combination(column);
    if (!source)
      return std::nullopt;
    columns.push_back(*source);
  }
  std::vector<unsigned> result(to.registers());
  for (unsigned reg = 0; reg < to.registers(); ++reg)
    result[reg] = gf2::apply(columns, reg);
  return result;
}

} // namespace tilec
