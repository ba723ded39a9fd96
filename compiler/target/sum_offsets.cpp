#include "compiler/target/sum_offsets.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <map>

using namespace llvm;

/// Addresses with one start in common, at most: each gets an addition of its own. Accesses of one
/// thread that differ in constants count, too, though they cost nothing.
static constexpr unsigned kMaxUsers = 4;

/// `value` as a step by one 64-bit index; null when it is something else.
static GetElementPtrInst *stepOf(Value *value) {
  auto *step = dyn_cast<GetElementPtrInst>(value);
  return step && step->getNumIndices() == 1 && step->getOperand(1)->getType()->isIntegerTy(64)
             ? step
             : nullptr;
}

/// The steps from `first` on, when all that is done with it are steps in the same block; else none.
static SmallVector<GetElementPtrInst *, kMaxUsers> stepsFrom(GetElementPtrInst &first) {
  SmallVector<GetElementPtrInst *, kMaxUsers> steps;
  for (User *user : first.users()) {
    GetElementPtrInst *step = stepOf(user);
    if (!step || step->getPointerOperand() != &first || step->getParent() != first.getParent() ||
        step->getSourceElementType() != first.getSourceElementType() ||
        isa<Constant>(step->getOperand(1)) || steps.size() == kMaxUsers)
      return {};
    steps.push_back(step);
  }
  return steps;
}

static void sumOffsets(BasicBlock &block) {
  SmallVector<GetElementPtrInst *> starts;
  for (Instruction &instruction : block)
    if (GetElementPtrInst *step = stepOf(&instruction))
      if (isa<Argument>(step->getPointerOperand()) && !isa<Constant>(step->getOperand(1)))
        starts.push_back(step);
  // One sum a pair of offsets, in front of the first address that needs it: the block is in order.
  std::map<std::pair<Value *, Value *>, Value *> sums;
  for (GetElementPtrInst *start : starts) {
    SmallVector<GetElementPtrInst *, kMaxUsers> steps = stepsFrom(*start);
    llvm::sort(steps, [](Instruction *a, Instruction *b) { return a->comesBefore(b); });
    for (GetElementPtrInst *step : steps) {
      IRBuilder<> builder(step);
      Value *&sum = sums[{start->getOperand(1), step->getOperand(1)}];
      auto *known = dyn_cast_or_null<Instruction>(sum);
      if (!known)
        sum = builder.CreateAdd(start->getOperand(1), step->getOperand(1));
      else if (!known->comesBefore(step))
        known->moveBefore(step->getIterator());
      Value *address =
          builder.CreateGEP(step->getSourceElementType(), start->getPointerOperand(), sum);
      step->replaceAllUsesWith(address);
      step->eraseFromParent();
    }
    if (!steps.empty())
      start->eraseFromParent();
  }
}

void tilec::sumOffsets(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      ::sumOffsets(function.getEntryBlock());
}
