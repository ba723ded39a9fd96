// Products of matrices of NVIDIA GPUs: mma.sync (PTX ISA, "Warp-level matrix instructions").
#include "compiler/lowering/bits.h"
#include "compiler/lowering/nvptx_primitives.h"

using namespace mlir;
using namespace tilec;

/// The intrinsic's name: what LLVM writes of an instruction's types depends on them.
static std::string intrinsicName(const DotInstruction &instruction) {
  StringRef a = name(instruction.a), b = name(instruction.b), result = name(instruction.result);
  std::string types;
  switch (instruction.a) {
  case MatrixType::F16:
    types = (result + "." + result).str();
    break;
  case MatrixType::E4M3:
  case MatrixType::E5M2:
    types = (result + "." + a + "." + b + "." + result).str();
    break;
  default:
    types = a.str();
  }
  Fragment fragment = instruction.fragment();
  auto size = [](unsigned bits) { return std::to_string(1u << bits); };
  return "llvm.nvvm.mma.m" + size(fragment.m) + "n" + size(fragment.n) + "k" + size(fragment.k) +
         ".row.col." + types;
}

/// Calls an intrinsic that all lanes of a warp must reach together. LLVM does not know that of
/// mma.sync, so the call says it.
static Value callConvergent(OpBuilder &builder, Location loc, StringRef name, Type result,
                            ValueRange arguments) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    LLVM::LLVMFuncOp::create(
        builder, loc, name,
        LLVM::LLVMFunctionType::get(result, SmallVector<Type>(arguments.getTypes())));
  }
  auto call = LLVM::CallOp::create(builder, loc, TypeRange{result}, name, arguments);
  call.setConvergent(true);
  call.setWillReturn(true); // a product that nothing uses may go
  return call.getResult();
}

SmallVector<Value> NvptxPrimitives::mma(OpBuilder &builder, Location loc,
                                        const DotInstruction &instruction, ValueRange a,
                                        ValueRange b, ValueRange c) {
  Type halves = VectorType::get(2, builder.getF16Type());
  bool ofHalves = instruction.a == MatrixType::F16;
  bool intoHalves = instruction.result == MatrixType::F16;
  SmallVector<Value> arguments;
  auto add = [&](ValueRange values, bool asHalves) {
    for (Value value : values)
      arguments.push_back(asHalves ? LLVM::BitcastOp::create(builder, loc, halves, value) : value);
  };
  add(a, ofHalves);
  add(b, ofHalves);
  add(c, intoHalves);
  SmallVector<Type> types(c.size(), intoHalves ? halves : c.front().getType());
  Type structure = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  Value made = callConvergent(builder, loc, intrinsicName(instruction), structure, arguments);
  SmallVector<Value> results;
  for (auto [index, value] : llvm::enumerate(c)) {
    Value result = LLVM::ExtractValueOp::create(builder, loc, made, static_cast<int64_t>(index));
    results.push_back(intoHalves ? LLVM::BitcastOp::create(builder, loc, value.getType(), result)
                                 : result);
  }
  return results;
}

Value NvptxPrimitives::roundToTf32(OpBuilder &builder, Location loc, Value value) {
  Type word = builder.getI32Type();
  Value bits = callIntrinsic(builder, loc, "llvm.nvvm.f2tf32.rna", word, value);
  return LLVM::BitcastOp::create(builder, loc, value.getType(), bits);
}
