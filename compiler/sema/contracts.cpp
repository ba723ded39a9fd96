// From clause to contract expression. A contract is evaluated by the launcher with 64-bit integers
// and doubles, so it has its own, simpler types; docs/manifest.md lists the operators.
#include "compiler/sema/contracts.h"

namespace tilec::sema {

using ast::BinaryOp;
using ast::Expr;

namespace {

enum class Kind { Integer, Float, Bool, Type, Failed };

struct Typed {
  ContractExpr expr;
  Kind kind = Kind::Failed;
};

/// Where an expression stands decides which names it may use.
enum class Place { Condition, Grid };

class ContractBuilder {
public:
  ContractBuilder(Session &session, const KernelContract &contract, Place place)
      : session_(session), evaluator_(session, BodySettings()), contract_(contract), place_(place) {
  }

  Typed build(const Expr &expr);

private:
  Typed fail(SourceRange range, std::string message) {
    session_.diagnostics.error(range, std::move(message));
    return {};
  }
  Typed name(const Expr &expr);
  Typed binary(const Expr &expr);
  Typed unary(const Expr &expr);
  Typed conditional(const Expr &expr);
  Typed call(const Expr &expr);
  Typed viewQuery(const Expr &expr);
  Typed pointerQuery(const Expr &expr, bool isAligned);
  Typed operation(const Expr &expr, const char *op, size_t arity);
  std::optional<int64_t> literal(const Expr &expr, const std::string &what, int64_t low,
                                 int64_t high);
  std::optional<unsigned> parameter(const std::string &name) const;

