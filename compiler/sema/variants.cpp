#include "compiler/sema/variants.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::sema {

using ast::Clause;

/// Most variants of one kernel, and most combinations looked at to find them.
static constexpr size_t kMaxVariants = 1024, kMaxCombinations = 65536;

ConstParamType constParamType(Session &session, const ast::ConstParam &param, bool report) {
  const ast::TypeExpr &type = param.type;
  if (type.kind == ast::TypeExpr::Kind::Named) {
    if (type.name.text == "type")
      return {true, std::nullopt};
    if (std::optional<Scalar> scalar = scalarNamed(type.name.text); scalar)
      return {true, scalar};
  }
  if (report)
    session.diagnostics.error(type.range, "a const param is of a scalar type, bool or 'type'");
  return {};
}

/// `value` as the const param's type; reports what does not fit.
static std::optional<Value> coerce(Evaluator &evaluator, const ast::ConstParam &param,
                                   const Value &value, SourceRange range) {
  if (value.isError())
    return std::nullopt;
  ConstParamType type = constParamType(evaluator.session, param, false);
  if (!type.isValid)
    return std::nullopt;
  auto mismatch = [&](const std::string &wanted) {
    evaluator.error(range, "'" + param.name.text + "' is " + wanted + ", but this is " +
                               (value.runtime() ? "not known at compile time" : describe(value)));
    return std::nullopt;
  };
  if (!type.scalar) {
    const auto *named = value.as<TypeValue>();
    if (!named)
      return mismatch("a type");
    return value;
  }
  std::optional<Constant> constant = value.constant();
  std::string wanted = name(*type.scalar);
  if (!constant)
    return mismatch(wanted);
  if (isBool(*type.scalar) != std::holds_alternative<bool>(*constant))
    return mismatch(wanted);
  if (!isFloat(*type.scalar) && std::holds_alternative<FloatConstant>(*constant))
    return mismatch(wanted);
  if (const auto *integer = std::get_if<IntConstant>(&*constant);
      integer && !fits(integer->value, *type.scalar)) {
    evaluator.error(range, str(integer->value) + " does not fit '" + param.name.text +
                               "', which is " + wanted);
    return std::nullopt;
  }
  return castConstant(*constant, *type.scalar);
}

namespace {
/// The values a const param may take.
struct Choices {
  size_t param = 0;
  std::vector<Value> values;
};

class VariantEnumerator {
public:
  VariantEnumerator(Session &session, const ast::Kernel &kernel)
      : session_(session), kernel_(kernel), evaluator_(session, BodySettings()) {
    evaluator_.clausesOf = &kernel;
  }

  std::vector<VariantValues> run();

private:
  /// The first value of each list, an error value where there is none: after an error the body is
  /// still checked with them.
  VariantValues anyValues() const;
  std::optional<size_t> paramIndex(const ast::Name &name);
  void collectLists();
  void applyDefinitions();
  void addDefaults();
  bool passesFilters(const VariantValues &values);

  Session &session_;
  const ast::Kernel &kernel_;
  Evaluator evaluator_;
  std::vector<Choices> lists_;
  std::vector<const ast::Expr *> filters_;
  bool isValid_ = true;
};
} // namespace

std::optional<size_t> VariantEnumerator::paramIndex(const ast::Name &name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kernel_.constParams.size(); ++i) {
    names.push_back(kernel_.constParams[i].name.text);
    if (names.back() == name.text)
      return i;
  }
  session_.diagnostics.error(name.range, "'" + kernel_.name.text + "' has no const param '" +
                                             name.text + "'" + suggestion(name.text, names));
  return std::nullopt;
}

void VariantEnumerator::collectLists() {
  for (const Clause &clause : kernel_.clauses) {
    if (clause.kind != Clause::Kind::Variants && clause.kind != Clause::Kind::Select)
      continue;
    if (clause.condition)
      filters_.push_back(clause.condition.get());
    for (const ast::ChoiceList &list : clause.choices) {
      std::optional<size_t> index = paramIndex(list.name);
      if (!index) {
        isValid_ = false;
        continue;
      }
      auto isSame = [&](const Choices &choices) { return choices.param == *index; };
      if (llvm::any_of(lists_, isSame)) {
        session_.diagnostics.error(list.name.range, "'" + list.name.text + "' is listed twice");
        isValid_ = false;
        continue;
      }
      Choices choices{*index, {}};
      for (const ast::ExprPtr &expr : list.values) {
        std::optional<Value> value = coerce(evaluator_, kernel_.constParams[*index],
                                            evaluator_.evaluate(*expr), expr->range);
        if (!value) {
          isValid_ = false;
          continue;
        }
        if (llvm::any_of(choices.values,
                         [&](const Value &other) { return identical(*value, other); }))
          session_.diagnostics.error(expr->range, "this value is listed twice");
        else
          choices.values.push_back(*value);
      }
      lists_.push_back(std::move(choices));
    }
  }
}

