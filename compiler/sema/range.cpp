// Ranges of integers known from constants and arange, for values that need no 64-bit rebuild.
#include "compiler/sema/constants.h"
#include "compiler/sema/wide.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilec::sema {

std::optional<Range> knownRange(const RuntimeValue &value) {
  if (value.origin)
    return value.origin->range;
  auto arange = value.ir.getDefiningOp<tile::ArangeOp>();
  if (arange && value.scalar() == Scalar::I32) {
    auto start = static_cast<int32_t>(arange.getStart());
    return Range{start, start + value.type.shape[0] - 1};
  }
  auto constant = value.ir.getDefiningOp<arith::ConstantOp>();
  if (!constant || value.scalar() == Scalar::U64)
    return std::nullopt;
  llvm::APInt bits;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
    bits = splat.getSplatValue<llvm::APInt>();
  else
    bits = cast<IntegerAttr>(constant.getValue()).getValue();
  int64_t number =
      isUnsigned(value.scalar()) ? static_cast<int64_t>(bits.getZExtValue()) : bits.getSExtValue();
  return Range{number, number};
}

/// The four corner results of a monotonic operation bound all of them.
static std::optional<Range> corners(Range left, Range right,
                                    llvm::function_ref<Wide(int64_t, int64_t)> operation) {
  Wide values[] = {operation(left.low, right.low), operation(left.low, right.high),
                   operation(left.high, right.low), operation(left.high, right.high)};
  Wide low = *std::min_element(std::begin(values), std::end(values));
  Wide high = *std::max_element(std::begin(values), std::end(values));
  if (!fits(low, Scalar::I64) || !fits(high, Scalar::I64))
    return std::nullopt;
  return Range{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

static std::optional<Range> binaryRange(llvm::StringRef operation, Range left, Range right) {
  enum class Kind { Other, Add, Sub, Mul, Div, Rem, Min, Max, Select, Shl };
  Kind kind = llvm::StringSwitch<Kind>(operation)
                  .Case("arith.addi", Kind::Add)
                  .Case("arith.subi", Kind::Sub)
                  .Case("arith.muli", Kind::Mul)
                  .Cases({"arith.divsi", "arith.divui"}, Kind::Div)
                  .Cases({"arith.remsi", "arith.remui"}, Kind::Rem)
                  .Cases({"arith.minsi", "arith.minui"}, Kind::Min)
                  .Cases({"arith.maxsi", "arith.maxui"}, Kind::Max)
                  .Case("arith.select", Kind::Select)
                  .Case("arith.shli", Kind::Shl)
                  .Default(Kind::Other);
  bool isConstant = right.low == right.high;
  switch (kind) {
  case Kind::Add:
    return corners(left, right, [](int64_t a, int64_t b) { return Wide(a) + b; });
  case Kind::Sub:
    return corners(left, right, [](int64_t a, int64_t b) { return Wide(a) - b; });
  case Kind::Mul:
    return corners(left, right, [](int64_t a, int64_t b) { return Wide(a) * b; });
  case Kind::Shl:
    if (!isConstant)
      return std::nullopt;
    return corners(left, right, [](int64_t a, int64_t b) { return Wide(a) * (Wide(1) << b); });
  case Kind::Div:
    if (!isConstant || right.low <= 0)
      return std::nullopt;
    return corners(left, right, [](int64_t a, int64_t b) { return Wide(a) / b; });
  case Kind::Rem:
    if (!isConstant || right.low <= 0)
      return std::nullopt;
    return Range{left.low < 0 ? 1 - right.low : 0, left.high > 0 ? right.low - 1 : 0};
  case Kind::Min:
    return Range{std::min(left.low, right.low), std::min(left.high, right.high)};
  case Kind::Max:
    return Range{std::max(left.low, right.low), std::max(left.high, right.high)};
  case Kind::Select:
    return Range{std::min(left.low, right.low), std::max(left.high, right.high)};
  case Kind::Other:
    return std::nullopt;
  }
  return std::nullopt;
}

void deduceRange(const RuntimeValue &value, Origin &origin) {
  std::optional<Range> result = knownRange(origin.operands.front().second);
  if (origin.operands.size() == 2) {
    std::optional<Range> right = knownRange(origin.operands[1].second);
    if (!result || !right)
      return;
    result = binaryRange(value.ir.getDefiningOp()->getName().getStringRef(), *result, *right);
  }
  if (result && fits(result->low, value.scalar()) && fits(result->high, value.scalar()))
    origin.range = result;
}

} // namespace tilec::sema
