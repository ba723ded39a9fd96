// Variants: which values the const params of a kernel take, and what its compile-time clauses say
// for each.
#pragma once

#include "compiler/sema/evaluator.h"

namespace tilec::sema {

/// One assignment of the const params, in their order.
using VariantValues = std::vector<Value>;

/// All variants of `kernel` in dispatch order: the product of its `variants` and `select` lists
/// (the first list varies slowest), overridden by -D, filtered by the lists' conditions. Errors are
/// reported; the result is then what the body can still be checked with.
std::vector<VariantValues> enumerateVariants(Session &session, const ast::Kernel &kernel);

/// Checks -D options and --kernel names against the kernels of `file`.
void checkDefinitions(Session &session, const ast::File &file);

/// What the compile-time clauses say in one variant.
struct VariantSettings {
  unsigned warps = 4, cluster = 1;
  std::optional<unsigned> maxRegisters, stages;
  bool fma = true, ftz = false;
};
std::optional<VariantSettings> variantSettings(Session &session, const ast::Kernel &kernel,
                                               const VariantValues &values);

/// Declares the const params in `evaluator`'s outermost block.
void declareConstants(Evaluator &evaluator, const ast::Kernel &kernel, const VariantValues &values);

/// `kernel__BLOCK_128__CAUSAL_true`: letters, digits and `_` only.
std::string variantSymbol(const ast::Kernel &kernel, const VariantValues &values);
ConstValue toConstValue(const Value &value);

/// The type of a const param as written: a scalar, or nothing for `type`. Reports other types.
struct ConstParamType {
  bool isValid = false;
  std::optional<Scalar> scalar;
};
ConstParamType constParamType(Session &session, const ast::ConstParam &param, bool report);

} // namespace tilec::sema
