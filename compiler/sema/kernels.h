// One kernel: its parameters, its contract, and the IR of each variant.
#pragma once

#include "compiler/sema/session.h"

namespace tilec::sema {

/// Checks `kernel` and appends it and its variants to `session.program`.
void analyzeKernel(Session &session, const ast::Kernel &kernel);

} // namespace tilec::sema
