// The functions the language brings along: one table a family (builtins_FAMILY.cpp), an entry a
// function. An entry's signature says how arguments are bound:
//
//     "x, axis?, keep_dims?, nan?:word"
//
// positional or by name; `?` may be left out; `:word` is a bare word such as `propagate`, not an
// expression; `:place` is a value or a window of a view; a trailing `...` takes any number more,
// positional only.
#pragma once

#include "compiler/sema/evaluator.h"
#include "compiler/sema/window.h"

namespace tilec::sema {

/// An argument as bound to a parameter.
struct BoundArgument {
  Value value;                  ///< evaluated; unset for words, windows and absent arguments
  std::string word;             ///< `:word` parameters
  std::optional<Window> window; ///< `:place` parameters that are given a window of a view
  SourceRange range;            ///< of the argument, or of the call when absent
  bool given = false;
  bool isPositional = false;
  const ast::Expr *expr = nullptr;
};

/// A call with its arguments bound to the signature's parameters.
struct BoundCall {
  using Slot = BoundArgument;
  std::vector<Slot> slots; ///< parallel to the signature's parameters
  std::vector<Slot> rest;  ///< of `...`
  const Builtin *builtin = nullptr;
  SourceRange range;
  const Slot &operator[](size_t index) const { return slots[index]; }
};

struct Builtin {
  const char *name;
  const char *signature;
  Value (*handler)(Evaluator &evaluator, const BoundCall &call);
};

/// The builtin of that name, or null.
const Builtin *findBuiltin(llvm::StringRef name);
/// Its parameters as text for messages: "x, [axis]".
std::string describeSignature(const Builtin &builtin);
/// Part of the language but not of this compiler yet.
bool isUnsupportedBuiltin(llvm::StringRef name);
void collectBuiltinNames(std::vector<std::string> &names);

// The families.
llvm::ArrayRef<Builtin> createBuiltins();
llvm::ArrayRef<Builtin> shapeBuiltins();
llvm::ArrayRef<Builtin> mathBuiltins();
llvm::ArrayRef<Builtin> elementwiseBuiltins();
llvm::ArrayRef<Builtin> memoryBuiltins();
llvm::ArrayRef<Builtin> reduceBuiltins();
llvm::ArrayRef<Builtin> dotBuiltins();
llvm::ArrayRef<Builtin> hintBuiltins();

/// `nan = propagate | ignore`; nothing after an error.
std::optional<bool> propagatesNan(Evaluator &evaluator, const BoundCall::Slot &slot);

} // namespace tilec::sema
