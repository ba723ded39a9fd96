// Windows become pointers and masks.
//
// Changes: tile.window_load and tile.window_store become tile.load and tile.store. Of the address,
// what all elements share - the base and start * stride of every dimension - is one scalar pointer;
// extents and strides that facts know are constants. A dimension is bounded
//   not at all   where the window is proven inside: by ranges, or because the start is a multiple
//   of
//                the length (or of what holds it) and below such a multiple that is at most the
//                extent;
//   as a whole   by one scalar test where start and extent are multiples of the length;
//   by element   else: the index within the window against a scalar that says how many are inside.
// With `keep-tensor-copies`, loads of loops that the tensor-copy engine can do, for dots, stay
// windows: tile-stage-loads takes them. What it leaves is expanded by a second run.
//
// Must hold: tile IR without layouts; no extent is negative or above 2^62 (launches check it).
// Holds after: no window operations but those kept.
// Why here: after contracts are folded (they decide what needs no mask) and before layouts, which
// are chosen by the accesses.
#include "compiler/transforms/passes.h"

#include "compiler/analysis/facts_lattice.h"
#include "compiler/analysis/scalar_order.h"
#include "compiler/analysis/stageable.h"
#include "compiler/analysis/tensor_window.h"
#include "compiler/ir/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

namespace {

/// How much of a dimension's bounds is left to be checked at run time.
enum class Check { None, Whole, Elements };

/// One dimension of a window. The values are i64 scalars.
struct Dimension {
  Value extent, stride, start;
  int64_t length = 0; ///< 0: an index
  Check check = Check::Elements;
  bool isNonNegative = false; ///< start >= 0
  bool isBelow = false;       ///< start < extent
};

/// What the bounds of all dimensions come to.
struct WindowAccess {
  Value pointer, mask; ///< mask: null when everything is inside
};

class WindowExpander {
public:
  WindowExpander(Operation *window, const FactAnalysis &facts, ScalarOrder &order)
      : window_(window), facts_(facts), order_(order), builder_(window), loc_(window->getLoc()) {}

  void expand(tile::WindowLoadOp load);
  void expand(tile::WindowStoreOp store);

private:
  template <typename Op> WindowAccess access(Op window);
  void decide(Dimension &dim);
  Value elementCheck(const Dimension &dim, Value whole);
  Value elementBound(const Dimension &dim, bool isLower);
  Value wholeCheck(const Dimension &dim);
  Value elementOffset(const Dimension &dim);

  int64_t divisor(Value value) const {
    return facts::Operand(facts_.of(value), value.getType()).divisor();
  }
  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder_, loc_, builder_.getI64IntegerAttr(value));
  }
  /// `value`, as a constant where it is known.
  Value known(Value value) {
    std::optional<int64_t> number = facts_.of(value).constant;
    return number ? constant(*number) : value;
  }
  template <typename Op> Value make(Value left, Value right) {
    return builder_.createOrFold<Op>(loc_, left, right);
  }
  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(builder_, loc_, predicate, left, right);
  }
  Value splat(Value scalar, ArrayRef<int64_t> shape) {
    return tile::SplatOp::create(builder_, loc_, RankedTensorType::get(shape, scalar.getType()),
                                 scalar);
  }
  Value spread(Value line, unsigned axis);
  Value lanes(int64_t length) {
    return tile::ArangeOp::create(builder_, loc_,
                                  RankedTensorType::get({length}, builder_.getI32Type()),
                                  builder_.getI32IntegerAttr(0));
  }
  /// a Op b, where a missing one leaves the other.
  template <typename Op> Value join(Value a, Value b) {
    return !a ? b : !b ? a : Value(Op::create(builder_, loc_, a, b));
  }

  Operation *window_;
  const FactAnalysis &facts_;
  ScalarOrder &order_;
  OpBuilder builder_;
  Location loc_;
  SmallVector<int64_t> shape_; ///< of the window
};

} // namespace

//===--- What has to be checked
//----------------------------------------------------------------===//

/// `value` as another value plus a constant that is not negative.
static std::pair<Value, int64_t> splitConstant(Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return {value, 0};
  for (auto [constant, rest] :
       {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
    if (APInt number; matchPattern(constant, m_ConstantInt(&number)))
      if (number.isNonNegative() && number.getActiveBits() < 32)
        return {rest, number.getSExtValue()};
  return {value, 0};
}

void WindowExpander::decide(Dimension &dim) {
  const IntegerRange &start = facts_.of(dim.start).range, &extent = facts_.of(dim.extent).range;
  int64_t length = std::max<int64_t>(1, dim.length);
  dim.isNonNegative = start.min >= 0;
  dim.isBelow = order_.isBelow(dim.start, dim.extent, window_);
  // The smallest block, in steps of a power of two, that holds the window from a multiple on.
  auto [block, skipped] = splitConstant(dim.start);
  auto step = static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(skipped + length)));
  bool endsInside = start.max <= INT64_MAX - length && start.max + length <= extent.min;
  bool blockInside = order_.isBelow(block, dim.extent, window_, step);
  bool isInside = endsInside || blockInside || (length == 1 && dim.isBelow);
  if (dim.isNonNegative && isInside)
    dim.check = Check::None;
  else if (divisor(dim.start) >= length && divisor(dim.extent) >= length)
    dim.check = Check::Whole;
}

