// Facts about values: what is known of an integer or pointer, scalar or tile, on every run.
//
// An analysis, it never rewrites. Facts come from constants, arange, program_id, arithmetic, and
// promises: tile.assume, tile.assume_aligned (contracts), tile.multiple_of, tile.max_contiguous.
// Loops are solved to a fixpoint, so a pointer stepped by a multiple of 16 stays a multiple of 16.
#pragma once

#include "compiler/ir/dialect.h"

#include "mlir/IR/Value.h"

namespace tilec {

/// Inclusive range of a signless integer read as signed; saturated to the type's range.
struct IntegerRange {
  int64_t min = INT64_MIN, max = INT64_MAX;
  bool operator==(const IntegerRange &) const = default;
};

/// Facts of one value. For a scalar the vectors have one entry with contiguity = constancy = 1: a
/// scalar is like a tile of one element. All bits of a signless integer are read as signed, so a
/// true i1 is -1.
///
///   contiguity[d]  length (power of two) of aligned runs along d in which the value rises by 1
///                  (pointers: by one element) from lane to lane of the run
///   divisibility[d] power of two that divides the first value of each such run
///                  (pointers: in bytes)
///   constancy[d]   length (power of two) of aligned runs along d in which the value is the same
struct ValueFacts {
  std::vector<int64_t> contiguity, divisibility, constancy;
  IntegerRange range;              ///< of every element; meaningless for floats and pointers
  std::optional<int64_t> constant; ///< all elements equal this
  bool operator==(const ValueFacts &) const = default;
};

/// The facts of every value of one function. Build once; invalid after the function changes.
class FactAnalysis {
public:
  explicit FactAnalysis(mlir::Operation *function);
  ~FactAnalysis();
  FactAnalysis(FactAnalysis &&) noexcept;

  /// Facts of `value`; a value never seen gets the pessimistic ones.
  const ValueFacts &of(mlir::Value value) const;

  /// What is known when nothing is known.
  static ValueFacts pessimistic(mlir::Type type);

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Widest vector, in elements (power of two), that one lane may move for an access through `ptr`
/// along dimension `dim`: limited by contiguity, alignment, the mask's constancy and `maxBytes`.
/// `mask` may be null. `reason` says, in words for a user, what limits it below maxBytes, and names
/// the kernel argument (attribute tile.name) and the clause that would help where there is one; it
/// is empty when nothing does.
unsigned vectorWidth(const FactAnalysis &facts, mlir::Value ptr, mlir::Value mask, unsigned dim,
                     unsigned maxBytes, std::string *reason = nullptr);

} // namespace tilec
