// Contracts: the clauses of a kernel as expressions over launch arguments, checked once a kernel,
// and the promises they make to the compiler in each variant.
#pragma once

#include "compiler/sema/evaluator.h"

namespace tilec::sema {

/// Fills `contract.requires_`, `specialize` and `grid` from the clauses. `contract.params` and
/// `constParams` are there already. Errors are reported.
void buildContracts(Session &session, const ast::Kernel &kernel, KernelContract &contract);

/// Source text as one line: comments dropped, runs of blanks made one.
std::string normalizedText(llvm::StringRef text);

/// Emits what `clause` promises about the kernel's arguments as tile.assume and
/// tile.assume_aligned. `parameters` are the kernel's, parallel to the contract's; `constants` are
/// the variant's values by name. What cannot be said exactly is left out: a promise may be dropped,
/// never invented.
void emitPromises(Evaluator &evaluator, const ContractExpr &clause,
                  const std::vector<Value> &parameters,
                  const std::map<std::string, Value> &constants, SourceRange range);

/// The longest dimension of a view that the launcher accepts: sums of an extent and a start that is
/// no further out do not wrap.
inline constexpr int64_t kMaxExtent = int64_t(1) << 62;
/// Emits what the launcher checks of every view: no extent is negative or above the limit.
void emitExtentPromises(Evaluator &evaluator, const View &view, SourceRange range);

} // namespace tilec::sema
