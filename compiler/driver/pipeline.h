// The whole compiler: a command line's options to files.
#pragma once

#include "compiler/driver/options.h"

namespace tilec {

/// Compiles options.input. Everything the user reads goes to standard error; products go where the
/// options say, and appear only when all of them could be made.
ExitStatus compile(const Options &options);

} // namespace tilec
