// The two ways of conversion that planConversion chooses from; private to this folder.
#pragma once

#include "compiler/layout/conversion.h"

namespace tilec {

/// A plan of kind Registers or Shuffle, or nothing when data has to cross warps.
std::optional<ConversionPlan> planExchange(const LinearLayout &from, const LinearLayout &to,
                                           unsigned elementBytes);

/// A plan of kind Shared.
ConversionPlan planShared(const LinearLayout &from, const LinearLayout &to, unsigned elementBytes);

} // namespace tilec
