// What LLVM calls a fatal error ("Cannot select: ...") ends the process: here with one line of
// text, without a stack dump, temporary files removed, exit status 1.
#pragma once

#include <string>

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

/// The line above for `reason` as LLVM words it.
std::string describeFatalError(const std::string &input, const std::string &reason);

} // namespace tilec
