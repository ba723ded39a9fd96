// The messages of syntax errors: what is missing, where, and what the writer may have meant.
#include "compiler/syntax/error_strategy.h"
#include "compiler/syntax/suggestion.h"

#include "TileParser.h"

namespace tilec {

using grammar::TileParser;

// --- Helpers
// --------------------------------------------------------------------------------------

const SourceToken &ErrorStrategy::current(antlr4::Parser *parser) const {
  return tokens_[parser->getTokenStream()->index()];
}

/// The token before; the token itself at the start of the file.
const SourceToken &ErrorStrategy::previous(const SourceToken &token) const {
  size_t index = token.getTokenIndex();
  return tokens_[index == 0 ? 0 : index - 1];
}

SourceRange ErrorStrategy::after(const SourceToken &token) const {
  return {token.range.file, token.end(), 0};
}

SourceRange ErrorStrategy::placeFor(const SourceToken &next) const {
  bool ended = next.firstOnLine || next.getType() == antlr4::Token::EOF;
  return ended && next.getTokenIndex() > 0 ? after(previous(next)) : next.range;
}

std::string ErrorStrategy::quoted(const SourceToken &token) const {
  std::string_view whole = text(token);
  static constexpr size_t longest = 40;
  if (whole.size() > longest)
    return "'" + std::string(whole.substr(0, longest)) + "...'";
  return "'" + std::string(whole) + "'";
}

Diagnostic *ErrorStrategy::report(SourceRange range, std::string message) {
  if (recovering_)
    return nullptr;
  recovering_ = true;
  // Nothing would be shown any more: stop rather than recover a million times.
  if (diagnostics_.errorCount() > DiagnosticEngine::kMaxErrors)
    throw antlr4::ParseCancellationException();
  return &diagnostics_.error(range, std::move(message));
}

void ErrorStrategy::reportUnknownWord(const SourceToken &word, const char *what,
                                      std::span<const std::string_view> candidates,
                                      const char *otherwise) {
  std::string_view close = closestName(text(word), candidates);
  if (close.empty()) {
    report(word.range, otherwise);
    return;
  }
  std::string message = std::string("unknown ") + what + " " + quoted(word) + "; did you mean '";
  if (Diagnostic *error = report(word.range, message.append(close).append("'?")))
    DiagnosticEngine::fixit(*error, word.range, std::string(close));
}

static const char *closerText(size_t type) {
  switch (type) {
  case TileParser::RPAREN:
    return ")";
  case TileParser::RBRACK:
    return "]";
  case TileParser::RBRACE:
    return "}";
  case TileParser::GT:
    return ">";
  default:
    return nullptr;
  }
}

static size_t openerOf(size_t closer) {
  switch (closer) {
  case TileParser::RPAREN:
    return TileParser::LPAREN;
  case TileParser::RBRACK:
    return TileParser::LBRACK;
  case TileParser::RBRACE:
    return TileParser::LBRACE;
  default:
    return TileParser::LT;
  }
}

/// The last token of `type` among the children matched so far.
static const SourceToken *lastChild(antlr4::ParserRuleContext *context, size_t type) {
  for (auto child = context->children.rbegin(); child != context->children.rend(); ++child)
    if (auto *leaf = dynamic_cast<antlr4::tree::TerminalNode *>(*child))
      if (leaf->getSymbol()->getType() == type)
        return static_cast<const SourceToken *>(leaf->getSymbol());
  return nullptr;
}

/// What the elements of the list are that rule `rule` is in the middle of.
static const char *elementOf(size_t rule) {
  switch (rule) {
  case TileParser::RuleKernel:
  case TileParser::RuleFunction:
  case TileParser::RuleConstParams:
    return "expected a parameter name";
  case TileParser::RulePattern:
  case TileParser::RuleLambda:
    return "expected a name";
  default:
    return "expected expression";
  }
}

// --- A missing token
// ------------------------------------------------------------------------------

void ErrorStrategy::reportMissing(antlr4::Parser *parser, size_t missing) {
  if (recovering_ || reportForeignSyntax(parser, missing))
    return;
  if (closerText(missing)) {
    reportMissingCloser(parser, missing);
    return;
  }
  const SourceToken &next = current(parser);
  size_t type = next.getType();
  if (missing == TileParser::SEMI && (type == TileParser::RPAREN || type == TileParser::RBRACK)) {
    report(next.range, "unmatched " + quoted(next));
    return;
  }
  Diagnostic *error = report(after(previous(next)), describeMissing(parser, missing));
  if (error && missing == TileParser::SEMI)
    DiagnosticEngine::fixit(*error, error->range, ";");
}

void ErrorStrategy::reportMissingCloser(antlr4::Parser *parser, size_t missing) {
  antlr4::ParserRuleContext *context = parser->getContext();
  const SourceToken &next = current(parser);
  const SourceToken &last = previous(next);
  std::string closer = std::string("'") + closerText(missing) + "'";
  bool isEmptyPlace = last.getType() == TileParser::COMMA || last.getType() == openerOf(missing);
  if (isEmptyPlace && missing != TileParser::RBRACE && !canInsert(missing, next)) {
    report(placeFor(next), elementOf(context->getRuleIndex()));
    return;
  }
  // On the same line something else may stand in the place of a `,`.
  bool isList = missing != TileParser::RBRACE && context->getRuleIndex() != TileParser::RuleType;
  bool maybeComma = isList && !canInsert(missing, next) && !next.firstOnLine;
  Diagnostic *error = report(after(last), "expected " + (maybeComma ? "',' or " + closer : closer));
  if (!error)
    return;
  if (!maybeComma)
    DiagnosticEngine::fixit(*error, error->range, closerText(missing));
  if (const SourceToken *opener = lastChild(context, openerOf(missing)))
    DiagnosticEngine::note(*error, opener->range, "to match this " + quoted(*opener));
}

std::string ErrorStrategy::describeMissing(antlr4::Parser *parser, size_t missing) const {
  antlr4::ParserRuleContext *context = parser->getContext();
  size_t rule = context->getRuleIndex();
  const SourceToken &last = previous(current(parser));
  switch (missing) {
  case TileParser::SEMI:
    if (last.getType() == TileParser::RETURN)
      return "expected ';' after 'return'";
    return rule == TileParser::RuleImportItem ? "expected ';' after the file name"
                                              : "expected ';' after expression";
  case TileParser::LBRACE:
    return describeMissingBlock(context);
  case TileParser::COLON:
    if (rule == TileParser::RuleConditional)
      return "expected ':' and the value for when the condition is false";
    return "expected ':' and a type after parameter " + quoted(last);
  case TileParser::COMMA:
    return lastChild(context, TileParser::VIEW)
               ? "expected ',' and the rank of the view, as in 'view<f32, 2>'"
               : "expected ',' and the dimensions of the tile, as in 'tile<f32, [64, 64]>'";
  case TileParser::LBRACK:
    return rule == TileParser::RuleChoice ? "expected '[' and the values after 'in'"
                                          : "expected '[' and the dimensions of the tile";
  case TileParser::STRING:
    return "expected a file name in double quotes after 'import'";
  case TileParser::PIPE:
    return "expected '|' after the parameters of the anonymous function";
  default: {
    std::string expected = "expected ";
    expected += parser->getVocabulary().getDisplayName(missing);
    return expected + " after " + quoted(last);
  }
  }
}

std::string ErrorStrategy::describeMissingBlock(antlr4::ParserRuleContext *context) const {
  auto *parent = dynamic_cast<antlr4::ParserRuleContext *>(context->parent);
  if (!parent)
    return "expected '{'";
  switch (parent->getRuleIndex()) {
  case TileParser::RuleKernel:
    return "expected a clause or '{'";
  case TileParser::RuleFunction:
    return "expected '{' and the body of the function";
  case TileParser::RuleElseBranch:
    return parent->children.size() > 1 ? "expected '{' after the condition"
                                       : "expected '{' or 'if' after 'else'";
  default:
    return parent->getStart()->getType() == TileParser::FOR ? "expected '{' after the range"
                                                            : "expected '{' after the condition";
  }
}

// --- Nothing fits
// ---------------------------------------------------------------------------------

void ErrorStrategy::reportUnexpected(antlr4::Parser *parser) {
  if (recovering_)
    return;
  const SourceToken &next = current(parser);
  const SourceToken &last = previous(next);
  bool isWord = next.getType() >= TileParser::IMPORT && next.getType() <= TileParser::NAN_WORD;
  bool isNextLine = next.firstOnLine;
  switch (parser->getContext()->getRuleIndex()) {
  case TileParser::RuleName:
  case TileParser::RulePattern:
    if (isWord && !isNextLine) {
      report(next.range, quoted(next) + " is a keyword and cannot be a name");
      return;
    }
    if (last.getType() == TileParser::DOT)
      report(placeFor(next), "expected a name after '.'");
    else if (last.getType() == TileParser::LPAREN || last.getType() == TileParser::COMMA ||
             last.getType() == TileParser::PIPE)
      report(placeFor(next), "expected a name");
    else
      report(placeFor(next), "expected a name after " + quoted(last));
    return;
  case TileParser::RuleType:
  case TileParser::RuleTypeName:
    report(placeFor(next), "expected a type");
    return;
  default:
    break;
  }
  // `i++`: the second operator began an operand.
  bool twice = last.getType() == TileParser::PLUS || last.getType() == TileParser::MINUS;
  if (twice && last.getTokenIndex() > 0) {
    const SourceToken &beforeLast = previous(last);
    if (beforeLast.getType() == last.getType() && beforeLast.end() == last.range.offset) {
      std::string sign(text(last));
      const SourceToken &operand = previous(beforeLast);
      std::string target =
          operand.getType() == TileParser::ID ? std::string(text(operand)) + " " : "";
      report(join(beforeLast.range, last.range),
             "there is no '" + sign + sign + "': write '" + target + sign + "= 1'");
      return;
    }
  }
  report(placeFor(next), "expected expression");
}

void ErrorStrategy::reportAssignment(const SourceToken &token) {
  if (Diagnostic *error = report(token.range, "'=' does not compare: write '=='"))
    DiagnosticEngine::fixit(*error, token.range, "==");
}

/// Habits from other languages that have a direct translation. True when one was reported.
bool ErrorStrategy::reportForeignSyntax(antlr4::Parser *parser, size_t missing) {
  const SourceToken &next = current(parser);
  const SourceToken &last = previous(next);
  antlr4::ParserRuleContext *context = parser->getContext();
  size_t type = next.getType();
  if (type == TileParser::ID && !next.firstOnLine && (text(next) == "and" || text(next) == "or")) {
    const char *symbol = text(next) == "and" ? "&&" : "||";
    if (Diagnostic *error = report(next.range, quoted(next) + " is written '" + symbol + "'"))
      DiagnosticEngine::fixit(*error, next.range, symbol);
    return true;
  }
  size_t rule = context->getRuleIndex();
  if (type == TileParser::ASSIGN &&
      (rule == TileParser::RuleBlock || rule == TileParser::RulePrimary)) {
    reportAssignment(next);
    return true;
  }
  if (type == TileParser::ASSIGN &&
      (rule == TileParser::RuleKernel || rule == TileParser::RuleFunction)) {
    report(next.range, "a parameter has no default value");
    return true;
  }
  if (rule == TileParser::RuleBlock && type == TileParser::MINUS &&
      last.getType() == TileParser::RPAREN) {
    report(next.range, "a function's result type is not written: it follows from 'return'");
    return true;
  }
  // variants A in [1], grid n: the comma made a choice of the next clause.
  const SourceToken &beforeLast = previous(last);
  if (missing == TileParser::IN && rule == TileParser::RuleChoice && last.firstOnLine &&
      beforeLast.getType() == TileParser::COMMA) {
    if (Diagnostic *error =
            report(beforeLast.range, "clauses follow each other without ',' in between"))
      DiagnosticEngine::fixit(*error, beforeLast.range, "");
    return true;
  }
  if (missing == TileParser::LPAREN && last.getType() == TileParser::GT) {
    if (Diagnostic *error = report(after(last), "expected '(' and the parameters"))
      DiagnosticEngine::note(*error, last.range,
                             "this '>' ends the const parameters; a comparison needs parentheses");
    return true;
  }
  if (type == TileParser::ASSIGN && missing == TileParser::SEMI) {
    report(next.range, "an assignment is not an expression");
    return true;
  }
  if (missing == TileParser::ASSIGN && type == TileParser::COLON &&
      rule == TileParser::RuleStatement) {
    report(next.range, "variables are declared without a type: convert the value, as in 'i32(x)'");
    return true;
  }
  // A statement that is one word and goes on like another one.
  bool isStatement = missing == TileParser::SEMI && rule == TileParser::RuleStatement &&
                     context->getStart() == &last && !next.firstOnLine;
  if (isStatement && last.getType() == TileParser::ID) {
    static constexpr std::string_view words[] = {"let", "var", "for", "while", "if", "return"};
    if (text(last) == "elif" || text(last) == "elseif" || text(last) == "elsif") {
      report(last.range, quoted(last) + " is written 'else if'");
      return true;
    }
    std::string_view close = closestName(text(last), words);
    if (!close.empty()) {
      reportUnknownWord(last, "statement", words, "");
      return true;
    }
  }
  return false;
}

} // namespace tilec
