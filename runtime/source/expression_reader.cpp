#include "expression_reader.h"

#include "failure.h"

#include <algorithm>
#include <limits>

namespace tilert {
namespace {

using Json = nlohmann::json;

[[noreturn]] void bad(const std::string &message) {
  throw Failure(TILERT_ERROR_BAD_IMAGE, message);
}

enum class Shape : uint8_t { Arithmetic, IntegerArithmetic, Comparison, Logic };

struct OperatorRow {
  const char *name;
  Operator op;
  unsigned operands;
  Shape shape;
};
/// Operators whose operands are all expressions and that need no rule of their own.
constexpr OperatorRow kOperators[] = {
    {"add", Operator::Add, 2, Shape::Arithmetic},
    {"sub", Operator::Sub, 2, Shape::Arithmetic},
    {"mul", Operator::Mul, 2, Shape::Arithmetic},
    {"div", Operator::Div, 2, Shape::Arithmetic},
    {"rem", Operator::Rem, 2, Shape::Arithmetic},
    {"min", Operator::Min, 2, Shape::Arithmetic},
    {"max", Operator::Max, 2, Shape::Arithmetic},
    {"cdiv", Operator::CeilDiv, 2, Shape::Arithmetic},
    {"neg", Operator::Negate, 1, Shape::Arithmetic},
    {"abs", Operator::Abs, 1, Shape::Arithmetic},
    {"bitand", Operator::BitAnd, 2, Shape::IntegerArithmetic},
    {"bitor", Operator::BitOr, 2, Shape::IntegerArithmetic},
    {"bitxor", Operator::BitXor, 2, Shape::IntegerArithmetic},
    {"shl", Operator::ShiftLeft, 2, Shape::IntegerArithmetic},
    {"shr", Operator::ShiftRight, 2, Shape::IntegerArithmetic},
    {"bitnot", Operator::BitNot, 1, Shape::IntegerArithmetic},
    {"next_pow2", Operator::NextPow2, 1, Shape::IntegerArithmetic},
    {"eq", Operator::Equal, 2, Shape::Comparison},
    {"ne", Operator::NotEqual, 2, Shape::Comparison},
    {"lt", Operator::Less, 2, Shape::Comparison},
    {"le", Operator::LessEqual, 2, Shape::Comparison},
    {"gt", Operator::Greater, 2, Shape::Comparison},
    {"ge", Operator::GreaterEqual, 2, Shape::Comparison},
    {"and", Operator::And, 2, Shape::Logic},
    {"or", Operator::Or, 2, Shape::Logic},
    {"not", Operator::Not, 1, Shape::Logic},
};

class Reader {
public:
  explicit Reader(const KernelTable &kernel) : kernel_(kernel) {}
  Expression read(const Json &json, unsigned depth);

private:
  void expectOperands(const std::string &name, const Json &json, size_t count) {
    if (json.size() != count + 1)
      bad("`" + name + "` has " + std::to_string(json.size() - 1) + " operands instead of " +
          std::to_string(count));
  }
  uint32_t parameter(const Json &json) {
    if (!json.is_number_unsigned() || json.get<uint64_t>() >= kernel_.params.size())
      bad("an expression names a parameter that does not exist");
    return json.get<uint32_t>();
  }
  uint32_t pointerParameter(const std::string &name, const Json &json) {
    const uint32_t index = parameter(json);
    const tilert_type type = kernel_.params[index].type;
    if (type != TILERT_TYPE_PTR && type != TILERT_TYPE_VIEW)
      bad("`" + name + "` of " + kernel_.params[index].name + ", which is no ptr or view");
    return index;
  }
  Expression literal(const Json &json);
  bool readLeaf(const std::string &name, const Json &json, Expression &result);
  Expression readSelect(const Json &json, unsigned depth);
  Expression readCast(const Json &json, unsigned depth);

