// AST of items, clauses and types; the helpers of the builder.
#include "compiler/syntax/ast_builder.h"
#include "compiler/syntax/literals.h"

namespace tilec {

using namespace ast;

// --- Helpers
// --------------------------------------------------------------------------------------

const SourceToken *AstBuilder::leaf(antlr4::tree::ParseTree *child) {
  auto *terminal = dynamic_cast<antlr4::tree::TerminalNode *>(child);
  return terminal ? static_cast<const SourceToken *>(terminal->getSymbol()) : nullptr;
}

const SourceToken *AstBuilder::token(Context *context, size_t type) {
  for (antlr4::tree::ParseTree *child : context->children)
    if (const SourceToken *found = leaf(child); found && found->getType() == type)
      return found;
  return nullptr;
}

SourceRange AstBuilder::range(Context *context) const {
  auto *start = static_cast<const SourceToken *>(context->getStart());
  auto *stop = static_cast<const SourceToken *>(context->getStop());
  if (!stop || stop->getTokenIndex() < start->getTokenIndex()) // matched nothing
    return {file_, start->range.offset, 0};
  return join(start->range, stop->range);
}

Name AstBuilder::name(Context *context) const {
  SourceRange place = range(context);
  return {text(place), place};
}

bool AstBuilder::tooDeep(Context *context, size_t count) {
  if (depth_ + count <= kMaxDepth)
    return false;
  if (!std::exchange(depthReported_, true)) {
    auto *start = static_cast<const SourceToken *>(context->getStart());
    diagnostics_.error(start->range, "this is nested too deeply: the limit is " +
                                         std::to_string(kMaxDepth) + " levels");
  }
  return true;
}

std::string AstBuilder::docBefore(Context *context) const {
  size_t index = context->getStart()->getTokenIndex();
  auto found = std::lower_bound(scan_.docs.begin(), scan_.docs.end(), index,
                                [](const DocComment &doc, size_t at) { return doc.token < at; });
  return found != scan_.docs.end() && found->token == index ? found->text : std::string();
}

// --- Items
// ----------------------------------------------------------------------------------------

std::unique_ptr<File> AstBuilder::build(Parser::FileContext *context) {
  auto file = std::make_unique<File>();
  file->id = file_;
  for (antlr4::tree::ParseTree *child : context->children) {
    auto *item = dynamic_cast<Parser::ItemContext *>(child);
    if (!item || item->exception)
      continue;
    Level level(*this);
    antlr4::tree::ParseTree *only = item->children.front();
    if (auto *rule = dynamic_cast<Parser::KernelContext *>(only))
      file->kernels.push_back(kernel(rule));
    else if (auto *rule = dynamic_cast<Parser::FunctionContext *>(only))
      file->functions.push_back(function(rule));
    else if (auto *rule = dynamic_cast<Parser::ConstantContext *>(only))
      file->constants.push_back(constant(rule));
    else if (auto *rule = dynamic_cast<Parser::ImportItemContext *>(only))
      file->imports.push_back(importItem(rule));
  }
  return file;
}

Import AstBuilder::importItem(Parser::ImportItemContext *context) {
  Import result;
  result.range = range(context);
  result.pathRange = token(context, Parser::STRING)->range;
  // A path is taken as written: `\` is an escape only where messages are.
  std::string quoted = text(result.pathRange);
  size_t length = quoted.size() > 1 && quoted.back() == '"' ? quoted.size() - 2 : quoted.size() - 1;
  result.path = quoted.substr(1, length);
  return result;
}

Constant AstBuilder::constant(Parser::ConstantContext *context) {
  Constant result;
  result.name = name(context->name());
  result.doc = docBefore(context);
  result.range = range(context);
  if (auto *written = context->type())
    result.type = type(written);
  result.value = expression(context->expression());
  return result;
}

Function AstBuilder::function(Parser::FunctionContext *context) {
  Function result;
  result.name = name(context->name());
  result.doc = docBefore(context);
  result.range = range(context);
  for (auto *param : elements<Parser::FunctionParamContext>(context, "a parameter")) {
    if (param->exception)
      continue;
    Function::FunctionParam &added = result.params.emplace_back();
    added.name = name(param->name());
    if (auto *written = param->type())
      added.type = type(written);
  }
  result.body = block(context->block());
  return result;
}

Kernel AstBuilder::kernel(Parser::KernelContext *context) {
  Kernel result;
  result.name = name(context->name());
  result.doc = docBefore(context);
  result.range = range(context);
  if (auto *list = context->constParams())
    for (auto *param : elements<Parser::ConstParamContext>(list, "a parameter")) {
      if (param->exception)
        continue;
      ConstParam &added = result.constParams.emplace_back();
      added.name = name(param->name());
      added.type = type(param->type());
      if (auto *value = param->angleExpr())
        added.defaultValue = angleExpr(value);
    }
  for (auto *param : elements<Parser::ParamContext>(context, "a parameter")) {
    if (param->exception)
      continue;
    Param &added = result.params.emplace_back();
    added.name = name(param->name());
    added.type = type(param->type());
  }
  for (auto *written : elements<Parser::ClauseContext>(context->clauses(), "a clause"))
    if (!written->exception)
      result.clauses.push_back(clause(written));
  result.body = block(context->block());
  return result;
}

// --- Clauses
// --------------------------------------------------------------------------------------

static Clause::Kind clauseKind(size_t word) {
  using grammar::TileParser;
  switch (word) {
  case TileParser::VARIANTS:
    return Clause::Kind::Variants;
  case TileParser::SELECT:
    return Clause::Kind::Select;
  case TileParser::REQUIRES:
    return Clause::Kind::Requires;
  case TileParser::SPECIALIZE:
    return Clause::Kind::Specialize;
  case TileParser::GRID:
    return Clause::Kind::Grid;
  case TileParser::WARPS:
    return Clause::Kind::Warps;
  case TileParser::STAGES:
    return Clause::Kind::Stages;
  case TileParser::CLUSTER:
    return Clause::Kind::Cluster;
  case TileParser::MAX_REGS:
    return Clause::Kind::MaxRegs;
  default:
    return Clause::Kind::Option;
  }
}

Clause AstBuilder::clause(Parser::ClauseContext *context) {
  static constexpr size_t maxGridRank = 3; // CUDA's grids have x, y and z
  Level level(*this);
  const SourceToken *word = leaf(context->children.front());
  Clause result;
  result.kind = clauseKind(word->getType());
  result.range = range(context);
  result.keyword = word->range;
  auto values = elements<Parser::ExpressionContext>(context, "expression");
  switch (result.kind) {
  case Clause::Kind::Variants:
  case Clause::Kind::Select:
    for (auto *list : elements<Parser::ChoiceContext>(context, "a choice"))
      result.choices.push_back(choice(list));
    if (!values.empty())
      result.condition = expression(values.front());
    return result;
  case Clause::Kind::Requires:
  case Clause::Kind::Specialize:
    result.condition = expression(values.front());
    return result;
  case Clause::Kind::Option:
    result.name = name(context->name());
    break;
  default:
    break;
  }
  if (result.kind == Clause::Kind::Grid && values.size() > maxGridRank) {
    diagnostics_.error(range(values[maxGridRank]), "a grid has at most 3 dimensions");
    values.resize(maxGridRank);
  }
  for (auto *value : values)
    result.values.push_back(expression(value));
  return result;
}

ChoiceList AstBuilder::choice(Parser::ChoiceContext *context) {
  ChoiceList result;
  result.name = name(context->name());
  result.values = expressions(context->expressions());
  return result;
}

// --- Types
// ----------------------------------------------------------------------------------------

TypeExpr AstBuilder::type(Parser::TypeContext *context) {
  Level level(*this);
  TypeExpr result;
  result.range = range(context);
  if (auto *named = context->typeName()) {
    result.name = name(named);
    return result;
  }
  size_t word = leaf(context->children.front())->getType();
  result.kind = word == Parser::PTR    ? TypeExpr::Kind::Pointer
                : word == Parser::VIEW ? TypeExpr::Kind::View
                                       : TypeExpr::Kind::Tile;
  result.isConst = token(context, Parser::CONST) != nullptr;
  result.element = std::make_unique<TypeExpr>(type(context->type()));
  if (auto *rank = context->angleExpr())
    result.rank = angleExpr(rank);
  result.dims = expressions(context->expressions());
  return result;
}

} // namespace tilec
