// Transfer functions: the facts of an operation's results from the facts of its operands.
//
// Structured control flow is the solver's; everything else is here. Arithmetic wraps as two's
// complement; division by zero, shifts by the width and overflow of an `nsw` operation promise that
// they do not happen, so facts need not hold then.
#pragma once

#include "compiler/analysis/facts_lattice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec::facts {

/// Looks up the facts of an operand; valid until the caller stores the next.
using Lookup = llvm::function_ref<const ValueFacts &(mlir::Value)>;

/// Facts of every result of `op`, in order. Never fails: what is not understood is pessimistic.
std::vector<ValueFacts> transfer(mlir::Operation *op, Lookup lookup);

/// The elementwise part: `op` has one result and the trait Elementwise and no effects.
ValueFacts transferElementwise(mlir::Operation *op, llvm::ArrayRef<Operand> operands);

/// The predicate that holds of (b, a) when `predicate` holds of (a, b).
mlir::arith::CmpIPredicate swapped(mlir::arith::CmpIPredicate predicate);

/// Facts of the elements of an arith.constant.
ValueFacts constantFacts(mlir::Attribute value, mlir::Type type);

} // namespace tilec::facts
