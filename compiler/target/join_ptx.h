// One PTX text out of several that were made side by side for one target.
//
// Kernels of one file are compiled each in a module of its own, so that as many cores work as there
// are, and the same bytes come out whatever their number: labels and registers are counted within a
// module. ptxas, which compiles kernels side by side itself, takes one text.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace llvm {
class Module;
}

namespace tilec {

/// Makes the names of what only `module` sees its own: `number` tells the modules apart.
void separateNames(llvm::Module &module, size_t number);

/// The header of the first text, then what each defines or declares, in order; what another said in
/// the same words is not repeated (extern declarations). The texts are LLVM's, without debug
/// sections.
std::string joinPtx(llvm::ArrayRef<std::string> texts);

} // namespace tilec
