// assume, multiple_of, max_contiguous, static_print, and what only checks with --debug off.
#include "compiler/sema/builtins.h"

namespace tilec::sema {

static Value assume(Evaluator &evaluator, const BoundCall &call) {
  evaluator.assume(call[0].value, call[0].range);
  return NoneValue{};
}

/// A promise about the elements of a tile, a number for each dimension; a scalar has one.
template <typename Op> static Value promise(Evaluator &evaluator, const BoundCall &call) {
  std::optional<RuntimeValue> value = evaluator.asRuntime(call[0].value, call[0].range);
  if (!value)
    return ErrorValue{};
  if (!value->type.isPointer() && !isInteger(value->scalar()))
    return evaluator.fail(call[0].range, std::string("'") + call.builtin->name +
                                             "' is about integers and pointers, but this is " +
                                             str(value->type));
  const auto *list = call[1].value.as<SequenceValue>();
  std::vector<Value> given = list ? *list->elements : std::vector<Value>{call[1].value};
  size_t count = std::max<size_t>(1, value->type.shape.size());
  if (given.size() != count)
    return evaluator.fail(call[1].range, std::string("'") + call.builtin->name + "' of " +
                                             str(value->type) + " needs " + std::to_string(count) +
                                             " numbers, one a dimension");
  llvm::SmallVector<int64_t> values;
  for (const Value &element : given) {
    std::optional<int64_t> number =
        evaluator.constantInteger(element, call[1].range, "the number", 1, INT32_MAX);
    if (!number)
      return ErrorValue{};
    values.push_back(*number);
  }
  return evaluator.emit.hint<Op>(*value, values);
}

/// A value as static_print shows it: constants by value, the rest by type.
static std::string shown(const Value &value) {
  if (std::optional<Constant> constant = value.constant())
    return str(*constant);
  if (const auto *text = value.as<std::string>())
    return *text;
  if (const auto *type = value.as<TypeValue>())
    return name(type->scalar);
  const auto *sequence = value.as<SequenceValue>();
  if (!sequence)
    return describe(value);
  std::string text;
  for (const Value &element : *sequence->elements)
    text += (text.empty() ? "" : ", ") + shown(element);
  return sequence->isList ? "[" + text + "]" : "(" + text + ")";
}

static Value staticPrint(Evaluator &evaluator, const BoundCall &call) {
  if (evaluator.settings.quiet)
    return NoneValue{};
  std::string line;
  for (const BoundCall::Slot &slot : call.rest)
    line += (line.empty() ? "" : " ") + shown(slot.value);
  evaluator.session.program.staticPrints += line + "\n";
  return NoneValue{};
}

/// Checked, and dropped unless --debug.
static Value print(Evaluator &evaluator, const BoundCall &call) {
  for (const BoundCall::Slot &slot : call.rest)
    if (!slot.value.isNumeric() && !slot.value.as<std::string>())
      evaluator.error(slot.range,
                      "print shows strings, numbers and tiles, not " + describe(slot.value));
  if (evaluator.settings.debug)
    return evaluator.notSupported(call.range, "'print' with --debug");
  return NoneValue{};
}

static constexpr Builtin kHintBuiltins[] = {
    {"assume", "condition", assume},
    {"multiple_of", "x, values", promise<tile::MultipleOfOp>},
    {"max_contiguous", "x, values", promise<tile::MaxContiguousOp>},
    {"static_print", "...", staticPrint},
    {"print", "...", print},
};

llvm::ArrayRef<Builtin> hintBuiltins() {
  return kHintBuiltins;
}

} // namespace tilec::sema
