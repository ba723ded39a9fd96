// The verifier of tensor_copy.
#include "compiler/ir/dialect.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

LogicalResult TensorCopyOp::verify() {
  MapAttr map = getDescription();
  size_t rank = getLengths().size();
  if (getStarts().size() != rank || map.getOrder().size() != rank || map.getBox().size() != rank)
    return emitOpError("needs one start, length and size of a box a dimension of the view");
  SmallVector<bool> seen(rank, false);
  for (int64_t axis : map.getOrder())
    if (axis < 0 || axis >= static_cast<int64_t>(rank) || std::exchange(seen[axis], true))
      return emitOpError("the map's order is not one of the view's axes");
  SmallVector<int64_t> shape;
  for (int64_t length : getLengths())
    if (length > 0)
      shape.push_back(length);
  if (getBuffer().getType().getShape() != ArrayRef(shape))
    return emitOpError("the window is not of the buffer's shape");
  if (getBarriers().getType().getSlots() != getBuffer().getType().getSlots())
    return emitOpError("needs one barrier a slot");
  return success();
}
