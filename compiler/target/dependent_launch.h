// Programmatic dependent launch (PTX ISA, griddepcontrol): a kernel starts while the one before it
// in the stream still ends, and waits for it before it touches memory.
//
// What changes: every kernel's first instruction waits until all that was launched before has
// completed and its writes are visible; then the programs that start last let the next kernel
// start. Launched in the ordinary way, a kernel does the same and nothing overlaps.
//
// Must hold: the target has `griddepcontrol` (Arch::dependentLaunch).
//
// Why it is safe: no program ends before its wait, so a kernel that has completed vouches for all
// before it, and the next may wait for that one alone.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class Module;
}

namespace tilec {

/// The programs among the last of the grid let dependent kernels start. Only those that may be
/// running when all have started do: a signal takes time of a unit that the whole GPU shares, in
/// ordinary launches too; from all its programs, softmax on rows of 256 numbers takes a quarter
/// longer. Gives the number of kernels.
unsigned letDependentsStart(llvm::Module &module);

/// Every kernel of `ptx`, which is LLVM's text, begins with the wait. Text, because LLVM and its
/// scheduler may move loads of memory that nothing writes during a kernel across any instruction.
/// An error where the text has another number of kernels: one that did not wait would be a race.
llvm::Expected<std::string> waitForPrerequisites(const std::string &ptx, unsigned kernels);

} // namespace tilec
