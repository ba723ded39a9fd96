// Linear algebra over F2 on bit vectors: the arithmetic under layouts and conversions.
//
// A vector is a `Bits`; addition is XOR. A matrix is a list of columns: column i is the image of
// input bit i. Everything is exact, allocation is small (a space has at most 32 dimensions), and
// results depend on the input alone: of equal choices the first is taken.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilec {

/// A vector over F2, at most 32 dimensions.
using Bits = uint32_t;

namespace gf2 {

/// The image of `input` under the matrix of these columns.
Bits apply(const std::vector<Bits> &columns, Bits input);

/// 1 when an odd number of bits is set.
unsigned parity(Bits bits);

/// The unit vectors of bits 0..count-1.
std::vector<Bits> unitVectors(unsigned count);

/// A growing subspace, kept with the combination of added vectors that makes each of its vectors.
class Span {
public:
  Span() = default;
  explicit Span(const std::vector<Bits> &vectors) { add(vectors); }

  /// Adds one vector; true when it was not in the span. Each call counts as one input bit of
  /// `combination`, so at most 32 vectors can be added where combinations are wanted.
  bool add(Bits vector);
  void add(const std::vector<Bits> &vectors);

  bool contains(Bits vector) const { return reduce(vector) == 0; }
  /// What is left of `vector` when its part in the span is taken away: the same for all vectors of
  /// a coset, and linear.
  Bits reduce(Bits vector) const;
  /// Which of the added vectors (bit i: the i-th call of `add`) sum to `vector`. The combination is
  /// linear in `vector` and uses only vectors whose `add` was true.
  std::optional<Bits> combination(Bits vector) const;
  /// The basis in reduced row echelon form, ascending: the same for all bases of one space.
  std::vector<Bits> basis() const;
  unsigned dimension() const { return size_; }

private:
  struct Row {
    Bits vector; ///< no other row has this row's top bit
    Bits parts;  ///< which added vectors sum to `vector`
  };
  /// Takes the span's part out of `vector`; the added vectors that sum to that part.
  Bits eliminate(Bits &vector) const;

  std::array<Row, 32> rows_; ///< the first size_; in place, since plans make thousands of spans
  unsigned size_ = 0, added_ = 0;
};

unsigned rank(const std::vector<Bits> &vectors);

/// The vectors that are independent of the ones before them, in order.
std::vector<Bits> independent(const std::vector<Bits> &vectors);

/// Those of `candidates`, in order, that complete `base` to the span of both.
std::vector<Bits> complement(const std::vector<Bits> &base, const std::vector<Bits> &candidates);

/// A basis of the intersection of two spans, in reduced form (see Span::basis).
std::vector<Bits> intersection(const std::vector<Bits> &left, const std::vector<Bits> &right);

/// The inverse of a square matrix; nothing when it is singular.
std::optional<std::vector<Bits>> inverse(const std::vector<Bits> &columns);

/// left * right, as columns.
std::vector<Bits> multiply(const std::vector<Bits> &left, const std::vector<Bits> &right);

/// The sum, over rank-many terms, of `image` where the parity of `mask & input` is odd.
struct RankOne {
  Bits mask, image;
};
/// Writes a matrix as the fewest terms: as many as its rank.
std::vector<RankOne> factor(const std::vector<Bits> &columns);

} // namespace gf2
} // namespace tilec
