// Depfiles as make and ninja read them.
#pragma once

#include "compiler/driver/options.h"
#include "compiler/syntax/source.h"

namespace tilec {

/// "OUT: FILE.tile imported.tile", with blanks, `#` and `$` escaped. OUT is the header when that is
/// all that is written.
std::string writeDepfile(const Options &options, const SourceManager &sources);

} // namespace tilec
