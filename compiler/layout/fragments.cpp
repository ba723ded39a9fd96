#include "compiler/layout/dot_space.h"

#include <algorithm>

namespace tilec {

static FragmentBit m(unsigned index) {
  return {DotAxis::M, index};
}
static FragmentBit n(unsigned index) {
  return {DotAxis::N, index};
}
static FragmentBit k(unsigned index) {
  return {DotAxis::K, index};
}

Fragment mmaFragment(unsigned bytes) {
  unsigned word = std::countr_zero(4 / bytes); // bits of k within a register of the machine
  Fragment fragment;
  fragment.m = 4;
  fragment.n = 3;
  fragment.k = word + 3;
  for (unsigned bit = 0; bit < word; ++bit) {
    fragment.a.reg.push_back(k(bit));
    fragment.b.reg.push_back(k(bit));
  }
  fragment.a.reg.insert(fragment.a.reg.end(), {m(3), k(word + 2)});
  fragment.b.reg.push_back(k(word + 2));
  fragment.a.lane = {k(word), k(word + 1), m(0), m(1), m(2)};
  fragment.b.lane = {k(word), k(word + 1), n(0), n(1), n(2)};
  fragment.c = {{n(0), m(3)}, {n(1), n(2), m(0), m(1), m(2)}};
  return fragment;
}

Fragment mmaFragmentOfDoubles() {
  Fragment fragment;
  fragment.m = 3;
  fragment.n = 3;
  fragment.k = 2;
  fragment.a = {{}, {k(0), k(1), m(0), m(1), m(2)}};
  fragment.b = {{}, {k(0), k(1), n(0), n(1), n(2)}};
  fragment.c = {{n(0)}, {n(1), n(2), m(0), m(1), m(2)}};
  return fragment;
}

Fragment multiplyAddFragment() {
  return {};
}

std::vector<WarpGrid> warpGrids(const Fragment &fragment, const std::vector<int64_t> &shape,
                                unsigned warps) {
  DotSpace space(shape, 1);
  auto room = [](unsigned bits, unsigned used) { return 1u << (bits > used ? bits - used : 0); };
  unsigned alongM = room(space.mBits, fragment.m), alongN = room(space.nBits, fragment.n);
  unsigned alongBatch = 1u << space.batchBits;
  unsigned used =
      static_cast<unsigned>(std::min<uint64_t>(warps, uint64_t(alongM) * alongN * alongBatch));
  std::vector<WarpGrid> grids;
  for (unsigned batch = std::min(used, alongBatch); batch > 0; batch /= 2)
    for (unsigned rows = std::min(used / batch, alongM); rows > 0; rows /= 2)
      if (used / batch / rows <= alongN)
        grids.push_back({batch, rows, used / batch / rows});
  return grids;
}

LinearLayout dotResultLayout(const Fragment &fragment, const std::vector<int64_t> &shape,
                             const WarpGrid &grid, unsigned warps) {
  DotSpace space(shape, 1);
  auto column = [&](FragmentBit bit) {
    return bit.axis == DotAxis::M ? space.mBit(bit.index) : space.nBit(bit.index);
  };
  auto warpBits = [](unsigned count) { return std::bit_width(count) - 1u; };
  unsigned nEnd = space.nBits - std::min(space.nBits, warpBits(grid.n));
  unsigned mEnd = space.mBits - std::min(space.mBits, warpBits(grid.m));
  unsigned batchEnd = space.batchBits - std::min(space.batchBits, warpBits(grid.batch));

  std::vector<Bits> reg, lane, warp;
  for (FragmentBit bit : fragment.c.reg)
    if (Bits its = column(bit))
      reg.push_back(its);
  for (FragmentBit bit : fragment.c.lane)
    lane.push_back(column(bit));
  for (unsigned bit = fragment.n; bit < nEnd; ++bit)
    reg.push_back(space.nBit(bit));
  for (unsigned bit = fragment.m; bit < mEnd; ++bit)
    reg.push_back(space.mBit(bit));
  for (unsigned bit = 0; bit < batchEnd; ++bit)
    reg.push_back(space.batchBit(bit));
  for (unsigned bit = nEnd; bit < space.nBits; ++bit)
    warp.push_back(space.nBit(bit));
  for (unsigned bit = mEnd; bit < space.mBits; ++bit)
    warp.push_back(space.mBit(bit));
  for (unsigned bit = batchEnd; bit < space.batchBits; ++bit)
    warp.push_back(space.batchBit(bit));
  warp.resize(warpBits(warps), 0);
  return LinearLayout(shape, std::move(reg), std::move(lane), std::move(warp));
}

KOrder kOrderOf(const Fragment &fragment, const LinearLayout &layout) {
  unsigned kBits = log2Of(layout.shape().back());
  Bits kMask = (Bits(1) << kBits) - 1;
  // Lanes first; then what is left, in ascending order, takes the other places.
  std::vector<int> places(std::min(fragment.k, kBits), -1);
  Bits taken = 0;
  for (size_t i = 0; i < fragment.a.lane.size(); ++i) {
    FragmentBit bit = fragment.a.lane[i];
    Bits column = layout.lane()[i];
    if (bit.axis != DotAxis::K || bit.index >= places.size())
      continue;
    if (!std::has_single_bit(column) || (column & ~kMask) != 0)
      return {};
    places[bit.index] = std::countr_zero(column);
    taken |= column;
  }
  KOrder order;
  unsigned next = 0;
  for (int place : places) {
    if (place < 0) {
      while (taken >> next & 1)
        ++next;
      place = static_cast<int>(next++);
    }
    order.push_back(static_cast<unsigned>(place));
  }
  return order;
}

DotOperands dotOperandLayouts(const Fragment &fragment, const LinearLayout &result, int64_t k,
                              const KOrder &order) {
  DotSpace space(result.shape(), k);
  ResultRegisters registers(fragment, space, result);
  std::vector<Bits> kBits; // of the instruction's count, as coordinates of the tile
  Bits taken = 0;
  for (unsigned bit : order)
    if (bit < space.kBits) {
      kBits.push_back(Bits(1) << bit);
      taken |= Bits(1) << bit;
    }
  for (unsigned bit = 0; bit < space.kBits; ++bit)
    if (!(taken >> bit & 1))
      kBits.push_back(Bits(1) << bit);

  auto build = [&](const FragmentOperand &operand, const std::vector<Bits> &repetitions,
                   auto inOperand, auto kInOperand, std::vector<int64_t> shape) {
    auto column = [&](FragmentBit bit) {
      if (bit.axis == DotAxis::K)
        return bit.index < kBits.size() ? kInOperand(kBits[bit.index]) : 0;
      return inOperand(registers.columnOf(fragment, result, bit));
    };
    std::vector<Bits> reg, lane, warp;
    for (FragmentBit bit : operand.reg)
      if (Bits its = column(bit))
        reg.push_back(its);
    // Steps of k last: one load of matrices serves instructions of one step, so that few fragments
    // are under way at once.
    for (Bits repetition : repetitions)
      reg.push_back(inOperand(repetition));
    for (Bits repetition : registers.batch)
      reg.push_back(inOperand(repetition));
    for (size_t bit = fragment.k; bit < kBits.size(); ++bit)
      reg.push_back(kInOperand(kBits[bit]));
    for (FragmentBit bit : operand.lane)
      lane.push_back(column(bit));
    for (size_t bit = lane.size(); bit < result.lane().size(); ++bit)
      lane.push_back(inOperand(result.lane()[bit]));
    for (Bits its : result.warp())
      warp.push_back(inOperand(its));
    return LinearLayout(std::move(shape), std::move(reg), std::move(lane), std::move(warp));
  };
  return {build(
              fragment.a, registers.m, [&](Bits element) { return space.inA(element); },
              [&](Bits coordinate) { return space.kInA(coordinate); }, space.shapeOfA()),
          build(
              fragment.b, registers.n, [&](Bits element) { return space.inB(element); },
              [&](Bits coordinate) { return space.kInB(coordinate); }, space.shapeOfB())};
}

} // namespace tilec
