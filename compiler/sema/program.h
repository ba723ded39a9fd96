// What semantic analysis hands over: kernels with their contracts, and one tile IR module a
// variant.
#pragma once

#include "compiler/package/contract.h"
#include "compiler/syntax/parse.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilec {

/// `-D [KERNEL.]NAME=VALUE[,VALUE]` as parsed by the driver; values are checked by sema.
struct Definition {
  std::string kernel; ///< empty: every kernel with that const param
  std::string name;
  std::vector<std::string> values;
};

struct SemaOptions {
  std::vector<Definition> definitions;
  std::vector<std::string> kernels; ///< only these; empty: all
  std::optional<bool> fma, ftz;     ///< command line overrides of `option fma/ftz`
  bool debug = false;               ///< --debug: asserts and prints on
};

/// One variant: a module with one func.func (the attributes of compiler/ir/dialect.h) named
/// `symbol`. `contract` describes it for the manifest; resources are filled in later.
struct CompiledVariant {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  size_t kernel = 0;  ///< index into Program::kernels
  size_t variant = 0; ///< index into KernelContract::variants
};

struct Program {
  std::vector<KernelContract> kernels;
  std::vector<CompiledVariant> variants;
  std::string staticPrints; ///< output of static_print, in order
};

/// Checks the whole program and instantiates every variant of every kernel of the main file.
/// The main file is the last of `parsed.files`. On errors (in `diagnostics`) the result is partial.
/// Diagnostics name file positions; MLIR locations are FileLineColLoc (with callsites for `fn`s).
Program analyze(const ParsedProgram &parsed, const SemaOptions &options, mlir::MLIRContext &context,
                SourceManager &sources, DiagnosticEngine &diagnostics);

} // namespace tilec
