#include "compiler/analysis/tensor_window.h"

#include "compiler/analysis/facts_lattice.h"
#include "compiler/analysis/stageable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tilec;

/// Bytes that a map's base and strides are multiples of (CUDA driver API, cuTensorMapEncodeTiled),
/// and so must be where a box starts along the dense axis: an H200 takes any other start for an
/// illegal instruction.
static constexpr int64_t kMapAlignment = 16;

/// "a.stride(1)", or "a" for the base.
static std::string partOfView(BlockArgument base, StringRef part, int64_t axis) {
  auto function = cast<func::FuncOp>(base.getOwner()->getParentOp());
  auto name = function.getArgAttrOfType<StringAttr>(base.getArgNumber(), tile::kNameAttr);
  std::string text = name ? name.getValue().str() : "the view";
  return part.empty() ? text : text + "." + part.str() + "(" + std::to_string(axis) + ")";
}

std::optional<SmallVector<int64_t>>
tilec::tensorMapOrder(tile::WindowLoadOp window, const FactAnalysis &facts, std::string &why) {
  auto refuse = [&](std::string reason) {
    why = std::move(reason);
    return std::nullopt;
  };
  auto base = dyn_cast<BlockArgument>(window.getBase());
  auto function = base ? dyn_cast<func::FuncOp>(base.getOwner()->getParentOp()) : func::FuncOp();
  if (!function || !function.getArgAttr(base.getArgNumber(), tile::kViewAttr))
    return refuse("its base is not a view's");
  auto type = dyn_cast<RankedTensorType>(window.getResult().getType());
  if (!type)
    return refuse("it is a scalar");
  if (window.getPad() && !isZeroFill(window.getPad()))
    return refuse("what it reads outside the view is not 0");
  if (window.getCache() != tile::CacheModifier::none)
    return refuse("it has no cache operators");

  auto divisor = [&](Value value) {
    return facts::Operand(facts.of(value), value.getType()).divisor();
  };
  // That of 0 is the largest there is: nothing may be multiplied with it but in this way.
  auto isAligned = [&](Value elements, int64_t bytes) {
    return facts::multiplied(divisor(elements), bytes) % kMapAlignment == 0;
  };
  if (divisor(base) % kMapAlignment != 0)
    return refuse("`" + partOfView(base, "", 0) + "` is not known to be a multiple of 16 bytes");
  // The dense axis; of several, one along which the window is long.
  ArrayRef<int64_t> lengths = window.getLengths();
  int64_t bytes = tile::elementBytes(type.getElementType());
  std::optional<int64_t> dense;
  for (auto [axis, stride] : llvm::enumerate(window.getStrides()))
    if (facts.of(stride).constant == 1 && (!dense || lengths[axis] > lengths[*dense]))
      dense = axis;
  if (!dense)
    return refuse("no stride of it is known to be 1");
  if (!isAligned(window.getStarts()[*dense], bytes))
    return refuse("where it starts along the axis of stride 1 is not known to be a multiple of 16 "
                  "bytes");
  SmallVector<int64_t> order = {*dense};
  for (int64_t axis = lengths.size(); axis-- > 0;) {
    if (axis == *dense)
      continue;
    if (!isAligned(window.getStrides()[axis], bytes))
      return refuse("`" + partOfView(base, "stride", axis) +
                    "` is not known to be a multiple of 16 bytes");
    order.push_back(axis);
  }
  if (possibleBoxes(boxAxes(lengths, order), static_cast<unsigned>(bytes)).empty())
    return refuse("the window is too narrow, or too large");
  return order;
}

std::vector<BoxAxis> tilec::boxAxes(ArrayRef<int64_t> lengths, ArrayRef<int64_t> order) {
  // An element's number is row-major over the lengths.
  std::vector<BoxAxis> byAxis(lengths.size()), axes;
  unsigned shift = 0;
  for (size_t axis = lengths.size(); axis-- > 0;) {
    byAxis[axis] = {shift, lengths[axis] > 1 ? llvm::Log2_64(lengths[axis]) : 0};
    shift += byAxis[axis].bits;
  }
  for (int64_t axis : order)
    axes.push_back(byAxis[axis]);
  return axes;
}
