// Linear algebra over F2 against enumeration. Alone: unit_layout --test-case='gf2*'
#include "random_layouts.h"

#include <doctest/doctest.h>

#include <set>

using namespace tilec;
using namespace tilec::test;

namespace {

std::vector<Bits> randomVectors(Random &random, unsigned count, unsigned bits) {
  std::vector<Bits> vectors;
  for (unsigned i = 0; i < count; ++i)
    vectors.push_back(below(random, 1u << bits));
  return vectors;
}

Bits sum(const std::vector<Bits> &vectors, Bits which) {
  Bits result = 0;
  for (size_t i = 0; i < vectors.size(); ++i)
    result ^= which >> i & 1 ? vectors[i] : 0;
  return result;
}

std::set<Bits> enumerate(const std::vector<Bits> &vectors) {
  std::set<Bits> all;
  for (Bits which = 0; which >> vectors.size() == 0; ++which)
    all.insert(sum(vectors, which));
  return all;
}

} // namespace

TEST_CASE("gf2 rank, membership and combinations agree with enumeration") {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<Bits> vectors = randomVectors(random, below(random, 6), 5);
    std::set<Bits> all = enumerate(vectors);
    gf2::Span span(vectors);
    CHECK(all.size() == 1u << gf2::rank(vectors));
    for (Bits vector = 0; vector < 32; ++vector) {
      CHECK(span.contains(vector) == (all.count(vector) == 1));
      if (std::optional<Bits> parts = span.combination(vector))
        CHECK(sum(vectors, *parts) == vector);
      CHECK(all.count(vector ^ span.reduce(vector)) == 1);
    }
  }
}

TEST_CASE("gf2 intersection holds exactly the common vectors") {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    std::vector<Bits> left = randomVectors(random, below(random, 5), 6),
                      right = randomVectors(random, below(random, 5), 6);
    std::set<Bits> common, ofLeft = enumerate(left);
    for (Bits vector : enumerate(right))
      if (ofLeft.count(vector))
        common.insert(vector);
    CHECK(enumerate(gf2::intersection(left, right)) == common);
  }
}

TEST_CASE("gf2 complement completes the base to the span of both") {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    std::vector<Bits> base = randomVectors(random, 3, 6), more = randomVectors(random, 3, 6);
    std::vector<Bits> added = gf2::complement(base, more);
    CHECK(gf2::rank(base) + added.size() == [&] {
      std::vector<Bits> all = base;
      all.insert(all.end(), more.begin(), more.end());
      return gf2::rank(all);
    }());
  }
}

TEST_CASE("gf2 inverse times the matrix is the identity, and only singular matrices have none") {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    std::vector<Bits> matrix = randomVectors(random, 5, 5);
    std::optional<std::vector<Bits>> inverse = gf2::inverse(matrix);
    CHECK(inverse.has_value() == (gf2::rank(matrix) == 5));
    if (inverse)
      CHECK(gf2::multiply(*inverse, matrix) == gf2::unitVectors(5));
  }
}

TEST_CASE("gf2 factor writes a matrix as rank-many terms") {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    std::vector<Bits> matrix = randomVectors(random, 6, 4);
    std::vector<gf2::RankOne> terms = gf2::factor(matrix);
    CHECK(terms.size() == gf2::rank(matrix));
    for (Bits input = 0; input < 64; ++input) {
      Bits image = 0;
      for (const gf2::RankOne &term : terms)
        image ^= gf2::parity(term.mask & input) ? term.image : 0;
      CHECK(image == sum(matrix, input));
    }
  }
}
