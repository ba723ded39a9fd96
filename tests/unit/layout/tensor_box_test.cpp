// Boxes of the tensor-copy engine against a model of the engine that moves one element at a time.
// Alone: unit_layout --test-case='boxes*'
#include "compiler/layout/gf2.h"
#include "compiler/layout/tensor_box.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>

using namespace tilec;

namespace {

/// A window of a view: axes innermost first, their lengths, the size of an element.
struct Window {
  std::vector<BoxAxis> axes;
  unsigned elementBytes = 1;

  unsigned length(size_t axis) const { return 1u << axes[axis].bits; }
  unsigned elements() const {
    unsigned count = 1;
    for (size_t axis = 0; axis < axes.size(); ++axis)
      count *= length(axis);
    return count;
  }
  std::string text() const {
    std::string text = std::to_string(elementBytes) + " bytes";
    for (const BoxAxis &axis : axes)
      text += ", " + std::to_string(axis.bits) + " << " + std::to_string(axis.shift);
    return text;
  }
};

/// Calls `check` for windows of `rank` axes whose bits are among `sizes`, up to `maxBits` in all,
/// whose elements are numbered in every order of the axes.
void forEachWindow(unsigned rank, const std::vector<unsigned> &sizes, unsigned maxBits,
                   const std::function<void(const Window &)> &check) {
  size_t count = 1;
  for (unsigned axis = 0; axis < rank; ++axis)
    count *= sizes.size();
  for (size_t number = 0; number < count; ++number) {
    std::vector<unsigned> bits, order(rank);
    for (size_t rest = number; bits.size() < rank; rest /= sizes.size())
      bits.push_back(sizes[rest % sizes.size()]);
    if (std::accumulate(bits.begin(), bits.end(), 0u) > maxBits)
      continue;
    std::iota(order.begin(), order.end(), 0u);
    do {
      Window window{std::vector<BoxAxis>(rank)};
      unsigned shift = 0;
      for (unsigned axis : order) {
        window.axes[axis] = {shift, bits[axis]};
        shift += bits[axis];
      }
      for (unsigned bytes : {1, 2, 4, 8}) {
        window.elementBytes = bytes;
        check(window);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

const std::vector<unsigned> kAllSizes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
const std::vector<unsigned> kSomeSizes = {0, 1, 3, 4, 6, 9};

void forEachWindow(const std::function<void(const Window &)> &check) {
  forEachWindow(1, kAllSizes, 10, check);
  forEachWindow(2, kAllSizes, 12, check);
  forEachWindow(3, kSomeSizes, 12, check);
}

/// What the engine does to an address in shared memory: chunks of 16 bytes are exchanged by the
/// number of their group of 128 bytes (PTX ISA, "Swizzling modes").
unsigned swizzled(unsigned address, unsigned swizzle) {
  unsigned group = address / 128;
  switch (swizzle) {
  case 128:
    return address ^ group % 8 * 16;
  case 64:
    return address ^ group % 4 * 16;
  case 32:
    return address ^ group % 2 * 16;
  default:
    return address;
  }
}

/// The engine copying box after box: calls `put` with every element's number and its address.
void copyBoxes(const Window &window, const TensorBox &box,
               const std::function<void(unsigned, unsigned)> &put) {
  unsigned address = 0;
  for (unsigned number = 0; number < boxCount(window.axes, box); ++number) {
    const std::vector<unsigned> start = boxStart(window.axes, box, number);
    std::vector<unsigned> at(window.axes.size(), 0);
    for (bool more = true; more; address += window.elementBytes) {
      unsigned element = 0;
      for (size_t axis = 0; axis < at.size(); ++axis)
        element += (start[axis] + at[axis]) << window.axes[axis].shift;
      put(element, swizzled(address, box.swizzle));
      more = false;
      for (size_t axis = 0; axis < at.size() && !more; ++axis) {
        more = ++at[axis] < 1u << box.bits[axis];
        at[axis] = more ? at[axis] : 0;
      }
    }
  }
}

/// Whether a window can be taken apart into boxes with this swizzle, told by their sizes in bytes.
bool canBeBoxed(const Window &window, unsigned swizzle) {
  unsigned row = std::min(window.length(0), 256u) * window.elementBytes;
  if (row < (swizzle ? swizzle : 16))
    return false;
  unsigned box = swizzle ? swizzle : row;
  for (size_t axis = 1; axis < window.axes.size(); ++axis)
    box *= std::min(window.length(axis), 256u);
  return box >= std::max(128u, 8 * swizzle) && window.elements() * window.elementBytes / box <= 32;
}

} // namespace

TEST_CASE("boxes put every element where the engine does") {
  size_t boxes = 0;
  forEachWindow([&](const Window &window) {
    for (const TensorBox &box : possibleBoxes(window.axes, window.elementBytes)) {
      const MemoryLayout memory = boxMemory(window.axes, box, window.elementBytes);
      unsigned wrong = 0;
      copyBoxes(window, box, [&](unsigned element, unsigned address) {
        wrong += gf2::apply(memory.columns, Bits(address / window.elementBytes)) != Bits(element);
      });
      if (wrong != 0) // one assertion an element would take minutes
        FAIL_CHECK(window.text() << ", swizzle " << box.swizzle << ": " << wrong << " elements");
      ++boxes;
    }
  });
  CHECK(boxes > 4000);
}

TEST_CASE("boxes: of a window hold each of its elements once") {
  forEachWindow([&](const Window &window) {
    for (const TensorBox &box : possibleBoxes(window.axes, window.elementBytes)) {
      std::vector<bool> copied(window.elements(), false);
      unsigned twice = 0;
      copyBoxes(window, box, [&](unsigned element, unsigned) {
        twice += copied.at(element);
        copied[element] = true;
      });
      if (twice != 0 || std::count(copied.begin(), copied.end(), false) != 0)
        FAIL_CHECK(window.text() << ", swizzle " << box.swizzle);
    }
  });
}

TEST_CASE("boxes obey the limits of the engine") {
  forEachWindow([&](const Window &window) {
    for (const TensorBox &box : possibleBoxes(window.axes, window.elementBytes)) {
      const unsigned row = window.elementBytes << box.bits[0];
      const unsigned bytes = window.elementBytes << box.elementBits();
      const unsigned count = boxCount(window.axes, box);
      bool isRight = box.bits.size() == window.axes.size() && count <= 32;
      for (size_t axis = 0; axis < box.bits.size(); ++axis)
        isRight &= box.bits[axis] <= std::min(8u, window.axes[axis].bits);
      isRight &= box.swizzle ? row == box.swizzle : row % 16 == 0;
      // Where the second box begins the pattern of the swizzle does, too.
      isRight &= bytes % 128 == 0 && bytes % std::max(1u, 8 * box.swizzle) == 0;
      isRight &= count * bytes == window.elements() * window.elementBytes;
      if (!isRight)
        FAIL_CHECK(window.text() << ", swizzle " << box.swizzle);
    }
  });
}

TEST_CASE("boxes: none is missing, and none is made of a window that is too narrow or too large") {
  size_t without = 0;
  forEachWindow([&](const Window &window) {
    std::vector<unsigned> want, got;
    for (unsigned swizzle : {128u, 64u, 32u, 0u})
      if (canBeBoxed(window, swizzle))
        want.push_back(swizzle);
    for (const TensorBox &box : possibleBoxes(window.axes, window.elementBytes))
      got.push_back(box.swizzle);
    without += got.empty();
    if (got != want)
      FAIL_CHECK(window.text() << ": " << got.size() << " ways, not " << want.size());
  });
  CHECK(without > 1000);
}

TEST_CASE("boxes: of 64 x 64 halves, dense along the columns") {
  const std::vector<BoxAxis> axes = {{0, 6}, {6, 6}};
  const std::vector<TensorBox> boxes = possibleBoxes(axes, 2);
  REQUIRE(boxes.size() == 4);
  CHECK(boxes[0] == TensorBox{{6, 6}, 128});
  CHECK(boxes[1] == TensorBox{{5, 6}, 64});
  CHECK(boxes[3] == TensorBox{{6, 6}, 0});
  // Row 1 of 128 bytes: its first chunk is exchanged with its second.
  CHECK(boxMemory(axes, boxes[0], 2).offset(64) == 64 + 8);
  CHECK(boxCount(axes, boxes[1]) == 2);
  CHECK(boxStart(axes, boxes[1], 1) == std::vector<unsigned>{32, 0});
}

TEST_CASE("boxes: windows longer than 256 take several, windows of a few bytes none") {
  const std::vector<BoxAxis> wide = {{0, 10}, {10, 2}};
  const std::vector<TensorBox> boxes = possibleBoxes(wide, 1);
  REQUIRE(!boxes.empty());
  CHECK(boxes.back() == TensorBox{{8, 2}, 0});
  CHECK(boxCount(wide, boxes.back()) == 4);
  CHECK(boxStart(wide, boxes.back(), 3) == std::vector<unsigned>{768, 0});
  CHECK(possibleBoxes({{0, 2}, {2, 6}}, 2).empty());   // rows of 8 bytes
  CHECK(possibleBoxes({{0, 3}, {3, 2}}, 2).empty());   // 64 bytes in all
  CHECK(possibleBoxes({{0, 3}, {3, 14}}, 2).empty());  // 64 boxes
  CHECK(!possibleBoxes({{0, 3}, {3, 13}}, 2).empty()); // 32
}
