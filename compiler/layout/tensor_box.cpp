#include "compiler/layout/tensor_box.h"

#include <algorithm>
#include <bit>

namespace tilec {

/// log2 of the elements of a box along one axis, at most (CUDA driver API, cuTensorMapEncodeTiled).
static constexpr unsigned kMaxBoxBits = 8;
/// Boxes of one window, at most: each is an instruction.
static constexpr unsigned kMaxBoxes = 32;
/// What a row of a box is a multiple of, and the start of a box; in bytes.
static constexpr unsigned kChunkBytes = 16, kBoxAlignment = 128;
/// Rows of a swizzle's pattern take 8 times its bytes.
static constexpr unsigned kPatternRows = 8;
/// The address bits of a chunk's number, and those that are added to it.
static constexpr unsigned kChunkBit = 4, kRowBit = 7;

unsigned TensorBox::elementBits() const {
  unsigned sum = 0;
  for (unsigned axis : bits)
    sum += axis;
  return sum;
}

std::vector<TensorBox> possibleBoxes(const std::vector<BoxAxis> &axes, unsigned elementBytes) {
  std::vector<TensorBox> found;
  unsigned windowBits = 0;
  for (const BoxAxis &axis : axes)
    windowBits += axis.bits;
  for (unsigned swizzle : {128u, 64u, 32u, 0u}) {
    TensorBox box{{}, swizzle};
    for (const BoxAxis &axis : axes)
      box.bits.push_back(std::min(axis.bits, kMaxBoxBits));
    if (swizzle != 0)
      box.bits[0] = std::min(box.bits[0], unsigned(std::countr_zero(swizzle / elementBytes)));
    unsigned rowBytes = elementBytes << box.bits[0];
    bool fillsRow = swizzle == 0 ? rowBytes >= kChunkBytes : rowBytes == swizzle;
    unsigned needed = std::max(kBoxAlignment, swizzle * kPatternRows);
    if (fillsRow && elementBytes << box.elementBits() >= needed &&
        windowBits - box.elementBits() <= unsigned(std::countr_zero(kMaxBoxes)))
      found.push_back(box);
  }
  return found;
}

MemoryLayout boxMemory(const std::vector<BoxAxis> &axes, const TensorBox &box,
                       unsigned elementBytes) {
  MemoryLayout memory;
  auto add = [&](const BoxAxis &axis, unsigned first, unsigned end) {
    for (unsigned bit = first; bit < end; ++bit)
      memory.columns.push_back(Bits(1) << (axis.shift + bit));
  };
  for (size_t axis = 0; axis < axes.size(); ++axis)
    add(axes[axis], 0, box.bits[axis]);
  for (size_t axis = 0; axis < axes.size(); ++axis)
    add(axes[axis], box.bits[axis], axes[axis].bits);
  // An element whose unswizzled address has bit 7 + i lies at that address with bit 4 + i changed:
  // so at the address of bit 7 + i alone lies the one that has both.
  auto element = unsigned(std::countr_zero(elementBytes));
  unsigned chunks = box.swizzle / kChunkBytes;
  for (unsigned bit = 0; 1u << bit < chunks; ++bit)
    memory.columns[kRowBit + bit - element] ^= memory.columns[kChunkBit + bit - element];
  return memory;
}

unsigned boxCount(const std::vector<BoxAxis> &axes, const TensorBox &box) {
  unsigned bits = 0;
  for (const BoxAxis &axis : axes)
    bits += axis.bits;
  return 1u << (bits - box.elementBits());
}

std::vector<unsigned> boxStart(const std::vector<BoxAxis> &axes, const TensorBox &box,
                               unsigned number) {
  std::vector<unsigned> start;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    unsigned bits = axes[axis].bits - box.bits[axis];
    start.push_back((number & ((1u << bits) - 1)) << box.bits[axis]);
    number >>= bits;
  }
  return start;
}

} // namespace tilec
