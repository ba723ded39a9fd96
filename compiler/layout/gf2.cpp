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
  for (unsigned i = 0; i < count; ++i)
    units.push_back(Bits(1) << i);
  return units;
}

Bits Span::reduce(Bits vector) const {
  for (const Row &row : rows_)
    if (vector & std::bit_floor(row.vector))
      vector ^= row.vector;
  return vector;
}

bool Span::add(Bits vector) {
  Bits parts = added_ < 32 ? Bits(1) << added_ : 0;
  ++added_;
  for (const Row &row : rows_)
    if (vector & std::bit_floor(row.vector)) {
      vector ^= row.vector;
      parts ^= row.parts;
    }
  if (!vector)
    return false;
  for (Row &row : rows_)
    if (row.vector & std::bit_floor(vector)) {
      row.vector ^= vector;
      row.parts ^= parts;
    }
  rows_.push_back({vector, parts});
  return true;
}

void Span::add(const std::vector<Bits> &vectors) {
  for (Bits vector : vectors)
    add(vector);
}

std::optional<Bits> Span::combination(Bits vector) const {
  Bits parts = 0;
  for (const Row &row : rows_)
    if (vector & std::bit_floor(row.vector)) {
      vector ^= row.vector;
      parts ^= row.parts;
    }
  if (vector)
    return std::nullopt;
  return parts;
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

std::vector<Bits> canonicalBasis(const std::vector<Bits> &vectors) {
  // Reduced rows: no row has another row's top bit, which makes the basis unique.
  std::vector<Bits> rows;
  for (Bits vector : vectors) {
    for (Bits row : rows)
      if (vector & std::bit_floor(row))
        vector ^= row;
    if (!vector)
      continue;
    for (Bits &row : rows)
      if (row & std::bit_floor(vector))
        row ^= vector;
    rows.push_back(vector);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
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
  return canonicalBasis(common);
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
