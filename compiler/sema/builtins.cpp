#include "compiler/sema/builtins.h"

namespace tilec::sema {

/// Named by the language; a later compiler has them.
static constexpr const char *kUnsupported[] = {
    "cat",        "join",       "split",     "gather",     "atomic_add",  "atomic_max",
    "atomic_min", "atomic_and", "atomic_or", "atomic_xor", "atomic_xchg", "atomic_cas",
    "cumsum",     "cumprod",    "cummax",    "scan",       "sort",        "topk",
    "histogram",  "inline_ptx", "barrier"};

static std::vector<llvm::ArrayRef<Builtin>> families() {
  return {createBuiltins(), shapeBuiltins(),  mathBuiltins(), elementwiseBuiltins(),
          memoryBuiltins(), reduceBuiltins(), dotBuiltins(),  hintBuiltins()};
}

const Builtin *findBuiltin(llvm::StringRef name) {
  for (llvm::ArrayRef<Builtin> family : families())
    for (const Builtin &builtin : family)
      if (name == builtin.name)
        return &builtin;
  return nullptr;
}

bool isUnsupportedBuiltin(llvm::StringRef name) {
  return llvm::is_contained(kUnsupported, name);
}

void collectBuiltinNames(std::vector<std::string> &names) {
  for (llvm::ArrayRef<Builtin> family : families())
    for (const Builtin &builtin : family)
      names.emplace_back(builtin.name);
}

std::optional<bool> propagatesNan(Evaluator &evaluator, const BoundCall::Slot &slot) {
  if (!slot.given || slot.word == "ignore")
    return false;
  if (slot.word == "propagate")
    return true;
  evaluator.error(slot.range, "'nan' is 'ignore' or 'propagate', not '" + slot.word + "'");
  return std::nullopt;
}

} // namespace tilec::sema
