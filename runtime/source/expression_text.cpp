#include "expression_text.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace tilert {
namespace {

/// How tightly an operator binds, as in the tile language.
enum Precedence {
  kSelect,
  kOr,
  kAnd,
  kComparison,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPrimary
};

struct InfixRow {
  Operator op;
  const char *symbol;
  Precedence precedence;
};
constexpr InfixRow kInfix[] = {
    {Operator::Or, " || ", kOr},
    {Operator::And, " && ", kAnd},
    {Operator::Equal, " == ", kComparison},
    {Operator::NotEqual, " != ", kComparison},
    {Operator::Less, " < ", kComparison},
    {Operator::LessEqual, " <= ", kComparison},
    {Operator::Greater, " > ", kComparison},
    {Operator::GreaterEqual, " >= ", kComparison},
    {Operator::BitOr, " | ", kBitOr},
    {Operator::BitXor, " ^ ", kBitXor},
    {Operator::BitAnd, " & ", kBitAnd},
    {Operator::ShiftLeft, " << ", kShift},
    {Operator::ShiftRight, " >> ", kShift},
    {Operator::Add, " + ", kSum},
    {Operator::Sub, " - ", kSum},
    {Operator::Mul, " * ", kProduct},
    {Operator::Div, " / ", kProduct},
    {Operator::Rem, " % ", kProduct},
};

struct CallRow {
  Operator op;
  const char *name;
};
constexpr CallRow kCalls[] = {{Operator::Min, "min"},
                              {Operator::Max, "max"},
                              {Operator::CeilDiv, "cdiv"},
                              {Operator::NextPow2, "next_pow2"},
                              {Operator::Abs, "abs"}};

struct PrefixRow {
  Operator op;
  const char *symbol;
};
constexpr PrefixRow kPrefix[] = {
    {Operator::Negate, "-"}, {Operator::BitNot, "~"}, {Operator::Not, "!"}};

class Printer {
public:
  explicit Printer(const KernelTable &kernel) : kernel_(kernel) {}

  std::string print(const Expression &expression, int outer) const {
    for (const InfixRow &row : kInfix)
      if (row.op == expression.op) {
        // Left-associative; comparisons do not chain, so both of their sides bind tighter.
        const int left = row.precedence + (row.precedence == kComparison ? 1 : 0);
        return wrap(print(expression.operands[0], left) + row.symbol +
                        print(expression.operands[1], row.precedence + 1),
                    row.precedence, outer);
      }
    for (const CallRow &row : kCalls)
      if (row.op == expression.op)
        return call(row.name, expression);
    for (const PrefixRow &row : kPrefix)
      if (row.op == expression.op)
        return wrap(row.symbol + print(expression.operands[0], kUnary), kUnary, outer);
    if (expression.op == Operator::Cast)
      return call(typeText(expression.castTo), expression);
    if (expression.op == Operator::Select)
      return wrap(print(expression.operands[0], kOr) + " ? " +
                      print(expression.operands[1], kSelect) + " : " +
                      print(expression.operands[2], kSelect),
                  kSelect, outer);
    return leaf(expression);
  }

private:
  static std::string wrap(const std::string &text, int precedence, int outer) {
    return precedence < outer ? "(" + text + ")" : text;
  }
  std::string call(const char *name, const Expression &expression) const {
    std::string text = std::string(name) + "(";
    for (size_t i = 0; i < expression.operands.size(); ++i)
      text += (i ? ", " : "") + print(expression.operands[i], kSelect);
    return text + ")";
  }
  std::string leaf(const Expression &expression) const {
    switch (expression.op) {
    case Operator::Argument:
      return kernel_.params[expression.index].name;
    case Operator::Const:
      return kernel_.constParams[expression.index].name;
    case Operator::Dim:
    case Operator::Stride:
      return kernel_.params[expression.index].name +
             (expression.op == Operator::Dim ? ".dim(" : ".stride(") +
             std::to_string(expression.integer) + ")";
    case Operator::Aligned:
      return "aligned(" + kernel_.params[expression.index].name + ", " +
             std::to_string(expression.integer) + ")";
    case Operator::NoAlias:
      return "noalias(" + kernel_.params[expression.index].name + ", " +
             kernel_.params[static_cast<size_t>(expression.integer)].name + ")";
    case Operator::NumSms:
      return "num_sms";
    case Operator::Occupancy:
      return "occupancy";
    default:
      return constValueText({expression.kind, expression.integer, expression.real});
    }
  }

