#include "compiler/sema/contract_folding.h"

namespace tilec::sema {

static ContractExpr integerLiteral(int64_t value) {
  ContractExpr expr;
  expr.op = "int";
  expr.intValue = value;
  return expr;
}

static ContractExpr boolLiteral(bool value) {
  ContractExpr expr = integerLiteral(value);
  expr.op = "bool";
  return expr;
}

/// A const param's value as a literal; the name itself where there is none (floats are left to the
/// launcher, which computes with doubles).
static ContractExpr constantLiteral(const ContractExpr &expr,
                                    const std::map<std::string, Value> &constants) {
  auto constant = constants.find(expr.text);
  if (constant == constants.end())
    return expr;
  const Value &value = constant->second;
  if (const bool *boolean = value.as<bool>())
    return boolLiteral(*boolean);
  if (std::optional<Wide> integer = value.integer(); integer && fits(*integer, Scalar::I64))
    return integerLiteral(static_cast<int64_t>(*integer));
  if (const auto *type = value.as<TypeValue>()) {
    ContractExpr literal;
    literal.op = "string";
    literal.text = name(type->scalar);
    return literal;
  }
  return expr;
}

/// An operation on two integers, or nothing when it fails or is another.
static std::optional<ContractExpr> foldIntegers(llvm::StringRef op, Wide a, Wide b) {
  static constexpr std::pair<const char *, bool (*)(Wide, Wide)> kComparisons[] = {
      {"eq", [](Wide a, Wide b) { return a == b; }}, {"ne", [](Wide a, Wide b) { return a != b; }},
      {"lt", [](Wide a, Wide b) { return a < b; }},  {"le", [](Wide a, Wide b) { return a <= b; }},
      {"gt", [](Wide a, Wide b) { return a > b; }},  {"ge", [](Wide a, Wide b) { return a >= b; }}};
  for (const auto &[name, compare] : kComparisons)
    if (op == name)
      return boolLiteral(compare(a, b));
  bool divides = op == "div" || op == "rem" || op == "cdiv";
  if (divides && b == 0)
    return std::nullopt;
  Wide result;
  if (op == "add")
    result = a + b;
  else if (op == "sub")
    result = a - b;
  else if (op == "mul")
    result = a * b;
  else if (op == "div")
    result = a / b;
  else if (op == "rem")
    result = a % b;
  else if (op == "cdiv")
    result = a / b + ((a % b != 0 && (a < 0) == (b < 0)) ? 1 : 0);
  else if (op == "min")
    result = std::min(a, b);
  else if (op == "max")
    result = std::max(a, b);
  else
    return std::nullopt;
  if (!fits(result, Scalar::I64))
    return std::nullopt;
  return integerLiteral(static_cast<int64_t>(result));
}

/// An operation whose operands are folded already.
static ContractExpr foldOperation(ContractExpr expr) {
  auto &operands = expr.operands;
  auto isBool = [&](size_t index) { return operands[index].op == "bool"; };
  if (expr.op == "select" && isBool(0)) {
    ContractExpr taken = std::move(operands[operands[0].intValue != 0 ? 1 : 2]);
    return taken;
  }
  if (expr.op == "not" && isBool(0))
    return boolLiteral(operands[0].intValue == 0);
  if (expr.op == "neg" && operands[0].op == "int" && operands[0].intValue != INT64_MIN)
    return integerLiteral(-operands[0].intValue);
  if (expr.op == "and" || expr.op == "or") {
    bool decides = expr.op == "or"; // the side that decides alone
    for (size_t side : {0, 1})
      if (isBool(side)) {
        // The first side is evaluated first, and may fail: the second decides only after it.
        if ((operands[side].intValue != 0) != decides) {
          ContractExpr other = std::move(operands[1 - side]);
          return other;
        }
        if (side == 0)
          return boolLiteral(decides);
      }
    return expr;
  }
  if (operands.size() != 2)
    return expr;
  if (operands[0].op == "int" && operands[1].op == "int")
    if (std::optional<ContractExpr> folded =
            foldIntegers(expr.op, operands[0].intValue, operands[1].intValue))
      return *folded;
  bool areTypes = operands[0].op == "string" && operands[1].op == "string";
  if ((areTypes || (isBool(0) && isBool(1))) && (expr.op == "eq" || expr.op == "ne")) {
    bool equal = areTypes ? operands[0].text == operands[1].text
                          : (operands[0].intValue != 0) == (operands[1].intValue != 0);
    return boolLiteral(equal == (expr.op == "eq"));
  }
  return expr;
}

ContractExpr foldContract(const ContractExpr &expr, const std::map<std::string, Value> &constants) {
  if (expr.op == "const")
    return constantLiteral(expr, constants);
  // Their operands are numbers of parameters, axes and bytes.
  if (expr.op == "arg" || expr.op == "dim" || expr.op == "stride" || expr.op == "aligned" ||
      expr.op == "noalias")
    return expr;
  ContractExpr folded = expr;
  for (ContractExpr &operand : folded.operands)
    operand = foldContract(operand, constants);
  return folded.operands.empty() ? folded : foldOperation(std::move(folded));
}

std::optional<bool> knownCondition(const ContractExpr &expr) {
  return expr.op == "bool" ? std::optional<bool>(expr.intValue != 0) : std::nullopt;
}

} // namespace tilec::sema
