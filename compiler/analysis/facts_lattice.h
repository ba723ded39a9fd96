// The lattice under the facts: powers of two, joining what two paths know, and reading an operand.
//
// Every fact is a claim; a smaller power of two or a wider range claims less. `join` keeps what
// both sides claim, so a chain of joins only ever falls, and `widen` makes ranges fall in a few
// steps.
#pragma once

#include "compiler/analysis/facts.h"

#include <string>

namespace tilec::facts {

/// The largest divisibility claimed; that of zero. Above it the arithmetic of int64_t ends.
inline constexpr int64_t kMaxDivisibility = int64_t(1) << 62;

/// The largest power of two that divides `value`; kMaxDivisibility for 0.
int64_t lowestBit(int64_t value);
/// Product of two powers of two, at most kMaxDivisibility.
int64_t multiplied(int64_t a, int64_t b);
/// 2^exponent, at most kMaxDivisibility; 1 for a negative exponent.
int64_t powerOfTwo(int64_t exponent);

/// True for integers that facts are kept of: at most 64 bits, or index; scalars and tiles.
bool isInteger(mlir::Type type);
/// Bits of such an integer (index: 64).
unsigned integerWidth(mlir::Type type);
/// All values of an integer type; everything for another.
IntegerRange fullRange(mlir::Type type);
/// The longest aligned runs a tile of this type can have along each dim; {1} for a scalar.
std::vector<int64_t> longestRuns(mlir::Type type);
/// What divisibility counts for one step of contiguity: bytes of the pointee, 1 for integers.
int64_t stepSize(mlir::Type type);

/// Brings `facts` into normal form: runs fit the shape, the range fits the type, and a range of one
/// value is a constant, which says everything else.
void normalize(ValueFacts &facts, mlir::Type type);

/// Facts of a value whose elements all are `value`.
ValueFacts constantFacts(int64_t value, mlir::Type type);

/// What holds of a value that comes from either of two places.
ValueFacts join(const ValueFacts &a, const ValueFacts &b, mlir::Type type);

/// `joined`, which `old` grew to, with every bound that moved set to the next of 0 and the type's
/// own bounds: a bound moves at most twice.
void widen(const ValueFacts &old, ValueFacts &joined, mlir::Type type);

/// Facts in one line, for tests and debugging.
std::string describe(const ValueFacts &facts);

/// The facts of an operand of an elementwise operation, along the dims of the result: a scalar is
/// the same along every dim.
class Operand {
public:
  Operand(const ValueFacts &facts, mlir::Type type);

  int64_t contiguity(unsigned dim) const;
  int64_t constancy(unsigned dim) const;
  /// Divides every element whose index along `dim` is a multiple of `run`.
  int64_t divisorAt(unsigned dim, int64_t run) const;
  /// Divides the first element of each contiguous run along `dim`.
  int64_t divisorOfRuns(unsigned dim) const { return divisorAt(dim, contiguity(dim)); }
  /// Divides every element.
  int64_t divisor() const { return divisor_; }
  const IntegerRange &range() const { return facts_->range; }
  std::optional<int64_t> constant() const { return facts_->constant; }
  mlir::Type type() const { return type_; }
  const ValueFacts &facts() const { return *facts_; }

private:
  const ValueFacts *facts_;
  mlir::Type type_;
  bool scalar_;
  int64_t step_, divisor_ = 1;
};

} // namespace tilec::facts
