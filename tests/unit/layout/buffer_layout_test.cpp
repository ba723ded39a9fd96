// Memory layouts of buffers and the accesses found by division, executed over every thread.
// Alone: unit_layout --test-case='buffer*'
#include "compiler/layout/buffer_layout.h"
#include "compiler/layout/shared_access.h"
#include "random_layouts.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace tilec;
using namespace tilec::test;

namespace {

constexpr unsigned kF16 = 2;

unsigned log2Size(int64_t size) {
  unsigned bits = 0;
  while (int64_t(1) << bits < size)
    ++bits;
  return bits;
}

/// Operand fragments of mma.m16n8k16 (PTX ISA, "Matrix fragments for mma.m16n8k16") over a tile,
/// with `warps` along the dim that is not k: of a ([rows, k], 8 x 8 quarters rows-first) or of b
/// ([k, columns]).
LinearLayout operand(bool isA, int64_t outer, int64_t inner, unsigned warps) {
  unsigned kBits = log2Size(isA ? inner : outer), otherBits = log2Size(isA ? outer : inner);
  auto k = [&](unsigned bit) { return Bits(1) << (isA ? bit : bit + otherBits); };
  auto other = [&](unsigned bit) { return Bits(1) << (isA ? bit + kBits : bit); };
  std::vector<Bits> reg = {k(0)}, lane = {k(1), k(2), other(0), other(1), other(2)}, warp;
  unsigned next = 3;
  if (isA)
    reg.push_back(other(next++));
  for (unsigned bit = 3; bit < kBits; ++bit)
    reg.push_back(k(bit));
  for (unsigned i = 1; i < warps; i *= 2)
    warp.push_back(other(next++));
  warp.push_back(0); // and warps along the other operand
  for (; next < otherBits; ++next)
    reg.push_back(other(next));
  return {{outer, inner}, reg, lane, warp};
}

BufferSide copyOf(const std::vector<int64_t> &shape, unsigned warps) {
  return {BufferSide::Kind::Copy, blockedLayout(shape, {1, 0}, 16 / kF16, warps), {0, 1, 2}};
}

std::vector<Bits> offsetsOfElements(const MemoryLayout &memory, int64_t elements) {
  std::vector<Bits> offsets(elements);
  for (Bits offset = 0; offset < elements; ++offset)
    offsets.at(gf2::apply(memory.columns, offset)) = offset;
  return offsets;
}

/// Wavefronts that the accesses of `bytes` at these addresses take, when `group` of them go
/// together and each group could take one: the worst group.
unsigned worstWavefronts(const std::vector<unsigned> &addresses, unsigned bytes, unsigned group) {
  unsigned worst = 1;
  for (size_t first = 0; first < addresses.size(); first += group) {
    std::map<unsigned, std::set<unsigned>> wordsOfBank;
    for (size_t i = first; i < first + group; ++i)
      for (unsigned word = addresses[i] / 4; word <= (addresses[i] + bytes - 1) / 4; ++word)
        wordsOfBank[word % 32].insert(word);
    for (const auto &[bank, words] : wordsOfBank)
      worst = std::max<unsigned>(worst, words.size());
  }
  return worst;
}

/// Reads a tile by ldmatrix as the PTX ISA defines it; "" when every register gets its element.
std::string readByMatrices(const MatrixAccess &access, const LinearLayout &layout,
                           const MemoryLayout &memory, unsigned bytes) {
  std::vector<Bits> offsets = offsetsOfElements(memory, layout.elements());
  unsigned perRow = 16 / bytes, perWord = 4 / bytes;
  for (unsigned warp = 0; warp < layout.warps(); ++warp)
    for (unsigned first : access.firsts(layout.registers())) {
      std::vector<unsigned> rows;
      for (unsigned lane = 0; lane < 32; ++lane)
        rows.push_back(gf2::apply(access.rowColumns, lane | warp << 5) ^
                       offsets[layout.element(first, 0, 0)]);
      for (unsigned matrix = 0; matrix < access.matrices(); ++matrix) {
        std::vector<unsigned> addresses;
        for (unsigned row = 0; row < 8; ++row) {
          if (rows[8 * matrix + row] % perRow)
            return "a row is not aligned";
          addresses.push_back(rows[8 * matrix + row] * bytes);
        }
        if (worstWavefronts(addresses, 16, 8) != access.conflicts)
          return "conflicts are counted wrongly";
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned part = 0; part < perWord; ++part) {
            unsigned row = access.transposed ? lane % 4 * 2 + part : lane / 4;
            unsigned column = access.transposed ? lane / 4 : lane % 4 * perWord + part;
            Bits wanted = layout.element(access.member(first, matrix, part), lane, warp);
            if (gf2::apply(memory.columns, rows[8 * matrix + row] + column) != wanted)
              return "a register gets another element";
          }
      }
    }
  return "";
}

/// The vectors of a side, executed: "" when consecutive, aligned, and conflicts counted right.
std::string readByVectors(const VectorAccess &access, const LinearLayout &layout,
                          const MemoryLayout &memory, unsigned bytes) {
  std::vector<Bits> offsets = offsetsOfElements(memory, layout.elements());
  std::set<unsigned> seen;
  for (size_t group = 0; group < access.order.size(); group += access.vector) {
    std::vector<unsigned> addresses;
    for (unsigned lane = 0; lane < 32; ++lane) {
      Bits start = offsets[layout.element(access.order[group], lane, 0)];
      for (unsigned i = 0; i < access.vector; ++i)
        if (offsets[layout.element(access.order[group + i], lane, 0)] != start + i)
          return "not consecutive";
      if (start % access.vector)
        return "not aligned";
      addresses.push_back(start * bytes);
    }
    unsigned size = access.vector * bytes;
    if (worstWavefronts(addresses, size, std::min(32u, 128 / size)) > access.conflicts)
      return "conflicts are counted wrongly";
    seen.insert(access.order.begin() + group, access.order.begin() + group + access.vector);
  }
  return seen.size() == layout.registers() ? "" : "a register is missing";
}

