// Functions of one or more floats: each is one operation of the math dialect.
#include "compiler/sema/builtins.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tilec::sema {

/// The argument as IR floats; a literal is f32.
static std::optional<RuntimeValue> realArgument(Evaluator &evaluator, const BoundCall &call,
                                                size_t index) {
  const BoundCall::Slot &slot = call[index];
  if (std::optional<Constant> constant = slot.value.constant(); constant && slot.value.isUntyped())
    return evaluator.emit.constant(castConstant(*constant, Scalar::F32), Scalar::F32);
  Value argument = slot.value;
  evaluator.widenFloat8(argument, slot.range);
  std::optional<RuntimeValue> value = evaluator.asRuntime(argument, slot.range);
  if (!value)
    return std::nullopt;
  if (value->type.isPointer() || !isFloat(value->scalar())) {
    evaluator.error(slot.range,
                    std::string("'") + call.builtin->name + "' needs floats, but this is " +
                        str(value->type) +
                        (value->type.isPointer() ? "" : "; cast it, for example with f32(...)"));
    return std::nullopt;
  }
  return value;
}

template <typename Op> static Value real(Evaluator &evaluator, const BoundCall &call) {
  std::optional<RuntimeValue> value = realArgument(evaluator, call, 0);
  if (!value)
    return ErrorValue{};
  Emitter &emit = evaluator.emit;
  return emit.leaf(Op::create(emit.builder, emit.loc, value->ir), value->type);
}

/// The hardware's approximation.
template <typename Op> static Value fast(Evaluator &evaluator, const BoundCall &call) {
  std::optional<RuntimeValue> value = realArgument(evaluator, call, 0);
  if (!value)
    return ErrorValue{};
  Emitter &emit = evaluator.emit;
  return emit.leaf(Op::create(emit.builder, emit.loc, value->ir, mlir::arith::FastMathFlags::afn),
                   value->type);
}

/// The arguments in their common type, which must be a float type.
static std::optional<std::vector<RuntimeValue>> realArguments(Evaluator &evaluator,
                                                              const BoundCall &call) {
  std::vector<Value> values;
  bool literalsOnly = true;
  for (const BoundCall::Slot &slot : call.slots) {
    values.push_back(slot.value);
    literalsOnly &= slot.value.isUntyped();
  }
  if (literalsOnly)
    values[0] = castConstant(*values[0].constant(), Scalar::F32);
  evaluator.widenFloat8(values, call.range);
  auto unified = evaluator.unifyAll(values, call.range);
  if (!unified)
    return std::nullopt;
  const TileType &type = unified->front().type;
  if (type.isPointer() || !isFloat(type.element.scalar)) {
    evaluator.error(call.range, std::string("'") + call.builtin->name +
                                    "' needs floats, but its arguments are " + str(type) +
                                    "; cast them, for example with f32(...)");
    return std::nullopt;
  }
  return unified;
}

static Value fusedMultiplyAdd(Evaluator &evaluator, const BoundCall &call) {
  auto values = realArguments(evaluator, call);
  if (!values)
    return ErrorValue{};
  Emitter &emit = evaluator.emit;
  return emit.leaf(mlir::math::FmaOp::create(emit.builder, emit.loc, (*values)[0].ir,
                                             (*values)[1].ir, (*values)[2].ir),
                   values->front().type);
}

static Value fastDivide(Evaluator &evaluator, const BoundCall &call) {
  auto values = realArguments(evaluator, call);
  if (!values)
    return ErrorValue{};
  Emitter &emit = evaluator.emit;
  return emit.leaf(mlir::arith::DivFOp::create(emit.builder, emit.loc, (*values)[0].ir,
                                               (*values)[1].ir, mlir::arith::FastMathFlags::afn),
                   values->front().type);
}

static Value isNan(Evaluator &evaluator, const BoundCall &call) {
  std::optional<RuntimeValue> value = realArgument(evaluator, call, 0);
  return value ? Value(evaluator.emit.isNan(*value)) : Value();
}

static constexpr Builtin kMathBuiltins[] = {
    {"exp", "x", real<mlir::math::ExpOp>},      {"exp2", "x", real<mlir::math::Exp2Op>},
    {"log", "x", real<mlir::math::LogOp>},      {"log2", "x", real<mlir::math::Log2Op>},
    {"sqrt", "x", real<mlir::math::SqrtOp>},    {"rsqrt", "x", real<mlir::math::RsqrtOp>},
    {"sin", "x", real<mlir::math::SinOp>},      {"cos", "x", real<mlir::math::CosOp>},
    {"tanh", "x", real<mlir::math::TanhOp>},    {"erf", "x", real<mlir::math::ErfOp>},
    {"floor", "x", real<mlir::math::FloorOp>},  {"ceil", "x", real<mlir::math::CeilOp>},
    {"round", "x", real<mlir::math::RoundOp>},  {"trunc", "x", real<mlir::math::TruncOp>},
    {"fast_exp", "x", fast<mlir::math::ExpOp>}, {"fast_div", "x, y", fastDivide},
    {"fma", "x, y, z", fusedMultiplyAdd},       {"isnan", "x", isNan},
};

llvm::ArrayRef<Builtin> mathBuiltins() {
  return kMathBuiltins;
}

} // namespace tilec::sema
