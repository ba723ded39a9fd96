// AST of operands: literals, names, groups, calls, subscripts, prefix operators.
#include "compiler/syntax/ast_builder.h"
#include "compiler/syntax/literals.h"

namespace tilec {

using namespace ast;

static UnaryOp unaryOperator(size_t type) {
  using grammar::TileParser;
  switch (type) {
  case TileParser::MINUS:
    return UnaryOp::Neg;
  case TileParser::BANG:
    return UnaryOp::Not;
  case TileParser::TILDE:
    return UnaryOp::BitNot;
  default:
    return UnaryOp::Plus;
  }
}

ExprPtr AstBuilder::operand(Parser::OperandContext *context) {
  auto prefixes = elements<Parser::PrefixOpContext>(context, "expression");
  auto postfixes = elements<Parser::PostfixContext>(context, "expression");
  size_t levels = prefixes.size() + postfixes.size() + 1;
  if (tooDeep(context, levels))
    return placeholder(range(context));
  Level level(*this, levels);
  ExprPtr result = primary(context->primary());
  for (auto *written : postfixes)
    result = postfix(written, std::move(result));
  for (size_t i = prefixes.size(); i-- > 0;) {
    const SourceToken &op = *leaf(prefixes[i]->children.front());
    ExprPtr whole = make(Expr::Kind::Unary, join(op.range, range(context)));
    whole->range.length = range(context).offset + range(context).length - op.range.offset;
    whole->range.offset = op.range.offset;
    whole->unaryOp = unaryOperator(op.getType());
    whole->opRange = op.range;
    whole->operands.push_back(std::move(result));
    result = std::move(whole);
  }
  return result;
}

ExprPtr AstBuilder::primary(Parser::PrimaryContext *context) {
  if (auto *written = context->literal())
    return literal(written);
  if (auto *written = context->name()) {
    ExprPtr result = make(Expr::Kind::NameRef, range(context));
    result->name = name(written);
    return result;
  }
  auto *values = context->expressions();
  bool isList = leaf(context->children.front())->getType() == Parser::LBRACK;
  bool isGroup = !isList && values->children.size() == 1;
  if (isGroup)
    return expression(values->expression(0));
  ExprPtr result = make(isList ? Expr::Kind::List : Expr::Kind::Tuple, range(context));
  result->operands = expressions(values);
  return result;
}

ExprPtr AstBuilder::literal(Parser::LiteralContext *context) {
  const SourceToken &token = *leaf(context->children.front());
  ExprPtr result = make(Expr::Kind::IntLiteral, token.range);
  result->text = text(token.range);
  switch (token.getType()) {
  case Parser::INT:
    if (auto value = integerValue(result->text))
      result->intValue = *value;
    else
      diagnostics_.error(token.range, "integer literal is too large for 64 bits");
    break;
  case Parser::FLOAT:
  case Parser::INF:
  case Parser::NAN_WORD:
    result->kind = Expr::Kind::FloatLiteral;
    if (auto value = floatValue(result->text))
      result->floatValue = *value;
    else
      diagnostics_.error(token.range, "float literal is out of the range of f64");
    break;
  case Parser::TRUE:
  case Parser::FALSE:
    result->kind = Expr::Kind::BoolLiteral;
    result->boolValue = token.getType() == Parser::TRUE;
    break;
  case Parser::NONE:
    result->kind = Expr::Kind::NoneLiteral;
    break;
  case Parser::UNTERMINATED_STRING: // reported
    result->kind = Expr::Kind::StringLiteral;
    break;
  case Parser::STRING: {
    result->kind = Expr::Kind::StringLiteral;
    Unescaped unescaped = unescape(result->text);
    if (unescaped.badEscape) {
      SourceRange place = token.range;
      place.offset += static_cast<uint32_t>(*unescaped.badEscape);
      place.length = 2;
      diagnostics_.error(place, "unknown escape: strings have \\n, \\t, \\\" and \\\\");
    }
    result->text = std::move(unescaped.value);
    break;
  }
  default: // BAD_NUMBER: the scan reported it
    break;
  }
  return result;
}

// --- Calls, subscripts, attributes
// ----------------------------------------------------------------

ExprPtr AstBuilder::postfix(Parser::PostfixContext *context, ExprPtr base) {
  SourceRange own = range(context);
  // A group has lost its parentheses; begin at whatever stands first.
  SourceRange whole = join(base->range, own);
  if (auto *operand = dynamic_cast<Parser::OperandContext *>(context->parent))
    whole = join(range(operand->primary()), own);
  switch (leaf(context->children.front())->getType()) {
  case Parser::LPAREN: {
    if (base->kind != Expr::Kind::NameRef && base->kind != Expr::Kind::Attribute)
      diagnostics_.error(base->range, "this expression cannot be called: only functions can");
    ExprPtr result = make(Expr::Kind::Call, whole);
    result->operands.push_back(std::move(base));
    for (auto *written : elements<Parser::ArgumentContext>(context, "expression"))
      result->arguments.push_back(argument(written));
    return result;
  }
  case Parser::LBRACK: {
    ExprPtr result = make(Expr::Kind::Subscript, whole);
    result->operands.push_back(std::move(base));
    for (auto *written : elements<Parser::SubscriptContext>(context, "expression"))
      result->subscripts.push_back(subscript(written));
    return result;
  }
  default: {
    ExprPtr result = make(Expr::Kind::Attribute, whole);
    result->name = name(context->name());
    result->operands.push_back(std::move(base));
    return result;
  }
  }
}

Argument AstBuilder::argument(Parser::ArgumentContext *context) {
  auto values = elements<Parser::ExpressionContext>(context, "expression");
  Argument result;
  result.value = expression(values.back());
  if (values.size() == 1)
    return result;
  SourceRange place = range(values.front());
  ExprPtr written = expression(values.front());
  bool isName = written->kind == Expr::Kind::NameRef ||
                (written->kind == Expr::Kind::FloatLiteral && written->text == "nan");
  if (isName)
    result.name = Name{text(place), place};
  else
    diagnostics_.error(token(context, Parser::ASSIGN)->range,
                       "only a name can stand before '=' in an argument; '==' compares");
  return result;
}

Subscript AstBuilder::subscript(Parser::SubscriptContext *context) {
  Subscript result;
  result.range = range(context);
  bool isAfter = false; // behind the `:` or `+:`
  for (antlr4::tree::ParseTree *child : context->children) {
    if (const SourceToken *separator = leaf(child)) {
      isAfter = true;
      result.kind =
          separator->getType() == Parser::WINDOW ? Subscript::Kind::Window : Subscript::Kind::Slice;
      continue;
    }
    ExprPtr value = expression(static_cast<Parser::ExpressionContext *>(child));
    (isAfter ? result.second : result.first) = std::move(value);
  }
  if (result.kind == Subscript::Kind::Index && result.first->kind == Expr::Kind::NoneLiteral) {
    result.kind = Subscript::Kind::NewAxis;
    result.first = nullptr;
  }
  return result;
}

} // namespace tilec