//===--- Checks and addresses
//------------------------------------------------------------------===//

/// A tile of one dimension, as dimension `axis` of the window's shape.
Value WindowExpander::spread(Value line, unsigned axis) {
  Value value = line;
  auto type = cast<RankedTensorType>(line.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (unsigned dim = 0; dim < shape_.size(); ++dim) {
    if (dim == axis)
      continue;
    shape.insert(shape.begin() + dim, 1);
    value = tile::ExpandDimsOp::create(builder_, loc_,
                                       RankedTensorType::get(shape, type.getElementType()), value,
                                       builder_.getI32IntegerAttr(static_cast<int32_t>(dim)));
  }
  if (ArrayRef<int64_t>(shape) == ArrayRef<int64_t>(shape_))
    return value;
  return tile::BroadcastOp::create(builder_, loc_,
                                   RankedTensorType::get(shape_, type.getElementType()), value);
}

/// One test for the whole dimension. An extent is not negative, so as an unsigned number a start
/// below 0 is above it.
Value WindowExpander::wholeCheck(const Dimension &dim) {
  if (dim.isNonNegative && dim.isBelow)
    return {};
  arith::CmpIPredicate predicate =
      dim.isNonNegative ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  return compare(predicate, dim.start, dim.extent);
}

/// The first index within the window that is not below 0, or the first that is beyond the extent;
/// i32, 0 .. length. A start further below than the length counts as the length, so that nothing
/// wraps.
Value WindowExpander::elementBound(const Dimension &dim, bool isLower) {
  Value zero = constant(0), length = constant(dim.length);
  Value start = dim.start;
  if (!dim.isNonNegative)
    start = make<arith::MaxSIOp>(start, constant(-dim.length));
  Value bound = make<arith::SubIOp>(isLower ? zero : dim.extent, start);
  if (isLower || !dim.isBelow)
    bound = make<arith::MaxSIOp>(bound, zero);
  if (!isLower)
    bound = make<arith::MinSIOp>(bound, length);
  return arith::TruncIOp::create(builder_, loc_, builder_.getI32Type(), bound);
}

/// The mask of one dimension; false everywhere when `whole` (may be null) is.
Value WindowExpander::elementCheck(const Dimension &dim, Value whole) {
  Value end = elementBound(dim, /*isLower=*/false);
  if (whole) {
    Value none = arith::ConstantOp::create(builder_, loc_, builder_.getI32IntegerAttr(0));
    end = arith::SelectOp::create(builder_, loc_, whole, end, none);
  }
  Value index = lanes(dim.length);
  Value mask = compare(arith::CmpIPredicate::slt, index, splat(end, {dim.length}));
  if (!dim.isNonNegative) {
    Value first = splat(elementBound(dim, /*isLower=*/true), {dim.length});
    mask = make<arith::AndIOp>(mask, compare(arith::CmpIPredicate::sge, index, first));
  }
  return mask;
}

/// index * stride of a dimension's elements, in i64; null where it is 0.
Value WindowExpander::elementOffset(const Dimension &dim) {
  APInt stride;
  bool isKnown = matchPattern(dim.stride, m_ConstantInt(&stride));
  if (dim.length == 1 || (isKnown && stride.isZero()))
    return {};
  auto type = RankedTensorType::get({dim.length}, builder_.getI64Type());
  Value index = arith::ExtSIOp::create(builder_, loc_, type, lanes(dim.length));
  if (isKnown && stride.isOne())
    return index;
  return arith::MulIOp::create(builder_, loc_, index, splat(dim.stride, {dim.length}));
}

template <typename Op> WindowAccess WindowExpander::access(Op window) {
  Value whole, offset, offsets, mask;
  SmallVector<Dimension> kept;
  for (int64_t length : window.getLengths())
    if (length > 0)
      shape_.push_back(length);
  for (auto [extent, stride, start, length] : llvm::zip(window.getExtents(), window.getStrides(),
                                                        window.getStarts(), window.getLengths())) {
    Dimension dim{extent, stride, start, length};
    decide(dim);
    dim.extent = known(extent);
    dim.stride = known(stride);
    dim.start = known(start);
    if (dim.check == Check::Whole)
      whole = join<arith::AndIOp>(whole, wholeCheck(dim));
    Value product = make<arith::MulIOp>(dim.start, dim.stride);
    offset = offset ? make<arith::AddIOp>(offset, product) : product;
    if (length > 0)
      kept.push_back(dim);
  }
  Value pointer = window.getBase();
  if (!matchPattern(offset, m_Zero()))
    pointer = tile::AddPtrOp::create(builder_, loc_, pointer, offset);
  if (shape_.empty())
    return {pointer, whole};
  for (auto [axis, dim] : llvm::enumerate(kept)) {
    if (Value line = elementOffset(dim)) {
      Value part = spread(line, axis);
      // An element of the array is nowhere near where i64 ends; what is outside is not accessed.
      offsets = offsets ? Value(arith::AddIOp::create(builder_, loc_, offsets, part,
                                                      arith::IntegerOverflowFlags::nsw))
                        : part;
    }
    if (dim.check != Check::Elements)
      continue;
    // The scalar tests cost nothing in a bound, but one operation an element as a mask.
    mask = join<arith::AndIOp>(mask, spread(elementCheck(dim, whole), axis));
    whole = {};
  }
  if (whole)
    mask = splat(whole, shape_);
  pointer = splat(pointer, shape_);
  if (offsets)
    pointer = tile::AddPtrOp::create(builder_, loc_, pointer, offsets);
  return {pointer, mask};
}

void WindowExpander::expand(tile::WindowLoadOp load) {
  WindowAccess place = access(load);
  Value other = place.mask ? load.getPad() : Value();
  if (other && !shape_.empty())
    other = splat(other, shape_);
  auto result =
      tile::LoadOp::create(builder_, loc_, load.getResult().getType(), place.pointer, place.mask,
                           other, load.getCache(), load.getEvict(), load.getReadOnly());
  result->setDiscardableAttrs(load->getDiscardableAttrDictionary());
  load.getResult().replaceAllUsesWith(result.getResult());
}

void WindowExpander::expand(tile::WindowStoreOp store) {
  WindowAccess place = access(store);
  tile::StoreOp::create(builder_, loc_, place.pointer, store.getValue(), place.mask,
                        store.getCache(), store.getEvict());
}

namespace {

struct ExpandWindowsPass : PassWrapper<ExpandWindowsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandWindowsPass)
  ExpandWindowsPass() = default;
  ExpandWindowsPass(const ExpandWindowsPass &other) : PassWrapper(other) {}
  explicit ExpandWindowsPass(bool keep) { keepTensorCopies = keep; }
  StringRef getArgument() const override { return "tile-expand-windows"; }
  StringRef getDescription() const override { return "Turns windows into pointers and masks"; }

  void runOnOperation() override {
    SmallVector<Operation *> windows;
    getOperation().walk([&](Operation *op) {
      if (isa<tile::WindowLoadOp, tile::WindowStoreOp>(op))
        windows.push_back(op);
    });
    if (windows.empty())
      return;
    FactAnalysis facts(getOperation());
    unsigned maps = 0; // a window that is kept takes one
    if (keepTensorCopies && getOperation()->hasAttr(tile::kSpecializedAttr))
      llvm::erase_if(windows, [&](Operation *op) { return isTensorCopy(op, facts, maps); });
    ScalarOrder order(getOperation(), facts);
    for (Operation *op : windows) {
      WindowExpander expander(op, facts, order);
      if (auto load = dyn_cast<tile::WindowLoadOp>(op))
        expander.expand(load);
      else
        expander.expand(cast<tile::WindowStoreOp>(op));
    }
    // Only now: an address that is free again could be found in the analyses.
    for (Operation *op : windows)
      op->erase();
  }

  /// A load for a dot, in a loop that may be staged, which the engine can do and for which there is
  /// a map left; counts those. Says why not.
  static bool isTensorCopy(Operation *op, const FactAnalysis &facts, unsigned &maps) {
    auto load = dyn_cast<tile::WindowLoadOp>(op);
    auto loop = op->getParentOfType<LoopLikeOpInterface>();
    if (!load || !loop || !isa<scf::ForOp>(loop) || !feedsDot(load.getResult()))
      return false;
    std::string why;
    if (tensorMapOrder(load, facts, why)) {
      if (maps++ < kMaxTensorMaps)
        return true;
      why = "the kernel has " + std::to_string(kMaxTensorMaps) + " tensor maps already";
    }
    load->setAttr(kNotByTensorCopyAttr, StringAttr::get(load.getContext(), why));
    return false;
  }

  Option<bool> keepTensorCopies{*this, "keep-tensor-copies",
                                llvm::cl::desc("Leave windows to the tensor-copy engine"),
                                llvm::cl::init(false)};
};

} // namespace

std::unique_ptr<Pass> tilec::createExpandWindowsPass(bool keepTensorCopies) {
  return std::make_unique<ExpandWindowsPass>(keepTensorCopies);
}