  Session &session_;
  Evaluator evaluator_; ///< for global constants
  const KernelContract &contract_;
  Place place_;
};

} // namespace

static ContractExpr integerExpr(int64_t value) {
  ContractExpr expr;
  expr.op = "int";
  expr.intValue = value;
  return expr;
}

static ContractExpr makeExpr(std::string op, std::vector<ContractExpr> operands) {
  ContractExpr expr;
  expr.op = std::move(op);
  expr.operands = std::move(operands);
  return expr;
}

static const char *kindName(Kind kind) {
  switch (kind) {
  case Kind::Integer:
    return "an integer";
  case Kind::Float:
    return "a float";
  case Kind::Bool:
    return "a bool";
  default:
    return "a type";
  }
}

static bool isNumber(Kind kind) {
  return kind == Kind::Integer || kind == Kind::Float;
}

/// `value` as a contract literal.
static Typed literalOf(const Value &value) {
  ContractExpr expr;
  if (const bool *boolean = value.as<bool>()) {
    expr.op = "bool";
    expr.intValue = *boolean;
    return {expr, Kind::Bool};
  }
  if (std::optional<Wide> integer = value.integer())
    return {integerExpr(static_cast<int64_t>(*integer)), Kind::Integer};
  if (const auto *number = value.as<FloatConstant>()) {
    expr.op = "float";
    expr.floatValue = number->value;
    return {expr, Kind::Float};
  }
  if (const auto *type = value.as<TypeValue>()) {
    expr.op = "string";
    expr.text = sema::name(type->scalar);
    return {expr, Kind::Type};
  }
  return {};
}

std::optional<unsigned> ContractBuilder::parameter(const std::string &name) const {
  for (size_t i = 0; i < contract_.params.size(); ++i)
    if (contract_.params[i].name == name)
      return static_cast<unsigned>(i);
  return std::nullopt;
}

static Kind kindOf(const std::string &type) {
  if (type == "type")
    return Kind::Type;
  std::optional<Scalar> scalar = scalarNamed(type);
  if (!scalar)
    return Kind::Failed;
  return isBool(*scalar) ? Kind::Bool : isFloat(*scalar) ? Kind::Float : Kind::Integer;
}

Typed ContractBuilder::name(const Expr &expr) {
  const std::string &text = expr.name.text;
  if (std::optional<unsigned> index = parameter(text)) {
    const KernelParam &param = contract_.params[*index];
    if (param.kind == "ptr" || param.kind == "view")
      return fail(expr.range,
                  "'" + text + "' is a " + (param.kind == "ptr" ? "pointer" : "view") +
                      "; a contract may ask aligned(" + text + ", n)" +
                      (param.kind == "ptr" ? "" : ", " + text + ".dim(i), " + text + ".stride(i)"));
    return {makeExpr("arg", {integerExpr(*index)}), kindOf(param.kind)};
  }
  for (const ConstParamInfo &info : contract_.constParams)
    if (info.name == text) {
      ContractExpr expr;
      expr.op = "const";
      expr.text = text;
      return {expr, kindOf(info.type)};
    }
  if (text == "num_sms" || text == "occupancy") {
    if (place_ != Place::Grid)
      return fail(expr.range, "'" + text + "' is known in 'grid' only");
    return {makeExpr(text, {}), Kind::Integer};
  }
  auto global = session_.globals.find(text);
  if ((global != session_.globals.end() && global->second.constant) || scalarNamed(text)) {
    Value value = evaluator_.lookUp(expr.name);
    if (value.isError())
      return {};
    if (std::optional<Wide> integer = value.integer(); integer && !fits(*integer, Scalar::I64))
      return fail(expr.range,
                  "contracts compute with 64-bit integers; " + str(*integer) + " does not fit");
    return literalOf(value);
  }
  std::vector<std::string> names;
  for (const KernelParam &param : contract_.params)
    names.push_back(param.name);
  for (const ConstParamInfo &info : contract_.constParams)
    names.push_back(info.name);
  if (place_ == Place::Grid)
    names.insert(names.end(), {"num_sms", "occupancy"});
  return fail(expr.range, "unknown name '" + text + "' in a contract" + suggestion(text, names));
}

static const char *operatorName(BinaryOp op) {
  static constexpr const char *kNames[] = {"mul", "div",    "rem",    "add",   "sub", "shl",
                                           "shr", "bitand", "bitxor", "bitor", "eq",  "ne",
                                           "lt",  "le",     "gt",     "ge",    "and", "or"};
  return kNames[static_cast<unsigned>(op)];
}

Typed ContractBuilder::binary(const Expr &expr) {
  Typed left = build(*expr.operands[0]), right = build(*expr.operands[1]);
  if (left.kind == Kind::Failed || right.kind == Kind::Failed)
    return {};
  BinaryOp op = expr.binaryOp;
  std::string spelled = std::string("'") + ast::spelling(op) + "'";
  auto both = [&](Kind kind) { return left.kind == kind && right.kind == kind; };
  bool numbers = isNumber(left.kind) && isNumber(right.kind);
  Kind result = left.kind == Kind::Float || right.kind == Kind::Float ? Kind::Float : Kind::Integer;
  bool fits = false;
  switch (op) {
  case BinaryOp::LogicalAnd:
  case BinaryOp::LogicalOr:
    fits = both(Kind::Bool);
    result = Kind::Bool;
    break;
  case BinaryOp::Eq:
  case BinaryOp::Ne:
    fits = numbers || both(Kind::Bool) || both(Kind::Type);
    result = Kind::Bool;
    break;
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
    fits = numbers;
    result = Kind::Bool;
    break;
  case BinaryOp::Shl:
  case BinaryOp::Shr:
  case BinaryOp::BitAnd:
  case BinaryOp::BitOr:
  case BinaryOp::BitXor:
  case BinaryOp::Rem:
    fits = both(Kind::Integer);
    break;
  default:
    fits = numbers;
    break;
  }
  if (!fits)
    return fail(expr.range, spelled + " does not apply to " + kindName(left.kind) + " and " +
                                kindName(right.kind));
  bool divides = op == BinaryOp::Div || op == BinaryOp::Rem;
  if (divides && result == Kind::Integer && right.expr.op == "int" && right.expr.intValue == 0)
    return fail(expr.range, "division by the constant 0");
  return {makeExpr(operatorName(op), {std::move(left.expr), std::move(right.expr)}), result};
}

Typed ContractBuilder::unary(const Expr &expr) {
  Typed operand = build(*expr.operands[0]);
  if (operand.kind == Kind::Failed)
    return {};
  using ast::UnaryOp;
  std::string spelled = std::string("'") + ast::spelling(expr.unaryOp) + "'";
  bool fits = expr.unaryOp == UnaryOp::Not      ? operand.kind == Kind::Bool
              : expr.unaryOp == UnaryOp::BitNot ? operand.kind == Kind::Integer
                                                : isNumber(operand.kind);
  if (!fits)
    return fail(expr.range, spelled + " does not apply to " + kindName(operand.kind));
  if (expr.unaryOp == UnaryOp::Plus)
    return operand;
  if (expr.unaryOp == UnaryOp::Neg && operand.expr.op == "int") {
    operand.expr.intValue = static_cast<int64_t>(-static_cast<uint64_t>(operand.expr.intValue));
    return operand;
  }
  if (expr.unaryOp == UnaryOp::Neg && operand.expr.op == "float") {
    operand.expr.floatValue = -operand.expr.floatValue;
    return operand;
  }
  const char *op = expr.unaryOp == UnaryOp::Not      ? "not"
                   : expr.unaryOp == UnaryOp::BitNot ? "bitnot"
                                                     : "neg";
  return {makeExpr(op, {std::move(operand.expr)}), operand.kind};
}

Typed ContractBuilder::conditional(const Expr &expr) {
  Typed condition = build(*expr.operands[0]);
  Typed first = build(*expr.operands[1]), second = build(*expr.operands[2]);
  if (condition.kind == Kind::Failed || first.kind == Kind::Failed || second.kind == Kind::Failed)
    return {};
  if (condition.kind != Kind::Bool)
    return fail(expr.operands[0]->range,
                std::string("the condition of '? :' must be bool, but is ") +
                    kindName(condition.kind));
  bool numbers = isNumber(first.kind) && isNumber(second.kind);
  if (first.kind != second.kind && !numbers)
    return fail(expr.range, std::string("'? :' gives ") + kindName(first.kind) + " or " +
                                kindName(second.kind));
  Kind kind = first.kind == second.kind ? first.kind : Kind::Float;
  return {makeExpr("select",
                   {std::move(condition.expr), std::move(first.expr), std::move(second.expr)}),
          kind};
}

std::optional<int64_t> ContractBuilder::literal(const Expr &expr, const std::string &what,
                                                int64_t low, int64_t high) {
  return evaluator_.constantInteger(evaluator_.evaluateConstant(expr), expr.range, what, low, high);
}

Typed ContractBuilder::viewQuery(const Expr &expr) {
  const Expr &callee = *expr.operands[0];
  const Expr &base = *callee.operands[0];
  const std::string &query = callee.name.text;
  std::optional<unsigned> index;
  if (base.kind == Expr::Kind::NameRef)
    index = parameter(base.name.text);
  if (!index || contract_.params[*index].kind != "view")
    return fail(base.range, "only a view parameter has '." + query + "(i)'");
  if (query != "dim" && query != "stride")
    return fail(callee.name.range,
                "a view has no '" + query + "'" + suggestion(query, {"dim", "stride"}));
  if (expr.arguments.size() != 1 || expr.arguments[0].name)
    return fail(expr.range, "'." + query + "' takes one axis");
  std::optional<int64_t> axis = literal(*expr.arguments[0].value, "the axis", 0,
                                        static_cast<int64_t>(contract_.params[*index].rank) - 1);
  if (!axis)
    return {};
  return {makeExpr(query, {integerExpr(*index), integerExpr(*axis)}), Kind::Integer};
}

Typed ContractBuilder::pointerQuery(const Expr &expr, bool isAligned) {
  std::string name = isAligned ? "aligned" : "noalias";
  if (place_ == Place::Grid)
    return fail(expr.range, "'" + name + "' is a condition; 'grid' takes numbers");
  if (expr.arguments.size() != 2 || expr.arguments[0].name || expr.arguments[1].name)
    return fail(expr.range, isAligned ? "'aligned' takes a pointer and a number of bytes"
                                      : "'noalias' takes two pointers");
  auto pointer = [&](const Expr &argument) -> std::optional<unsigned> {
    std::optional<unsigned> index;
    if (argument.kind == Expr::Kind::NameRef)
      index = parameter(argument.name.text);
    if (index && contract_.params[*index].kind != "ptr" && contract_.params[*index].kind != "view")
      index.reset();
    if (!index)
      fail(argument.range, "'" + name + "' is about pointer parameters");
    return index;
  };
  std::optional<unsigned> first = pointer(*expr.arguments[0].value);
  if (!isAligned) {
    std::optional<unsigned> second = pointer(*expr.arguments[1].value);
    if (!first || !second)
      return {};
    return {makeExpr("noalias", {integerExpr(*first), integerExpr(*second)}), Kind::Bool};
  }
  const Expr &bytesExpr = *expr.arguments[1].value;
  std::optional<int64_t> bytes = literal(bytesExpr, "the alignment", 1, 1 << 20);
  if (!first || !bytes)
    return {};
  if (!llvm::isPowerOf2_64(static_cast<uint64_t>(*bytes)))
    return fail(bytesExpr.range,
                "an alignment is a power of two; " + std::to_string(*bytes) + " is not");
  return {makeExpr("aligned", {integerExpr(*first), integerExpr(*bytes)}), Kind::Bool};
}

Typed ContractBuilder::operation(const Expr &expr, const char *op, size_t arity) {
  std::string name = expr.operands[0]->name.text;
  if (expr.arguments.size() != arity)
    return fail(expr.range, "'" + name + "' takes " + std::to_string(arity) +
                                (arity == 1 ? " number" : " numbers"));
  std::vector<ContractExpr> operands;
  Kind kind = Kind::Integer;
  for (const ast::Argument &argument : expr.arguments) {
    if (argument.name)
      return fail(argument.name->range, "'" + name + "' takes its arguments by position here");
    Typed operand = build(*argument.value);
    if (operand.kind == Kind::Failed)
      return {};
    bool fits = isNumber(operand.kind) &&
                (operand.kind == Kind::Integer || llvm::StringRef(op) != "next_pow2");
    if (!fits)
      return fail(argument.value->range,
                  "'" + name + "' does not apply to " + kindName(operand.kind));
    if (operand.kind == Kind::Float)
      kind = Kind::Float;
    operands.push_back(std::move(operand.expr));
  }
  return {makeExpr(op, std::move(operands)), kind};
}

Typed ContractBuilder::call(const Expr &expr) {
  const Expr &callee = *expr.operands[0];
  if (callee.kind == Expr::Kind::Attribute)
    return viewQuery(expr);
  const std::string &name = callee.name.text;
  if (callee.kind != Expr::Kind::NameRef)
    return fail(callee.range, "this cannot be called in a contract");
  if (name == "aligned" || name == "noalias")
    return pointerQuery(expr, name == "aligned");
  static constexpr struct {
    const char *name, *op;
    size_t arity;
  } kFunctions[] = {{"min", "min", 2},     {"max", "max", 2},   {"minimum", "min", 2},
                    {"maximum", "max", 2}, {"cdiv", "cdiv", 2}, {"next_pow2", "next_pow2", 1},
                    {"abs", "abs", 1}};
  for (const auto &function : kFunctions)
    if (name == function.name)
      return operation(expr, function.op, function.arity);
  if (std::optional<Scalar> scalar = scalarNamed(name)) {
    Typed value = operation(expr, "cast", 1);
    if (value.kind == Kind::Failed)
      return value;
    value.expr.operands.insert(value.expr.operands.begin(), literalOf(TypeValue{*scalar}).expr);
    value.kind = kindOf(name);
    return value;
  }
  return fail(callee.range, "'" + name +
                                "' is not available in a contract; there are cdiv, min, "
                                "max, next_pow2, abs, aligned, noalias and casts");
}

Typed ContractBuilder::build(const Expr &expr) {
  switch (expr.kind) {
  case Expr::Kind::IntLiteral:
    if (expr.intValue > static_cast<uint64_t>(INT64_MAX))
      return fail(expr.range, "contracts compute with 64-bit integers; " +
                                  std::to_string(expr.intValue) + " does not fit");
    return {integerExpr(static_cast<int64_t>(expr.intValue)), Kind::Integer};
  case Expr::Kind::FloatLiteral:
    return literalOf(FloatConstant{expr.floatValue, std::nullopt});
  case Expr::Kind::BoolLiteral:
    return literalOf(expr.boolValue);
  case Expr::Kind::NameRef:
    return name(expr);
  case Expr::Kind::Unary:
    return unary(expr);
  case Expr::Kind::Binary:
    return binary(expr);
  case Expr::Kind::Conditional:
    return conditional(expr);
  case Expr::Kind::Call:
    return call(expr);
  default:
    return fail(expr.range, "a contract is arithmetic over the kernel's parameters; this is not");
  }
}

std::string normalizedText(llvm::StringRef text) {
  std::string result;
  bool blank = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
      blank = true;
    } else if (text.substr(i).starts_with("/*")) {
      size_t end = text.find("*/", i);
      i = end == llvm::StringRef::npos ? text.size() : end + 1;
      blank = true;
    } else if (isspace(static_cast<unsigned char>(text[i]))) {
      blank = true;
    } else {
      if (blank && !result.empty())
        result += ' ';
      blank = false;
      result += text[i];
    }
  }
  return result;
}