/// `text` of a -D option as a value of the param's type.
static std::optional<Value> parseValue(llvm::StringRef text, ConstParamType type) {
  if (!type.scalar) {
    std::optional<Scalar> scalar = scalarNamed(text);
    return scalar ? std::optional<Value>(TypeValue{*scalar}) : std::nullopt;
  }
  if (isBool(*type.scalar)) {
    if (text != "true" && text != "false")
      return std::nullopt;
    return Value(text == "true");
  }
  if (isFloat(*type.scalar)) {
    double number = 0;
    if (text.getAsDouble(number))
      return std::nullopt;
    return castConstant(FloatConstant{number, std::nullopt}, *type.scalar);
  }
  bool isNegative = text.consume_front("-");
  uint64_t magnitude = 0;
  if (text.getAsInteger(0, magnitude))
    return std::nullopt;
  Wide value = isNegative ? -Wide(magnitude) : Wide(magnitude);
  if (!fits(value, *type.scalar))
    return std::nullopt;
  return Value(IntConstant{value, type.scalar});
}

void VariantEnumerator::applyDefinitions() {
  for (const Definition &definition : session_.options.definitions) {
    if (!definition.kernel.empty() && definition.kernel != kernel_.name.text)
      continue;
    for (size_t i = 0; i < kernel_.constParams.size(); ++i) {
      const ast::ConstParam &param = kernel_.constParams[i];
      if (param.name.text != definition.name)
        continue;
      Choices choices{i, {}};
      for (const std::string &text : definition.values) {
        std::optional<Value> value = parseValue(text, constParamType(session_, param, false));
        if (value) {
          choices.values.push_back(*value);
          continue;
        }
        session_.diagnostics.error(param.name.range, "-D gives '" + param.name.text +
                                                         "' the value '" + text +
                                                         "', which is not of its type");
        isValid_ = false;
      }
      auto isSame = [&](const Choices &list) { return list.param == i; };
      auto list = llvm::find_if(lists_, isSame);
      if (list == lists_.end())
        lists_.push_back(std::move(choices));
      else
        *list = std::move(choices);
    }
  }
}

void VariantEnumerator::addDefaults() {
  for (size_t i = 0; i < kernel_.constParams.size(); ++i) {
    const ast::ConstParam &param = kernel_.constParams[i];
    std::optional<Value> value;
    if (param.defaultValue) {
      value = coerce(evaluator_, param, evaluator_.evaluate(*param.defaultValue),
                     param.defaultValue->range);
      isValid_ &= value.has_value();
    }
    if (llvm::any_of(lists_, [&](const Choices &choices) { return choices.param == i; }))
      continue;
    if (!param.defaultValue) {
      session_.diagnostics.error(param.name.range,
                                 "'" + param.name.text +
                                     "' has no value: give it a default, list "
                                     "values in 'variants' or 'select', or use -D");
      isValid_ = false;
    }
    lists_.push_back({i, {value.value_or(Value())}});
  }
}

bool VariantEnumerator::passesFilters(const VariantValues &values) {
  for (const ast::Expr *filter : filters_) {
    Evaluator evaluator(session_, BodySettings());
    evaluator.clausesOf = &kernel_;
    declareConstants(evaluator, kernel_, values);
    mlir::Region scratch;
    std::optional<bool> holds;
    evaluator.buildIn(scratch, [&] {
      holds = evaluator.constantBool(evaluator.evaluate(*filter), filter->range,
                                     "the condition of 'variants'");
    });
    evaluator.discard(scratch);
    if (!holds)
      isValid_ = false;
    if (!holds || !*holds)
      return false;
  }
  return true;
}

VariantValues VariantEnumerator::anyValues() const {
  VariantValues values(kernel_.constParams.size());
  for (const Choices &list : lists_)
    if (!list.values.empty())
      values[list.param] = list.values.front();
  return values;
}

