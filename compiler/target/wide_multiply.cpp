#include "compiler/target/wide_multiply.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// The 32-bit value under an extension that a signed product may take as signed; null when `value`
/// is something else.
static Value *signedSource(Value *value, bool &isUnsigned) {
  auto *extension = dyn_cast<CastInst>(value);
  if (!extension || !extension->getSrcTy()->isIntegerTy(32))
    return nullptr;
  isUnsigned = isa<ZExtInst>(extension);
  if (isUnsigned ? extension->hasNonNeg() : isa<SExtInst>(extension))
    return extension->getOperand(0);
  return nullptr;
}

void tilec::selectWideProducts(Module &module) {
  Type *narrow = Type::getInt32Ty(module.getContext()),
       *wide = Type::getInt64Ty(module.getContext());
  InlineAsm *multiply = InlineAsm::get(FunctionType::get(wide, {narrow, narrow}, false),
                                       "mul.wide.s32 $0, $1, $2;", "=l,r,r", false);
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      if (instruction.getOpcode() != Instruction::Mul || instruction.getType() != wide)
        continue;
      bool firstUnsigned = false, secondUnsigned = false;
      Value *first = signedSource(instruction.getOperand(0), firstUnsigned);
      Value *second = signedSource(instruction.getOperand(1), secondUnsigned);
      if (!first || !second || firstUnsigned == secondUnsigned)
        continue;
      IRBuilder<> builder(&instruction);
      instruction.replaceAllUsesWith(builder.CreateCall(multiply, {first, second}));
      instruction.eraseFromParent();
    }
}