  const KernelTable &kernel_;
};

Expression Reader::literal(const Json &json) {
  Expression result;
  if (json.is_boolean()) {
    result.op = Operator::Boolean;
    result.kind = ValueKind::Boolean;
    result.integer = json.get<bool>();
  } else if (json.is_number_float()) {
    result.op = Operator::Real;
    result.kind = ValueKind::Real;
    result.real = json.get<double>();
  } else if (json.is_number_unsigned()) {
    if (json.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      bad("an integer does not fit 64 bits");
    result.integer = json.get<int64_t>();
  } else if (json.is_number_integer()) {
    result.integer = json.get<int64_t>();
  } else if (json.is_string()) {
    result.op = Operator::Name;
    result.kind = ValueKind::Name;
    result.integer = typeFromName(json.get_ref<const std::string &>());
    if (!isScalar(static_cast<uint32_t>(result.integer)))
      bad("`" + json.get<std::string>() + "` is no type");
  } else {
    bad("an expression is neither a literal nor [operator, ...]");
  }
  return result;
}

/// Operators whose operands are not expressions.
bool Reader::readLeaf(const std::string &name, const Json &json, Expression &result) {
  if (name == "arg") {
    expectOperands(name, json, 1);
    result.op = Operator::Argument;
    result.index = parameter(json[1]);
    const tilert_type type = kernel_.params[result.index].type;
    if (!isScalar(type))
      bad("`arg` of " + kernel_.params[result.index].name + ", which is no scalar");
    result.kind = type == TILERT_TYPE_BOOL ? ValueKind::Boolean
                  : isReal(type)           ? ValueKind::Real
                                           : ValueKind::Integer;
  } else if (name == "const") {
    expectOperands(name, json, 1);
    const auto &params = kernel_.constParams;
    const auto found = std::find_if(params.begin(), params.end(), [&](const ConstParam &param) {
      return json[1].is_string() && param.name == json[1].get_ref<const std::string &>();
    });
    if (found == params.end())
      bad("an expression names a const param that does not exist");
    result.op = Operator::Const;
    result.index = static_cast<uint32_t>(found - params.begin());
    result.kind = found->kind;
  } else if (name == "dim" || name == "stride") {
    expectOperands(name, json, 2);
    result.op = name == "dim" ? Operator::Dim : Operator::Stride;
    result.index = parameter(json[1]);
    if (!json[2].is_number_unsigned() ||
        json[2].get<uint64_t>() >= kernel_.params[result.index].rank)
      bad("`" + name + "` names an axis that does not exist");
    result.integer = json[2].get<int64_t>();
  } else if (name == "aligned") {
    expectOperands(name, json, 2);
    result.op = Operator::Aligned;
    result.kind = ValueKind::Boolean;
    result.index = pointerParameter(name, json[1]);
    if (!json[2].is_number_unsigned() || json[2].get<uint64_t>() == 0 ||
        json[2].get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      bad("`aligned` to no positive number of bytes");
    result.integer = json[2].get<int64_t>();
  } else if (name == "noalias") {
    expectOperands(name, json, 2);
    result.op = Operator::NoAlias;
    result.kind = ValueKind::Boolean;
    result.index = pointerParameter(name, json[1]);
    result.integer = pointerParameter(name, json[2]);
  } else if (name == "num_sms" || name == "occupancy") {
    expectOperands(name, json, 0);
    result.op = name == "num_sms" ? Operator::NumSms : Operator::Occupancy;
  } else {
    return false;
  }
  return true;
}

/// What both sides of a `select` or an arithmetic operator become. Type names do not mix.
ValueKind joined(ValueKind a, ValueKind b) {
  if (a == ValueKind::Name || b == ValueKind::Name)
    bad("a type name can only be compared with another");
  if (a == ValueKind::Real || b == ValueKind::Real)
    return ValueKind::Real;
  return a == b ? a : ValueKind::Integer;
}

ValueKind resultKind(const OperatorRow &row, const std::vector<Expression> &operands) {
  const ValueKind first = operands.front().kind, last = operands.back().kind;
  if (row.shape == Shape::Comparison) {
    if (first == ValueKind::Name && last == ValueKind::Name &&
        (row.op == Operator::Equal || row.op == Operator::NotEqual))
      return ValueKind::Boolean;
    joined(first, last);
    return ValueKind::Boolean;
  }
  const ValueKind kind = joined(first, last);
  if (row.shape == Shape::Logic)
    return ValueKind::Boolean;
  if (row.shape == Shape::IntegerArithmetic && kind == ValueKind::Real)
    bad(std::string("`") + row.name + "` of a float");
  return kind == ValueKind::Real ? kind : ValueKind::Integer;
}

Expression Reader::readSelect(const Json &json, unsigned depth) {
  expectOperands("select", json, 3);
  Expression result;
  result.op = Operator::Select;
  for (size_t i = 1; i <= 3; ++i)
    result.operands.push_back(read(json[i], depth + 1));
  joined(result.operands[0].kind, ValueKind::Boolean);
  result.kind = joined(result.operands[1].kind, result.operands[2].kind);
  return result;
}

Expression Reader::readCast(const Json &json, unsigned depth) {
  expectOperands("cast", json, 2);
  Expression result;
  result.op = Operator::Cast;
  if (json[1].is_string())
    result.castTo = typeFromName(json[1].get_ref<const std::string &>());
  if (!isScalar(result.castTo))
    bad("`cast` to no scalar type");
  result.operands.push_back(read(json[2], depth + 1));
  joined(result.operands[0].kind, ValueKind::Integer);
  result.kind = result.castTo == TILERT_TYPE_BOOL ? ValueKind::Boolean
                : isReal(result.castTo)           ? ValueKind::Real
                                                  : ValueKind::Integer;
  return result;
}

Expression Reader::read(const Json &json, unsigned depth) {
  if (depth >= kMaxExpressionDepth)
    bad("an expression nests deeper than " + std::to_string(kMaxExpressionDepth) + " levels");
  if (!json.is_array())
    return literal(json);
  if (json.empty() || !json[0].is_string())
    bad("an expression does not start with an operator");
  const std::string &name = json[0].get_ref<const std::string &>();
  Expression result;
  if (readLeaf(name, json, result))
    return result;
  if (name == "select")
    return readSelect(json, depth);
  if (name == "cast")
    return readCast(json, depth);
  for (const OperatorRow &row : kOperators) {
    if (name != row.name)
      continue;
    expectOperands(name, json, row.operands);
    result.op = row.op;
    for (size_t i = 1; i <= row.operands; ++i)
      result.operands.push_back(read(json[i], depth + 1));
    result.kind = resultKind(row, result.operands);
    return result;
  }
  bad("`" + name + "` is no operator");
}

} // namespace

bool readReal(const nlohmann::json &json, double &value) {
  if (json.is_number()) {
    value = json.get<double>();
    return true;
  }
  if (!json.is_string())
    return false;
  const std::string &text = json.get_ref<const std::string &>();
  value = text == "nan"    ? std::numeric_limits<double>::quiet_NaN()
          : text == "-inf" ? -std::numeric_limits<double>::infinity()
                           : std::numeric_limits<double>::infinity();
  return text == "inf" || text == "-inf" || text == "nan";
}

Expression readExpression(const nlohmann::json &json, const KernelTable &kernel) {
  return Reader(kernel).read(json, 0);
}

} // namespace tilert
