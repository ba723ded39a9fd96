#include "compiler/target/fatal.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <cstdio>
#include <cstdlib>

using namespace llvm;

namespace tilec {

// LLVM's handler has no other way to know what its thread is at.
static thread_local const Module *currentModule = nullptr;

/// The first function that calls the intrinsic named at the end of "Cannot select: intrinsic
/// %NAME".
static StringRef callerOf(StringRef reason, const Module *module) {
  auto [head, name] = reason.split("intrinsic %");
  if (!module || name.empty())
    return "";
  for (const Function &function : *module)
    if (function.isIntrinsic() && function.getName().starts_with(name))
      for (const User *user : function.users())
        if (const auto *call = dyn_cast<CallBase>(user))
          return call->getFunction()->getName();
  return "";
}

std::string describeFatalError(const std::string &input, const std::string &reason,
                               const Module *module) {
  // Instruction selection may append "In function: NAME" after a dump of the node's operands.
  StringRef text(reason);
  auto [what, rest] = text.split('\n');
  StringRef function = rest.contains("In function: ")
                           ? rest.rsplit("In function: ").second.split('\n').first
                           : callerOf(what, module);
  std::string where = function.empty() ? "" : "in kernel '" + function.str() + "': ";
  return input + ": error: internal error: " + where + what.str() + "\n";
}

static void handle(void *input, const char *reason, bool) {
  std::string text =
      describeFatalError(*static_cast<const std::string *>(input), reason, currentModule);
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  sys::RunInterruptHandlers(); // removes temporary files
  // Not exit(): other threads may still be at work on what static destructors would take away.
  std::_Exit(1);
}

FatalErrorModule::FatalErrorModule(const Module &module) {
  currentModule = &module;
}
FatalErrorModule::~FatalErrorModule() {
  currentModule = nullptr;
}

FatalErrorScope::FatalErrorScope(const std::string &input) {
  install_fatal_error_handler(handle, const_cast<std::string *>(&input));
}

FatalErrorScope::~FatalErrorScope() {
  remove_fatal_error_handler();
}

} // namespace tilec