std::vector<VariantValues> VariantEnumerator::run() {
  mlir::Region scratch;
  evaluator_.buildIn(scratch, [&] {
    collectLists();
    applyDefinitions();
    addDefaults();
  });
  evaluator_.discard(scratch);
  if (!isValid_)
    return {anyValues()};
  size_t combinations = 1;
  for (const Choices &list : lists_) {
    combinations *= list.values.size();
    if (combinations > kMaxCombinations) {
      session_.diagnostics.error(kernel_.name.range, "'" + kernel_.name.text +
                                                         "' has too many combinations of const "
                                                         "params");
      return {};
    }
  }
  std::vector<VariantValues> result;
  for (size_t number = 0; number < combinations; ++number) {
    VariantValues values(kernel_.constParams.size());
    size_t rest = number;
    for (size_t i = lists_.size(); i-- > 0;) {
      const Choices &list = lists_[i];
      values[list.param] = list.values[rest % list.values.size()];
      rest /= list.values.size();
    }
    if (passesFilters(values))
      result.push_back(values);
    if (!isValid_)
      return {std::move(values)};
  }
  if (result.empty())
    session_.diagnostics.error(kernel_.name.range,
                               "no variant of '" + kernel_.name.text + "' passes its conditions");
  if (result.size() > kMaxVariants) {
    session_.diagnostics.error(kernel_.name.range, "'" + kernel_.name.text + "' has " +
                                                       std::to_string(result.size()) +
                                                       " variants; at most " +
                                                       std::to_string(kMaxVariants) + " are built");
    result.resize(1);
  }
  return result;
}

std::vector<VariantValues> enumerateVariants(Session &session, const ast::Kernel &kernel) {
  return VariantEnumerator(session, kernel).run();
}

void declareConstants(Evaluator &evaluator, const ast::Kernel &kernel,
                      const VariantValues &values) {
  for (size_t i = 0; i < kernel.constParams.size(); ++i)
    evaluator.environment().declare(kernel.constParams[i].name.text,
                                    {values[i], false, kernel.constParams[i].name.range});
}

/// `text` with what a symbol cannot hold replaced.
static std::string symbolPart(llvm::StringRef text) {
  std::string result;
  for (char letter : text)
    result += llvm::isAlnum(letter) || letter == '_' ? letter
              : letter == '-'                        ? 'm'
              : letter == '.'                        ? 'p'
                                                     : '_';
  return result;
}

std::string variantSymbol(const ast::Kernel &kernel, const VariantValues &values) {
  std::string symbol = kernel.name.text;
  for (size_t i = 0; i < values.size(); ++i) {
    symbol += "__" + kernel.constParams[i].name.text + "_";
    if (const auto *type = values[i].as<TypeValue>())
      symbol += name(type->scalar);
    else if (std::optional<Constant> constant = values[i].constant())
      symbol += symbolPart(str(*constant));
  }
  return symbol;
}

ConstValue toConstValue(const Value &value) {
  if (const auto *type = value.as<TypeValue>())
    return std::string(name(type->scalar));
  if (const bool *boolean = value.as<bool>())
    return *boolean;
  if (const auto *number = value.as<FloatConstant>())
    return number->value;
  return static_cast<int64_t>(value.integer().value_or(0));
}

void checkDefinitions(Session &session, const ast::File &file) {
  SourceRange start{file.id, 0, 0};
  std::vector<std::string> kernels;
  for (const ast::Kernel &kernel : file.kernels)
    kernels.push_back(kernel.name.text);
  auto isKernel = [&](const std::string &name) { return llvm::is_contained(kernels, name); };
  for (const std::string &name : session.options.kernels)
    if (!isKernel(name))
      session.diagnostics.error(start, "--kernel names '" + name + "', which is not in this file" +
                                           suggestion(name, kernels));
  for (const Definition &definition : session.options.definitions) {
    if (!definition.kernel.empty() && !isKernel(definition.kernel)) {
      session.diagnostics.error(start, "-D names the kernel '" + definition.kernel +
                                           "', which is not in this file" +
                                           suggestion(definition.kernel, kernels));
      continue;
    }
    std::vector<std::string> params;
    SourceRange place = start;
    for (const ast::Kernel &kernel : file.kernels) {
      if (!definition.kernel.empty() && kernel.name.text != definition.kernel)
        continue;
      if (!definition.kernel.empty())
        place = kernel.name.range;
      for (const ast::ConstParam &param : kernel.constParams)
        params.push_back(param.name.text);
    }
    if (!llvm::is_contained(params, definition.name))
      session.diagnostics.error(place, "-D names the const param '" + definition.name +
                                           "', which does not exist" +
                                           suggestion(definition.name, params));
  }
}

} // namespace tilec::sema
