#include "compiler/sema/value.h"

namespace tilec::sema {

std::optional<Constant> Value::constant() const {
  if (const bool *boolean = as<bool>())
    return *boolean;
  if (const auto *integer = as<IntConstant>())
    return *integer;
  if (const auto *real = as<FloatConstant>())
    return *real;
  return std::nullopt;
}

std::optional<Wide> Value::integer() const {
  if (const auto *integer = as<IntConstant>())
    return integer->value;
  return std::nullopt;
}

bool Value::isUntyped() const {
  if (const auto *integer = as<IntConstant>())
    return !integer->type;
  if (const auto *real = as<FloatConstant>())
    return !real->type;
  return false;
}

Value Value::tuple(std::vector<Value> elements) {
  return SequenceValue{std::make_shared<const std::vector<Value>>(std::move(elements)), false};
}

Value Value::list(std::vector<Value> elements) {
  return SequenceValue{std::make_shared<const std::vector<Value>>(std::move(elements)), true};
}

bool identical(const Value &first, const Value &second) {
  if (const RuntimeValue *a = first.runtime()) {
    const RuntimeValue *b = second.runtime();
    return b && a->ir == b->ir && a->type == b->type;
  }
  if (const auto *a = first.as<IntConstant>())
    return second.as<IntConstant>() && *a == *second.as<IntConstant>();
  if (const bool *a = first.as<bool>())
    return second.as<bool>() && *a == *second.as<bool>();
  if (const auto *a = first.as<FloatConstant>()) {
    const auto *b = second.as<FloatConstant>();
    return b && a->type == b->type &&
           bitsOf(*a, Scalar::F64) == bitsOf(*b, Scalar::F64); // -0.0 differs from 0.0
  }
  if (const auto *a = first.as<SequenceValue>()) {
    const auto *b = second.as<SequenceValue>();
    if (!b || a->elements->size() != b->elements->size())
      return false;
    for (size_t i = 0; i < a->elements->size(); ++i)
      if (!identical((*a->elements)[i], (*b->elements)[i]))
        return false;
    return true;
  }
  if (const auto *a = first.as<TypeValue>())
    return second.as<TypeValue>() && a->scalar == second.as<TypeValue>()->scalar;
  if (const auto *a = first.as<std::string>())
    return second.as<std::string>() && *a == *second.as<std::string>();
  if (const auto *a = first.as<FunctionValue>())
    return second.as<FunctionValue>() && a->function == second.as<FunctionValue>()->function;
  if (const auto *a = first.as<LambdaValue>())
    return second.as<LambdaValue>() && a->captures == second.as<LambdaValue>()->captures;
  if (const auto *a = first.as<BuiltinValue>())
    return second.as<BuiltinValue>() && a->builtin == second.as<BuiltinValue>()->builtin;
  if (const auto *a = first.as<ViewValue>())
    return second.as<ViewValue>() && a->view == second.as<ViewValue>()->view;
  return (first.isNone() && second.isNone()) || (first.isError() && second.isError());
}

void flatten(const Value &value, std::vector<Value> &parts) {
  const auto *sequence = value.as<SequenceValue>();
  if (!sequence)
    parts.push_back(value);
  else
    for (const Value &element : *sequence->elements)
      flatten(element, parts);
}

Value withParts(const Value &structure, llvm::ArrayRef<Value> &parts) {
  const auto *sequence = structure.as<SequenceValue>();
  if (!sequence) {
    Value part = parts.front();
    parts = parts.drop_front();
    return part;
  }
  std::vector<Value> elements;
  for (const Value &element : *sequence->elements)
    elements.push_back(withParts(element, parts));
  return sequence->isList ? Value::list(std::move(elements)) : Value::tuple(std::move(elements));
}

TileType typeOf(const Value &value) {
  if (const RuntimeValue *runtime = value.runtime())
    return runtime->type;
  if (std::optional<Constant> constant = value.constant())
    return TileType(defaultType(*constant));
  return TileType();
}

std::string describe(const Value &value) {
  if (value.isError())
    return "an erroneous value";
  if (value.isNone())
    return "None";
  if (const RuntimeValue *runtime = value.runtime())
    return str(runtime->type);
  if (const auto *integer = value.as<IntConstant>())
    return integer->type ? name(*integer->type) : "an integer literal";
  if (const auto *real = value.as<FloatConstant>())
    return real->type ? name(*real->type) : "a float literal";
  if (value.as<bool>())
    return "bool";
  if (value.as<std::string>())
    return "a string";
  if (value.as<TypeValue>())
    return "a type";
  if (const auto *sequence = value.as<SequenceValue>()) {
    if (sequence->isList)
      return "a list";
    std::string text = "(";
    for (const Value &element : *sequence->elements)
      text += (text.size() > 1 ? ", " : "") + describe(element);
    return text + ")";
  }
  if (const auto *view = value.as<ViewValue>())
    return str(view->view->type);
  return "a function";
}

} // namespace tilec::sema
