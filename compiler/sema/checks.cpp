// Requirements on values, each with the message for who does not meet it.
#include "compiler/sema/evaluator.h"

namespace tilec::sema {

std::optional<int64_t> Evaluator::constantInteger(const Value &value, SourceRange range,
                                                  const std::string &what, int64_t low,
                                                  int64_t high) {
  if (value.isError())
    return std::nullopt;
  std::optional<Wide> integer = value.integer();
  if (!integer) {
    if (const RuntimeValue *runtime = value.runtime())
      error(range,
            what + " must be known at compile time, but this is a run-time " + str(runtime->type));
    else
      error(range, what + " must be an integer, but is " + describe(value));
    return std::nullopt;
  }
  if (*integer < low || *integer > high) {
    error(range, what + " is " + str(*integer) + "; it must be between " + std::to_string(low) +
                     " and " + std::to_string(high));
    return std::nullopt;
  }
  return static_cast<int64_t>(*integer);
}

std::optional<bool> Evaluator::constantBool(const Value &value, SourceRange range,
                                            const std::string &what) {
  if (value.isError())
    return std::nullopt;
  if (const bool *boolean = value.as<bool>())
    return *boolean;
  if (value.runtime())
    error(range, what + " must be known at compile time");
  else
    error(range, what + " must be bool, but is " + describe(value));
  return std::nullopt;
}

bool Evaluator::checkShape(llvm::ArrayRef<int64_t> shape, SourceRange range) {
  std::optional<std::string> problem = shapeProblem(shape);
  if (problem)
    error(range, *problem);
  return !problem;
}

std::optional<Shape> Evaluator::constantShape(const Value &value, SourceRange range) {
  if (value.isError())
    return std::nullopt;
  const auto *sequence = value.as<SequenceValue>();
  if (!sequence) {
    error(range, "a shape is a list of sizes such as [M, N], but this is " + describe(value));
    return std::nullopt;
  }
  Shape shape;
  for (const Value &element : *sequence->elements) {
    std::optional<int64_t> size = constantInteger(element, range, "a tile dimension", 1, INT64_MAX);
    if (!size)
      return std::nullopt;
    shape.push_back(*size);
  }
  if (!checkShape(shape, range))
    return std::nullopt;
  return shape;
}

std::optional<Scalar> Evaluator::typeArgument(const Value &value, SourceRange range) {
  if (value.isError())
    return std::nullopt;
  const auto *type = value.as<TypeValue>();
  if (!type) {
    error(range, "expected a scalar type such as f32, but this is " + describe(value));
    return std::nullopt;
  }
  return type->scalar;
}

std::optional<RuntimeValue> Evaluator::asRuntime(const Value &value, SourceRange range) {
  if (value.isError())
    return std::nullopt;
  if (const RuntimeValue *runtime = value.runtime())
    return *runtime;
  if (std::optional<Constant> constant = value.constant())
    return emit.constant(*constant, defaultType(*constant));
  error(range, "expected a number or a tile, but this is " + describe(value));
  return std::nullopt;
}

std::optional<RuntimeValue> Evaluator::asType(const Value &value, Scalar type, SourceRange range,
                                              const std::string &what) {
  if (value.isError())
    return std::nullopt;
  if (std::optional<Constant> constant = value.constant(); constant && value.isUntyped()) {
    ConstantResult adapted = adapt(*constant, type);
    if (adapted.value)
      return emit.constant(*adapted.value, type);
    error(range, adapted.problem);
    return std::nullopt;
  }
  std::optional<RuntimeValue> runtime = asRuntime(value, range);
  if (!runtime)
    return std::nullopt;
  bool isPointer = runtime->type.isPointer();
  if (!isPointer && promote(runtime->scalar(), type).type == type)
    return emit.convert(*runtime, type);
  std::string cast = isPointer ? "" : "; cast it with " + std::string(name(type)) + "(...)";
  error(range, what + " is " + str(runtime->type) + " but must be " + name(type) + cast);
  return std::nullopt;
}

std::optional<RuntimeValue> Evaluator::broadcastTo(const RuntimeValue &value,
                                                   llvm::ArrayRef<int64_t> shape,
                                                   SourceRange range) {
  std::optional<Shape> common = broadcastShapes(value.type.shape, shape);
  if (!common || llvm::ArrayRef<int64_t>(*common) != shape) {
    error(range, "shape " + str(llvm::ArrayRef<int64_t>(value.type.shape)) +
                     " does not broadcast to " + str(shape));
    return std::nullopt;
  }
  return emit.broadcast(value, shape);
}

std::optional<Value> Evaluator::condition(const Value &value, SourceRange range,
                                          const std::string &what, const char *tileHint) {
  if (value.isError())
    return std::nullopt;
  if (value.as<bool>())
    return value;
  if (const RuntimeValue *runtime = value.runtime()) {
    if (runtime->type.isScalar(Scalar::Bool))
      return value;
    if (runtime->type.isTile()) {
      error(range, what + " must be a scalar, but is " + str(runtime->type) + "; " + tileHint);
      return std::nullopt;
    }
  }
  bool isNumber = value.isNumeric() && !typeOf(value).isPointer();
  error(range, what + " must be bool, but is " + describe(value) +
                   (isNumber ? "; compare it, for example with != 0" : ""));
  return std::nullopt;
}

void Evaluator::assume(const Value &value, SourceRange range) {
  std::optional<Value> condition = this->condition(value, range, "the condition of assume",
                                                   "all(condition) makes one of a tile");
  if (!condition)
    return;
  if (const bool *known = condition->as<bool>()) {
    if (!*known)
      error(range, "this assumption is false");
    return;
  }
  emit.assume(*condition->runtime());
}

} // namespace tilec::sema
