// Operands of dots that a loop does not change wait in shared memory where registers are short.
//
//   The problem. Attention multiplies one block of queries by every block of keys. Converted to the
//   operand's layout in front of the loop, the queries occupy registers during all of it, beside
//   the sums, the scores and the operands under way:
//
//      128 x 128 halves, 4 warps:  queries 64 + sums 128 + scores 64 > 255 registers a thread
//
//   The idea. The conversion goes through shared memory anyway. Left there, a fragment is read when
//   an instruction needs it, which costs what reading the other operand costs.
//
// Changes: such a tile.convert_layout becomes a buffer of one slot that is stored in front of the
// loop and read at each dot.
// Must hold: layouts are final, and conversions stand in front of the loops that do not change
// their source.
// Holds after: the same, and buffers without a memory layout may be new.
// Why here: after loop-invariant code motion, which shows what a loop keeps; before buffers get
// their memory layouts.
#include "compiler/transforms/passes.h"

#include "compiler/ir/dialect.h"
#include "compiler/layout/conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;

/// Registers of 32 bits: a thread's, and a multiprocessor's (all architectures we have).
static constexpr unsigned kThreadRegisters = 255, kMultiprocessorRegisters = 65536;
/// What addresses, indices, and fragments on their way into an instruction take of them.
static constexpr unsigned kReserve = 40;
/// Shared memory left to scratch.
static constexpr int64_t kScratchReserve = 4096;

namespace {

struct ShareOperandsPass : PassWrapper<ShareOperandsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareOperandsPass)
  explicit ShareOperandsPass(const PipelineOptions &options) : maxShared_(options.maxSharedBytes) {}
  StringRef getArgument() const override { return "tile-share-operands"; }
  StringRef getDescription() const override {
    return "Keeps operands of dots in shared memory where registers are short";
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto warps = function->getAttrOfType<IntegerAttr>(tile::kWarpsAttr);
    if (!warps)
      return;
    unsigned threads = static_cast<unsigned>(warps.getInt()) << kLaneBits;
    unsigned available = std::min(kThreadRegisters, kMultiprocessorRegisters / threads) - kReserve;
    int64_t shared = kScratchReserve;
    function.walk([&](tile::AllocOp alloc) { shared += alloc.getBuffer().getType().bytes(); });

    SmallVector<tile::ConvertLayoutOp> candidates;
    function.walk([&](tile::ConvertLayoutOp convert) {
      if (outerLoopOfDots(convert))
        candidates.push_back(convert);
    });
    for (tile::ConvertLayoutOp convert : candidates) {
      RankedTensorType type = convert.getType();
      int64_t bytes = type.getNumElements() * tile::elementBytes(type.getElementType());
      if (pressure(outerLoopOfDots(convert)) <= available || shared + bytes > maxShared_)
        continue;
      share(convert);
      shared += bytes;
    }
  }

private:
  /// The outermost loop behind `convert` that holds its users, when all are dots and it goes
  /// through shared memory.
  static scf::ForOp outerLoopOfDots(tile::ConvertLayoutOp convert) {
    ConversionPlan plan =
        planConversion(tile::layoutOf(convert.getSource()), tile::layoutOf(convert.getResult()),
                       tile::elementBytes(convert.getType().getElementType()));
    if (plan.kind != ConversionPlan::Kind::Shared)
      return {};
    scf::ForOp found;
    for (Operation *user : convert->getUsers()) {
      auto loop = dyn_cast_or_null<scf::ForOp>(convert->getBlock()->findAncestorOpInBlock(*user));
      if (!isa<tile::DotOp>(user) || !loop || (found && found != loop))
        return {};
      found = loop;
    }
    return found;
  }

  /// Registers of 32 bits that a thread needs for the floats of `value`.
  static unsigned registersOf(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isa<FloatType>(type.getElementType()))
      return 0;
    unsigned bytes = tile::elementBytes(type.getElementType());
    return (tile::layoutOf(type).registers() * bytes + 3) / 4;
  }

  /// An estimate of what lives at one time in `loop`: what it carries, what it uses from outside,
  /// and results of dots that are not carried.
  static unsigned pressure(scf::ForOp loop) {
    unsigned registers = 0;
    llvm::SetVector<Value> outside;
    loop.walk([&](Operation *op) {
      if (auto inner = dyn_cast<scf::ForOp>(op))
        for (Value argument : inner.getRegionIterArgs())
          registers += registersOf(argument);
      if (auto dot = dyn_cast<tile::DotOp>(op))
        if (llvm::none_of(dot->getUsers(), [](Operation *user) { return isa<scf::YieldOp>(user); }))
          registers += registersOf(dot.getResult());
      for (Value operand : op->getOperands())
        if (loop.isDefinedOutsideOfLoop(operand) && operand.getDefiningOp() &&
            !operand.getDefiningOp()->hasTrait<OpTrait::ConstantLike>() && op != loop)
          outside.insert(operand);
    });
    for (Value value : outside)
      registers += registersOf(value);
    return registers;
  }

  static void share(tile::ConvertLayoutOp convert) {
    OpBuilder builder(convert);
    Location loc = convert.getLoc();
    RankedTensorType type = convert.getType();
    auto buffer = tile::BufferType::get(builder.getContext(), /*slots=*/1, type.getShape(),
                                        type.getElementType(), {});
    Value slot = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    Value memory = tile::AllocOp::create(builder, loc, buffer, IntegerAttr());
    tile::LocalStoreOp::create(builder, loc, convert.getSource(), memory, slot, Value());
    for (OpOperand &use : llvm::make_early_inc_range(convert->getUses())) {
      builder.setInsertionPoint(use.getOwner());
      use.set(tile::LocalLoadOp::create(builder, loc, type, memory, slot));
    }
    convert.erase();
  }

  int64_t maxShared_;
};

} // namespace

std::unique_ptr<Pass> tilec::createShareOperandsPass(const PipelineOptions &options) {
  return std::make_unique<ShareOperandsPass>(options);
}
