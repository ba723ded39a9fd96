// Why no variant fits, and which one does: the words of dispatch. Off the launch path.
#include "dispatch.h"

#include "expression_text.h"
#include "tensor_map.h"

#include <algorithm>
#include <bit>

namespace tilert {
namespace {

constexpr size_t kMaxListedValues = 8;

/// "largest BLOCK = 16384", "D = 64", "T in f16, bf16": a const param over some variants.
std::string constText(const KernelTable &kernel, const std::vector<size_t> &variants,
                      uint32_t constParam, Helps helps) {
  const std::string &name = kernel.constParams[constParam].name;
  std::vector<ConstValue> values;
  for (size_t variant : variants) {
    const ConstValue &value = kernel.variants[variant].values[constParam];
    const bool seen = std::any_of(values.begin(), values.end(), [&](const ConstValue &other) {
      return other.integer == value.integer && other.real == value.real;
    });
    if (!seen)
      values.push_back(value);
  }
  if (values.size() == 1)
    return name + " = " + constValueText(values[0]);
  if (helps == Helps::Larger || helps == Helps::Smaller) {
    const auto less = [](const ConstValue &a, const ConstValue &b) {
      return a.integer != b.integer ? a.integer < b.integer : a.real < b.real;
    };
    const auto [smallest, largest] = std::minmax_element(values.begin(), values.end(), less);
    return (helps == Helps::Larger ? "largest " : "smallest ") + name + " = " +
           constValueText(helps == Helps::Larger ? *largest : *smallest);
  }
  std::string text = name + " in ";
  for (size_t i = 0; i < values.size() && i < kMaxListedValues; ++i)
    text += (i ? ", " : "") + constValueText(values[i]);
  return text + (values.size() > kMaxListedValues ? ", ..." : "");
}

void addMentionedConsts(const Expression &expression, std::vector<uint32_t> &consts) {
  if (expression.op == Operator::Const &&
      std::find(consts.begin(), consts.end(), expression.index) == consts.end())
    consts.push_back(expression.index);
  for (const Expression &operand : expression.operands)
    addMentionedConsts(operand, consts);
}

std::string selectionText(const KernelTable &kernel, const int64_t *keys) {
  std::string text;
  for (size_t i = 0; i < kernel.selected.size(); ++i) {
    const ConstParam &param = kernel.constParams[kernel.selected[i]];
    ConstValue value{param.kind, keys[i], 0};
    if (param.kind == ValueKind::Real)
      value.real = std::bit_cast<double>(keys[i]);
    text += (i ? ", " : "") + param.name + " = " + constValueText(value);
  }
  return text;
}

} // namespace

/// Why each of `variants` gets this verdict: the clause with the values of all that it mentions.
std::string Dispatcher::verdictText(const std::vector<size_t> &variants, Verdict verdict,
                                    unsigned at, Outcome outcome) const {
  const Variant &first = kernel_.variants[variants.front()];
  switch (verdict) {
  case Verdict::Fits:
    return "fits";
  case Verdict::NotSelected:
    return "not selected (" + selectionText(kernel_, selected_) + ")";
  case Verdict::TooMuchShared:
    return "needs " + std::to_string(first.shared) +
           " bytes of shared memory a program, the device has " + std::to_string(limits_.maxShared);
  case Verdict::NoClusters:
    return "needs clusters of " + std::to_string(first.cluster) +
           " programs, which the device does not have";
  case Verdict::NoTensorMaps:
    return std::string("needs tensor maps, which the ") +
           (limits_.encodesMaps ? "device" : "driver") + " does not have";
  case Verdict::NotMappable:
    return "needs a tensor map of " + kernel_.params[first.maps[at].view].name + ": " +
           mapFaultText(kernel_, first.maps[at], values_);
  case Verdict::Refused:
    break;
  }
  const Conjunct &clause = kernel_.conjuncts[at];
  const Expression &expression = clause.expression;
  std::string details = outcomeText(outcome);
  const auto add = [&](const std::string &detail) {
    if (!detail.empty())
      details += (details.empty() ? "" : ", ") + detail;
  };
  add(argumentValuesText(expression, kernel_, values_));
  std::vector<uint32_t> consts;
  addMentionedConsts(expression, consts);
  for (uint32_t constParam : consts)
    add(constText(kernel_, variants, constParam, whatHelps(expression, constParam)));
  return (clause.specialize ? "specialize " : "requires ") + expressionText(expression, kernel_) +
         (details.empty() ? "" : " (" + details + ")");
}

// The reason that says most is the one of the variants that came furthest: all but the last of
// their clauses held. They all stopped at the same clause, so one sentence serves them together.
void Dispatcher::noVariant() {
  std::vector<size_t> furthest;
  Verdict verdict = Verdict::NotSelected;
  unsigned place = 0;
  Outcome outcome = Outcome::Value;
  for (size_t i = 0; i < kernel_.variants.size(); ++i) {
    unsigned at = 0;
    Outcome why = Outcome::Value;
    const Verdict judged = judge(i, at, why);
    const bool further = judged > verdict || (judged == verdict && at > place);
    if (further || furthest.empty()) {
      furthest.clear();
      verdict = judged;
      place = at;
      outcome = why;
    }
    if (judged == verdict && at == place)
      furthest.push_back(i);
  }
  if (verdict == Verdict::NotSelected) {
    std::string built;
    for (unsigned index : kernel_.selected)
      built += (built.empty() ? "" : "; ") + constText(kernel_, furthest, index, Helps::Nothing);
    throw Failure(TILERT_ERROR_CONTRACT, kernel_.name + ": no variant has " +
                                             selectionText(kernel_, selected_) +
                                             " (built: " + built + ")");
  }
  throw Failure(TILERT_ERROR_CONTRACT, kernel_.name + ": no variant fits: " +
                                           verdictText(furthest, verdict, place, outcome));
}

std::string Dispatcher::explain() {
  std::string text;
  explained_ = -1;
  for (size_t i = 0; i < kernel_.variants.size(); ++i) {
    text += kernel_.variants[i].symbol + ": ";
    if (explained_ >= 0) {
      text += "not reached\n";
      continue;
    }
    unsigned at = 0;
    Outcome outcome = Outcome::Value;
    const Verdict verdict = judge(i, at, outcome);
    text += verdictText({i}, verdict, at, outcome) + "\n";
    if (verdict == Verdict::Fits)
      explained_ = static_cast<int>(i);
  }
  if (explained_ < 0)
    text += "no variant fits\n";
  return text;
}

} // namespace tilert
