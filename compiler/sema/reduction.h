// Reductions as operations: one axis or all, results kept as dimensions of size 1 or dropped.
#pragma once

#include "compiler/sema/evaluator.h"

namespace tilec::sema {

/// Combines the left and right elements of each source to one element each; errors give nothing.
using Combine = llvm::function_ref<std::optional<std::vector<RuntimeValue>>(
    const std::vector<RuntimeValue> &left, const std::vector<RuntimeValue> &right)>;

/// Reduces `sources` (tiles of one shape, or scalars) along `axis`, all axes without one, in
/// row-major order. Nothing after an error.
std::optional<std::vector<RuntimeValue>> reduce(Evaluator &evaluator,
                                                std::vector<RuntimeValue> sources,
                                                std::optional<int64_t> axis, bool keepDims,
                                                SourceRange range, Combine combine);

} // namespace tilec::sema
