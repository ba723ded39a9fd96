// Views in a kernel's body: their extents and strides, and windows of them in load and store.
//
// A window is no value: it stands in a load or store and becomes one operation, so that what the
// bounds need - a mask, or nothing, or a descriptor of the tensor-copy engine - is chosen later.
// Starts are computed in 64 bits, as pointer offsets are.
#include "compiler/sema/window.h"

#include "compiler/sema/builtins.h"

namespace tilec::sema {

using ast::Expr;

Value Evaluator::viewQuery(const View &view, const Expr &expr) {
  const Expr &callee = *expr.operands[0];
  const std::string &query = callee.name.text;
  if (query != "dim" && query != "stride")
    return fail(callee.name.range,
                "a view has no '" + query + "'" + suggestion(query, {"dim", "stride"}));
  if (expr.arguments.size() != 1 || expr.arguments[0].name)
    return fail(expr.range, "'." + query + "' takes one axis");
  const Expr &axisExpr = *expr.arguments[0].value;
  std::optional<int64_t> axis = constantInteger(evaluate(axisExpr), axisExpr.range, "the axis", 0,
                                                static_cast<int64_t>(view.type.rank) - 1);
  if (!axis)
    return ErrorValue{};
  return (query == "dim" ? view.extents : view.strides)[static_cast<size_t>(*axis)];
}

/// An index or start as i64; null after an error.
static mlir::Value startOf(Evaluator &evaluator, const Expr &expr) {
  Value value = evaluator.evaluate(expr);
  if (value.isError())
    return {};
  const RuntimeValue *runtime = value.runtime();
  bool fits = runtime ? !runtime->type.isTile() && !runtime->type.isPointer() &&
                            isInteger(runtime->scalar())
                      : value.integer().has_value();
  if (!fits) {
    evaluator.error(expr.range, "where a window stands is said by scalar integers, but this is " +
                                    describe(value));
    return {};
  }
  evaluator.setLocation(expr.range);
  if (value.isUntyped()) {
    std::optional<RuntimeValue> constant =
        evaluator.asType(value, Scalar::I64, expr.range, "an index");
    return constant ? constant->ir : mlir::Value();
  }
  return evaluator.emit.inI64(*evaluator.asRuntime(value, expr.range)).ir;
}

static std::optional<int64_t> lengthOf(Evaluator &evaluator, const Expr &expr) {
  std::optional<int64_t> length = evaluator.constantInteger(
      evaluator.evaluate(expr), expr.range, "the length of a window", 1, kMaxElements);
  if (!length || llvm::isPowerOf2_64(static_cast<uint64_t>(*length)))
    return length;
  evaluator.error(expr.range, "the length of a window is a power of two; " +
                                  std::to_string(*length) + " is not");
  return std::nullopt;
}

std::optional<Window> Evaluator::window(const ViewValue &value, const Expr &expr) {
  const View &view = *value.view;
  if (expr.subscripts.size() != view.type.rank) {
    error(expr.range, str(view.type) +
                          " takes one index or one 'start +: length' for each of its " +
                          std::to_string(view.type.rank) + " dimensions; this has " +
                          std::to_string(expr.subscripts.size()));
    return std::nullopt;
  }
  Window window{value.view, {}, {}, {}};
  bool isValid = true;
  for (const ast::Subscript &subscript : expr.subscripts) {
    bool isIndex = subscript.kind == ast::Subscript::Kind::Index;
    if (!isIndex && subscript.kind != ast::Subscript::Kind::Window) {
      error(subscript.range, "a dimension of a view takes an index or 'start +: length'");
      isValid = false;
      continue;
    }
    window.starts.push_back(startOf(*this, *subscript.first));
    std::optional<int64_t> length = 0;
    if (!isIndex)
      length = lengthOf(*this, *subscript.second);
    isValid &= window.starts.back() && length;
    window.lengths.push_back(length.value_or(0));
    if (!isIndex)
      window.shape.push_back(window.lengths.back());
  }
  if (!isValid || !checkShape(window.shape, expr.range))
    return std::nullopt;
  return window;
}

bool Evaluator::bindPlace(const Expr &expr, BoundArgument &slot) {
  if (expr.kind != Expr::Kind::Subscript) {
    slot.value = evaluate(expr);
    return !slot.value.isError();
  }
  Value base = evaluate(*expr.operands[0]);
  if (const auto *view = base.as<ViewValue>()) {
    slot.window = window(*view, expr);
    return slot.window.has_value();
  }
  slot.value = subscript(base, expr);
  return !slot.value.isError();
}

//===--- load and store ----------------------------------------------------------------------===//

/// Argument `index` belongs to pointers: an error when it is given.
static bool checkAbsent(Evaluator &evaluator, const BoundCall &call, size_t index,
                        const std::string &why) {
  if (call[index].given)
    evaluator.error(call[index].range, why);
  return !call[index].given;
}

static llvm::SmallVector<mlir::Value> inI64(Evaluator &evaluator,
                                            llvm::ArrayRef<RuntimeValue> values) {
  llvm::SmallVector<mlir::Value> wide;
  for (const RuntimeValue &value : values)
    wide.push_back(evaluator.emit.inI64(value).ir);
  return wide;
}

static constexpr const char *kNoMask =
    "a window is bounded by its view; only accesses through pointers have a mask";

Value loadWindow(Evaluator &evaluator, const BoundCall &call, tile::CacheModifier cache,
                 tile::EvictionPolicy evict) {
  const Window &window = *call[0].window;
  const View &view = *window.view;
  bool isValid = checkAbsent(evaluator, call, 1, kNoMask);
  isValid &= checkAbsent(evaluator, call, 2,
                         "what the elements outside a view read is said by 'pad', not 'other'");
  mlir::Value pad;
  const BoundCall::Slot &slot = call[5];
  if (slot.given) {
    std::optional<RuntimeValue> value =
        evaluator.asType(slot.value, view.type.element, slot.range, "'pad'");
    if (value && value->type.isTile()) {
      evaluator.error(slot.range,
                      "'pad' is one value for all elements, but this is " + str(value->type));
      value.reset();
    }
    isValid &= value.has_value();
    if (value)
      pad = value->ir;
  }
  if (!isValid)
    return ErrorValue{};
  Emitter &emit = evaluator.emit;
  TileType type(view.type.element, window.shape);
  auto operation = tile::WindowLoadOp::create(
      emit.builder, emit.loc, emit.mlirType(type), view.base.ir, inI64(evaluator, view.extents),
      inI64(evaluator, view.strides), window.starts, pad,
      emit.builder.getDenseI64ArrayAttr(window.lengths), cache, evict, view.type.isConst);
  return emit.leaf(operation, type);
}

Value storeWindow(Evaluator &evaluator, const BoundCall &call, tile::CacheModifier cache,
                  tile::EvictionPolicy evict) {
  const Window &window = *call[0].window;
  const View &view = *window.view;
  bool isValid = checkAbsent(evaluator, call, 2, kNoMask);
  if (view.type.isConst) {
    evaluator.error(call[0].range, "cannot store to " + str(view.type) +
                                       ": the parameter promises that the kernel only reads there");
    isValid = false;
  }
  std::optional<RuntimeValue> value =
      evaluator.asType(call[1].value, view.type.element, call[1].range, "the stored value");
  if (!isValid || !value)
    return ErrorValue{};
  std::optional<Shape> shape = broadcastShapes(value->type.shape, window.shape);
  bool fits = shape && *shape == window.shape;
  if (!fits && window.shape.empty())
    return evaluator.fail(call[1].range,
                          "the window is one element, but the stored value has shape " +
                              str(llvm::ArrayRef<int64_t>(value->type.shape)));
  if (!fits)
    return evaluator.fail(call[1].range, "the stored value has shape " +
                                             str(llvm::ArrayRef<int64_t>(value->type.shape)) +
                                             ", which does not broadcast to the window's " +
                                             str(llvm::ArrayRef<int64_t>(window.shape)));
  Emitter &emit = evaluator.emit;
  tile::WindowStoreOp::create(emit.builder, emit.loc, view.base.ir, inI64(evaluator, view.extents),
                              inI64(evaluator, view.strides), window.starts,
                              emit.broadcast(*value, window.shape).ir,
                              emit.builder.getDenseI64ArrayAttr(window.lengths), cache, evict);
  return NoneValue{};
}

} // namespace tilec::sema
