// Contract expressions of one variant: const params as the numbers they are, and what follows.
#pragma once

#include "compiler/package/contract.h"
#include "compiler/sema/value.h"

namespace tilec::sema {

/// `expr` with the const params' values in place of their names and integer and bool operations on
/// literals computed, so that `DENSE == 2 || x.stride(1) == 1` is `x.stride(1) == 1` in the
/// variants where DENSE is not 2. What would fail at launch (overflow, division by zero) stays as
/// it is.
ContractExpr foldContract(const ContractExpr &expr, const std::map<std::string, Value> &constants);

/// True or false when the folded `expr` is that for every launch.
std::optional<bool> knownCondition(const ContractExpr &expr);

} // namespace tilec::sema
