#include "compiler/layout/shared_access.h"

#include "compiler/layout/algebra.h"
#include "compiler/layout/cost_model.h"
#include "compiler/layout/shared_geometry.h"

namespace tilec {

namespace {

constexpr unsigned kRowBytes = 16;     // of a matrix of ldmatrix
constexpr unsigned kWordLanes = 2;     // lane bits through the four words of a row
constexpr unsigned kRowBits = 3;       // eight rows
constexpr unsigned kMaxMatrixBits = 2; // .x4

/// The layout in offsets: bit i of what a column stands for is offset bit i.
LinearLayout inOffsets(const LinearLayout &layout, const MemoryLayout &memory) {
  return composed(layout, gf2::inverse(memory.columns).value_or(Space()), {layout.elements()});
}

/// How many words meet in one bank at worst when the offsets spanned by `touched` are accessed at
/// once. Words are what offset bits from `word` on number, banks those below `wavefront`.
unsigned conflictsOf(const SharedGeometry &geometry, const Space &touched, unsigned offsetBits) {
  Space word = gf2::unitVectors(std::min(geometry.word, offsetBits));
  Space oneBank = word;
  for (unsigned bit = geometry.wavefront; bit < offsetBits; ++bit)
    oneBank.push_back(Bits(1) << bit);
  return 1u << (gf2::intersection(touched + word, oneBank).size() - word.size());
}

/// Conflicts of accesses of 2^vector consecutive elements by lanes with these offsets.
unsigned vectorConflicts(const SharedGeometry &geometry, const LinearLayout &offsets,
                         unsigned vector) {
  Space touched = gf2::unitVectors(vector) + firstOf(offsets.lane(), geometry.groupLanes(vector));
  return conflictsOf(geometry, touched, offsets.elementBits());
}

bool reaches(const std::vector<Bits> &columns, Bits mask) {
  return std::any_of(columns.begin(), columns.end(), [&](Bits column) { return column & mask; });
}

/// log2 of the elements an access can move that takes them from the first `registerBits`.
unsigned widestVector(const SharedGeometry &geometry, const LinearLayout &offsets,
                      unsigned registerBits = kAllRegisterBits) {
  gf2::Span registers(firstOf(offsets.reg(), registerBits));
  unsigned vector = 0;
  while (vector < std::min(geometry.maxVector, offsets.elementBits())) {
    Bits bit = Bits(1) << vector;
    if (!registers.contains(bit) || reaches(offsets.lane(), bit) || reaches(offsets.warp(), bit))
      break;
    ++vector;
  }
  return vector;
}

/// The position of `column` among `columns`; nothing when it is not there.
std::optional<unsigned> positionOf(const std::vector<Bits> &columns, Bits column) {
  auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end())
    return std::nullopt;
  return found - columns.begin();
}

/// Moves the registers at `positions` to the front.
LinearLayout registersFirst(const LinearLayout &layout, const std::vector<unsigned> &positions) {
  std::vector<Bits> reg;
  for (unsigned position : positions)
    reg.push_back(layout.reg()[position]);
  for (unsigned position = 0; position < layout.reg().size(); ++position)
    if (std::find(positions.begin(), positions.end(), position) == positions.end())
      reg.push_back(layout.reg()[position]);
  return {layout.shape(), reg, layout.lane(), layout.warp()};
}

/// The register bits that run through a word when matrices are read as they lie; nothing when the
/// layout is not made of such matrices.
std::optional<std::vector<unsigned>> plainWord(const LinearLayout &offsets,
                                               const SharedGeometry &geometry) {
  std::vector<unsigned> wordBits;
  for (unsigned bit = 0; bit < geometry.word; ++bit) {
    std::optional<unsigned> position = positionOf(offsets.reg(), Bits(1) << bit);
    if (!position)
      return std::nullopt;
    wordBits.push_back(*position);
  }
  Space lane;
  for (unsigned bit = 0; bit < kWordLanes; ++bit)
    lane.push_back(Bits(1) << (geometry.word + bit));
  LinearLayout matrix({int64_t(1) << (geometry.word + kWordLanes)}, gf2::unitVectors(geometry.word),
                      lane, {});
  if (!quotient(registersFirst(offsets, wordBits), matrix))
    return std::nullopt;
  return wordBits;
}

/// The same for transposed matrices: a row runs through lanes 2, 3, 4, and any register bit can be
/// the pair of rows in a word.
std::optional<std::vector<unsigned>> transposedWord(const LinearLayout &offsets,
                                                    const SharedGeometry &geometry) {
  if (geometry.elementBytes != kRowBytes >> kRowBits || offsets.reg().empty())
    return std::nullopt;
  const std::vector<Bits> &lane = offsets.lane();
  std::vector<Bits> rotated(lane.begin() + kWordLanes, lane.end());
  rotated.insert(rotated.end(), lane.begin(), lane.begin() + kWordLanes);
  LinearLayout row({int64_t(1) << kRowBits}, {}, gf2::unitVectors(kRowBits), {});
  if (!quotient({offsets.shape(), offsets.reg(), rotated, offsets.warp()}, row))
    return std::nullopt;
  return std::vector<unsigned>{0};
}

} // namespace

unsigned vectorOffsetBits(const LinearLayout &layout, const MemoryLayout &memory,
                          unsigned elementBytes) {
  return widestVector(SharedGeometry(elementBytes), inOffsets(layout, memory));
}

