// How a tile of some layout is moved to or from shared memory of some memory layout: found out by
// division, whatever made the two.
//
// The distributed layout composed with the inverse of the memory layout says which *offset* each
// register, lane and warp bit stands for. What an instruction moves is a small layout of offsets of
// its own, and it can be used exactly when that divides the composed layout (layout/algebra.h):
//
//   a vector of 2^v     reg = 1, 2, .. 2^(v-1)
//                       (ld.shared, st.shared, cp.async)
//   a matrix (ldmatrix) reg = the elements of a word, then two lane bits through a row
//                       (eight rows of 16 bytes: a lane gets a word, four lanes a row)
//   ... .trans, 16 bits lane bits 2, 3, 4 run through a row
//                       (two rows give a lane its word)
//
// What is left of the division are the rows: their addresses, one a lane. Nothing is known of
// fragments here; that a fragment of mma.sync can be read so is a result.
#pragma once

#include "compiler/layout/conversion.h"

#include <optional>

namespace tilec {

/// Plain accesses.
struct VectorAccess {
  unsigned vector = 1; ///< consecutive elements an access moves; its address is aligned to them
  /// Registers, in groups of `vector` at consecutive ascending offsets.
  std::vector<unsigned> order;
  unsigned conflicts = 1; ///< wavefronts over the least possible: 1 is free of bank conflicts
};

/// log2 of the elements the widest plain accesses move, at most 16 bytes.
unsigned vectorOffsetBits(const LinearLayout &layout, const MemoryLayout &memory,
                          unsigned elementBytes);

/// Of a layout whose last registers are not accessed (analysis/slot_part.h): how many register bits
/// are.
inline constexpr unsigned kAllRegisterBits = ~0u;

/// The widest plain accesses, at most 16 bytes. The registers of the first `registerBits` come
/// first in the order.
VectorAccess vectorAccess(const LinearLayout &layout, const MemoryLayout &memory,
                          unsigned elementBytes, unsigned registerBits = kAllRegisterBits);

/// Copies from global memory: the register bits `vectorBits` run through consecutive elements
/// there. How many of them, from the first on, do so in shared memory as well, no other bit
/// reaching these offsets.
unsigned copyBits(const LinearLayout &layout, const MemoryLayout &memory,
                  const std::vector<unsigned> &vectorBits, unsigned elementBytes);
/// Wavefronts over the least possible when copies move 2^bits elements each.
unsigned copyConflicts(const LinearLayout &layout, const MemoryLayout &memory, unsigned bits,
                       unsigned elementBytes);

/// Reads by ldmatrix.
struct MatrixAccess {
  bool transposed = false;
  std::vector<unsigned> wordBits;   ///< register bits inside a 32-bit result, lowest first
  std::vector<unsigned> matrixBits; ///< register bits that number the matrices of one instruction
  /// Offset, in elements, of the row whose address a thread passes: one column a thread bit (lanes,
  /// then warps), to be XORed with the offset of the group's first register.
  std::vector<Bits> rowColumns;
  unsigned conflicts = 1;

  unsigned matrices() const { return 1u << matrixBits.size(); }
  /// Registers one instruction gives a lane.
  unsigned registers() const { return 1u << (wordBits.size() + matrixBits.size()); }
  /// The register that holds part `part` of the word from matrix `matrix`, in the group of `first`.
  unsigned member(unsigned first, unsigned matrix, unsigned part) const;
  /// First registers of all groups of a layout with `registers` registers, ascending.
  std::vector<unsigned> firsts(unsigned registers) const;
};

/// How `layout` is read by ldmatrix; nothing when it cannot be, or when vectors move as much at
/// once.
std::optional<MatrixAccess> matrixAccess(const LinearLayout &layout, const MemoryLayout &memory,
                                         unsigned elementBytes,
                                         unsigned registerBits = kAllRegisterBits);

/// Cycles a warp to read, or to write, the tile with the best access there is (cost_model.h).
double readCost(const LinearLayout &layout, const MemoryLayout &memory, unsigned elementBytes);
double writeCost(const LinearLayout &layout, const MemoryLayout &memory, unsigned elementBytes);

} // namespace tilec
