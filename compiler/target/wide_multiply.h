// Products of two signed 32-bit integers in 64 bits, as the one instruction they are.
//
// LLVM writes the extension of a value that is known not to be negative as `zext nneg`, and its
// instruction selection does so again whatever it is given. NVPTX selects mul.wide for a pair of
// sexts or of zexts, not for a mixed pair: `row * stride`, with a program's number as the row,
// would become three multiplications and an addition at the head of every kernel.
//
// Changes: a 64-bit product of a `zext nneg` and a `sext` of 32-bit values becomes mul.wide.s32, as
// inline PTX (PTX ISA, "Integer Arithmetic Instructions: mul").
// Must hold: the module is for a GPU and nothing is optimised afterwards.
// Holds after: no such product is left.
#pragma once

namespace llvm {
class Module;
}

namespace tilec {

void selectWideProducts(llvm::Module &module);

} // namespace tilec