  const KernelTable &kernel_;
};

std::string realText(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

class Mentions {
public:
  Mentions(const KernelTable &kernel, const LaunchValues &values)
      : kernel_(kernel), values_(values) {}

  void collect(const Expression &expression) {
    switch (expression.op) {
    case Operator::Argument: {
      Slot slot{0};
      const tilert_type type = kernel_.params[expression.index].type;
      const Outcome outcome = loadScalar(values_.arguments[expression.index], type, slot);
      std::string value =
          expression.kind == ValueKind::Real      ? realText(slot.real)
          : expression.kind == ValueKind::Boolean ? (slot.integer ? "true" : "false")
          : outcome == Outcome::Overflow ? std::to_string(static_cast<uint64_t>(slot.integer))
                                         : std::to_string(slot.integer);
      add(kernel_.params[expression.index].name + " = " + value);
      break;
    }
    case Operator::Dim:
    case Operator::Stride: {
      const auto *view = static_cast<const tilert_view *>(values_.arguments[expression.index]);
      const int64_t *from = expression.op == Operator::Dim ? view->extents : view->strides;
      add(expressionText(expression, kernel_) + " = " + std::to_string(from[expression.integer]));
      break;
    }
    case Operator::Aligned:
      add(addressText(kernel_, expression.index, values_));
      break;
    case Operator::NoAlias:
      add(addressText(kernel_, expression.index, values_));
      add(addressText(kernel_, static_cast<uint32_t>(expression.integer), values_));
      break;
    case Operator::NumSms:
      add("num_sms = " + std::to_string(values_.numSms));
      break;
    case Operator::Occupancy:
      add("occupancy = " + std::to_string(values_.occupancy));
      break;
    default:
      for (const Expression &operand : expression.operands)
        collect(operand);
    }
  }
  std::string text() const {
    std::string result;
    for (const std::string &mention : mentions_)
      result += (result.empty() ? "" : ", ") + mention;
    return result;
  }

private:
  void add(std::string mention) {
    if (std::find(mentions_.begin(), mentions_.end(), mention) == mentions_.end())
      mentions_.push_back(std::move(mention));
  }

  const KernelTable &kernel_;
  const LaunchValues &values_;
  std::vector<std::string> mentions_;
};

Helps opposite(Helps helps) {
  return helps == Helps::Larger ? Helps::Smaller : helps == Helps::Smaller ? Helps::Larger : helps;
}

Helps both(Helps a, Helps b) {
  if (a == Helps::Nothing)
    return b;
  if (b == Helps::Nothing || a == b)
    return a;
  return Helps::Unclear;
}

/// Which way the value of a number grows with the const param ("Larger": it grows). Products and
/// quotients count their other operand as positive, which in sizes and counts it is; a message, not
/// a decision, depends on it.
Helps growth(const Expression &expression, uint32_t constParam) {
  switch (expression.op) {
  case Operator::Const:
    return expression.index == constParam ? Helps::Larger : Helps::Nothing;
  case Operator::Add:
  case Operator::Mul:
  case Operator::Min:
  case Operator::Max:
  case Operator::ShiftLeft:
    return both(growth(expression.operands[0], constParam),
                growth(expression.operands[1], constParam));
  case Operator::Sub:
  case Operator::Div:
  case Operator::CeilDiv:
  case Operator::ShiftRight:
    return both(growth(expression.operands[0], constParam),
                opposite(growth(expression.operands[1], constParam)));
  case Operator::Negate:
    return opposite(growth(expression.operands[0], constParam));
  case Operator::NextPow2:
  case Operator::Cast:
    return growth(expression.operands[0], constParam);
  default:
    for (const Expression &operand : expression.operands)
      if (growth(operand, constParam) != Helps::Nothing)
        return Helps::Unclear;
    return Helps::Nothing;
  }
}

} // namespace

std::string constValueText(const ConstValue &value) {
  switch (value.kind) {
  case ValueKind::Integer:
    return std::to_string(value.integer);
  case ValueKind::Real:
    return realText(value.real);
  case ValueKind::Boolean:
    return value.integer ? "true" : "false";
  case ValueKind::Name:
    break;
  }
  return typeText(static_cast<uint32_t>(value.integer));
}

std::string expressionText(const Expression &expression, const KernelTable &kernel) {
  return Printer(kernel).print(expression, kSelect);
}

std::string addressText(const KernelTable &kernel, uint32_t parameter, const LaunchValues &values) {
  const uintptr_t address = addressOf(values, parameter);
  if (address == 0)
    return kernel.params[parameter].name + " is null";
  char text[64];
  std::snprintf(text, sizeof text, " is at 0x%" PRIxPTR ", aligned to %" PRIuPTR, address,
                address & (0 - address));
  return kernel.params[parameter].name + text;
}

std::string argumentValuesText(const Expression &expression, const KernelTable &kernel,
                               const LaunchValues &values) {
  Mentions mentions(kernel, values);
  mentions.collect(expression);
  return mentions.text();
}

Helps whatHelps(const Expression &condition, uint32_t constParam) {
  switch (condition.op) {
  case Operator::Less:
  case Operator::LessEqual:
    return both(opposite(growth(condition.operands[0], constParam)),
                growth(condition.operands[1], constParam));
  case Operator::Greater:
  case Operator::GreaterEqual:
    return both(growth(condition.operands[0], constParam),
                opposite(growth(condition.operands[1], constParam)));
  case Operator::And:
  case Operator::Or:
    return both(whatHelps(condition.operands[0], constParam),
                whatHelps(condition.operands[1], constParam));
  default:
    return growth(condition, constParam) == Helps::Nothing ? Helps::Nothing : Helps::Unclear;
  }
}

} // namespace tilert
