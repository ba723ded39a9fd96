// Expressions but operators and calls: literals, names, conditionals, attributes, subscripts.
#include "compiler/sema/builtins.h"
#include "compiler/sema/evaluator.h"

namespace tilec::sema {

using ast::Expr;

Value Evaluator::evaluate(const Expr &expr) {
  if (depth_ >= kMaxDepth)
    return fail(expr.range, "expressions and calls nest too deeply here");
  if (isExhausted())
    return ErrorValue{};
  if (++evaluations_ > kMaxEvaluations)
    return fail(expr.range, "the kernel grows too large here: its functions and static_range loops "
                            "write out more than " +
                                std::to_string(kMaxEvaluations) + " expressions");
  ++depth_;
  Value value = evaluateKind(expr);
  --depth_;
  return value;
}

Value Evaluator::evaluateKind(const Expr &expr) {
  switch (expr.kind) {
  case Expr::Kind::IntLiteral:
    return IntConstant{static_cast<Wide>(expr.intValue), std::nullopt};
  case Expr::Kind::FloatLiteral:
    return FloatConstant{expr.floatValue, std::nullopt};
  case Expr::Kind::BoolLiteral:
    return expr.boolValue;
  case Expr::Kind::NoneLiteral:
    return NoneValue{};
  case Expr::Kind::StringLiteral:
    return expr.text;
  case Expr::Kind::NameRef:
    return lookUp(expr.name);
  case Expr::Kind::Unary:
    return unary(expr.unaryOp, evaluate(*expr.operands[0]), expr.range);
  case Expr::Kind::Binary:
    return evaluateBinary(expr);
  case Expr::Kind::Conditional:
    return evaluateConditional(expr);
  case Expr::Kind::Call:
    return evaluateCall(expr);
  case Expr::Kind::Subscript:
    return evaluateSubscript(expr);
  case Expr::Kind::Attribute:
    return evaluateAttribute(expr);
  case Expr::Kind::Tuple:
  case Expr::Kind::List:
    return evaluateSequence(expr);
  case Expr::Kind::Lambda:
    return evaluateLambda(expr);
  }
  return ErrorValue{};
}

Value Evaluator::evaluateSequence(const Expr &expr) {
  std::vector<Value> elements;
  bool failed = false;
  for (const ast::ExprPtr &operand : expr.operands) {
    elements.push_back(evaluate(*operand));
    failed |= elements.back().isError();
  }
  if (failed)
    return ErrorValue{};
  return expr.kind == Expr::Kind::List ? Value::list(std::move(elements))
                                       : Value::tuple(std::move(elements));
}

Value Evaluator::lookUp(const ast::Name &name) {
  if (Variable *variable = environment().find(name.text))
    return variable->value;
  // The prelude means the compiler's own names, whatever the user calls theirs.
  bool inPrelude = session.sources.file(name.range.file).builtin;
  auto global = session.globals.find(name.text);
  if (!inPrelude && global != session.globals.end()) {
    if (global->second.constant)
      return globalConstant(global->second, name.range);
    if (global->second.function)
      return FunctionValue{global->second.function};
    return fail(name.range, "'" + name.text + "' is a kernel; kernels are launched, not called");
  }
  if (std::optional<Scalar> scalar = scalarNamed(name.text))
    return TypeValue{*scalar};
  if (const Builtin *builtin = findBuiltin(name.text))
    return BuiltinValue{builtin};
  if (const ast::Function *function = session.preludeFunction(name.text))
    return FunctionValue{function};
  if (isUnsupportedBuiltin(name.text))
    return notSupported(name.range, "'" + name.text + "'");
  if (clausesOf)
    for (const ast::Param &param : clausesOf->params)
      if (param.name.text == name.text)
        return fail(name.range, "'" + name.text +
                                    "' is known at launch only; this must be known at "
                                    "compile time");
  std::vector<std::string> names;
  environment().collectNames(names);
  for (const auto &entry : session.globals)
    if (!entry.second.kernel)
      names.push_back(entry.first);
  for (Scalar scalar : allScalars())
    names.push_back(sema::name(scalar));
  collectBuiltinNames(names);
  collectPreludeNames(names);
  Diagnostic &diagnostic =
      error(name.range, "unknown name '" + name.text + "'" + suggestion(name.text, names));
  if (std::optional<std::string> meant = nearest(name.text, names))
    DiagnosticEngine::fixit(diagnostic, name.range, *meant);
  return ErrorValue{};
}

Value Evaluator::globalConstant(Global &global, SourceRange range) {
  if (global.state == Global::State::Evaluating) {
    return fail(range, "the value of '" + global.constant->name.text + "' depends on itself");
  }
  if (global.state == Global::State::Unevaluated) {
    global.state = Global::State::Evaluating;
    global.value = evaluateGlobalConstant(session, *global.constant);
    global.state = Global::State::Known;
  }
  return global.value;
}

Value Evaluator::evaluateAttribute(const Expr &expr) {
  Value base = evaluate(*expr.operands[0]);
  if (base.isError())
    return base;
  const std::string &attribute = expr.name.text;
  if (!base.isNumeric())
    return fail(expr.name.range,
                describe(base) + " has no attribute '" + attribute + "'" +
                    (base.as<ViewValue>() ? "; there are .dim(i) and .stride(i)" : ""));
  TileType type = typeOf(base);
  if (attribute == "shape") {
    std::vector<Value> sizes;
    for (int64_t size : type.shape)
      sizes.push_back(IntConstant{size, std::nullopt});
    return Value::tuple(std::move(sizes));
  }
  if (attribute == "dtype") {
    if (type.isPointer())
      return fail(expr.name.range, "a pointer has no 'dtype' that could be named");
    return TypeValue{type.element.scalar};
  }
  if (attribute == "T") {
    size_t rank = type.shape.size();
    if (rank < 2)
      return fail(expr.name.range,
                  "'.T' needs a tile with two or more dimensions, but this is " + describe(base));
    llvm::SmallVector<int32_t> order;
    for (size_t dim = 0; dim < rank; ++dim)
      order.push_back(static_cast<int32_t>(dim));
    std::swap(order[rank - 1], order[rank - 2]);
    setLocation(expr.range);
    return emit.permute(*base.runtime(), order);
  }
  return fail(expr.name.range, "a tile has no attribute '" + attribute + "'" +
                                   suggestion(attribute, {"shape", "dtype", "T"}));
}

Value Evaluator::evaluateSubscript(const Expr &expr) {
  return subscript(evaluate(*expr.operands[0]), expr);
}

Value Evaluator::subscript(const Value &base, const Expr &expr) {
  if (base.isError())
    return base;
  if (base.as<ViewValue>())
    return fail(expr.range, "a window of a view stands in load(...) or store(...) only");
  using Kind = ast::Subscript::Kind;
  if (const auto *sequence = base.as<SequenceValue>()) {
    if (expr.subscripts.size() != 1 || expr.subscripts[0].kind != Kind::Index)
      return fail(expr.range, "a tuple takes one constant index");
    const ast::Subscript &index = expr.subscripts[0];
    int64_t size = static_cast<int64_t>(sequence->elements->size());
    if (size == 0)
      return fail(index.range, "an empty tuple has no elements");
    std::optional<int64_t> position =
        constantInteger(evaluate(*index.first), index.range, "the index", -size, size - 1);
    if (!position)
      return ErrorValue{};
    return (*sequence->elements)[*position < 0 ? *position + size : *position];
  }
  if (!base.isNumeric())
    return fail(expr.range, describe(base) + " cannot be indexed");
  std::optional<RuntimeValue> value = asRuntime(base, expr.range);
  size_t kept = 0;
  for (const ast::Subscript &subscript : expr.subscripts) {
    if (subscript.kind == Kind::NewAxis)
      continue;
    if (subscript.kind == Kind::Window)
      return fail(subscript.range, "only a view has windows, but this is " + describe(base));
    if (subscript.kind == Kind::Index)
      return fail(subscript.range,
                  "a tile cannot be indexed; ':' keeps a dimension, None adds one");
    if (subscript.first || subscript.second)
      return notSupported(subscript.range, "a slice with bounds");
    ++kept;
  }
  if (kept > value->type.shape.size())
    return fail(expr.range, "this has " + std::to_string(kept) + " ':' but the tile has " +
                                std::to_string(value->type.shape.size()) + " dimensions");
  if (kept < value->type.shape.size())
    return fail(expr.range, "each of the " + std::to_string(value->type.shape.size()) +
                                " dimensions needs a ':'; this has " + std::to_string(kept));
  if (expr.subscripts.size() > kMaxRank)
    return fail(expr.range, "a tile has at most 5 dimensions");
  setLocation(expr.range);
  for (size_t dim = 0; dim < expr.subscripts.size(); ++dim)
    if (expr.subscripts[dim].kind == Kind::NewAxis)
      value = emit.expandDims(*value, static_cast<unsigned>(dim));
  return *value;
}

} // namespace tilec::sema
