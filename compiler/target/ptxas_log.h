// What `ptxas -v` prints, as data. Private to compiler/target.
#pragma once

#include "compiler/target/codegen.h"

namespace tilec {

/// Reads the lines of `words` into cubin.kernels and cubin.warnings. Lines it does not know are
/// ignored when they are information, kept as warnings otherwise.
void readPtxasLog(const std::string &words, Cubin &cubin);

} // namespace tilec
