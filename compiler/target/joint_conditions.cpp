#include "compiler/target/joint_conditions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// Is `value` no more than the condition of one select of numbers?
static bool isOnlyChoice(const Instruction &value) {
  if (!value.hasOneUse())
    return false; // instruction selection leaves it alone
  auto *select = dyn_cast<SelectInst>(value.user_back());
  return select && select->getCondition() == &value && !select->getType()->isIntegerTy(1);
}

/// A condition from elsewhere, from in front of a loop mostly, is best used up there: the choice by
/// it alone is made once, and no predicate has to be kept.
static bool isMadeIn(const BasicBlock &block, const Value &condition) {
  auto *instruction = dyn_cast<Instruction>(&condition);
  return instruction && instruction->getParent() == &block;
}

void tilec::keepJointConditions(Module &module) {
  Type *condition = Type::getInt1Ty(module.getContext());
  auto *type = FunctionType::get(condition, {condition, condition}, false);
  InlineAsm *both = InlineAsm::get(type, "and.pred $0, $1, $2;", "=b,b,b", false);
  InlineAsm *either = InlineAsm::get(type, "or.pred $0, $1, $2;", "=b,b,b", false);
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      if (instruction.getType() != condition || !isOnlyChoice(instruction))
        continue;
      Value *first = nullptr, *second = nullptr;
      const bool isBoth = match(&instruction, m_LogicalAnd(m_Value(first), m_Value(second)));
      if (!isBoth && !match(&instruction, m_LogicalOr(m_Value(first), m_Value(second))))
        continue;
      const BasicBlock &block = *instruction.getParent();
      if (!isMadeIn(block, *first) || !isMadeIn(block, *second))
        continue;
      IRBuilder<> builder(&instruction);
      instruction.replaceAllUsesWith(builder.CreateCall(isBoth ? both : either, {first, second}));
      instruction.eraseFromParent();
    }
}
