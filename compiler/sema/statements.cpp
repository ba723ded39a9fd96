// Statements but branches and loops.
#include "compiler/sema/evaluator.h"

namespace tilec::sema {

using ast::Stmt;

Flow Evaluator::execute(const ast::Block &block) {
  if (depth_ >= kMaxDepth) {
    error(block.range, "statements and calls nest too deeply here");
    return Flow::Falls;
  }
  ++depth_;
  BlockScope scope(environment());
  Flow flow = executeFrom(block, 0);
  --depth_;
  return flow;
}

Flow Evaluator::executeFrom(const ast::Block &block, size_t first) {
  for (size_t i = first; i < block.statements.size(); ++i) {
    const Stmt &statement = *block.statements[i];
    // What follows an `if` runs only on the paths that did not return, so it may take it along.
    bool restTaken = false;
    Flow flow = statement.kind == Stmt::Kind::If ? executeIf(statement, &block, i + 1, restTaken)
                                                 : executeStatement(statement);
    if (flow == Flow::Returns || restTaken)
      return flow;
    if (flow == Flow::Maybe)
      return executeWhileLive(block, i + 1);
  }
  if (&block != frame().body)
    return Flow::Falls;
  frame().result = NoneValue{};
  return Flow::Returns;
}

Flow Evaluator::executeStatement(const Stmt &statement) {
  switch (statement.kind) {
  case Stmt::Kind::Let:
  case Stmt::Kind::Var:
    executeDeclaration(statement);
    return Flow::Falls;
  case Stmt::Kind::Assign:
    executeAssignment(statement);
    return Flow::Falls;
  case Stmt::Kind::Expression:
    evaluate(*statement.value);
    return Flow::Falls;
  case Stmt::Kind::For:
    executeFor(statement);
    return Flow::Falls;
  case Stmt::Kind::While:
    executeWhile(statement);
    return Flow::Falls;
  case Stmt::Kind::If: // in executeFrom
    return Flow::Falls;
  case Stmt::Kind::Return:
    return executeReturn(statement);
  case Stmt::Kind::Block:
    return execute(statement.body);
  case Stmt::Kind::StaticAssert:
    executeStaticAssert(statement);
    return Flow::Falls;
  case Stmt::Kind::Assert:
    executeAssert(statement);
    return Flow::Falls;
  }
  return Flow::Falls;
}

void Evaluator::declare(const ast::Name &name, Value value, bool isMutable) {
  const Variable *earlier =
      environment().declare(name.text, {std::move(value), isMutable, name.range});
  if (!earlier)
    return;
  Diagnostic &diagnostic = error(name.range, "'" + name.text + "' is declared twice in this block");
  DiagnosticEngine::note(diagnostic, earlier->declared, "the first declaration is here");
}

/// A `var` has a type from the start, so that it can be carried: literals take their default.
Value Evaluator::initialValue(const Value &value, SourceRange range) {
  if (value.isUntyped()) {
    Constant constant = *value.constant();
    return castConstant(constant, defaultType(constant));
  }
  if (const auto *sequence = value.as<SequenceValue>()) {
    std::vector<Value> elements;
    for (const Value &element : *sequence->elements)
      elements.push_back(initialValue(element, range));
    return sequence->isList ? Value::list(std::move(elements)) : Value::tuple(std::move(elements));
  }
  return value;
}

void Evaluator::executeDeclaration(const Stmt &statement) {
  Value value = evaluate(*statement.value);
  bool isMutable = statement.kind == Stmt::Kind::Var;
  if (value.isNone())
    value = fail(statement.value->range, "this gives no value");
  if (isMutable)
    value = initialValue(value, statement.value->range);
  if (statement.names.size() == 1) {
    declare(statement.names[0], std::move(value), isMutable);
    return;
  }
  const auto *sequence = value.as<SequenceValue>();
  if (!value.isError() && (!sequence || sequence->elements->size() != statement.names.size())) {
    value =
        fail(statement.value->range, "the pattern has " + std::to_string(statement.names.size()) +
                                         " names, but the value is " + describe(value));
    sequence = nullptr;
  }
  for (size_t i = 0; i < statement.names.size(); ++i)
    declare(statement.names[i], sequence ? (*sequence->elements)[i] : Value(), isMutable);
}

/// Same kind and type, so that one may stand for the other in a `var`.
static bool sameType(const Value &first, const Value &second) {
  const auto *a = first.as<SequenceValue>(), *b = second.as<SequenceValue>();
  if (a && b) {
    if (a->elements->size() != b->elements->size())
      return false;
    for (size_t i = 0; i < a->elements->size(); ++i)
      if (!sameType((*a->elements)[i], (*b->elements)[i]))
        return false;
    return true;
  }
  if (first.isNumeric() && second.isNumeric())
    return typeOf(first) == typeOf(second);
  return !first.isNumeric() && !second.isNumeric() && describe(first) == describe(second);
}

/// `value` with its literals in the types of the scalars that they replace in `like`; `problem`
/// says which one does not fit.
static Value adaptLiterals(const Value &value, const Value &like, std::string &problem) {
  const auto *sequence = value.as<SequenceValue>(), *target = like.as<SequenceValue>();
  if (sequence && target && sequence->elements->size() == target->elements->size()) {
    std::vector<Value> elements;
    for (size_t i = 0; i < sequence->elements->size(); ++i)
      elements.push_back(adaptLiterals((*sequence->elements)[i], (*target->elements)[i], problem));
    return sequence->isList ? Value::list(std::move(elements)) : Value::tuple(std::move(elements));
  }
  if (!value.isUntyped() || !like.isNumeric())
    return value;
  TileType type = typeOf(like);
  if (type.isTile() || type.isPointer())
    return value;
  ConstantResult adapted = adapt(*value.constant(), type.element.scalar);
  if (adapted.value)
    return *adapted.value;
  problem = adapted.problem;
  return value;
}

void Evaluator::executeAssignment(const Stmt &statement) {
  const ast::Expr &target = *statement.target;
  Value value = evaluate(*statement.value);
  if (target.kind != ast::Expr::Kind::NameRef) {
    error(target.range, "only a 'var' can be assigned to; store(...) writes memory");
    return;
  }
  const std::string &name = target.name.text;
  Variable *variable = environment().find(name);
  if (!variable) {
    if (!lookUp(target.name).isError())
      error(target.range, "'" + name + "' cannot be assigned to; declare a 'var'");
    return;
  }
  if (!variable->isMutable) {
    if (!variable->value.isError()) {
      Diagnostic &diagnostic =
          error(target.range, "'" + name + "' cannot be assigned to; declare it with 'var'");
      DiagnosticEngine::note(diagnostic, variable->declared, "declared here");
    }
    return;
  }
  if (statement.compound)
    value = binary(*statement.compound, variable->value, value, statement.range);
  if (value.isError() || variable->value.isError()) {
    variable->value = ErrorValue{};
    return;
  }
  std::string problem;
  value = adaptLiterals(value, variable->value, problem);
  if (!problem.empty()) {
    error(statement.value->range,
          "'" + name + "' is " + describe(variable->value) + ", but " + problem);
    return;
  }
  if (!sameType(variable->value, value)) {
    Diagnostic &diagnostic =
        error(statement.range, "'" + name + "' is " + describe(variable->value) +
                                   " and cannot become " + describe(value));
    DiagnosticEngine::note(diagnostic, variable->declared, "declared here");
    return;
  }
  variable->value = std::move(value);
}

Flow Evaluator::executeReturn(const Stmt &statement) {
  Frame &current = frame();
  Value value = statement.value ? evaluate(*statement.value) : Value(NoneValue{});
  if (current.loopDepth != 0) {
    error(statement.range, "'return' stands inside a loop; it may stand at the top level of a "
                           "kernel or function, or under a scalar 'if'");
    return Flow::Falls;
  }
  if (current.isKernel && statement.value) {
    error(statement.range, "a kernel returns nothing");
    return Flow::Returns;
  }
  current.result = std::move(value);
  return Flow::Returns;
}

void Evaluator::executeStaticAssert(const Stmt &statement) {
  std::optional<bool> holds = constantBool(evaluate(*statement.value), statement.value->range,
                                           "the condition of static_assert");
  if (!holds || *holds)
    return;
  std::string message = "static_assert failed";
  if (statement.message) {
    Value text = evaluate(*statement.message);
    if (const auto *string = text.as<std::string>())
      message += ": " + *string;
    else if (!text.isError())
      error(statement.message->range, "the message must be a string");
  }
  error(statement.value->range, message);
}

void Evaluator::executeAssert(const Stmt &statement) {
  if (settings.debug) {
    notSupported(statement.range, "'assert' with --debug");
    return;
  }
  // Checked, then dropped.
  mlir::Region unused;
  buildIn(unused, [&] {
    Value value = evaluate(*statement.value);
    bool isBoolean = value.isNumeric() && !typeOf(value).isPointer() && !value.isUntyped() &&
                     isBool(typeOf(value).element.scalar);
    if (!value.isError() && !isBoolean)
      error(statement.value->range,
            "the condition of assert must be bool, but is " + describe(value));
    if (statement.message && !evaluate(*statement.message).as<std::string>())
      error(statement.message->range, "the message must be a string");
  });
  discard(unused);
}

} // namespace tilec::sema