void buildContracts(Session &session, const ast::Kernel &kernel, KernelContract &contract) {
  auto clause = [&](const Expr &expr, Place place, Kind wanted,
                    const char *what) -> std::optional<ContractClause> {
    Typed typed = ContractBuilder(session, contract, place).build(expr);
    if (typed.kind == Kind::Failed)
      return std::nullopt;
    if (typed.kind != wanted) {
      session.diagnostics.error(expr.range, std::string(what) + " must be " + kindName(wanted) +
                                                ", but this is " + kindName(typed.kind));
      return std::nullopt;
    }
    return ContractClause{normalizedText(session.sources.text(expr.range)), std::move(typed.expr),
                          session.sources.position(expr.range).line};
  };
  for (const ast::Clause &item : kernel.clauses) {
    bool isRequires = item.kind == ast::Clause::Kind::Requires;
    if ((isRequires || item.kind == ast::Clause::Kind::Specialize) && item.condition) {
      auto built = clause(*item.condition, Place::Condition, Kind::Bool,
                          isRequires ? "'requires'" : "'specialize'");
      if (built)
        (isRequires ? contract.requires_ : contract.specialize).push_back(std::move(*built));
    }
    if (item.kind == ast::Clause::Kind::Grid)
      for (const ast::ExprPtr &value : item.values)
        if (auto built = clause(*value, Place::Grid, Kind::Integer, "'grid'"))
          contract.grid.push_back(std::move(*built));
  }
}

} // namespace tilec::sema
