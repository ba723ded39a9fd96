// Windows of views: `x[i, k0 +: BK]`, the place that a load reads or a store writes.
#pragma once

#include "compiler/sema/value.h"

namespace tilec::sema {

struct BoundCall;
class Evaluator;

/// One index or one `start +: length` for each dimension of `view`.
struct Window {
  std::shared_ptr<const View> view;
  llvm::SmallVector<mlir::Value> starts; ///< i64, computed without wrapping
  llvm::SmallVector<int64_t> lengths;    ///< 0: an index, a dimension that is dropped
  Shape shape;                           ///< of what is loaded or stored
};

/// `load(x[...], ...)` and `store(x[...], ...)`, whose first argument is a window.
Value loadWindow(Evaluator &evaluator, const BoundCall &call, tile::CacheModifier cache,
                 tile::EvictionPolicy evict);
Value storeWindow(Evaluator &evaluator, const BoundCall &call, tile::CacheModifier cache,
                  tile::EvictionPolicy evict);

} // namespace tilec::sema
