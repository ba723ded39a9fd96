// Calls: builtins, casts written as calls, functions (always inlined) and anonymous functions.
#include "compiler/sema/builtins.h"
#include "compiler/sema/evaluator.h"

namespace tilec::sema {

using ast::Expr;

static std::string counted(size_t arguments) {
  return std::to_string(arguments) + (arguments == 1 ? " argument" : " arguments");
}

Value Evaluator::evaluateCall(const Expr &expr) {
  const Expr &calleeExpr = *expr.operands[0];
  if (calleeExpr.kind == Expr::Kind::Attribute) {
    Value base = evaluate(*calleeExpr.operands[0]);
    if (base.isError())
      return base;
    if (const auto *view = base.as<ViewValue>())
      return viewQuery(*view->view, expr);
    if (calleeExpr.name.text == "dim" || calleeExpr.name.text == "stride")
      return fail(expr.range, "only views have '." + calleeExpr.name.text + "(i)', but this is " +
                                  describe(base));
    return fail(calleeExpr.range, "'." + calleeExpr.name.text + "' cannot be called");
  }
  Value callee = evaluate(calleeExpr);
  if (callee.isError())
    return callee;
  if (const auto *builtin = callee.as<BuiltinValue>())
    return callBuiltin(*builtin->builtin, expr);
  if (const auto *type = callee.as<TypeValue>())
    return castCall(type->scalar, expr);
  if (const auto *function = callee.as<FunctionValue>()) {
    std::vector<Value> arguments;
    if (!orderArguments(*function->function, expr, arguments))
      return ErrorValue{};
    return inlineFunction(*function->function, std::move(arguments), expr.range);
  }
  if (!callee.as<LambdaValue>())
    return fail(calleeExpr.range, describe(callee) + " cannot be called");
  std::vector<Value> arguments;
  bool failed = false;
  for (const ast::Argument &argument : expr.arguments) {
    if (argument.name)
      return fail(argument.name->range, "an anonymous function takes its arguments by position");
    arguments.push_back(evaluate(*argument.value));
    failed |= arguments.back().isError();
  }
  return failed ? Value() : callFunction(callee, std::move(arguments), expr.range);
}

Value Evaluator::callBuiltin(const Builtin &builtin, const Expr &expr) {
  BoundCall call;
  if (!bindArguments(builtin, expr, call))
    return ErrorValue{};
  setLocation(expr.range);
  return builtin.handler(*this, call);
}

Value Evaluator::castCall(Scalar type, const Expr &expr) {
  if (expr.arguments.size() != 1 || expr.arguments[0].name)
    return fail(expr.range, std::string("a cast takes one value: ") + name(type) + "(x)");
  return cast(evaluate(*expr.arguments[0].value), type, false, expr.range);
}

Value Evaluator::callFunction(const Value &callee, std::vector<Value> arguments,
                              SourceRange range) {
  if (const auto *lambda = callee.as<LambdaValue>())
    return callLambda(*lambda, std::move(arguments), range);
  const auto *function = callee.as<FunctionValue>();
  if (!function)
    return fail(range, "expected a function, but this is " + describe(callee));
  if (function->function->params.size() != arguments.size())
    return fail(range, "'" + function->function->name.text + "' takes " +
                           counted(function->function->params.size()) + ", but is given " +
                           std::to_string(arguments.size()));
  return inlineFunction(*function->function, std::move(arguments), range);
}

bool Evaluator::bindParameter(const ast::Function::FunctionParam &param, Value value,
                              SourceRange range) {
  if (param.type && !value.isError()) {
    value = checkParameterType(*param.type, value, range, param.name.text);
    if (value.isError())
      return false;
  }
  declare(param.name, std::move(value), /*isMutable=*/false);
  return true;
}

Value Evaluator::inlineFunction(const ast::Function &function, std::vector<Value> arguments,
                                SourceRange range) {
  for (const std::unique_ptr<Frame> &active : frames)
    if (active->function == &function)
      return fail(range, "'" + function.name.text +
                             "' calls itself; functions are inlined, so "
                             "there is no recursion");
  if (depth_ >= kMaxDepth)
    return fail(range, "calls nest too deeply here");
  auto callee = std::make_unique<Frame>();
  callee->function = &function;
  callee->callSite = range;
  setLocation(range);
  callee->callLocation = emit.loc;
  frames.push_back(std::move(callee));
  bool isBound = true;
  for (size_t i = 0; i < function.params.size(); ++i)
    isBound &= bindParameter(function.params[i], std::move(arguments[i]), range);
  Value result;
  if (isBound) {
    frame().body = &function.body;
    execute(function.body);
    if (frame().result)
      result = *frame().result;
  }
  frames.pop_back();
  return result;
}

Value Evaluator::callLambda(const LambdaValue &lambda, std::vector<Value> arguments,
                            SourceRange range) {
  const ast::Lambda &definition = lambda.expr->lambda;
  if (definition.params.size() != arguments.size())
    return fail(range, "the anonymous function takes " + counted(definition.params.size()) +
                           ", but is given " + std::to_string(arguments.size()));
  auto callee = std::make_unique<Frame>();
  callee->callSite = range;
  setLocation(range);
  callee->callLocation = emit.loc;
  for (const auto &[name, value] : *lambda.captures)
    callee->environment.declare(name, {value, false, lambda.expr->range});
  callee->environment.push();
  frames.push_back(std::move(callee));
  for (size_t i = 0; i < arguments.size(); ++i)
    declare(definition.params[i], std::move(arguments[i]), /*isMutable=*/false);
  Value result = evaluate(*definition.body);
  frames.pop_back();
  return result;
}

/// The values of all names that `expr` may mean and that are variables here.
static void capture(const Expr &expr, Environment &environment,
                    std::map<std::string, Value> &captures) {
  if (expr.kind == Expr::Kind::NameRef)
    if (const Variable *variable = environment.find(expr.name.text))
      captures.emplace(expr.name.text, variable->value);
  for (const ast::ExprPtr &operand : expr.operands)
    capture(*operand, environment, captures);
  for (const ast::Argument &argument : expr.arguments)
    capture(*argument.value, environment, captures);
  for (const ast::Subscript &subscript : expr.subscripts) {
    if (subscript.first)
      capture(*subscript.first, environment, captures);
    if (subscript.second)
      capture(*subscript.second, environment, captures);
  }
  if (expr.lambda.body)
    capture(*expr.lambda.body, environment, captures);
}

Value Evaluator::evaluateLambda(const Expr &expr) {
  std::map<std::string, Value> captures;
  capture(*expr.lambda.body, environment(), captures);
  return LambdaValue{&expr, std::make_shared<const std::map<std::string, Value>>(captures)};
}

} // namespace tilec::sema
