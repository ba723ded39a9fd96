// AST of blocks and statements.
#include "compiler/syntax/ast_builder.h"

namespace tilec {

using namespace ast;

Block AstBuilder::block(Parser::BlockContext *context) {
  Level level(*this);
  Block result;
  result.range = range(context);
  for (auto *written : elements<Parser::StatementContext>(context, "a statement")) {
    if (written->exception)
      continue;
    if (tooDeep(written))
      break;
    result.statements.push_back(statement(written));
  }
  return result;
}

static StmtPtr makeStatement(Stmt::Kind kind, SourceRange range) {
  auto result = std::make_unique<Stmt>();
  result->kind = kind;
  result->range = range;
  return result;
}

StmtPtr AstBuilder::statement(Parser::StatementContext *context) {
  Level level(*this);
  depthReported_ = false;
  SourceRange place = range(context);
  switch (context->getStart()->getType()) {
  case Parser::LET: {
    StmtPtr result = makeStatement(Stmt::Kind::Let, place);
    result->names = pattern(context->pattern());
    result->value = expression(context->expression(0));
    return result;
  }
  case Parser::VAR: {
    StmtPtr result = makeStatement(Stmt::Kind::Var, place);
    result->names.push_back(name(context->name()));
    result->value = expression(context->expression(0));
    return result;
  }
  case Parser::FOR:
    return forStatement(context);
  case Parser::WHILE: {
    StmtPtr result = makeStatement(Stmt::Kind::While, place);
    result->value = expression(context->expression(0));
    result->body = block(context->block());
    return result;
  }
  case Parser::IF:
    return ifStatement(context);
  case Parser::RETURN: {
    StmtPtr result = makeStatement(Stmt::Kind::Return, place);
    if (auto *value = context->expression(0))
      result->value = expression(value);
    return result;
  }
  case Parser::LBRACE: {
    StmtPtr result = makeStatement(Stmt::Kind::Block, place);
    result->body = block(context->block());
    return result;
  }
  default:
    return simpleStatement(context);
  }
}

StmtPtr AstBuilder::forStatement(Parser::StatementContext *context) {
  StmtPtr result = makeStatement(Stmt::Kind::For, range(context));
  result->names.push_back(name(context->name()));
  result->value = expression(context->expression(0));
  const Expr &range = *result->value;
  bool isRange =
      range.kind == Expr::Kind::Call && range.operands[0]->kind == Expr::Kind::NameRef &&
      (range.operands[0]->name.text == "range" || range.operands[0]->name.text == "static_range");
  if (!isRange)
    diagnostics_.error(range.range, "a 'for' loop runs over 'range(...)' or 'static_range(...)'");
  result->body = block(context->block());
  return result;
}

StmtPtr AstBuilder::ifStatement(Parser::StatementContext *context) {
  auto branches = elements<Parser::ElseBranchContext>(context, "a branch");
  StmtPtr result = makeStatement(Stmt::Kind::If, range(context));
  if (tooDeep(context, branches.size() + 1))
    return result;
  Level levels(*this, branches.size());
  result->value = expression(context->expression(0));
  result->body = block(context->block());

  Stmt *last = result.get();
  for (size_t i = 0; i < branches.size(); ++i) {
    auto *branch = branches[i];
    if (auto *condition = branch->expression()) {
      SourceRange place = join(range(branch), result->range);
      uint32_t end = place.offset + place.length;
      place.offset = leaf(branch->children[1])->range.offset; // from its `if` to the end
      place.length = end - place.offset;
      last->elseIf = makeStatement(Stmt::Kind::If, place);
      last = last->elseIf.get();
      last->value = expression(condition);
      last->body = block(branch->block());
    } else if (i + 1 < branches.size()) {
      diagnostics_.error(leaf(branches[i + 1]->children[0])->range,
                         "'else' after the last branch of this 'if'");
      break;
    } else {
      last->elseBody = std::make_unique<Block>(block(branch->block()));
    }
  }
  return result;
}

static std::optional<BinaryOp> compoundOperator(size_t type) {
  using grammar::TileParser;
  switch (type) {
  case TileParser::ADD_ASSIGN:
    return BinaryOp::Add;
  case TileParser::SUB_ASSIGN:
    return BinaryOp::Sub;
  case TileParser::MUL_ASSIGN:
    return BinaryOp::Mul;
  case TileParser::DIV_ASSIGN:
    return BinaryOp::Div;
  case TileParser::REM_ASSIGN:
    return BinaryOp::Rem;
  case TileParser::AND_ASSIGN:
    return BinaryOp::BitAnd;
  case TileParser::XOR_ASSIGN:
    return BinaryOp::BitXor;
  case TileParser::OR_ASSIGN:
    return BinaryOp::BitOr;
  case TileParser::SHL_ASSIGN:
    return BinaryOp::Shl;
  case TileParser::SHR_ASSIGN:
    return BinaryOp::Shr;
  default:
    return std::nullopt;
  }
}

StmtPtr AstBuilder::simpleStatement(Parser::StatementContext *context) {
  StmtPtr result = makeStatement(Stmt::Kind::Expression, range(context));
  auto *op = context->assignOp();
  if (!op) {
    result->value = expression(context->expression(0));
    becomeAssert(*result);
    return result;
  }
  result->kind = Stmt::Kind::Assign;
  result->target = expression(context->expression(0));
  result->compound = compoundOperator(leaf(op->children.front())->getType());
  result->value = expression(context->expression(1));
  if (result->target->kind == Expr::Kind::Subscript)
    DiagnosticEngine::note(diagnostics_.error(result->target->range, "cannot assign to an element"),
                           result->target->range,
                           "memory is written with 'store', and a tile's values do not change");
  else if (result->target->kind != Expr::Kind::NameRef)
    diagnostics_.error(result->target->range, "only a variable can be assigned to");
  return result;
}

/// `assert(c, "msg")` and `static_assert(c, "msg")` are statements that look like calls.
void AstBuilder::becomeAssert(Stmt &statement) {
  Expr &call = *statement.value;
  if (call.kind != Expr::Kind::Call || call.operands[0]->kind != Expr::Kind::NameRef)
    return;
  const std::string &callee = call.operands[0]->name.text;
  if (callee != "assert" && callee != "static_assert")
    return;
  std::string usage = "'" + callee + "' takes a condition and, optionally, a message";
  bool isNamed = false;
  for (const Argument &argument : call.arguments)
    isNamed |= argument.name.has_value();
  if (isNamed || call.arguments.empty() || call.arguments.size() > 2) {
    diagnostics_.error(call.range, usage);
    return;
  }
  statement.kind = callee == "assert" ? Stmt::Kind::Assert : Stmt::Kind::StaticAssert;
  if (call.arguments.size() == 2) {
    statement.message = std::move(call.arguments[1].value);
    if (statement.message->kind != Expr::Kind::StringLiteral)
      diagnostics_.error(statement.message->range, "the message must be a string");
  }
  ExprPtr condition = std::move(call.arguments[0].value);
  statement.value = std::move(condition);
}

std::vector<Name> AstBuilder::pattern(Parser::PatternContext *context) {
  std::vector<Name> names;
  for (auto *written : elements<Parser::NameContext>(context, "a name"))
    names.push_back(name(written));
  return names;
}

} // namespace tilec
