#include "random_layouts.h"

#include <algorithm>

namespace tilec::test {

unsigned below(Random &random, unsigned bound) {
  return random() % bound;
}

std::vector<int64_t> randomShape(Random &random, unsigned bits) {
  std::vector<int64_t> shape(bits == 0 ? below(random, 3) : 1 + below(random, 5), 1);
  for (unsigned i = 0; i < bits; ++i)
    shape[below(random, shape.size())] *= 2;
  return shape;
}

LinearLayout randomLayout(Random &random, const std::vector<int64_t> &shape, unsigned warpBits,
                          bool mixed) {
  unsigned bits = LinearLayout(shape, {}, {}, {}).elementBits();
  std::vector<Bits> columns;
  for (unsigned i = 0; i < bits; ++i)
    columns.push_back(Bits(1) << i);
  for (unsigned i = bits; i > 1; --i)
    std::swap(columns[i - 1], columns[below(random, i)]);
  // Adding one column to another keeps them independent.
  for (unsigned i = 0; mixed && bits > 1 && i < 3 * bits; ++i) {
    unsigned target = below(random, bits), source = below(random, bits);
    if (target != source)
      columns[target] ^= columns[source];
  }
  unsigned replication = below(random, 5); // of ten, how many thread bits are replicated
  std::vector<Bits> lane(kLaneBits, 0), warp(warpBits, 0);
  for (std::vector<Bits> *thread : {&lane, &warp})
    for (Bits &column : *thread)
      if (!columns.empty() && below(random, 10) >= replication) {
        column = columns.back();
        columns.pop_back();
      }
  return {shape, columns, lane, warp};
}

namespace {

/// Fills the places from `index` on in all ways: each an unused element or zero.
void fill(std::vector<Bits> &places, size_t index, unsigned bits, std::vector<LinearLayout> &all) {
  if (index == places.size()) {
    for (Bits reg = 0; reg < 4; ++reg) // which of the remaining unit vectors, in which order
      for (bool reversed : {false, true}) {
        std::vector<Bits> units = gf2::complement(places, gf2::unitVectors(bits));
        if ((reg & 1 || reversed) && units.size() < 2)
          continue;
        if (reg & 1)
          units[0] ^= units[1];
        if (reg & 2) {
          if (units.empty())
            continue;
          units[0] ^= places[0]; // registers that mix with a lane column
        }
        if (reversed)
          std::reverse(units.begin(), units.end());
        all.push_back({{int64_t(1) << bits}, units, {places[0], places[1], 0, 0, 0}, {places[2]}});
      }
    return;
  }
  for (Bits column = 0; column >> bits == 0; ++column) {
    std::vector<Bits> taken(places.begin(), places.begin() + index);
    if (column && gf2::Span(taken).contains(column))
      continue;
    places[index] = column;
    fill(places, index + 1, bits, all);
  }
  places[index] = 0;
}

} // namespace

std::vector<LinearLayout> allLayouts(unsigned bits) {
  std::vector<LinearLayout> all;
  std::vector<Bits> places(3, 0);
  fill(places, 0, bits, all);
  return all;
}

} // namespace tilec::test
