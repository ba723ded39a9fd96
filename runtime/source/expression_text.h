// Contract expressions for people: source text again, and the values of what they mention.
#pragma once

#include "manifest.h"

#include <string>

namespace tilert {

/// "n_cols <= BLOCK"
std::string expressionText(const Expression &expression, const KernelTable &kernel);

/// "src is at 0x7f0000000004, aligned to 4"
std::string addressText(const KernelTable &kernel, uint32_t parameter, const LaunchValues &values);

/// "n_cols = 20000, src is at 0x7f0000000004, aligned to 4": the arguments that `expression`
/// mentions, once each; empty when it mentions none.
std::string argumentValuesText(const Expression &expression, const KernelTable &kernel,
                               const LaunchValues &values);

/// How a condition depends on a const param: with Larger, a larger value can only help it hold.
enum class Helps : uint8_t { Nothing, Larger, Smaller, Unclear };
Helps whatHelps(const Expression &condition, uint32_t constParam);

/// "128", "0.5", "true", "f16"
std::string constValueText(const ConstValue &value);

} // namespace tilert
