// The coordinates of a dot as bits of element numbers; private to this folder.
#pragma once

#include "compiler/layout/fragments.h"

#include <bit>

namespace tilec {

inline unsigned log2Of(int64_t size) {
  return std::bit_width(static_cast<uint64_t>(size)) - 1;
}

/// The sizes of a dot as bits, and its three spaces of element numbers: result [batch | m | n], a
/// [batch | m | k], b [batch | k | n]. Maps between them move bits, so they are linear.
struct DotSpace {
  std::vector<int64_t> shape;
  unsigned batchBits, mBits, nBits, kBits;

  DotSpace(const std::vector<int64_t> &shape, int64_t k)
      : shape(shape), batchBits(shape.size() > 2 ? log2Of(shape[0]) : 0),
        mBits(log2Of(shape[shape.size() - 2])), nBits(log2Of(shape.back())), kBits(log2Of(k)) {}

  Bits mMask() const { return ((Bits(1) << mBits) - 1) << nBits; }
  Bits nMask() const { return (Bits(1) << nBits) - 1; }
  Bits batchMask() const { return ((Bits(1) << batchBits) - 1) << (mBits + nBits); }

  Bits batchBit(unsigned bit) const { return Bits(1) << (bit + mBits + nBits); }
  Bits mBit(unsigned bit) const { return bit < mBits ? Bits(1) << (bit + nBits) : 0; }
  Bits nBit(unsigned bit) const { return bit < nBits ? Bits(1) << bit : 0; }

  /// What a (b) has of an element of the result.
  Bits inA(Bits element) const { return element >> nBits << kBits; }
  Bits inB(Bits element) const {
    return (element & batchMask()) >> (mBits + nBits) << (kBits + nBits) | (element & nMask());
  }
  /// A coordinate along k as an element of a (of b).
  Bits kInA(Bits coordinate) const { return coordinate; }
  Bits kInB(Bits coordinate) const { return coordinate << nBits; }
  Bits kMaskOfA() const { return (Bits(1) << kBits) - 1; }
  Bits kMaskOfB() const { return kMaskOfA() << nBits; }

  std::vector<int64_t> shapeOfA() const { return withSizes(mBits, kBits); }
  std::vector<int64_t> shapeOfB() const { return withSizes(kBits, nBits); }

private:
  std::vector<int64_t> withSizes(unsigned rows, unsigned columns) const {
    std::vector<int64_t> sizes(shape.begin(), shape.end() - 2);
    sizes.insert(sizes.end(), {int64_t(1) << rows, int64_t(1) << columns});
    return sizes;
  }
};

/// The register columns of a result: those that are the fragment's bits - of each axis the first
/// columns along it - and the repetitions.
struct ResultRegisters {
  std::vector<Bits> fragment; ///< one a register bit of the fragment, 0 where the tile has none
  std::vector<Bits> n, m, batch;
  bool valid = true; ///< every column lies along one dimension

  ResultRegisters(const Fragment &form, const DotSpace &space, const LinearLayout &result) {
    for (Bits column : result.reg()) {
      if ((column & ~space.nMask()) == 0)
        n.push_back(column);
      else if ((column & ~space.mMask()) == 0)
        m.push_back(column);
      else if ((column & ~space.batchMask()) == 0)
        batch.push_back(column);
      else
        valid = false;
    }
    for (FragmentBit bit : form.c.reg) {
      std::vector<Bits> &from = bit.axis == DotAxis::M ? m : n;
      fragment.push_back(from.empty() ? 0 : from.front());
      if (!from.empty())
        from.erase(from.begin());
    }
  }

  /// The tile's bit that stands for the fragment's.
  Bits columnOf(const Fragment &form, const LinearLayout &result, FragmentBit bit) const {
    for (size_t i = 0; i < form.c.reg.size(); ++i)
      if (form.c.reg[i] == bit)
        return fragment[i];
    for (size_t i = 0; i < form.c.lane.size(); ++i)
      if (form.c.lane[i] == bit)
        return result.lane()[i];
    return 0;
  }
};

} // namespace tilec
