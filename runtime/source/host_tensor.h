// Boxes of views: what the tensor-copy engine moves on a GPU (cp.async.bulk.tensor of PTX, tiled
// mode, global to shared memory), done on the host.
//
// A box lies in shared memory without gaps, innermost axis first. Elements outside the view are
// zeros. A swizzle then exchanges chunks of 16 bytes by the address bits of their place in shared
// memory, so that a column of a box is spread over the banks:
//
//     128 bytes: bits 4-6 ^= bits 7-9     64: bits 4-5 ^= bits 7-8     32: bit 4 ^= bit 7
#pragma once

#include "tilert/tilert.h"

#include <cstddef>
#include <cstdint>

namespace tilert {

/// What a box's place in shared memory is a multiple of.
constexpr size_t kBoxAlignment = 128;
constexpr unsigned char kPoison = 0xA5;

struct TensorCopy {
  const tilert_host_tensor_map *map;
  std::byte *shared; ///< the program's shared memory
  size_t offset;     ///< of the box in it
  int32_t at[5];     ///< coordinates of the box's first element
  unsigned mbarrier; ///< index, in the crew's table
  unsigned thread;   ///< who issued it
  bool landed = false;
  uint32_t phase = 0; ///< of the mbarrier, once landed
};

uint64_t boxBytes(const tilert_host_tensor_map &map);
/// Bytes from the box's place on that a copy may write: a swizzle exchanges whole rows of its
/// width.
uint64_t boxSpan(const tilert_host_tensor_map &map);
/// Reads the view, writes the box.
void land(const TensorCopy &copy);
/// Fills the box with what nobody should read.
void poison(const TensorCopy &copy);

} // namespace tilert
