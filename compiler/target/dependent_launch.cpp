#include "compiler/target/dependent_launch.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilec {

/// Programs that the largest GPU runs at once: 160 multiprocessors with 32 each (CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability").
static constexpr unsigned kMostAtOnce = 160 * 32;

namespace {

/// The place of a program in its grid.
struct Axis {
  Intrinsic::ID program, programs;
};

} // namespace

static constexpr Axis kAxes[] = {
    {Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_x},
    {Intrinsic::nvvm_read_ptx_sreg_ctaid_y, Intrinsic::nvvm_read_ptx_sreg_nctaid_y},
    {Intrinsic::nvvm_read_ptx_sreg_ctaid_z, Intrinsic::nvvm_read_ptx_sreg_nctaid_z},
};

/// Axes of the grid that `kernel` looks at. Programs along others would do the same work.
static unsigned axesOf(const Function &kernel) {
  unsigned axes = 1;
  for (const Instruction &instruction : instructions(kernel))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      for (unsigned axis = axes; axis < std::size(kAxes); ++axis)
        if (is_contained({kAxes[axis].program, kAxes[axis].programs}, call->getIntrinsicID()))
          axes = axis + 1;
  return axes;
}

/// Programs of the grid that start after this one (x first), as i64: fewer than 2^63.
static Value *programsAfter(IRBuilder<> &builder, unsigned axes) {
  Value *after = nullptr;
  for (unsigned axis = axes; axis-- > 0;) {
    Value *count = builder.CreateIntrinsic(kAxes[axis].programs, {});
    Value *last = builder.CreateSub(count, builder.getInt32(1));
    Value *along = builder.CreateSub(last, builder.CreateIntrinsic(kAxes[axis].program, {}));
    Value *wide = builder.CreateZExt(along, builder.getInt64Ty());
    if (after)
      wide = builder.CreateAdd(
          wide, builder.CreateMul(after, builder.CreateZExt(count, builder.getInt64Ty())));
    after = wide;
  }
  return after;
}

unsigned letDependentsStart(Module &module) {
  unsigned kernels = 0;
  auto *type = FunctionType::get(Type::getVoidTy(module.getContext()),
                                 {Type::getInt1Ty(module.getContext())}, false);
  InlineAsm *signal = InlineAsm::get(type, "@$0 griddepcontrol.launch_dependents;", "b",
                                     /*hasSideEffects=*/true);
  for (Function &kernel : module) {
    if (kernel.isDeclaration() || kernel.getCallingConv() != CallingConv::PTX_Kernel)
      continue;
    ++kernels;
    const unsigned axes = axesOf(kernel);
    IRBuilder<> builder(&*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Value *isLate =
        builder.CreateICmpULT(programsAfter(builder, axes), builder.getInt64(kMostAtOnce));
    builder.CreateCall(signal, {isLate});
  }
  return kernels;
}

/// Is this line of a kernel's body an instruction, and no directive, label or comment?
static bool isInstruction(StringRef line) {
  line = line.trim();
  return !line.empty() && !line.starts_with(".") && !line.starts_with("//") && !line.ends_with(":");
}

Expected<std::string> waitForPrerequisites(const std::string &ptx, unsigned kernels) {
  unsigned waiting = 0;
  enum { Outside, Head, Body } place = Outside;
  std::string result;
  for (StringRef rest = ptx; !rest.empty();) {
    StringRef line = rest.take_front(std::min(rest.find('\n'), rest.size() - 1) + 1);
    rest = rest.drop_front(line.size());
    if (place == Outside && line.contains(".entry"))
      place = Head;
    else if (place == Head && line.starts_with("{"))
      place = Body;
    else if (place == Body && isInstruction(line)) {
      result += "\tgriddepcontrol.wait;\n";
      ++waiting;
      place = Outside;
    }
    result += line;
  }
  if (waiting != kernels)
    return createStringError("the PTX has " + Twine(waiting) + " kernels that can wait for those " +
                             "before them, the module " + Twine(kernels));
  return result;
}

} // namespace tilec
