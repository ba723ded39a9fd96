// A choice under two conditions stays one choice.
//
// LLVM's instruction selection makes `select (a & b), x, y` a select of x or y by b within one by
// a, for any target that does not say that it has registers for conditions; NVPTX has them and does
// not say so. On the GPU that is an instruction more for each element, and both conditions have to
// be kept until x is there: with more than the six predicates of a thread they go through other
// registers. Said as PTX, the conjunction costs nothing where a comparison gives one of the two:
// SETP takes another predicate along (relu_dropout on an H200: 57 instead of 60 instructions an
// element, 2.4 %).
//
// Changes: `and` and `or` of two conditions of the same block that one select of numbers looks at
// become and.pred and or.pred (PTX ISA, "Logic and Shift Instructions"), as inline PTX.
//
// Must hold: the module is for a GPU and nothing is optimised afterwards.
#pragma once

namespace llvm {
class Module;
}

namespace tilec {

void keepJointConditions(llvm::Module &module);

} // namespace tilec
