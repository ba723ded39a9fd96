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
                  const std::vector<RuntimeValue> &parameters,
                  const std::map<std::string, Value> &constants, SourceRange range);

} // namespace tilec::sema
