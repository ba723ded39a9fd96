// Boxes of the tensor-copy engine, and where they put the elements of a slot.
//
// The engine (TMA; PTX ISA, "Tensors" and "Swizzling modes") copies a box of a strided array into
// shared memory: densely, the innermost axis first, and then with 16-byte chunks exchanged by bits
// of their address:
//
//      swizzle 128:  address bits 4..6  ^=  bits 7..9     rows of 128 bytes, a pattern of 8 rows
//               64:  address bits 4..5  ^=  bits 7..8     rows of 64 bytes
//               32:  address bit  4     ^=  bit  7        rows of 32 bytes
//
// All of it is linear over F2, so a slot filled by boxes has a MemoryLayout like any other. A row
// is no longer than the swizzle and no axis of a box longer than 256: larger windows take several
// boxes, which lie behind each other.
//
//      offset bits:  | innermost axis, a row | next axis | .. | which box |
#pragma once

#include "compiler/layout/conversion.h"

namespace tilec {

/// One axis of a window, in the order of a tensor map: innermost first. The index along it is
/// element bits [shift, shift + bits).
struct BoxAxis {
  unsigned shift = 0, bits = 0;
};

/// How a window is taken apart into boxes of equal shape.
struct TensorBox {
  std::vector<unsigned> bits; ///< log2 of the elements along each axis
  unsigned swizzle = 0;       ///< in bytes: 0 (none), 32, 64, 128
  bool operator==(const TensorBox &) const = default;

  /// log2 of the elements of a box.
  unsigned elementBits() const;
};

/// The boxes that the engine can copy such windows by, the best for rows first; none when there
/// is no way, or too many boxes would be needed. `elementBytes`: 1, 2, 4 or 8.
std::vector<TensorBox> possibleBoxes(const std::vector<BoxAxis> &axes, unsigned elementBytes);

/// Where the elements of a slot lie that is filled by such boxes, box 0 first.
MemoryLayout boxMemory(const std::vector<BoxAxis> &axes, const TensorBox &box,
                       unsigned elementBytes);

/// How many boxes a window takes.
unsigned boxCount(const std::vector<BoxAxis> &axes, const TensorBox &box);
/// Where box number `number` starts along each axis, in elements from the window's start.
std::vector<unsigned> boxStart(const std::vector<BoxAxis> &axes, const TensorBox &box,
                               unsigned number);

} // namespace tilec
