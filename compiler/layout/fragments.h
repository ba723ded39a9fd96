// The layouts of matrix products: what one instruction multiplies, and how a whole tile follows.
//
// A *fragment* says where an instruction of one warp keeps the bits of the coordinates m, n and k
// of a (m x k), b (k x n) and c (m x n). For mma.sync.m16n8k16 (PTX ISA 9.7.14.5.8), with `lane`
// from the lowest bit:
//
//      a  reg = k0 m3 k3   lane = k1 k2 m0 m1 m2
//      b  reg = k0 k3      lane = k1 k2 n0 n1 n2
//      c  reg = n0 m3      lane = n1 n2 m0 m1 m2
//
// The result's layout is fragment x repetitions x warps over (batch, m, n): `dotResultLayout`. The
// operands' layouts follow from it, which is *the rule*: wherever the result has a bit of m (of n),
// operand a (b) has it too; where the result has the other's bits, it is replicated; the bits of k
// go where the fragment has them, the rest into registers. k may be counted in any order
// (`kOrder`), the same in a and b, since the sum does not care.
//
// Tiles smaller than the fragment need nothing more: a bit of m or n that the tile does not have is
// a zero column - replication in lanes - or no register, and the instruction then computes some
// elements twice. A missing bit of k means that both operands are zero where it is set: in
// registers a constant, in lanes a select (`DotPlan::zeroLanes`).
//
// A plain multiply-add is the fragment of no bits at all: all lanes belong to the tile.
#pragma once

#include "compiler/layout/linear_layout.h"

namespace tilec {

enum class DotAxis : uint8_t { M, N, K };

/// Bit `index` of the fragment's coordinate along `axis`.
struct FragmentBit {
  DotAxis axis;
  unsigned index;
  bool operator==(const FragmentBit &) const = default;
};

/// Where an operand's bits are. `lane` has kLaneBits entries, or none: see the file's head.
struct FragmentOperand {
  std::vector<FragmentBit> reg, lane;
};

struct Fragment {
  unsigned m = 0, n = 0, k = 0; ///< log2 of the instruction's sizes
  FragmentOperand a, b, c;
};

/// mma.sync.m16n8 for operand elements of `bytes` (1, 2, 4): k is 32 / bytes; a register of the
/// machine holds 4 / bytes elements that follow each other in k.
Fragment mmaFragment(unsigned bytes);
/// mma.sync.m8n8k4 of doubles.
Fragment mmaFragmentOfDoubles();
/// One multiply-add of one thread.
Fragment multiplyAddFragment();

/// Warps along each dimension of a result, powers of two.
struct WarpGrid {
  unsigned batch = 1, m = 1, n = 1;
  bool operator==(const WarpGrid &) const = default;
};

/// Every way to arrange `warps` over a result of `shape` ([batch,] m, n) so that each warp has at
/// least a fragment where there are that many; along m first. Left-over warps are replicas.
std::vector<WarpGrid> warpGrids(const Fragment &fragment, const std::vector<int64_t> &shape,
                                unsigned warps);

/// The layout of a result: in registers the fragment, then n, m and batch; each warp has one block.
/// For a fragment with lanes.
LinearLayout dotResultLayout(const Fragment &fragment, const std::vector<int64_t> &shape,
                             const WarpGrid &grid, unsigned warps);

/// Bit i of k as the instruction counts it is bit order[i] of the tile's k; missing entries follow
/// in ascending order.
using KOrder = std::vector<unsigned>;

/// The order of k in which an operand a (m x k) held in `layout` has its lanes' k bits where the
/// fragment wants them: the result of another dot becomes an operand without leaving its lanes. The
/// natural order where the lanes hold no bits of k.
KOrder kOrderOf(const Fragment &fragment, const LinearLayout &layout);

struct DotOperands {
  LinearLayout a, b;
};
/// The rule: see the file's head. `k` is the summed size.
DotOperands dotOperandLayouts(const Fragment &fragment, const LinearLayout &result, int64_t k,
                              const KOrder &order = {});

/// Stands for a register of an operand that is zero in every lane: k ends before it.
inline constexpr unsigned kZeroRegister = ~0u;

/// One instruction: registers of the tiles, in the order of the fragment's register bits. Of c,
/// entries that repeat an earlier one are the same element again.
struct DotStep {
  std::vector<unsigned> a, b, c;
};

struct DotPlan {
  std::vector<DotStep> steps; ///< k outermost, then batch, m, n
  Bits zeroLanes = 0; ///< a lane with any of these bits set must hold zeros in both operands
};

/// The instructions that compute a dot in these layouts; nothing where they do not obey the rule.
std::optional<DotPlan> planDot(const Fragment &fragment, const LinearLayout &result,
                               const LinearLayout &a, const LinearLayout &b);

} // namespace tilec
