// What a loop carries travels in whole registers.
//
// A tile of f16 that a loop carries is many values of 16 bits, each of which would take a register
// of its own from one iteration to the next, and an instruction to get it there: LLVM sees that a
// word is taken apart and put together again, but not across a loop. Matrix fragments, which come
// from memory as words and go into instructions as words, are the case that matters.
//
// Changes: neighbouring carried values of 8 or 16 bits of an scf.for become one carried i32, taken
// apart at the start of the body and put together at its end. Must hold: tiles are lowered, loops
// are still structured. Holds after: nothing uses the separate values, which now carry themselves
// and which LLVM removes.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilec {

void packCarriedValues(mlir::LLVM::LLVMFuncOp kernel);

} // namespace tilec
