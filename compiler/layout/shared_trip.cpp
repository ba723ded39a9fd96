// Conversions through shared memory: a memory layout that suits both sides.
//
// Shared memory has 32 banks of 4 bytes. An access of up to 4 bytes a lane is served for a whole
// warp at once, one of 8 bytes for half a warp, of 16 bytes for a quarter: 128 bytes at a time, in
// one wavefront when all words in one bank are the same word. Offsets are linear over F2, so one
// question about spaces answers it for all registers and warps at once:
//
//        offset bits   | vector V | bank          | high H       |      of the memory layout M:
//                      |   inside one wavefront   |              |      column i = element of bit i
//
//   U(side) = the elements of one wavefront = (low lane columns) + V. It is free of conflicts
//   exactly when no non-zero sum of H is in U: such a sum is two words in one bank.
//
// Both sides' U have at most as many dimensions as a wavefront has offset bits, and two spaces of
// one dimension always have a common complement: what is in neither, and sums a_i + b_i of vectors
// that are in one of them. That complement is H.
//
// V must lie in the registers of a side for that side to move vectors. Beyond what both have in
// common, one side may be wider; then H is bound to the offsets that start a vector of that side,
// and the other side may not be free of conflicts. All widths are tried and the cheapest taken.
//
// For an access to be aligned in every thread, lanes and warps must not reach into V's offset bits:
// every column of M but V's is taken from a space W that contains them and is a complement to V.
// Where a side's vectors are short, ldmatrix may read better; the memory layout then comes from
// buffer_layout.h, which knows it.
//
// For elements below 4 bytes, offset bits inside a word count as V where conflicts are concerned.
#include "compiler/layout/buffer_layout.h"
#include "compiler/layout/conversion_plans.h"
#include "compiler/layout/cost_model.h"
#include "compiler/layout/shared_access.h"
#include "compiler/layout/shared_geometry.h"

namespace tilec {

namespace {

/// One side of the trip.
struct Side {
  const LinearLayout &layout;
  Space fixed; ///< lane and warp columns: may not reach into the vector

  explicit Side(const LinearLayout &layout) : layout(layout), fixed(layout.lane() + layout.warp()) {
    std::erase(fixed, Bits(0));
  }
};

/// Memory layouts with a vector both sides share and one that only `wide` has.
class MemoryPlan {
public:
  MemoryPlan(const SharedGeometry &geometry, const Side &wide, const Side &narrow, unsigned extra)
      : geometry_(geometry), wide_(wide), narrow_(narrow) {
    bits_ = wide.layout.elementBits();
    chooseShared();
    if (extra)
      chooseExtra(extra);
    chooseStarts();
    chooseColumns();
  }

  /// Vector bits of the wide side and of the narrow one.
  unsigned wideVector() const { return vector_.size(); }
  unsigned narrowVector() const { return shared_.size(); }
  const Space &columns() const { return columns_; }

  /// How many words meet in one bank at worst when `side` accesses 2^vector elements a lane.
  unsigned conflicts(const Side &side, unsigned vector) const {
    Space word = firstOf(columns_, geometry_.word);
    Space touched = word + firstOf(columns_, vector) + group(side, vector);
    Space oneBank = word + high_;
    return 1u << (gf2::intersection(touched, oneBank).size() - gf2::rank(word));
  }

private:
  Space group(const Side &side, unsigned vector) const {
    return firstOf(side.layout.lane(), geometry_.groupLanes(vector));
  }
  /// U of the file's head.
  Space touched(const Side &side, unsigned vector) const {
    return gf2::independent(low_ + firstOf(vector_, vector) + group(side, vector));
  }

  /// The vector both sides have in their registers, and W_ as a complement that holds the lanes and
  /// warps of both.
  void chooseShared() {
    Space fixed = wide_.fixed + narrow_.fixed;
    Space common = gf2::intersection(wide_.layout.reg(), narrow_.layout.reg());
    shared_ = firstOf(gf2::complement(fixed, common), geometry_.maxVector);
    vector_ = shared_;
    starts_ = gf2::independent(fixed);
    starts_ = starts_ + gf2::complement(shared_ + starts_, gf2::unitVectors(bits_));
  }

