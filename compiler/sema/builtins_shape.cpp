// expand_dims, broadcast_to, reshape, ravel, permute, trans.
#include "compiler/sema/builtins.h"

namespace tilec::sema {

static Value expandDims(Evaluator &evaluator, const BoundCall &call) {
  std::optional<RuntimeValue> value = evaluator.asRuntime(call[0].value, call[0].range);
  if (!value)
    return ErrorValue{};
  auto rank = static_cast<int64_t>(value->type.shape.size());
  std::optional<int64_t> axis =
      evaluator.constantInteger(call[1].value, call[1].range, "the axis", -rank - 1, rank);
  if (!axis)
    return ErrorValue{};
  if (rank + 1 > kMaxRank)
    return evaluator.fail(call.range, "a tile has at most 5 dimensions");
  return evaluator.emit.expandDims(*value,
                                   static_cast<unsigned>(*axis < 0 ? *axis + rank + 1 : *axis));
}

static Value broadcastTo(Evaluator &evaluator, const BoundCall &call) {
  std::optional<RuntimeValue> value = evaluator.asRuntime(call[0].value, call[0].range);
  std::optional<Shape> shape = evaluator.constantShape(call[1].value, call[1].range);
  if (!value || !shape)
    return ErrorValue{};
  std::optional<RuntimeValue> result = evaluator.broadcastTo(*value, *shape, call.range);
  return result ? Value(*result) : Value();
}

static int64_t elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

static Value reshaped(Evaluator &evaluator, const RuntimeValue &value,
                      llvm::ArrayRef<int64_t> shape, SourceRange range) {
  if (elementCount(value.type.shape) != elementCount(shape))
    return evaluator.fail(range, "cannot reshape " + str(value.type) + " to " + str(shape) + ": " +
                                     std::to_string(elementCount(value.type.shape)) + " and " +
                                     std::to_string(elementCount(shape)) + " elements");
  if (shape.empty() && value.type.isTile())
    return evaluator.fail(range, "a tile of one element becomes a scalar with sum(x)");
  return evaluator.emit.reshape(value, shape);
}

static Value reshape(Evaluator &evaluator, const BoundCall &call) {
  std::optional<RuntimeValue> value = evaluator.asRuntime(call[0].value, call[0].range);
  std::optional<Shape> shape = evaluator.constantShape(call[1].value, call[1].range);
  if (!value || !shape)
    return ErrorValue{};
  return reshaped(evaluator, *value, *shape, call.range);
}

static Value ravel(Evaluator &evaluator, const BoundCall &call) {
  std::optional<RuntimeValue> value = evaluator.asRuntime(call[0].value, call[0].range);
  if (!value)
    return ErrorValue{};
  return reshaped(evaluator, *value, {elementCount(value->type.shape)}, call.range);
}

/// `order` as a permutation of 0..rank-1; negative entries count from the end.
static std::optional<llvm::SmallVector<int32_t>>
permutation(Evaluator &evaluator, const BoundCall::Slot &order, size_t rank) {
  const auto *sequence = order.value.as<SequenceValue>();
  if (!sequence || sequence->elements->size() != rank) {
    evaluator.error(order.range, "the order must list each of the " + std::to_string(rank) +
                                     " dimensions once, for example [1, 0]");
    return std::nullopt;
  }
  llvm::SmallVector<int32_t> result;
  auto size = static_cast<int64_t>(rank);
  for (const Value &element : *sequence->elements) {
    std::optional<int64_t> dim =
        evaluator.constantInteger(element, order.range, "a dimension", -size, size - 1);
    if (!dim)
      return std::nullopt;
    auto from = static_cast<int32_t>(*dim < 0 ? *dim + size : *dim);
    if (llvm::is_contained(result, from)) {
      evaluator.error(order.range, "dimension " + std::to_string(from) + " is listed twice");
      return std::nullopt;
    }
    result.push_back(from);
  }
  return result;
}

static Value permute(Evaluator &evaluator, const BoundCall &call) {
  std::optional<RuntimeValue> value = evaluator.asRuntime(call[0].value, call[0].range);
  if (!value)
    return ErrorValue{};
  size_t rank = value->type.shape.size();
  llvm::SmallVector<int32_t> order;
  if (call[1].given) {
    auto given = permutation(evaluator, call[1], rank);
    if (!given)
      return ErrorValue{};
    order = *given;
  } else {
    if (rank < 2)
      return evaluator.fail(call.range, "'trans' needs a tile with two or more dimensions, but "
                                        "this is " +
                                            str(value->type));
    for (size_t dim = 0; dim < rank; ++dim)
      order.push_back(static_cast<int32_t>(dim));
    std::swap(order[rank - 1], order[rank - 2]);
  }
  return rank == 0 ? Value(*value) : Value(evaluator.emit.permute(*value, order));
}

static constexpr Builtin kShapeBuiltins[] = {
    {"expand_dims", "x, axis", expandDims}, {"broadcast_to", "x, shape", broadcastTo},
    {"reshape", "x, shape", reshape},       {"ravel", "x", ravel},
    {"permute", "x, order", permute},       {"trans", "x, order?", permute},
};

llvm::ArrayRef<Builtin> shapeBuiltins() {
  return kShapeBuiltins;
}

} // namespace tilec::sema
