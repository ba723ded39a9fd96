// Where a pointer is a kernel's parameter plus several offsets, the offsets are summed first.
//
// The passes on tile IR keep what all elements share in scalars, so that x[start + i] is
// (x + start) + i. That is right in front of loops. In a short kernel it is the wrong way round
// where several arrays are indexed alike: each parameter has to be in a register before its first
// sum, and ptxas fetches it by LDC, which takes longer than all the rest of the address; and the
// sum of the offsets is not shared. As x + (start + i) a parameter is an operand of the last
// addition, straight from constant memory. (vector_add of 98432 elements on an H200: 45 of 2070
// ns.)
//
// Two arrays save one addition, and there the different order can cost ptxas more than that
// (relu_dropout 2 %, layernorm 1 % when it was tried): so three must have the offsets in common.
#pragma once

namespace llvm {
class Module;
}

namespace tilec {

/// Rewrites such sums in the entry blocks of a module's functions. Run after the optimiser, which
/// would put them back.
void sumOffsets(llvm::Module &module);

} // namespace tilec
