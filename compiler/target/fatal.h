// What LLVM calls a fatal error ("Cannot select: ...") ends the process: here with one line of
// text, without a stack dump, temporary files removed, exit status 1.
#pragma once

#include <string>

namespace llvm {
class Module;
}

namespace tilec {

/// While it lives, LLVM's fatal errors are printed as
///   INPUT: error: internal error: in kernel 'SYMBOL': REASON
/// One at a time in a process (LLVM keeps a single handler).
class FatalErrorScope {
public:
  /// `input`: the file being compiled; must outlive the scope.
  explicit FatalErrorScope(const std::string &input);
  ~FatalErrorScope();
  FatalErrorScope(const FatalErrorScope &) = delete;
  FatalErrorScope &operator=(const FatalErrorScope &) = delete;
};

/// While it lives, fatal errors on this thread are looked for in `module`: LLVM does not always say
/// which function it was at.
class FatalErrorModule {
public:
  explicit FatalErrorModule(const llvm::Module &module);
  ~FatalErrorModule();
  FatalErrorModule(const FatalErrorModule &) = delete;
  FatalErrorModule &operator=(const FatalErrorModule &) = delete;
};

/// The line above for `reason` as LLVM words it. `module`: what was being
/// compiled, or null.
std::string describeFatalError(const std::string &input, const std::string &reason,
                               const llvm::Module *module);

} // namespace tilec