  /// Widens the vector by registers of the wide side: those first that lie in different lanes of
  /// the narrow side anyway.
  void chooseExtra(unsigned extra) {
    Space own = gf2::intersection(wide_.layout.reg(), starts_);
    Space spread = gf2::intersection(own, group(narrow_, shared_.size()));
    vector_ = shared_ + firstOf(gf2::independent(spread + own), extra);
  }

  /// Narrows W to a complement of the whole vector that holds the wide side's lanes and warps. The
  /// vectors the narrow side touches at once should differ in the vector's offsets: those not bound
  /// yet get one each.
  void chooseStarts() {
    low_ = firstOf(vector_, geometry_.word);
    if (vector_.size() > shared_.size()) {
      Space extra(vector_.begin() + shared_.size(), vector_.end());
      Space reach = gf2::intersection(touched(narrow_, shared_.size()), starts_);
      Space starts = gf2::independent(wide_.fixed);
      gf2::Span covered;
      for (Bits vector : gf2::intersection(reach, vector_ + starts))
        covered.add(vectorPart(vector, starts));
      for (Bits vector : gf2::complement(vector_ + starts, reach + starts_)) {
        bool touchedAtOnce = gf2::Span(reach).contains(vector);
        auto missing = std::find_if(extra.begin(), extra.end(), [&](Bits candidate) {
          return touchedAtOnce && covered.add(candidate);
        });
        starts.push_back(missing == extra.end() ? vector : vector ^ *missing);
      }
      starts_ = starts;
    }
    // Elements that share a word with the vector, where it is shorter than a word.
    if (vector_.size() < geometry_.word)
      low_ = vector_ + firstOf(starts_, geometry_.word - vector_.size());
  }

  Bits vectorPart(Bits element, const Space &starts) const {
    Bits parts = gf2::Span(vector_ + starts).combination(element).value_or(0);
    return gf2::apply(vector_, parts & ((uint64_t(1) << vector_.size()) - 1));
  }

  void chooseColumns() {
    Space first = vector_.size() < low_.size() ? low_ : vector_;
    unsigned count = bits_ > geometry_.wavefront ? bits_ - geometry_.wavefront : 0;
    Space left = gf2::intersection(touched(wide_, vector_.size()), starts_);
    Space right = gf2::intersection(touched(narrow_, shared_.size()), starts_);
    Space both = gf2::intersection(left, right);
    Space onlyLeft = gf2::complement(both, left), onlyRight = gf2::complement(both, right);
    // In neither; then sums of one of each; then, where one side cannot be free, its own.
    Space candidates = gf2::complement(left + right, starts_);
    size_t pairs = std::min(onlyLeft.size(), onlyRight.size());
    for (size_t i = 0; i < pairs; ++i)
      candidates.push_back(onlyLeft[i] ^ onlyRight[i]);
    candidates = candidates + Space(onlyRight.begin() + pairs, onlyRight.end()) +
                 Space(onlyLeft.begin() + pairs, onlyLeft.end()) + both + starts_;
    high_ = firstOf(gf2::complement(first, candidates), count);
    columns_ = first + gf2::complement(first + high_, starts_) + high_;
  }

