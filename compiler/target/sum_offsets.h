// Where a pointer is a kernel's parameter plus several offsets, the offsets are summed first.
//
// The passes on tile IR keep what all elements share in scalars, so that x[start + i] is
// (x + start) + i. In front of loops that is the wrong way round: the parameter has to be in a
// register before the first sum, and ptxas fetches it by LDC, which takes longer than the whole
// rest of a short kernel's addresses; and the sum of the offsets, often the same for several
// arrays, is not shared. As x + (start + i) the parameter is an operand of the last addition,
// straight from constant memory. (vector_add of 98432 elements on an H200: 45 of 2070 ns.)
#pragma once

namespace llvm {
class Module;
}

namespace tilec {

/// Rewrites such sums in the entry blocks of a module's functions. Run after the optimiser, which
/// would put them back.
void sumOffsets(llvm::Module &module);

} // namespace tilec
