// program_id, num_programs, arange, zeros, full.
#include "compiler/sema/builtins.h"

namespace tilec::sema {

template <typename Op> static Value programQuery(Evaluator &evaluator, const BoundCall &call) {
  std::optional<int64_t> axis =
      evaluator.constantInteger(call[0].value, call[0].range, "the axis", 0, 2);
  if (!axis)
    return ErrorValue{};
  Emitter &emit = evaluator.emit;
  auto attribute = emit.builder.getI32IntegerAttr(static_cast<int32_t>(*axis));
  return emit.leaf(Op::create(emit.builder, emit.loc, emit.builder.getI32Type(), attribute),
                   TileType(Scalar::I32));
}

static Value arange(Evaluator &evaluator, const BoundCall &call) {
  std::optional<int64_t> low = evaluator.constantInteger(
      call[0].value, call[0].range, "the start of arange", INT32_MIN, INT32_MAX);
  std::optional<int64_t> high = evaluator.constantInteger(
      call[1].value, call[1].range, "the end of arange", INT32_MIN, INT32_MAX);
  if (!low || !high)
    return ErrorValue{};
  int64_t count = *high - *low;
  if (count <= 0 || !llvm::isPowerOf2_64(static_cast<uint64_t>(count)))
    return evaluator.fail(call.range, "arange(" + std::to_string(*low) + ", " +
                                          std::to_string(*high) + ") has " +
                                          std::to_string(std::max<int64_t>(count, 0)) +
                                          " elements; the number must be a power of two");
  if (!evaluator.checkShape({count}, call.range))
    return ErrorValue{};
  return evaluator.emit.arange(static_cast<int32_t>(*low), count);
}

static Value zeros(Evaluator &evaluator, const BoundCall &call) {
  std::optional<Shape> shape = evaluator.constantShape(call[0].value, call[0].range);
  std::optional<Scalar> type = evaluator.typeArgument(call[1].value, call[1].range);
  if (!shape || !type)
    return ErrorValue{};
  return evaluator.emit.constant(castConstant(IntConstant{0, std::nullopt}, *type), *type, *shape);
}

static Value full(Evaluator &evaluator, const BoundCall &call) {
  std::optional<Shape> shape = evaluator.constantShape(call[0].value, call[0].range);
  std::optional<Scalar> type = evaluator.typeArgument(call[2].value, call[2].range);
  if (!shape || !type)
    return ErrorValue{};
  const Value &value = call[1].value;
  if (!value.isNumeric() || typeOf(value).isTile() || typeOf(value).isPointer())
    return evaluator.fail(call[1].range, "full repeats a scalar, but is given " + describe(value));
  if (std::optional<Constant> constant = value.constant()) {
    if (value.isUntyped()) {
      ConstantResult adapted = adapt(*constant, *type);
      if (!adapted.value)
        return evaluator.fail(call[1].range, adapted.problem);
      constant = adapted.value;
    }
    return evaluator.emit.constant(castConstant(*constant, *type), *type, *shape);
  }
  Value scalar = evaluator.cast(value, *type, false, call[1].range);
  return scalar.isError() ? scalar : Value(evaluator.emit.broadcast(*scalar.runtime(), *shape));
}

static constexpr Builtin kCreationBuiltins[] = {
    {"program_id", "axis", programQuery<tile::ProgramIdOp>},
    {"num_programs", "axis", programQuery<tile::NumProgramsOp>},
    {"arange", "start, end", arange},
    {"zeros", "shape, dtype", zeros},
    {"full", "shape, value, dtype", full},
};

llvm::ArrayRef<Builtin> createBuiltins() {
  return kCreationBuiltins;
}

} // namespace tilec::sema