  const SharedGeometry &geometry_;
  const Side &wide_, &narrow_;
  unsigned bits_;
  Space shared_; ///< the vector of both sides
  Space vector_; ///< the wide side's: shared_, then its own
  Space starts_; ///< W: where vectors start
  Space low_;    ///< columns inside a word
  Space high_;   ///< columns that do not choose the bank
  Space columns_;
};

/// Cycles a warp for one side: wavefronts, and one address operation an access.
double sideCost(const Side &side, const SharedGeometry &geometry, unsigned vector,
                unsigned conflicts, bool ownerOnly) {
  double accesses = 1u << (side.layout.reg().size() - vector);
  double groups = 1;
  for (unsigned lane = geometry.groupLanes(vector); lane < kLaneBits; ++lane)
    groups *= ownerOnly && side.layout.lane()[lane] == 0 ? 1 : 2;
  return accesses * (groups * conflicts * cost::kSharedWavefront + cost::kRegisterOp);
}

} // namespace

std::vector<unsigned> accessOrder(const LinearLayout &layout, const Space &columns,
                                  const Space &offsetColumns, unsigned vector) {
  gf2::Span registers(layout.reg());
  std::vector<Bits> basis; // registers of the vector's bits, then of the groups' starts
  basis.reserve(layout.reg().size());
  for (unsigned i = 0; i < vector; ++i)
    basis.push_back(registers.combination(columns[i]).value_or(0));
  for (Bits start : gf2::complement(basis, gf2::unitVectors(layout.reg().size()))) {
    Bits offset = gf2::apply(offsetColumns, gf2::apply(layout.reg(), start));
    basis.push_back(start ^ gf2::apply(firstOf(basis, vector), offset & ((1u << vector) - 1)));
  }
  std::vector<unsigned> order;
  order.reserve(layout.registers());
  for (unsigned i = 0; i < layout.registers(); ++i)
    order.push_back(gf2::apply(basis, i));
  return order;
}

Bits MemoryLayout::offset(Bits element) const {
  return gf2::Span(columns).combination(element).value_or(0);
}

/// Replaces `best` where another memory layout, made for reads by ldmatrix, is cheaper.
static void considerMatrices(ConversionPlan &best, const LinearLayout &from, const LinearLayout &to,
                             unsigned elementBytes) {
  MemoryLayout memory = planBuffer(
      {{BufferSide::Kind::Store, from, {}}, {BufferSide::Kind::Load, to, {}}}, elementBytes);
  if (!matrixAccess(to, memory, elementBytes))
    return;
  double cost =
      cost::kBarrier + writeCost(from, memory, elementBytes) + readCost(to, memory, elementBytes);
  if (cost >= best.cost)
    return;
  VectorAccess store = vectorAccess(from, memory, elementBytes),
               load = vectorAccess(to, memory, elementBytes);
  best.memory = std::move(memory);
  best.storeVector = store.vector;
  best.storeConflicts = store.conflicts;
  best.loadVector = load.vector;
  best.loadConflicts = load.conflicts;
  best.loadsMatrices = true;
  best.cost = cost;
}

ConversionPlan planShared(const LinearLayout &from, const LinearLayout &to, unsigned elementBytes) {
  SharedGeometry geometry(elementBytes);
  Side store(from), load(to);
  ConversionPlan best;
  auto costOf = [&](unsigned storeBits, unsigned storeConflicts, unsigned loadBits,
                    unsigned loadConflicts) {
    return cost::kBarrier + sideCost(store, geometry, storeBits, storeConflicts, true) +
           sideCost(load, geometry, loadBits, loadConflicts, false);
  };
  auto consider = [&](const MemoryPlan &memory, bool storeIsWide) {
    unsigned storeBits = storeIsWide ? memory.wideVector() : memory.narrowVector();
    unsigned loadBits = storeIsWide ? memory.narrowVector() : memory.wideVector();
    unsigned storeConflicts = memory.conflicts(store, storeBits);
    unsigned loadConflicts = memory.conflicts(load, loadBits);
    double cost = costOf(storeBits, storeConflicts, loadBits, loadConflicts);
    if (best.kind == ConversionPlan::Kind::Shared && best.cost <= cost)
      return;
    best.kind = ConversionPlan::Kind::Shared;
    best.memory.columns = memory.columns();
    best.storeVector = 1u << storeBits;
    best.loadVector = 1u << loadBits;
    best.storeConflicts = storeConflicts;
    best.loadConflicts = loadConflicts;
    best.cost = cost;
  };
  MemoryPlan even(geometry, store, load, 0);
  consider(even, true);
  unsigned shared = even.wideVector();
  for (bool storeIsWide : {true, false}) {
    unsigned widest =
        std::min<unsigned>(geometry.maxVector, (storeIsWide ? from : to).reg().size());
    // The widest first: what could not be cheaper even without conflicts needs no planning.
    for (unsigned wide = widest; wide > shared; --wide)
      if (costOf(storeIsWide ? wide : shared, 1, storeIsWide ? shared : wide, 1) < best.cost)
        consider(storeIsWide ? MemoryPlan(geometry, store, load, wide - shared)
                             : MemoryPlan(geometry, load, store, wide - shared),
                 storeIsWide);
  }

  if (std::min(best.storeVector, best.loadVector) < 1u << geometry.maxVector)
    considerMatrices(best, from, to, elementBytes);

  Space offsets = gf2::inverse(best.memory.columns).value_or(Space());
  best.storeOrder = accessOrder(from, best.memory.columns, offsets, log2Of(best.storeVector));
  best.loadOrder = accessOrder(to, best.memory.columns, offsets, log2Of(best.loadVector));
  best.scratchBytes = static_cast<unsigned>(from.elements() * elementBytes);
  return best;
}

} // namespace tilec
