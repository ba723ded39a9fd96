// The tensor-copy engine and its barriers on NVIDIA GPUs (PTX ISA, cp.async.bulk.tensor and
// mbarrier).
//
//   @p mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], bytes;
//   @p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
//          [dst], [map, {x, y}], [bar];
//
// An address of shared::cta is one of shared::cluster, too: that of the program's own memory.
#include "compiler/lowering/bits.h"
#include "compiler/lowering/nvptx_assembly.h"
#include "compiler/lowering/nvptx_primitives.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;

static void emit(OpBuilder &builder, Location loc, Assembly &assembly, const std::string &text) {
  std::string constraints = assembly.constraints;
  constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  LLVM::InlineAsmOp::create(builder, loc, TypeRange(), assembly.operands, text, constraints,
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

void NvptxPrimitives::initMbarrier(OpBuilder &builder, Location loc, Value barrier,
                                   unsigned arrivals, Value predicate) {
  Assembly assembly;
  std::string guard = "@" + assembly.input(predicate, "b") + " ";
  emit(builder, loc, assembly,
       guard + "mbarrier.init.shared::cta.b64 [" + assembly.input(barrier, "r") + "], " +
           std::to_string(arrivals) + ";");
}

void NvptxPrimitives::invalidateMbarrier(OpBuilder &builder, Location loc, Value barrier,
                                         Value predicate) {
  Assembly assembly;
  std::string guard = "@" + assembly.input(predicate, "b") + " ";
  emit(builder, loc, assembly,
       guard + "mbarrier.inval.shared::cta.b64 [" + assembly.input(barrier, "r") + "];");
}

void NvptxPrimitives::fenceTensorCopies(OpBuilder &builder, Location loc) {
  Assembly assembly;
  emit(builder, loc, assembly,
       "fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;");
}

void NvptxPrimitives::arriveExpecting(OpBuilder &builder, Location loc, Value barrier, Value bytes,
                                      Value predicate) {
  Assembly assembly;
  std::string guard = "@" + assembly.input(predicate, "b") + " ";
  std::string address = "[" + assembly.input(barrier, "r") + "], ";
  emit(builder, loc, assembly,
       guard + "mbarrier.arrive.expect_tx.shared::cta.b64 _, " + address +
           assembly.input(bytes, "r") + ";");
}

void NvptxPrimitives::waitMbarrier(OpBuilder &builder, Location loc, Value barrier, Value phase) {
  Assembly assembly;
  std::string operands = "[" + assembly.input(barrier, "r") + "], ";
  operands += assembly.input(phase, "r");
  // try_wait suspends the thread for a while; the loop is for when that was not long enough.
  emit(builder, loc, assembly,
       "{\n\t.reg .pred done;\nwait_mbarrier_${:uid}:\n\t"
       "mbarrier.try_wait.parity.shared::cta.b64 done, " +
           operands + ";\n\t@!done bra wait_mbarrier_${:uid};\n\t}");
}

void NvptxPrimitives::tensorCopy(OpBuilder &builder, Location loc, Value map, Value shared,
                                 Value barrier, ValueRange coordinates, Value predicate,
                                 tile::EvictionPolicy evict) {
  Assembly assembly;
  Value policy = cachePolicy(builder, loc, evict);
  std::string text = "@" + assembly.input(predicate, "b") + " cp.async.bulk.tensor.";
  text += std::to_string(coordinates.size()) +
          "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
  if (policy)
    text += ".L2::cache_hint";
  text += " [" + assembly.input(shared, "r") + "], [" + assembly.input(map, "l");
  SmallVector<std::string> names;
  for (Value coordinate : coordinates)
    names.push_back(assembly.input(coordinate, "r"));
  text += ", {" + llvm::join(names, ", ") + "}], [" + assembly.input(barrier, "r") + "]";
  if (policy)
    text += ", " + assembly.input(policy, "l");
  emit(builder, loc, assembly, text + ";");
}