VectorAccess vectorAccess(const LinearLayout &layout, const MemoryLayout &memory,
                          unsigned elementBytes, unsigned registerBits) {
  SharedGeometry geometry(elementBytes);
  LinearLayout offsets = inOffsets(layout, memory);
  unsigned vector = widestVector(geometry, offsets, registerBits);
  VectorAccess access;
  access.vector = 1u << vector;
  access.order =
      accessOrder(layout, memory.columns, gf2::inverse(memory.columns).value_or(Space()), vector);
  access.conflicts = vectorConflicts(geometry, offsets, vector);
  return access;
}

unsigned copyBits(const LinearLayout &layout, const MemoryLayout &memory,
                  const std::vector<unsigned> &vectorBits, unsigned elementBytes) {
  SharedGeometry geometry(elementBytes);
  LinearLayout offsets = inOffsets(layout, memory);
  unsigned bits = 0;
  for (; bits < std::min<size_t>(vectorBits.size(), geometry.maxVector); ++bits) {
    Bits bit = Bits(1) << bits;
    std::vector<Bits> others = offsets.reg();
    others.erase(others.begin() + vectorBits[bits]);
    if (offsets.reg()[vectorBits[bits]] != bit || reaches(others, bit) ||
        reaches(offsets.lane(), bit) || reaches(offsets.warp(), bit))
      break;
  }
  return bits;
}

unsigned copyConflicts(const LinearLayout &layout, const MemoryLayout &memory, unsigned bits,
                       unsigned elementBytes) {
  return vectorConflicts(SharedGeometry(elementBytes), inOffsets(layout, memory), bits);
}

unsigned MatrixAccess::member(unsigned first, unsigned matrix, unsigned part) const {
  for (unsigned bit = 0; bit < wordBits.size(); ++bit)
    first |= (part >> bit & 1) << wordBits[bit];
  for (unsigned bit = 0; bit < matrixBits.size(); ++bit)
    first |= (matrix >> bit & 1) << matrixBits[bit];
  return first;
}

std::vector<unsigned> MatrixAccess::firsts(unsigned registers) const {
  unsigned inside = member(0, matrices() - 1, (1u << wordBits.size()) - 1);
  std::vector<unsigned> result;
  for (unsigned reg = 0; reg < registers; ++reg)
    if ((reg & inside) == 0)
      result.push_back(reg);
  return result;
}

std::optional<MatrixAccess> matrixAccess(const LinearLayout &layout, const MemoryLayout &memory,
                                         unsigned elementBytes, unsigned registerBits) {
  if (elementBytes > kWordBytes)
    return std::nullopt;
  registerBits = std::min<size_t>(registerBits, layout.reg().size());
  SharedGeometry geometry(elementBytes);
  LinearLayout offsets = inOffsets(layout, memory);
  MatrixAccess access;
  const std::vector<Bits> &lane = offsets.lane();
  Space rows;
  if (auto plain = plainWord(offsets, geometry)) {
    access.wordBits = *plain;
    rows.assign(lane.begin() + kWordLanes, lane.end());
  } else if (auto transposed = transposedWord(offsets, geometry)) {
    access.transposed = true;
    access.wordBits = *transposed;
    rows = {offsets.reg()[transposed->front()], lane[0], lane[1]};
  } else {
    return std::nullopt;
  }
  for (unsigned bit : access.wordBits)
    if (bit >= registerBits)
      return std::nullopt;
  access.conflicts =
      conflictsOf(geometry, gf2::unitVectors(geometry.maxVector) + rows, offsets.elementBits());
  for (unsigned bit = 0; bit < registerBits; ++bit)
    if (access.matrixBits.size() < kMaxMatrixBits &&
        std::find(access.wordBits.begin(), access.wordBits.end(), bit) == access.wordBits.end()) {
      access.matrixBits.push_back(bit);
      rows.push_back(offsets.reg()[bit]);
    }
  rows.resize(kLaneBits, 0);
  access.rowColumns = rows + offsets.warp();
  if (access.registers() <= 1u << widestVector(geometry, offsets, registerBits))
    return std::nullopt;
  return access;
}

/// Cycles of plain accesses: wavefronts, and one address operation an access.
static double vectorCost(const LinearLayout &layout, const MemoryLayout &memory,
                         unsigned elementBytes, bool ownerOnly) {
  SharedGeometry geometry(elementBytes);
  LinearLayout offsets = inOffsets(layout, memory);
  unsigned vector = widestVector(geometry, offsets);
  double groups = 1;
  for (unsigned lane = geometry.groupLanes(vector); lane < kLaneBits; ++lane)
    groups *= ownerOnly && layout.lane()[lane] == 0 ? 1 : 2;
  return double(layout.registers() >> vector) *
         (groups * vectorConflicts(geometry, offsets, vector) * cost::kSharedWavefront +
          cost::kRegisterOp);
}

double writeCost(const LinearLayout &layout, const MemoryLayout &memory, unsigned elementBytes) {
  return vectorCost(layout, memory, elementBytes, /*ownerOnly=*/true);
}

double readCost(const LinearLayout &layout, const MemoryLayout &memory, unsigned elementBytes) {
  if (std::optional<MatrixAccess> access = matrixAccess(layout, memory, elementBytes))
    return double(layout.registers()) / access->registers() *
           (access->matrices() * access->conflicts * cost::kSharedWavefront + cost::kRegisterOp);
  return vectorCost(layout, memory, elementBytes, /*ownerOnly=*/false);
}

} // namespace tilec
