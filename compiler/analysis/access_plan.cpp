#include "compiler/analysis/access_plan.h"

using namespace mlir;
using namespace tilec;

unsigned AccessPlan::member(unsigned first, unsigned index) const {
  for (auto [position, bit] : llvm::enumerate(bits))
    if (index >> position & 1)
      first |= 1u << bit;
  return first;
}

SmallVector<unsigned> AccessPlan::firsts(unsigned registers) const {
  unsigned inside = member(0, width() - 1);
  SmallVector<unsigned> result;
  for (unsigned reg = 0; reg < registers; ++reg)
    if ((reg & inside) == 0)
      result.push_back(reg);
  return result;
}

AccessPlan tilec::vectorBits(const LinearLayout &layout, unsigned dim, unsigned maxWidth) {
  AccessPlan plan;
  for (unsigned width = 2; width <= maxWidth; width *= 2) {
    Bits bit = Bits(width / 2) << layout.dimShift(dim);
    if ((bit & layout.dimMask(dim)) == 0)
      break;
    auto own = llvm::find(layout.reg(), bit);
    auto reaches = [&](Bits column) { return column != bit && (column & bit); };
    if (own == layout.reg().end() || llvm::any_of(layout.reg(), reaches) ||
        llvm::any_of(layout.lane(), reaches) || llvm::any_of(layout.warp(), reaches))
      break;
    plan.bits.push_back(own - layout.reg().begin());
  }
  return plan;
}

AccessPlan tilec::planAccess(const FactAnalysis &facts, Value ptr, Value mask, unsigned maxBytes) {
  AccessPlan best;
  if (!tile::isTile(ptr.getType()))
    return best;
  LinearLayout layout = tile::layoutOf(ptr);
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    AccessPlan plan = vectorBits(layout, dim, vectorWidth(facts, ptr, mask, dim, maxBytes));
    if (plan.width() > best.width())
      best = plan;
  }
  return best;
}

AccessPlans tilec::planAccesses(Operation *function, unsigned maxBytes) {
  AccessPlans plans;
  FactAnalysis facts(function);
  function->walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      plans[op] = planAccess(facts, load.getPtr(), load.getMask(), maxBytes);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      plans[op] = planAccess(facts, store.getPtr(), store.getMask(), maxBytes);
    else if (auto copy = dyn_cast<tile::CopyAsyncOp>(op))
      plans[op] = planAccess(facts, copy.getPtr(), copy.getMask(), maxBytes);
  });
  return plans;
}
