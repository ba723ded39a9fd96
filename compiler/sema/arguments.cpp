// Binding a call's arguments to parameters, positional first, then by name.
#include "compiler/sema/builtins.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::sema {

namespace {
struct Parameter {
  std::string name;
  bool isOptional = false, isWord = false, isPlace = false;
};
struct Signature {
  std::vector<Parameter> parameters;
  bool takesMore = false;
};
} // namespace

static Signature parseSignature(llvm::StringRef text) {
  Signature signature;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    part = part.trim();
    if (part == "...") {
      signature.takesMore = true;
      continue;
    }
    Parameter parameter;
    parameter.isWord = part.consume_back(":word");
    parameter.isPlace = part.consume_back(":place");
    parameter.isOptional = part.consume_back("?");
    parameter.name = part.str();
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

bool Evaluator::bindArguments(const Builtin &builtin, const ast::Expr &expr, BoundCall &call) {
  Signature signature = parseSignature(builtin.signature);
  call.builtin = &builtin;
  call.range = expr.range;
  call.slots.resize(signature.parameters.size());
  for (BoundCall::Slot &slot : call.slots)
    slot.range = expr.range;
  std::string callee = std::string("'") + builtin.name + "'";
  bool isValid = true;
  size_t positional = 0;
  for (const ast::Argument &argument : expr.arguments) {
    size_t index = signature.parameters.size();
    if (!argument.name) {
      while (positional < signature.parameters.size() && signature.parameters[positional].isWord)
        ++positional;
      index = positional++;
    } else {
      std::vector<std::string> names;
      for (size_t i = 0; i < signature.parameters.size(); ++i) {
        names.push_back(signature.parameters[i].name);
        if (names.back() == argument.name->text)
          index = i;
      }
      if (index == signature.parameters.size()) {
        error(argument.name->range, callee + " has no parameter '" + argument.name->text + "'" +
                                        suggestion(argument.name->text, names));
        isValid = false;
        continue;
      }
    }
    BoundCall::Slot slot;
    slot.given = true;
    slot.isPositional = !argument.name;
    slot.range = argument.value->range;
    slot.expr = argument.value.get();
    bool isWord = index < signature.parameters.size() && signature.parameters[index].isWord;
    if (isWord) {
      if (argument.value->kind != ast::Expr::Kind::NameRef) {
        error(slot.range, "'" + signature.parameters[index].name + "' takes a word");
        isValid = false;
        continue;
      }
      slot.word = argument.value->name.text;
    } else if (index < signature.parameters.size() && signature.parameters[index].isPlace) {
      isValid &= bindPlace(*argument.value, slot);
    } else {
      slot.value = evaluate(*argument.value);
      isValid &= !slot.value.isError();
    }
    if (index < signature.parameters.size()) {
      if (call.slots[index].given) {
        error(slot.range, "'" + signature.parameters[index].name + "' is given twice");
        isValid = false;
      }
      call.slots[index] = std::move(slot);
    } else if (signature.takesMore) {
      call.rest.push_back(std::move(slot));
    } else {
      size_t most = signature.parameters.size();
      error(slot.range, callee + " takes at most " + std::to_string(most) +
                            (most == 1 ? " argument (" : " arguments (") + builtin.name + "(" +
                            describeSignature(builtin) + "))");
      isValid = false;
    }
  }
  for (size_t i = 0; i < call.slots.size(); ++i) {
    if (call.slots[i].given || signature.parameters[i].isOptional || !isValid)
      continue;
    error(expr.range, callee + " needs '" + signature.parameters[i].name + "' (" + builtin.name +
                          "(" + describeSignature(builtin) + "))");
    isValid = false;
  }
  return isValid;
}

std::string describeSignature(const Builtin &builtin) {
  Signature signature = parseSignature(builtin.signature);
  std::vector<std::string> parts;
  for (const Parameter &parameter : signature.parameters)
    parts.push_back(parameter.isOptional ? "[" + parameter.name + "]" : parameter.name);
  if (signature.takesMore)
    parts.emplace_back("...");
  return llvm::join(parts, ", ");
}

bool Evaluator::orderArguments(const ast::Function &function, const ast::Expr &expr,
                               std::vector<Value> &arguments) {
  arguments.assign(function.params.size(), ErrorValue{});
  std::vector<bool> given(function.params.size(), false);
  std::string callee = "'" + function.name.text + "'";
  bool isValid = true;
  size_t positional = 0;
  for (const ast::Argument &argument : expr.arguments) {
    size_t index = positional;
    if (argument.name) {
      std::vector<std::string> names;
      index = function.params.size();
      for (size_t i = 0; i < function.params.size(); ++i) {
        names.push_back(function.params[i].name.text);
        if (names.back() == argument.name->text)
          index = i;
      }
      if (index == function.params.size()) {
        error(argument.name->range, callee + " has no parameter '" + argument.name->text + "'" +
                                        suggestion(argument.name->text, names));
        isValid = false;
        continue;
      }
    } else {
      ++positional;
    }
    Value value = evaluate(*argument.value);
    isValid &= !value.isError();
    if (index >= function.params.size())
      continue; // counted below
    if (given[index]) {
      error(argument.value->range, "'" + function.params[index].name.text + "' is given twice");
      isValid = false;
    }
    given[index] = true;
    arguments[index] = std::move(value);
  }
  size_t count = expr.arguments.size();
  if (count != function.params.size()) {
    Diagnostic &diagnostic =
        error(expr.range, callee + " takes " + std::to_string(function.params.size()) +
                              (function.params.size() == 1 ? " argument" : " arguments") +
                              ", but this call has " + std::to_string(count));
    if (!session.sources.file(function.name.range.file).builtin)
      DiagnosticEngine::note(diagnostic, function.name.range, "declared here");
    return false;
  }
  return isValid;
}

} // namespace tilec::sema
