// AST of operators: conditional, binary, anonymous functions. Operands are in build_operands.cpp.
#include "compiler/syntax/ast_builder.h"

namespace tilec {

using namespace ast;

ExprPtr AstBuilder::make(Expr::Kind kind, SourceRange range) const {
  auto result = std::make_unique<Expr>();
  result->kind = kind;
  result->range = range;
  return result;
}

ExprPtr AstBuilder::placeholder(SourceRange range) const {
  ExprPtr result = make(Expr::Kind::IntLiteral, range);
  result->text = "0";
  return result;
}

std::vector<ExprPtr> AstBuilder::expressions(Parser::ExpressionsContext *context) {
  std::vector<ExprPtr> values;
  if (context)
    for (auto *value : elements<Parser::ExpressionContext>(context, "expression"))
      values.push_back(expression(value));
  return values;
}

ExprPtr AstBuilder::expression(Parser::ExpressionContext *context) {
  if (auto *anonymous = context->lambda())
    return lambda(anonymous);
  return conditional(context->conditional());
}

ExprPtr AstBuilder::lambda(Parser::LambdaContext *context) {
  if (tooDeep(context))
    return placeholder(range(context));
  Level level(*this);
  ExprPtr result = make(Expr::Kind::Lambda, range(context));
  for (auto *param : elements<Parser::NameContext>(context, "a name"))
    result->lambda.params.push_back(name(param));
  result->lambda.body = expression(context->expression());
  return result;
}

ExprPtr AstBuilder::conditional(Parser::ConditionalContext *context) {
  auto values = elements<Parser::ExprContext>(context, "expression");
  if (values.size() == 1)
    return expr(values.front());
  auto middles = elements<Parser::ExpressionContext>(context, "expression");
  if (tooDeep(context, middles.size()))
    return placeholder(range(context));
  // a ? b : c ? d : e: conditions a and c, values b and d, and the last alternative e.
  Level levels(*this, middles.size());
  ExprPtr result = expr(values.back());
  for (size_t i = middles.size(); i-- > 0;) {
    ExprPtr whole = make(Expr::Kind::Conditional, join(range(values[i]), range(values.back())));
    whole->operands.push_back(expr(values[i]));
    whole->operands.push_back(expression(middles[i]));
    whole->operands.push_back(std::move(result));
    result = std::move(whole);
  }
  return result;
}

// --- Binary operators
// -----------------------------------------------------------------------------

static BinaryOp binaryOperator(size_t type) {
  using grammar::TileParser;
  switch (type) {
  case TileParser::STAR:
    return BinaryOp::Mul;
  case TileParser::SLASH:
    return BinaryOp::Div;
  case TileParser::PERCENT:
    return BinaryOp::Rem;
  case TileParser::PLUS:
    return BinaryOp::Add;
  case TileParser::MINUS:
    return BinaryOp::Sub;
  case TileParser::SHL:
    return BinaryOp::Shl;
  case TileParser::SHR:
    return BinaryOp::Shr;
  case TileParser::AMP:
    return BinaryOp::BitAnd;
  case TileParser::CARET:
    return BinaryOp::BitXor;
  case TileParser::PIPE:
    return BinaryOp::BitOr;
  case TileParser::EQ:
    return BinaryOp::Eq;
  case TileParser::NE:
    return BinaryOp::Ne;
  case TileParser::LT:
    return BinaryOp::Lt;
  case TileParser::LE:
    return BinaryOp::Le;
  case TileParser::GT:
    return BinaryOp::Gt;
  case TileParser::GE:
    return BinaryOp::Ge;
  case TileParser::AND_AND:
    return BinaryOp::LogicalAnd;
  default:
    return BinaryOp::LogicalOr;
  }
}

static bool isComparison(size_t type) {
  return type >= grammar::TileParser::EQ && type <= grammar::TileParser::GE;
}

ExprPtr AstBuilder::binary(Context *context, const SourceToken &op, ExprPtr left, ExprPtr right) {
  ExprPtr result = make(Expr::Kind::Binary, range(context));
  result->binaryOp = binaryOperator(op.getType());
  result->opRange = op.range;
  result->operands.push_back(std::move(left));
  result->operands.push_back(std::move(right));
  return result;
}

ExprPtr AstBuilder::expr(Parser::ExprContext *context) {
  if (auto *last = context->operand())
    return operand(last);
  if (tooDeep(context))
    return placeholder(range(context));
  Level level(*this);
  // expr operator expr
  const SourceToken &op = *leaf(context->children[1]);
  if (isComparison(op.getType()))
    checkComparison(context, op);
  ExprPtr left = expr(static_cast<Parser::ExprContext *>(context->children[0]));
  ExprPtr right = expr(static_cast<Parser::ExprContext *>(context->children[2]));
  return binary(context, op, std::move(left), std::move(right));
}

ExprPtr AstBuilder::angleExpr(Parser::AngleExprContext *context) {
  if (auto *last = context->operand())
    return operand(last);
  if (tooDeep(context))
    return placeholder(range(context));
  Level level(*this);
  ExprPtr left = angleExpr(static_cast<Parser::AngleExprContext *>(context->children[0]));
  ExprPtr right = angleExpr(static_cast<Parser::AngleExprContext *>(context->children[2]));
  return binary(context, *leaf(context->children[1]), std::move(left), std::move(right));
}

/// Reports `a < b < c`. The tree groups it to the left, so the left side of the second comparison
/// is the first one; parentheses would put an operand in between.
void AstBuilder::checkComparison(Parser::ExprContext *context, const SourceToken &op) {
  static constexpr uint32_t longestSuggestion = 80;
  auto *left = static_cast<Parser::ExprContext *>(context->children[0]);
  if (left->children.size() != 3)
    return;
  const SourceToken *first = leaf(left->children[1]);
  if (!isComparison(first->getType()))
    return;
  auto *middle = static_cast<Parser::ExprContext *>(left->children[2]);
  SourceRange whole = range(context);
  Diagnostic &error = diagnostics_.error(op.range, "comparisons do not chain");
  if (whole.length > longestSuggestion)
    return;
  auto *right = static_cast<Parser::ExprContext *>(context->children[2]);
  error.message += ": write '" + text(range(left)) + " && " + text(range(middle)) + " " +
                   text(op.range) + " " + text(range(right)) + "'";
}

const char *ast::spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Mul:
    return "*";
  case BinaryOp::Div:
    return "/";
  case BinaryOp::Rem:
    return "%";
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Sub:
    return "-";
  case BinaryOp::Shl:
    return "<<";
  case BinaryOp::Shr:
    return ">>";
  case BinaryOp::BitAnd:
    return "&";
  case BinaryOp::BitXor:
    return "^";
  case BinaryOp::BitOr:
    return "|";
  case BinaryOp::Eq:
    return "==";
  case BinaryOp::Ne:
    return "!=";
  case BinaryOp::Lt:
    return "<";
  case BinaryOp::Le:
    return "<=";
  case BinaryOp::Gt:
    return ">";
  case BinaryOp::Ge:
    return ">=";
  case BinaryOp::LogicalAnd:
    return "&&";
  case BinaryOp::LogicalOr:
    return "||";
  }
  return "";
}

const char *ast::spelling(UnaryOp op) {
  switch (op) {
  case UnaryOp::Neg:
    return "-";
  case UnaryOp::Not:
    return "!";
  case UnaryOp::BitNot:
    return "~";
  case UnaryOp::Plus:
    return "+";
  }
  return "";
}

} // namespace tilec
