#include "compiler/layout/gf2.h"

#include <algorithm>
#include <bit>

namespace tilec::gf2 {

Bits apply(const std::vector<Bits> &columns, Bits input) {
  Bits image = 0;
  for (size_t i = 0; i < columns.size() && input >> i; ++i)
    if (input >> i & 1)
      image ^= columns[i];
  return image;
}

unsigned parity(Bits bits) {
  return std::popcount(bits) & 1;
}

std::vector<Bits> unitVectors(unsigned count) {
  std::vector<Bits> units;
  units.reserve(count);
  for (unsigned i = 0; i < count; ++i)
    units.push_back(Bits(1) << i);
  return units;
}

Bits Span::eliminate(Bits &vector) const {
  Bits parts = 0;
  for (unsigned i = 0; i < size_; ++i)
    if (vector & std::bit_floor(rows_[i].vector)) {
      vector ^= rows_[i].vector;
      parts ^= rows_[i].parts;
    }
  return parts;
}

Bits Span::reduce(Bits vector) const {
  eliminate(vector);
  return vector;
}

bool Span::add(Bits vector) {
  Bits self = added_ < 32 ? Bits(1) << added_ : 0;
  ++added_;
  Bits parts = eliminate(vector) ^ self;
  if (!vector)
    return false;
  for (unsigned i = 0; i < size_; ++i)
    if (rows_[i].vector & std::bit_floor(vector)) {
      rows_[i].vector ^= vector;
      rows_[i].parts ^= parts;
    }
  rows_[size_++] = {vector, parts};
  return true;
}

void Span::add(const std::vector<Bits> &vectors) {
  for (Bits vector : vectors)
    add(vector);
}

std::optional<Bits> Span::combination(Bits vector) const {
  Bits parts = eliminate(vector);
  if (vector)
    return std::nullopt;
  return parts;
}

std::vector<Bits> Span::basis() const {
  std::vector<Bits> vectors;
  vectors.reserve(size_);
  for (unsigned i = 0; i < size_; ++i)
    vectors.push_back(rows_[i].vector);
  std::sort(vectors.begin(), vectors.end());
  return vectors;
}

unsigned rank(const std::vector<Bits> &vectors) {
  return Span(vectors).dimension();
}

std::vector<Bits> independent(const std::vector<Bits> &vectors) {
  return complement({}, vectors);
}

std::vector<Bits> complement(const std::vector<Bits> &base, const std::vector<Bits> &candidates) {
  Span span(base);
  std::vector<Bits> added;
  for (Bits candidate : candidates)
    if (span.add(candidate))
      added.push_back(candidate);
  return added;
}

std::vector<Bits> intersection(const std::vector<Bits> &left, const std::vector<Bits> &right) {
  // A right vector that depends on the left and on earlier right vectors gives one vector of the
  // intersection: the right part of the dependence.
  std::vector<Bits> leftBasis = independent(left), rightBasis = independent(right), common;
  Span sum(leftBasis);
  for (Bits vector : rightBasis) {
    if (std::optional<Bits> parts = sum.combination(vector)) {
      Bits leftPart = 0;
      for (size_t i = 0; i < leftBasis.size(); ++i)
        if (*parts >> i & 1)
          leftPart ^= leftBasis[i];
      common.push_back(leftPart);
    } else {
      sum.add(vector);
    }
  }
  return Span(common).basis();
}

std::optional<std::vector<Bits>> inverse(const std::vector<Bits> &columns) {
  Span span;
  for (Bits column : columns)
    if (!span.add(column))
      return std::nullopt;
  std::vector<Bits> result;
  for (size_t i = 0; i < columns.size(); ++i) {
    std::optional<Bits> parts = span.combination(Bits(1) << i);
    if (!parts)
      return std::nullopt;
    result.push_back(*parts);
  }
  return result;
}

std::vector<Bits> multiply(const std::vector<Bits> &left, const std::vector<Bits> &right) {
  std::vector<Bits> product;
  product.reserve(right.size());
  for (Bits column : right)
    product.push_back(apply(left, column));
  return product;
}

std::vector<RankOne> factor(const std::vector<Bits> &columns) {
  // Terms have the independent columns as images; each other column is a combination of those.
  Span span;
  std::vector<RankOne> terms;
  std::vector<Bits> termOfInput(columns.size(), 0); // index + 1 of the term an added column made
  for (size_t i = 0; i < columns.size(); ++i)
    if (span.add(columns[i])) {
      terms.push_back({0, columns[i]});
      termOfInput[i] = terms.size();
    }
  for (size_t i = 0; i < columns.size(); ++i) {
    Bits parts = span.combination(columns[i]).value_or(0);
    for (size_t j = 0; j < columns.size(); ++j)
      if (parts >> j & 1)
        terms[termOfInput[j] - 1].mask |= Bits(1) << i;
  }
  return terms;
}

} // namespace tilec::gf2
