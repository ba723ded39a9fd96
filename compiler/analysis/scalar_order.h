// Which of two scalars is the smaller one, where ranges alone do not tell: a loop's counter is
// below its bound, min(a, b) is at most a, and promises and conditions compare two run-time values.
//
// An analysis, it never rewrites. Values are compared as the 64-bit numbers that they extend to.
#pragma once

#include "compiler/analysis/facts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"

namespace tilec {

/// What is known about the order of the scalars of one function. Build once; invalid after the
/// function changes. `facts` must outlive it.
class ScalarOrder {
public:
  ScalarOrder(mlir::Operation *function, const FactAnalysis &facts);

  /// True when `first` < `second` (signed) wherever `at` stands and runs; with a `step`, which must
  /// be a power of two that divides `first`, when `first` + `step` <= `second`.
  bool isBelow(mlir::Value first, mlir::Value second, mlir::Operation *at, int64_t step = 1);
  /// The same for `first` <= `second`.
  bool isAtMost(mlir::Value first, mlir::Value second, mlir::Operation *at);
  /// The value without what does not change the number: extensions, truncations of what fits.
  mlir::Value plain(mlir::Value value) const;

private:
  /// `left` predicate `right` holds below `promise`, or inside `region`.
  struct Relation {
    mlir::Value left, right;
    mlir::arith::CmpIPredicate predicate;
    mlir::Operation *promise = nullptr;
    mlir::Region *region = nullptr;
  };
  void collect(mlir::Value condition, bool holds, const Relation &scope);
  bool appliesAt(const Relation &relation, mlir::Operation *at);
  struct Question;
  enum class Wanted : unsigned;
  bool holds(Question &question, mlir::Value first, Wanted wanted, unsigned depth);
  bool holdsBy(const Relation &relation, Question &question, mlir::Value first, Wanted wanted,
               unsigned depth);
  bool holdsByOperation(Question &question, mlir::Value first, Wanted wanted, unsigned depth);
  bool isMultiple(mlir::Value value, int64_t step) const;

  const FactAnalysis &facts_;
  mlir::DominanceInfo dominance_;
  std::vector<Relation> relations_;
};

} // namespace tilec