/// A copied operand of f16 is copied by 16 bytes and read by four matrices at once, both without
/// conflicts.
void checkOperand(const LinearLayout &reader, unsigned warps, bool transposed) {
  std::vector<BufferSide> sides = {copyOf(reader.shape(), warps),
                                   {BufferSide::Kind::Load, reader, {}}};
  MemoryLayout memory = planBuffer(sides, kF16);
  INFO(reader.str());
  CHECK(gf2::rank(memory.columns) == reader.elementBits());
  CHECK(copyBits(sides[0].layout, memory, sides[0].vectorBits, kF16) == 3);
  CHECK(copyConflicts(sides[0].layout, memory, 3, kF16) == 1);
  std::optional<MatrixAccess> access = matrixAccess(reader, memory, kF16);
  REQUIRE(access);
  CHECK(access->transposed == transposed);
  CHECK(access->matrices() == 4);
  CHECK(access->conflicts == 1);
  CHECK(readByMatrices(*access, reader, memory, kF16) == "");
}

} // namespace

TEST_CASE("buffers of operand a are free of conflicts, read by ldmatrix") {
  for (auto [rows, k] : {std::pair(128, 32), {128, 64}, {64, 64}, {64, 32}, {256, 64}, {16, 16}})
    checkOperand(operand(true, rows, k, std::min(4, rows / 16)), 4, false);
}

TEST_CASE("buffers of operand a that is transposed in memory are read by ldmatrix.trans") {
  for (auto [rows, k] : {std::pair(128, 32), {128, 64}, {64, 64}, {64, 16}})
    checkOperand(operand(true, rows, k, 2).permuted({1, 0}), 4, true);
}

TEST_CASE("buffers of operand b, rows of columns in memory, are read by ldmatrix.trans") {
  for (auto [k, columns] : {std::pair(32, 128), {64, 128}, {64, 64}, {64, 256}})
    checkOperand(operand(false, k, columns, 2), 4, true);
}

TEST_CASE("buffers of operand b that is transposed in memory are read by ldmatrix") {
  for (auto [k, columns] : {std::pair(32, 128), {64, 128}, {64, 64}})
    checkOperand(operand(false, k, columns, 4).permuted({1, 0}), 4, false);
}

TEST_CASE("buffers that a and a transposed reader share serve both") {
  LinearLayout reader = operand(true, 64, 64, 2);
  std::vector<BufferSide> sides = {copyOf({64, 64}, 4),
                                   {BufferSide::Kind::Load, reader, {}},
                                   {BufferSide::Kind::Load, operand(false, 64, 64, 2), {}}};
  MemoryLayout memory = planBuffer(sides, kF16);
  for (unsigned side : {1u, 2u}) {
    std::optional<MatrixAccess> access = matrixAccess(sides[side].layout, memory, kF16);
    REQUIRE(access);
    CHECK(access->conflicts == 1);
    CHECK(readByMatrices(*access, sides[side].layout, memory, kF16) == "");
  }
}

TEST_CASE("buffers: conversions to operands of f16 load by ldmatrix, without conflicts") {
  for (const LinearLayout &reader : {operand(true, 64, 64, 4), operand(false, 64, 64, 4)}) {
    LinearLayout writer = blockedLayout({64, 64}, {1, 0}, 8, 8);
    ConversionPlan plan = planConversion(writer, reader, kF16);
    CHECK(plan.loadsMatrices);
    CHECK(plan.storeVector == 8);
    CHECK(plan.storeConflicts == 1);
    std::optional<MatrixAccess> access = matrixAccess(reader, plan.memory, kF16);
    REQUIRE(access);
    CHECK(access->conflicts == 1);
    CHECK(readByMatrices(*access, reader, plan.memory, kF16) == "");
  }
}

TEST_CASE(
    "buffers between random layouts: every access is right, and so is its count of conflicts") {
  Random random(11);
  for (int i = 0; i < 150; ++i) {
    std::vector<int64_t> shape = randomShape(random, below(random, 12));
    unsigned bytes = 1u << below(random, 4);
    LinearLayout writer = randomLayout(random, shape, 1, i % 2),
                 reader = randomLayout(random, shape, 1, i % 3 == 0);
    MemoryLayout memory = planBuffer(
        {{BufferSide::Kind::Store, writer, {}}, {BufferSide::Kind::Load, reader, {}}}, bytes);
    INFO(writer.str(), " -> ", reader.str(), " bytes ", bytes);
    REQUIRE(gf2::rank(memory.columns) == writer.elementBits());
    REQUIRE(memory.columns.size() == writer.elementBits());
    CHECK(readByVectors(vectorAccess(writer, memory, bytes), writer, memory, bytes) == "");
    CHECK(readByVectors(vectorAccess(reader, memory, bytes), reader, memory, bytes) == "");
    if (auto access = matrixAccess(reader, memory, bytes))
      CHECK(readByMatrices(*access, reader, memory, bytes) == "");
  }
}
