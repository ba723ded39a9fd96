// -Wunmasked-load: an access without a mask through an index that the kernel itself bounds.
//
//     let cols = arange(0, BLOCK);
//     let mask = cols < n;                    // cols may reach past n
//     let x = load(src + cols, mask);
//     store(dst + cols, x);                   // here too
//
// The index is what stands in the comparison, whatever the width it is computed in: a peeled
// remainder (`start + cols < n` beside whole blocks at `k * BLOCK + cols`) is another one.
// Left out, as they are written on purpose: accesses in a branch that the comparison is not in, and
// those of a pointer that is accessed in the same way under that mask as well.
//
// Changes: nothing; warns. Must hold: the IR is as sema made it, before equal values are merged.
#include "compiler/ir/dialect.h"
#include "compiler/transforms/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

/// `value` without what only changes its shape or width.
static Value stripped(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::IndexCastOp, arith::IndexCastUIOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Both are the same computation, in whatever widths, looked at some operations deep.
static bool isSame(Value first, Value second, unsigned depth = 6) {
  first = stripped(first);
  second = stripped(second);
  if (first == second)
    return true;
  APInt constant, other;
  if (matchPattern(first, m_ConstantInt(&constant)) && matchPattern(second, m_ConstantInt(&other)))
    return constant.getSExtValue() == other.getSExtValue();
  Operation *a = first.getDefiningOp(), *b = second.getDefiningOp();
  return depth != 0 && a && b && a->getName() == b->getName() &&
         isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(a) &&
         isSame(a->getOperand(0), b->getOperand(0), depth - 1) &&
         isSame(a->getOperand(1), b->getOperand(1), depth - 1);
}

namespace {

/// What arithmetic reaches, each value once.
class Reached {
public:
  /// `value` and what it is computed from by operations that `follow` takes.
  template <typename... Ops> void add(Value value) {
    llvm::SmallVector<Value> work{value};
    while (!work.empty()) {
      Value next = stripped(work.pop_back_val());
      if (!values_.insert(next))
        continue;
      if (Operation *op = next.getDefiningOp(); op && isa<Ops...>(op))
        llvm::append_range(work, op->getOperands());
    }
  }
  ArrayRef<Value> values() const { return values_.getArrayRef(); }

private:
  llvm::SetVector<Value> values_;
};

/// One load or store through a tile of pointers.
struct CheckedAccess {
  Operation *op;
  Value pointer, mask;
};

/// `index < bound`, somewhere in the mask of `access`.
struct Bound {
  Value index;
  Operation *comparison; ///< an arith.cmpi
  CheckedAccess access;
};

struct WarnUnmaskedPass : PassWrapper<WarnUnmaskedPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WarnUnmaskedPass)
  StringRef getArgument() const override { return "tile-warn-unmasked"; }
  StringRef getDescription() const override { return "Warns of accesses that lack a mask"; }
  void runOnOperation() override;
};

} // namespace

static bool dependsOnArange(Value value) {
  Reached reached;
  reached.add<arith::AddIOp, arith::SubIOp, arith::MulIOp>(value);
  return llvm::any_of(reached.values(),
                      [](Value part) { return part.getDefiningOp<tile::ArangeOp>() != nullptr; });
}

/// The index of `index < bound`, where the bound is the same for all elements; null otherwise.
static Value boundedIndex(arith::CmpIOp comparison) {
  using Predicate = arith::CmpIPredicate;
  Value index = comparison.getLhs(), bound = comparison.getRhs();
  switch (comparison.getPredicate()) {
  case Predicate::slt:
  case Predicate::sle:
  case Predicate::ult:
  case Predicate::ule:
    break;
  case Predicate::sgt:
  case Predicate::sge:
  case Predicate::ugt:
  case Predicate::uge:
    std::swap(index, bound);
    break;
  default:
    return {};
  }
  bool isBound = dependsOnArange(index) && !dependsOnArange(bound) &&
                 !isa_and_nonnull<arith::ConstantOp>(stripped(bound).getDefiningOp());
  return isBound ? stripped(index) : Value();
}

/// The kernel's parameter that a tile of pointers points into, or another value it is based on.
static Value basePointer(Value pointer) {
  pointer = stripped(pointer);
  while (auto step = pointer.getDefiningOp<tile::AddPtrOp>())
    pointer = stripped(step.getPtr());
  return pointer;
}

static Reached comparisonsIn(Value mask) {
  Reached reached;
  if (mask)
    reached.add<arith::AndIOp, arith::OrIOp, arith::SelectOp>(mask);
  return reached;
}

/// The access is in a branch that the comparison is not in.
static bool isInOtherBranch(Operation *access, Operation *comparison) {
  for (Region *region = access->getParentRegion(); region; region = region->getParentRegion())
    if (isa<scf::IfOp>(region->getParentOp()) && !region->isAncestor(comparison->getParentRegion()))
      return true;
  return false;
}

static void check(const CheckedAccess &access, ArrayRef<Bound> bounds) {
  Reached reached;
  reached.add<tile::AddPtrOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(access.pointer);
  Operation *found = nullptr;
  for (const Bound &bound : bounds) {
    if (llvm::none_of(reached.values(), [&](Value part) { return isSame(part, bound.index); }))
      continue;
    bool isAccessedWithMask = bound.access.op->getName() == access.op->getName() &&
                              basePointer(bound.access.pointer) == basePointer(access.pointer);
    if (isAccessedWithMask || isInOtherBranch(access.op, bound.comparison))
      return;
    if (!found)
      found = bound.comparison;
  }
  if (!found)
    return;
  InFlightDiagnostic warning = emitWarning(
      access.op->getLoc(),
      "[unmasked-load] no mask, but its index is compared with a bound elsewhere in this kernel: "
      "elements past that may lie outside the array");
  warning.attachNote(found->getLoc()) << "compared here";
}

void WarnUnmaskedPass::runOnOperation() {
  SmallVector<CheckedAccess> accesses;
  getOperation().walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      accesses.push_back({op, load.getPtr(), load.getMask()});
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      accesses.push_back({op, store.getPtr(), store.getMask()});
  });
  SmallVector<Bound> bounds;
  for (const CheckedAccess &access : accesses) {
    Reached parts = comparisonsIn(access.mask);
    for (Value part : parts.values())
      if (auto comparison = part.getDefiningOp<arith::CmpIOp>())
        if (Value index = boundedIndex(comparison))
          bounds.push_back({index, comparison, access});
  }
  if (!bounds.empty())
    for (const CheckedAccess &access : accesses)
      if (!access.mask && isa<RankedTensorType>(access.pointer.getType()))
        check(access, bounds);
}

std::unique_ptr<Pass> tilec::createWarnUnmaskedPass() {
  return std::make_unique<WarnUnmaskedPass>();
}
