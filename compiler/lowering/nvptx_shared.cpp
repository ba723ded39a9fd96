// Asynchronous copies into shared memory and loads of matrices, on NVIDIA GPUs (PTX ISA, cp.async
// and ldmatrix).
//
//   @p cp.async.cg.shared.global [dst], [src], 16, n;    n = 0: zeros, src is not read
#include "compiler/lowering/bits.h"
#include "compiler/lowering/nvptx_assembly.h"
#include "compiler/lowering/nvptx_primitives.h"

using namespace mlir;
using namespace tilec;

/// The only size that may pass by L1.
static constexpr unsigned kWholeCopyBytes = 16;

void NvptxPrimitives::copyAsync(OpBuilder &builder, Location loc, Value shared, Value global,
                                unsigned bytes, Value mask, Value predicate,
                                const AccessHints &hints) {
  Assembly assembly;
  std::string text;
  if (predicate)
    text = "@" + assembly.input(predicate, "b") + " ";
  bool passesL1 = bytes == kWholeCopyBytes && hints.cache != tile::CacheModifier::ca;
  text += passesL1 ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global";
  Value policy = cachePolicy(builder, loc, hints.evict);
  if (policy)
    text += ".L2::cache_hint";
  text += " [" + assembly.input(shared, "r") + "]";
  text += ", [" + assembly.input(global, "l") + "], " + std::to_string(bytes);
  if (mask) {
    Type i32 = builder.getI32Type();
    Value size = LLVM::SelectOp::create(builder, loc, mask, constantInt(builder, loc, i32, bytes),
                                        constantInt(builder, loc, i32, 0));
    text += ", " + assembly.input(size, "r");
  }
  if (policy)
    text += ", " + assembly.input(policy, "l");
  LLVM::InlineAsmOp::create(builder, loc, TypeRange(), assembly.operands, text + ";",
                            assembly.constraints + ",~{memory}", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

void NvptxPrimitives::commitGroup(OpBuilder &builder, Location loc) {
  LLVM::CallIntrinsicOp::create(
      builder, loc, builder.getStringAttr("llvm.nvvm.cp.async.commit.group"), ValueRange());
}

void NvptxPrimitives::waitGroup(OpBuilder &builder, Location loc, unsigned pending) {
  LLVM::CallIntrinsicOp::create(builder, loc,
                                builder.getStringAttr("llvm.nvvm.cp.async.wait.group"),
                                constantInt(builder, loc, builder.getI32Type(), pending));
}

SmallVector<Value> NvptxPrimitives::loadMatrix(OpBuilder &builder, Location loc, Value row,
                                               unsigned count, bool transposed) {
  std::string name = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                     (transposed ? ".trans" : "") + ".b16";
  Type word = builder.getI32Type();
  if (count == 1)
    return {callIntrinsic(builder, loc, name, word, row)};
  Type all = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(count, word));
  Value loaded = callIntrinsic(builder, loc, name, all, row);
  SmallVector<Value> words;
  for (unsigned index = 0; index < count; ++index)
    words.push_back(LLVM::ExtractValueOp::create(builder, loc, loaded, index));
  return words;
}
