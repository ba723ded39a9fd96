#include "compiler/analysis/scratch.h"

#include "compiler/analysis/reduction_plan.h"
#include "compiler/layout/conversion.h"

using namespace mlir;
using namespace tilec;

unsigned tilec::scratchBytes(Operation *op) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    std::optional<ReductionPlan> plan = planReduction(reduce);
    if (!plan || plan->restBits == 0)
      return 0;
    SmallVector<unsigned> bytes;
    for (Value source : reduce.getSources())
      bytes.push_back(tile::elementBytes(getElementTypeOrSelf(source.getType())));
    return plan->sourceOffset(bytes, bytes.size());
  }
  if (auto convert = dyn_cast<tile::ConvertLayoutOp>(op))
    return planConversion(tile::layoutOf(convert.getSource()), tile::layoutOf(convert.getResult()),
                          tile::elementBytes(convert.getSource().getType().getElementType()))
        .scratchBytes;
  return 0;
}
