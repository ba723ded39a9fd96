// Executes a conversion plan over every thread of a program, as conversion.h describes it.
#pragma once

#include "compiler/layout/conversion.h"

namespace tilec::test {

/// Runs `plan` on registers that hold their element numbers. Empty when afterwards every register
/// of every thread (replicated ones too) holds the element `to` says; else what went wrong.
std::string simulate(const ConversionPlan &plan, const LinearLayout &from, const LinearLayout &to,
                     unsigned elementBytes);

/// Wavefronts above the least possible that the worst access takes, by listing the words and banks
/// of every access of every warp: 1 is none.
unsigned countConflicts(const ConversionPlan &plan, const LinearLayout &layout, bool isStore,
                        unsigned elementBytes);

} // namespace tilec::test
