// Layouts for tests: random ones by a seed, and all of a few element bits.
#pragma once

#include "compiler/layout/linear_layout.h"

#include <random>

namespace tilec::test {

using Random = std::mt19937;

/// A number below `bound`; the same on every platform.
unsigned below(Random &random, unsigned bound);

/// A random shape of `bits` element bits and up to 5 dims, some of size 1.
std::vector<int64_t> randomShape(Random &random, unsigned bits);

/// A random layout of `shape`, with random replication. `mixed`: columns are sums of element bits;
/// otherwise single bits.
LinearLayout randomLayout(Random &random, const std::vector<int64_t> &shape, unsigned warpBits,
                          bool mixed);

/// Every layout of a 1-D tile of `bits` element bits whose lane columns 2..4 are zero, with one
/// warp bit.
std::vector<LinearLayout> allLayouts(unsigned bits);

} // namespace tilec::test
