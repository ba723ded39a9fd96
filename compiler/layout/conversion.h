// How to turn a tile in layout A into the same tile in layout B: the plan, not the code.
//
// The plan is one of three (layouts.md section 3):
//   registers  every thread finds each element in a register of its own: renaming, after selects by
//              thread where A is replicated and B is not
//   shuffle    lanes of one warp exchange: selects, one shuffle a value that has to move, selects
//   shared     a trip through shared memory whose memory layout is computed to be vectorised and
//              free of bank conflicts on both sides
//
// Registers and shuffles, how to execute them. `thread` is lane + 32 * warp, a bit vector. All
// values are of the element type (pack and split as the target needs; bits move unchanged).
//
//   1. x = the registers of A (from.registers() of them). For each entry of selectsBefore in order,
//      all registers at once:
//          x'[i] = parity(thread & threadMask) ? x[i ^ registerXor] : x[i]
//   2. Registers: y[r] = x[registers[r]] for each r < to.registers().
//      Shuffle: steps.size() is a power of two, to.registers() or (rarely) more; for each r:
//          y[r] = value of x[steps[r].source] in lane L, where
//          L = steps[r].laneConstant XOR (XOR of laneColumns[i] over the bits i set in thread)
//      When `lanesStay` this is L = lane ^ laneConstant: a plain y[r] = x[source] where
//      laneConstant is 0, else shfl.xor by laneConstant. Otherwise a shfl.idx from lane L; every
//      step executes it. (thread is that of the receiving lane. All lanes take part: none is
//      predicated off.)
//   3. Shuffle: for each entry of selectsAfter in order, all registers of y at once, as in 1.
//      Now y[r] is register r of B for r < to.registers(); further ones exist
//      where A is replicated over warps and B is not, and are dropped.
//
//   Example, a swap of register bit 0 with lane bit 0: selectsBefore = selectsAfter = {1, 1}, and
//   steps = {source 0, lane + 0}, {source 1, lane ^ 1}: one shuffle for two values.
#pragma once

#include "compiler/layout/linear_layout.h"

namespace tilec {

/// A bijection from memory offsets (in elements) to element numbers: column i is the element bit
/// vector of offset bit i.
struct MemoryLayout {
  std::vector<Bits> columns;
  /// The offset, in elements, where `element` lies (the inverse map). Linear: the offset of an XOR
  /// of elements is the XOR of their offsets.
  Bits offset(Bits element) const;
};

/// Exchanges registers i and i ^ registerXor, for all i, in the threads where an odd number of bits
/// of thread & threadMask is set. Both are non-zero.
struct RegisterSelect {
  Bits threadMask;
  unsigned registerXor;
  bool operator==(const RegisterSelect &) const = default;
};

/// One result register made by a shuffle: see the file's head.
struct ShuffleStep {
  unsigned source;
  Bits laneConstant;
  bool operator==(const ShuffleStep &) const = default;
};

struct ConversionPlan {
  enum class Kind { Registers, Shuffle, Shared } kind = Kind::Registers;

  /// Registers and Shuffle: see the file's head. Empty for Shared.
  std::vector<RegisterSelect> selectsBefore, selectsAfter;
  /// Registers: result register r is register `registers[r]` after selectsBefore.
  std::vector<unsigned> registers;
  /// Shuffle: steps[r] makes register r (before selectsAfter).
  std::vector<ShuffleStep> steps;
  /// Shuffle: one column (a lane number) a bit of `thread`: 5 for the lane, then the warp's.
  std::vector<Bits> laneColumns;
  /// Shuffle: laneColumns maps every thread to its own lane.
  bool lanesStay = false;
  /// Shuffle: how many steps need a shuffle (of 32 bits; twice that for 8-byte elements).
  unsigned shuffles = 0;

  /// Shared: where elements lie, in elements from the start of the scratch.
  MemoryLayout memory;
  /// Shared: consecutive elements (powers of two) one access moves; an access is aligned to its
  /// size in every thread.
  unsigned storeVector = 1, loadVector = 1;
  /// Shared: register numbers of A in the order they are stored, of B in the order they are loaded:
  /// in every thread each group of storeVector (loadVector) entries lies at consecutive ascending
  /// offsets, so the first entry's offset is the address of the access. Only the owner stores:
  /// lanes and warps with no bit of from.replicatedLanes() / replicatedWarps(). All threads load.
  std::vector<unsigned> storeOrder, loadOrder;
  /// Shared: loads go by ldmatrix (matrixAccess in layout/shared_access.h, from `memory`);
  /// loadOrder and loadVector then are what plain accesses would be.
  bool loadsMatrices = false;
  /// Shared: how many times too many wavefronts an access takes on each side because lanes that are
  /// served together meet in a bank; 1 is conflict-free.
  unsigned storeConflicts = 1, loadConflicts = 1;
  /// Bytes of shared memory; 0 unless Shared.
  unsigned scratchBytes = 0;

  /// Estimated cost in cycles a warp, from the same table as layout assignment (cost_model.h).
  double cost = 0;
};

/// Plans A -> B for elements of `elementBytes` (1, 2, 4, 8). Shapes, lane and warp counts must be
/// equal. Never fails: shared memory always works.
ConversionPlan planConversion(const LinearLayout &from, const LinearLayout &to,
                              unsigned elementBytes);

/// Sectors (32 bytes) that one request of a warp touches when every lane accesses `vector`
/// consecutive elements of a tile of this layout in global memory. `strides`: in elements, one a
/// dim; 0: unknown, taken as far apart. The vector runs along the dim of stride 1. Replicated lanes
/// touch the same sectors. The tile's first element is taken to start a sector.
unsigned sectorsPerRequest(const LinearLayout &layout, const std::vector<int64_t> &strides,
                           unsigned elementBytes, unsigned vector);

} // namespace tilec
