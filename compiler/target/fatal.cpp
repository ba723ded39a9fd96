#include "compiler/target/fatal.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <cstdio>
#include <cstdlib>

using namespace llvm;

namespace tilec {

std::string describeFatalError(const std::string &input, const std::string &reason) {
  // Instruction selection appends "In function: NAME" after a dump of the node's operands.
  StringRef text(reason);
  auto [what, rest] = text.split('\n');
  StringRef function = rest.contains("In function: ")
                           ? rest.rsplit("In function: ").second.split('\n').first
                           : StringRef();
  std::string where = function.empty() ? "" : "in kernel '" + function.str() + "': ";
  return input + ": error: internal error: " + where + what.str() + "\n";
}

static void handle(void *input, const char *reason, bool) {
  std::string text = describeFatalError(*static_cast<const std::string *>(input), reason);
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  sys::RunInterruptHandlers(); // removes temporary files
  // Not exit(): other threads may still be at work on what static destructors would take away.
  std::_Exit(1);
}

FatalErrorScope::FatalErrorScope(const std::string &input) {
  install_fatal_error_handler(handle, const_cast<std::string *>(&input));
}

FatalErrorScope::~FatalErrorScope() {
  remove_fatal_error_handler();
}

} // namespace tilec
