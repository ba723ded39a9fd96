// The memory layout of a buffer.
//
//   offset bits:   | V: one access of 16 bytes | banks of one wavefront | high H |
//
// As in shared_trip.cpp: a side touches, in one wavefront, the offsets of a space U = V + (what its
// lanes that are served together add); it is free of conflicts exactly when no sum of H is in U.
// Here there may be more than two sides, and sides of more kinds:
//
//   copies      V must be the elements that follow each other in global memory, in their order
//   vectors     V must lie in the registers
//   ldmatrix    V must be what runs through a row of its matrices; U = V + the eight rows
//
// So the few V's that some side would like are tried, each at all widths down to none. For each, H
// is built vector by vector, simple ones first: the first that keeps every side free, else the one
// that hurts least. What the sides then really do with the layout is found out by division
// (shared_access.h), the same way lowering does, and the cheapest layout is taken.
#include "compiler/layout/buffer_layout.h"

#include "compiler/layout/cost_model.h"
#include "compiler/layout/shared_access.h"
#include "compiler/layout/shared_geometry.h"

namespace tilec {

namespace {

/// How much more a copy costs that has to go through registers.
constexpr double kUncopiedPenalty = 4;
/// A vector of H is a sum of at most so many simple ones.
constexpr unsigned kMaxTerms = 3;

/// The lane bits through a row of ldmatrix, and through its rows, when it is read plainly; the
/// other way round when it is transposed.
constexpr unsigned kLowLanes = 2, kRowBits = 3;

/// Adds `columns`, at most `most` of them, and all their beginnings.
void addPrefixes(std::vector<Space> &found, Space columns, unsigned most) {
  columns = firstOf(columns, most);
  while (true) {
    bool usable = gf2::rank(columns) == columns.size();
    if (usable && std::find(found.begin(), found.end(), columns) == found.end())
      found.push_back(columns);
    if (columns.empty())
      return;
    columns.pop_back();
  }
}

class BufferPlan {
public:
  BufferPlan(const std::vector<BufferSide> &sides, unsigned elementBytes)
      : sides_(sides), geometry_(elementBytes), bits_(sides.front().layout.elementBits()) {}

  MemoryLayout run() {
    MemoryLayout best;
    double cheapest = 0, least = 0;
    for (const BufferSide &side : sides_)
      least += leastCost(side);
    for (const Space &vector : vectors()) {
      MemoryLayout memory = build(vector);
      double cost = 0;
      for (const BufferSide &side : sides_)
        cost += sideCost(side, memory, geometry_.elementBytes);
      if (best.columns.empty() || cost < cheapest) {
        cheapest = cost;
        best = std::move(memory);
        if (cheapest <= least)
          break;
      }
    }
    return best;
  }

private:
  /// What no memory layout can go below: the widest accesses the registers allow, no conflicts.
  /// Matrices move as much in as many wavefronts.
  double leastCost(const BufferSide &side) const {
    unsigned most =
        side.kind == BufferSide::Kind::Copy ? side.vectorBits.size() : side.layout.reg().size();
    unsigned vector = std::min(most, geometry_.maxVector);
    double groups = 1;
    for (unsigned lane = geometry_.groupLanes(vector); lane < kLaneBits; ++lane)
      groups *= side.kind == BufferSide::Kind::Store && side.layout.lane()[lane] == 0 ? 1 : 2;
    return double(side.layout.registers() >> vector) *
           (groups * cost::kSharedWavefront +
            (side.kind == BufferSide::Kind::Copy ? cost::kGlobalRequest : cost::kRegisterOp));
  }

  static Space copyVector(const BufferSide &side) {
    Space vector;
    for (unsigned bit : side.vectorBits)
      vector.push_back(side.layout.reg()[bit]);
    return vector;
  }

  /// V's worth trying.
  std::vector<Space> vectors() const {
    std::vector<Space> found;
    for (const BufferSide &side : sides_) {
      const LinearLayout &layout = side.layout;
      if (side.kind == BufferSide::Kind::Copy)
        addPrefixes(found, copyVector(side), geometry_.maxVector);
      Space low = firstOf(layout.lane(), kLowLanes);
      if (side.kind == BufferSide::Kind::Load) {
        addPrefixes(found, firstOf(layout.reg(), geometry_.word) + low, geometry_.maxVector);
        addPrefixes(found, Space(layout.lane().begin() + kLowLanes, layout.lane().end()),
                    geometry_.maxVector);
      }
      addPrefixes(found, layout.reg(), geometry_.maxVector);
      for (const BufferSide &other : sides_)
        addPrefixes(found, gf2::intersection(layout.reg(), other.layout.reg()),
                    geometry_.maxVector);
    }
    return found;
  }

