#include "compiler/target/sum_offsets.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// Parameters that share a pair of offsets, at least.
static constexpr unsigned kMinSharers = 3;

namespace {

/// A parameter plus `first` plus `second`, both 64-bit indices of elements of one type.
struct Address {
  GetElementPtrInst *start, *end;
  Value *parameter() const { return start->getPointerOperand(); }
};
using Offsets = std::pair<Value *, Value *>;

} // namespace

/// `value` as a step by one 64-bit index that is no constant; null when it is something else.
static GetElementPtrInst *stepOf(Value *value) {
  auto *step = dyn_cast<GetElementPtrInst>(value);
  bool fits = step && step->getNumIndices() == 1 && !isa<Constant>(step->getOperand(1)) &&
              step->getOperand(1)->getType()->isIntegerTy(64);
  return fits ? step : nullptr;
}

/// The addresses of `block`, in its order, by their offsets.
static MapVector<Offsets, SmallVector<Address>> addressesOf(BasicBlock &block) {
  MapVector<Offsets, SmallVector<Address>> found;
  for (Instruction &instruction : block) {
    GetElementPtrInst *end = stepOf(&instruction);
    GetElementPtrInst *start = end ? stepOf(end->getPointerOperand()) : nullptr;
    if (start && isa<Argument>(start->getPointerOperand()) && start->getParent() == &block &&
        start->getSourceElementType() == end->getSourceElementType())
      found[{start->getOperand(1), end->getOperand(1)}].push_back({start, end});
  }
  return found;
}

static void sumOffsets(BasicBlock &block) {
  for (auto &[offsets, addresses] : addressesOf(block)) {
    SmallPtrSet<Value *, 4> parameters;
    for (const Address &address : addresses)
      parameters.insert(address.parameter());
    if (parameters.size() < kMinSharers)
      continue;
    IRBuilder<> builder(addresses.front().end);
    Value *sum = builder.CreateAdd(offsets.first, offsets.second);
    for (const Address &address : addresses) {
      builder.SetInsertPoint(address.end);
      address.end->replaceAllUsesWith(
          builder.CreateGEP(address.end->getSourceElementType(), address.parameter(), sum));
      address.end->eraseFromParent();
      if (address.start->use_empty())
        address.start->eraseFromParent();
    }
  }
}

void tilec::sumOffsets(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      ::sumOffsets(function.getEntryBlock());
}
