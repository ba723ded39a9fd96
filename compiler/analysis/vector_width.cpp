// The widest vector of an access, and in words what keeps it from being wider.
#include "compiler/analysis/facts_lattice.h"
#include "compiler/analysis/limiting_argument.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace mlir;
using namespace tilec;
using namespace tilec::facts;

static std::string elements(int64_t count) {
  return count == 1 ? "1 element" : std::to_string(count) + " elements";
}

/// "; `n_cols` is not known to be a multiple of 4: add `specialize n_cols % 4 == 0`", or nothing.
static std::string advice(const std::optional<LimitingArgument> &argument) {
  if (!argument)
    return "";
  std::string count = std::to_string(argument->needed);
  std::string wanted = argument->equal       ? "to be " + count
                       : argument->isPointer ? "to be aligned to " + count + " bytes"
                                             : "to be a multiple of " + count;
  return ": `" + argument->name + "` is not known " + wanted + ": add `" + argument->clause() + "`";
}

unsigned tilec::vectorWidth(const FactAnalysis &facts, Value ptr, Value mask, unsigned dim,
                            unsigned maxBytes, std::string *reason) {
  auto explain = [&](const std::string &text) {
    if (reason)
      *reason = text;
  };
  explain("");
  auto tile = dyn_cast<RankedTensorType>(ptr.getType());
  if (!tile || dim >= tile.getRank()) {
    explain("a scalar access moves 1 element");
    return 1;
  }
  int64_t bytes = stepSize(tile);
  int64_t wanted = std::max<int64_t>(1, llvm::bit_floor(maxBytes) / bytes);
  int64_t size = longestRuns(tile)[dim];
  const ValueFacts &pointer = facts.of(ptr);
  int64_t contiguous = pointer.contiguity[dim];
  int64_t aligned = std::max<int64_t>(1, pointer.divisibility[dim] / bytes);
  int64_t masked = mask ? Operand(facts.of(mask), mask.getType()).constancy(dim) : size;
  int64_t width = std::min({wanted, size, contiguous, aligned, masked});
  if (width == wanted || !reason)
    return width;

  std::string along = " along dimension " + std::to_string(dim);
  int64_t run = std::min(wanted, size); // what the named cause should allow
  if (width == size)
    explain("the tile has only " + elements(size) + along);
  else if (width == contiguous)
    explain((width == 1 ? "the addresses" + along + " are not known to be consecutive"
                        : "the addresses" + along +
                              " are known to be consecutive only in runs of " + elements(width)) +
            advice(limitingStride(facts, ptr, dim, run)));
  else if (width == aligned)
    explain("the addresses are known to be aligned only to " +
            std::to_string(pointer.divisibility[dim]) + " of " + std::to_string(run * bytes) +
            " bytes" + advice(limitingDivisor(facts, ptr, dim, run, run * bytes)));
  else
    explain((width == 1 ? "the mask may change at every element" + along
                        : "the mask is known to be the same only over runs of " + elements(width) +
                              along) +
            advice(limitingBound(facts, mask, dim, run)));
  return width;
}