  /// What `side` touches in one wavefront when `memory` starts with the vector: U.
  Space touched(const BufferSide &side, const MemoryLayout &memory) const {
    const LinearLayout &layout = side.layout;
    unsigned vector = 0;
    if (side.kind == BufferSide::Kind::Copy) {
      vector = copyBits(layout, memory, side.vectorBits, geometry_.elementBytes);
    } else {
      if (side.kind == BufferSide::Kind::Load)
        if (auto matrix = matrixAccess(layout, memory, geometry_.elementBytes)) {
          Space rows;
          for (Bits offset : firstOf(matrix->rowColumns, kRowBits))
            rows.push_back(gf2::apply(memory.columns, offset));
          return firstOf(memory.columns, geometry_.maxVector) + rows;
        }
      vector = vectorOffsetBits(layout, memory, geometry_.elementBytes);
    }
    return firstOf(memory.columns, std::max(vector, geometry_.word)) +
           firstOf(layout.lane(), geometry_.groupLanes(vector));
  }

  /// The layout that starts with `vector`.
  MemoryLayout build(const Space &vector) const {
    // Starts of vectors: what lanes and warps move by, so that every access is aligned.
    Space wanted;
    for (const BufferSide &side : sides_)
      wanted = wanted + side.layout.lane() + side.layout.warp() + side.layout.reg();
    Space starts = gf2::complement(vector, wanted + gf2::unitVectors(bits_));
    unsigned count = bits_ > geometry_.wavefront ? bits_ - geometry_.wavefront : 0;
    if (count == 0)
      return {vector + starts};

    MemoryLayout simple{vector + starts};
    std::vector<Space> spaces;
    for (const BufferSide &side : sides_)
      spaces.push_back(touched(side, simple));
    Space low = firstOf(simple.columns, std::max<size_t>(vector.size(), geometry_.word));
    Space candidates = sums(gf2::complement(low, starts));
    Space high;
    for (unsigned i = 0; i < count; ++i)
      high.push_back(pick(candidates, low, high, spaces));
    return {low + gf2::complement(low + high, starts) + high};
  }

  /// Sums of at most kMaxTerms of `basis`, the simplest first.
  static Space sums(const Space &basis) {
    Space result = basis, last = basis;
    std::vector<size_t> next(basis.size());
    for (size_t i = 0; i < basis.size(); ++i)
      next[i] = i + 1;
    for (unsigned terms = 2; terms <= kMaxTerms; ++terms) {
      Space longer;
      std::vector<size_t> longerNext;
      for (size_t i = 0; i < last.size(); ++i)
        for (size_t j = next[i]; j < basis.size(); ++j) {
          longer.push_back(last[i] ^ basis[j]);
          longerNext.push_back(j + 1);
        }
      result = result + longer;
      last = std::move(longer);
      next = std::move(longerNext);
    }
    return result;
  }

  /// The first candidate that keeps the fewest sides from being free of conflicts.
  static Bits pick(const Space &candidates, const Space &low, const Space &high,
                   const std::vector<Space> &spaces) {
    gf2::Span taken(low + high);
    std::vector<gf2::Span> spans;
    for (const Space &space : spaces)
      spans.emplace_back(space + high);
    Bits best = 0;
    size_t fewest = 0;
    for (Bits candidate : candidates) {
      if (taken.contains(candidate))
        continue;
      size_t hurt = std::count_if(spans.begin(), spans.end(),
                                  [&](const gf2::Span &span) { return span.contains(candidate); });
      if (best == 0 || hurt < fewest) {
        best = candidate;
        fewest = hurt;
      }
      if (fewest == 0)
        break;
    }
    return best;
  }

  const std::vector<BufferSide> &sides_;
  SharedGeometry geometry_;
  unsigned bits_;
};

} // namespace

double sideCost(const BufferSide &side, const MemoryLayout &memory, unsigned elementBytes) {
  if (side.kind == BufferSide::Kind::Load)
    return readCost(side.layout, memory, elementBytes);
  if (side.kind == BufferSide::Kind::Store)
    return writeCost(side.layout, memory, elementBytes);
  unsigned bits = copyBits(side.layout, memory, side.vectorBits, elementBytes);
  if (elementBytes << bits < kMinCopyBytes)
    return kUncopiedPenalty * writeCost(side.layout, memory, elementBytes);
  SharedGeometry geometry(elementBytes);
  double groups = 1u << (kLaneBits - geometry.groupLanes(bits));
  return double(side.layout.registers() >> bits) *
         (groups * copyConflicts(side.layout, memory, bits, elementBytes) * cost::kSharedWavefront +
          cost::kGlobalRequest);
}

MemoryLayout planBuffer(const std::vector<BufferSide> &sides, unsigned elementBytes) {
  return BufferPlan(sides, elementBytes).run();
}

} // namespace tilec
