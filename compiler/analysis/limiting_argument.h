// Why is a fact not stronger? Walks from a value back to the kernel argument of which too little is
// known, so that a remark can name the `specialize` clause that would help.
#pragma once

#include "compiler/analysis/facts.h"

namespace tilec::facts {

/// The argument to blame and what should be known of it.
struct LimitingArgument {
  std::string name;       ///< as in the source
  bool isPointer = false; ///< then `needed` is an alignment in bytes
  int64_t needed = 1;     ///< should be a multiple of this ...
  bool equal = false;     ///< ... or, when true, equal to it

  /// The clause to add, e.g. `specialize n_cols % 4 == 0`.
  std::string clause() const;
};

/// The argument that keeps the elements of `value` at multiples of `run` along `dim` from being
/// divisible by `needed` (bytes for pointers).
std::optional<LimitingArgument> limitingDivisor(const FactAnalysis &facts, mlir::Value value,
                                                unsigned dim, int64_t run, int64_t needed);

/// The argument - a stride - that keeps `value` from rising by one along `dim` in runs of `run`.
std::optional<LimitingArgument> limitingStride(const FactAnalysis &facts, mlir::Value value,
                                               unsigned dim, int64_t run);

/// The argument that keeps the mask from being the same along runs of `run` of `dim`.
std::optional<LimitingArgument> limitingBound(const FactAnalysis &facts, mlir::Value mask,
                                              unsigned dim, int64_t run);

} // namespace tilec::facts
