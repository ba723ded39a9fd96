#include "compiler/analysis/stageable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

static bool movesOrComputesElements(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<tile::SplatOp, tile::PermuteOp, tile::ReshapeOp, tile::ExpandDimsOp,
             tile::BroadcastOp>(op);
}

bool tilec::feedsDot(Value tile) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> worklist = {tile};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (auto dot = dyn_cast<tile::DotOp>(user))
        if (dot.getA() == value || dot.getB() == value)
          return true;
      if (isa<scf::YieldOp>(user))
        user = isa<scf::IfOp>(user->getParentOp()) ? user->getParentOp() : nullptr;
      else if (!movesOrComputesElements(user))
        user = nullptr;
      if (user && seen.insert(user).second)
        llvm::append_range(worklist, user->getResults());
    }
  }
  return false;
}

bool tilec::isZeroFill(Value value) {
  if (auto splat = value.getDefiningOp<tile::SplatOp>())
    value = splat.getSource();
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(constant))
    return number.getValue().isPosZero();
  auto integer = dyn_cast<IntegerAttr>(constant);
  return integer && integer.getValue().isZero();
}
