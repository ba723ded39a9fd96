// Promises of the program about its scalars: tile.assume and tile.assume_aligned, decoded.
//
// A promise refines a value wherever it is used, also before the promise stands, so it counts only
// when it is met whenever the value exists: it must stand in the very block that defines the value.
// (For arguments and everything computed from them at the top level that is the entry block.)
#pragma once

#include "compiler/analysis/facts_lattice.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec::facts {

/// What is promised of one scalar.
struct Promise {
  IntegerRange range;
  int64_t divisibility = 1; ///< a power of two; bytes for a pointer
  bool operator==(const Promise &) const = default;
};
using Promises = llvm::DenseMap<mlir::Value, Promise>;

/// Facts already known, for the other side of a comparison; null when nothing is.
using Known = llvm::function_ref<const ValueFacts *(mlir::Value)>;

/// The promises of `function`, given what is known so far. Bounds that are themselves refined by
/// promises need another round.
Promises collectPromises(mlir::Operation *function, Known known);

/// Facts of a value that keeps `promise` too. A promise that contradicts them is dropped: such code
/// never runs.
void refine(ValueFacts &facts, const Promise &promise, mlir::Type type);

} // namespace tilec::facts
