#include "compiler/layout/linear_layout.h"

#include <algorithm>
#include <bit>

namespace tilec {

namespace {

unsigned floorLog2(uint64_t value) {
  return value ? std::bit_width(value) - 1 : 0;
}

/// The element bits that no column has taken yet, per dim, lowest first.
class FreeBits {
public:
  FreeBits(const std::vector<int64_t> &shape, std::vector<unsigned> order)
      : order_(std::move(order)), next_(shape.size()), end_(shape.size()) {
    unsigned shift = 0;
    for (unsigned dim = shape.size(); dim-- > 0;) {
      next_[dim] = shift;
      shift += floorLog2(shape[dim] > 0 ? shape[dim] : 1);
      end_[dim] = shift;
    }
    // Dims the caller did not name follow, last dim first.
    for (unsigned dim = shape.size(); dim-- > 0;)
      if (std::find(order_.begin(), order_.end(), dim) == order_.end())
        order_.push_back(dim);
  }

  /// Takes up to `count` bits in order, but only `fastest` of the first dim as long as the others
  /// have some. Fewer when bits run out.
  std::vector<Bits> take(unsigned count, unsigned fastest) {
    std::vector<Bits> taken;
    for (size_t i = 0; i < order_.size(); ++i)
      takeFrom(order_[i], i == 0 ? std::min(count, fastest) : count, taken);
    if (!order_.empty())
      takeFrom(order_[0], count, taken);
    return taken;
  }

private:
  /// Appends bits of `dim` until `taken` has `limit` entries.
  void takeFrom(unsigned dim, unsigned limit, std::vector<Bits> &taken) {
    while (taken.size() < limit && next_[dim] < end_[dim])
      taken.push_back(Bits(1) << next_[dim]++);
  }

  std::vector<unsigned> order_, next_, end_;
};

} // namespace

LinearLayout blockedLayout(const std::vector<int64_t> &shape, const std::vector<unsigned> &order,
                           unsigned vector, unsigned warps, unsigned lanesAlongFastest,
                           unsigned warpsAlongFastest) {
  FreeBits free(shape, order);
  constexpr unsigned kAll = kMaxElementBits;
  std::vector<Bits> reg = free.take(floorLog2(vector), kAll);
  std::vector<Bits> lane = free.take(kLaneBits, floorLog2(lanesAlongFastest));
  std::vector<Bits> warp = free.take(floorLog2(warps), floorLog2(warpsAlongFastest));
  std::vector<Bits> rest = free.take(kAll, kAll);
  reg.insert(reg.end(), rest.begin(), rest.end());
  lane.resize(kLaneBits, 0);
  warp.resize(floorLog2(warps), 0);
  return {shape, std::move(reg), std::move(lane), std::move(warp)};
}

} // namespace tilec
