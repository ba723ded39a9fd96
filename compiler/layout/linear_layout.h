// Linear layouts over F2: how a tile's elements are spread over a program's registers, lanes,
// warps.
//
// A tile of shape 2^k0 x ... x 2^kn-1 has elements numbered row-major (last dimension lowest), so
// an element is a bit vector of k0+...+kn-1 bits and XOR of element numbers is XOR per dimension. A
// program has registers, lanes (2^5) and warps (2^w). A *distributed layout* is a linear map from
// the hardware bits (reg, lane, warp) to the element bits, stored as one column - an element number
// - for each hardware bit:
//
//      element(reg, lane, warp) = XOR of the columns of the bits set in reg, lane and warp
//
//      4 x 8 tile, 8 lanes holding 2 consecutive elements each, 2 warps on two row halves:
//      reg = [1]   lane = [2, 4, 8]   warp = [16]
//
// Invariant (see `verify`): the map is onto and its non-zero columns are independent. A zero column
// is *replication*: the hardware bits that do not matter. Registers are never replicated (no zero
// reg column). So an element has exactly 2^(zero columns) owners, and the one whose replicated bits
// are all 0 is *the* owner: it alone stores, writes shared memory or does atomics.
//
// Source: Zhou et al., "Linear Layouts: Robust Code Generation of Efficient Tensor Computation
// Using F2", arXiv 2505.23819.
#pragma once

#include "compiler/layout/gf2.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// Lanes of a warp as a power of two. Every target we have shares it.
inline constexpr unsigned kLaneBits = 5;
/// Warps of a program as a power of two, at most: 1024 threads.
inline constexpr unsigned kMaxWarpBits = 5;
/// Element bits of a tile, at most, so that an element number and a count of elements fit in Bits.
inline constexpr unsigned kMaxElementBits = 31;

/// A distributed layout. A value type; two layouts are equal when all columns are.
class LinearLayout {
public:
  LinearLayout() = default;
  /// `shape`: sizes, powers of two. Columns as in the file's head. Not verified: see `verify`.
  LinearLayout(std::vector<int64_t> shape, std::vector<Bits> reg, std::vector<Bits> lane,
               std::vector<Bits> warp);

  const std::vector<int64_t> &shape() const { return shape_; }
  unsigned rank() const { return static_cast<unsigned>(shape_.size()); }
  const std::vector<Bits> &reg() const { return reg_; }
  const std::vector<Bits> &lane() const { return lane_; }
  const std::vector<Bits> &warp() const { return warp_; }

  /// Elements a thread holds: 2^(register bits).
  unsigned registers() const { return 1u << reg_.size(); }
  unsigned warps() const { return 1u << warp_.size(); }
  /// Elements of the tile; log2 of it.
  int64_t elements() const { return int64_t(1) << elementBits(); }
  unsigned elementBits() const;

  /// The element that (reg, lane, warp) holds.
  Bits element(Bits reg, Bits lane, Bits warp) const;

  /// Element number <-> coordinates.
  std::vector<int64_t> coordinates(Bits element) const;
  Bits elementAt(const std::vector<int64_t> &coordinates) const;
  /// The bits of an element number that belong to dimension `dim`, as a mask, and their position.
  Bits dimMask(unsigned dim) const;
  unsigned dimShift(unsigned dim) const;

  /// Lane bits / warp bits whose column is zero.
  Bits replicatedLanes() const;
  Bits replicatedWarps() const;

  /// Nothing when the invariant holds, else the reason in words.
  std::optional<std::string> verify() const;

  /// A canonical text, e.g. `[4, 8] reg=[1] lane=[2, 4, 8, 0, 0] warp=[16]`.
  std::string str() const;

  // Maps that move no data. Each returns the layout of the result given this one of the source.
  LinearLayout
  permuted(const std::vector<int32_t> &order) const; ///< result dim i = source dim order[i]
  LinearLayout reshaped(std::vector<int64_t> shape) const;
  LinearLayout expanded(unsigned axis) const; ///< a new dim of size 1 before `axis`
  /// Removes dim `axis` (slice): its bits vanish from every column; reg columns that become zero
  /// are dropped, lane and warp columns that become zero are replication. The caller makes sure
  /// that no column mixes axis bits with others (`separable`); size-1 dims always are.
  LinearLayout sliced(unsigned axis) const;
  /// No column has both bits of `axis` and other bits.
  bool separable(unsigned axis) const;
  /// The source layout for a broadcast whose result has this layout: dims where `sourceShape` is 1
  /// lose their bits (reg columns dropped, lane/warp columns become replication). Every thread then
  /// holds what its result elements need when those dims are `separable` here; otherwise the result
  /// is still a layout, but a broadcast from it is not free.
  LinearLayout broadcastSource(const std::vector<int64_t> &sourceShape) const;
  /// The result layout of a broadcast of this to `shape`: register columns are added for the new
  /// elements, before the registers that are there (contiguous dim first), so that lane and warp of
  /// a source element and of its copies are the same.
  LinearLayout broadcastResult(const std::vector<int64_t> &shape) const;

  bool operator==(const LinearLayout &) const = default;

private:
  std::vector<int64_t> shape_;
  std::vector<Bits> reg_, lane_, warp_;
};

/// The blocked layout that global accesses start from: first `vector` elements (a power of two)
/// along the dims of `order` (fastest first) in registers, then lanes along order[0] until it is
/// full or `lanesAlongFastest` lanes are used, then along the next dims (and the rest of order[0]
/// when those are full), then warps the same way, at most `warpsAlongFastest` of them along
/// order[0] while other dims have room, then registers for what remains; what the tile cannot fill
/// is replication (lanes first filled, warps last). `warpsAlongFastest` = 1 keeps a row in one
/// warp: a reduction along order[0] needs no barrier. Dims missing in `order` follow it, last dim
/// first.
LinearLayout blockedLayout(const std::vector<int64_t> &shape, const std::vector<unsigned> &order,
                           unsigned vector, unsigned warps, unsigned lanesAlongFastest = 32,
                           unsigned warpsAlongFastest = 32);

/// Registers of `to` expressed in registers of `from`: result[r] is the register of `from` that
/// holds, in every lane and warp, the element that register r of `to` holds there. Nothing when
/// some lane or warp would have to look elsewhere, or in a register that depends on the lane or
/// warp (planConversion finds those). Shapes must be equal.
std::optional<std::vector<unsigned>> registerPermutation(const LinearLayout &from,
                                                         const LinearLayout &to);

} // namespace tilec
