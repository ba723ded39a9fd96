// Recovery: how parsing goes on after a syntax error. What is said is in error_messages.cpp.
#include "compiler/syntax/error_strategy.h"

#include "TileParser.h"

namespace tilec {

using grammar::TileParser;

// --- Tokens that end or begin something
// -----------------------------------------------------------

static bool isClauseWord(size_t type) {
  return type >= TileParser::VARIANTS && type <= TileParser::OPTION;
}

static bool isItemWord(size_t type) {
  return type == TileParser::KERNEL || type == TileParser::FN || type == TileParser::IMPORT ||
         type == TileParser::CONST;
}

/// Inside something broken, an item begins only at the start of a line: elsewhere `kernel` may be a
/// misplaced name. An indented `const` is a misplaced statement.
static bool beginsItem(const SourceToken &token) {
  bool isIndentedConst = token.getType() == TileParser::CONST && token.indented;
  return token.firstOnLine && isItemWord(token.getType()) && !isIndentedConst;
}

static bool endsFileOrItem(const SourceToken &token) {
  return token.getType() == antlr4::Token::EOF || beginsItem(token);
}

/// Words that cannot be inside an expression: a statement that meets one is over.
static bool isStatementWord(const SourceToken &token) {
  switch (token.getType()) {
  case TileParser::LET:
  case TileParser::VAR:
  case TileParser::FOR:
  case TileParser::WHILE:
  case TileParser::RETURN:
    return true;
  case TileParser::IF:
    return token.firstOnLine;
  default:
    return false;
  }
}

/// Already reported by the scan.
static bool isMalformed(size_t type) {
  return type == TileParser::STRAY || type == TileParser::UNTERMINATED_COMMENT;
}

bool ErrorStrategy::beginsStatement(antlr4::Parser *parser, size_t type) {
  if (statementStarts_.none()) {
    const antlr4::atn::ATN &atn = parser->getATN();
    const auto &first = atn.nextTokens(atn.ruleToStartState[TileParser::RuleStatement]);
    for (ssize_t symbol : first.toList())
      if (symbol >= 0)
        statementStarts_.set(static_cast<size_t>(symbol));
  }
  return type < statementStarts_.size() && statementStarts_[type];
}

/// Whether a token that was reported already is the likely reason for an error at `next`.
bool ErrorStrategy::isNearMalformed(const SourceToken &next) const {
  size_t last = previous(next).getType();
  return isMalformed(next.getType()) || isMalformed(last) ||
         last == TileParser::UNTERMINATED_STRING;
}

// --- Insert or unwind
// -----------------------------------------------------------------------------

/// Whether a missing token is taken as read: when what follows could follow it.
bool ErrorStrategy::canInsert(size_t missing, const SourceToken &next) const {
  size_t type = next.getType();
  bool ends = endsFileOrItem(next) || isStatementWord(next) || type == TileParser::RBRACE;
  switch (missing) {
  case TileParser::SEMI:
    return ends || next.firstOnLine;
  case TileParser::RPAREN:
  case TileParser::RBRACK:
    return ends || type == TileParser::SEMI || type == TileParser::LBRACE;
  case TileParser::GT:
    return ends || type == TileParser::LPAREN || type == TileParser::LBRACE ||
           type == TileParser::COMMA || type == TileParser::RPAREN;
  case TileParser::LBRACE:
    return next.firstOnLine && !endsFileOrItem(next) && type != TileParser::RBRACE;
  case TileParser::RBRACE:
    return true;
  default:
    return false;
  }
}

antlr4::Token *ErrorStrategy::recoverInline(antlr4::Parser *parser) {
  antlr4::misc::IntervalSet label =
      parser->getATN().states[parser->getState()]->transitions[0]->label();
  size_t missing = static_cast<size_t>(label.getMinElement());
  const SourceToken &next = current(parser);
  if (!isNearMalformed(next))
    reportMissing(parser, missing);
  recovering_ = true;
  if (!canInsert(missing, next))
    throw antlr4::InputMismatchException(parser);
  return parser->getCurrentToken();
}

void ErrorStrategy::reportError(antlr4::Parser *parser, const antlr4::RecognitionException &) {
  const SourceToken &next = current(parser);
  if (!isNearMalformed(next))
    reportUnexpected(parser);
  recovering_ = true;
}

void ErrorStrategy::recover(antlr4::Parser *parser, std::exception_ptr error) {
  antlr4::ParserRuleContext *context = parser->getContext();
  bool isEnd = current(parser).getType() == antlr4::Token::EOF;
  switch (context->getRuleIndex()) {
  case TileParser::RuleStatement: {
    size_t first = context->getStart()->getType();
    bool hasBlock =
        first == TileParser::IF || first == TileParser::WHILE || first == TileParser::FOR;
    bool hadBlock = skipStatement(parser, hasBlock);
    if (first == TileParser::IF || hadBlock)
      brokenIfs_.insert(static_cast<antlr4::ParserRuleContext *>(context->parent));
    break;
  }
  case TileParser::RuleClause:
    skipToClause(parser);
    break;
  case TileParser::RuleParam:
  case TileParser::RuleConstParam:
  case TileParser::RuleFunctionParam:
    skipParameter(parser);
    break;
  case TileParser::RuleItem:
    skipToItem(parser);
    recovering_ = false;
    break;
  default:
    std::rethrow_exception(error);
  }
  // The end of the file was the error: that something else ends there too is no news.
  recovering_ |= isEnd;
}

// --- Skipping
// -------------------------------------------------------------------------------------

/// To behind the `;` of the broken statement, or to what cannot be part of it. Whether braces were
/// skipped.
bool ErrorStrategy::skipStatement(antlr4::Parser *parser, bool stopAtBlock) {
  size_t brackets = 0, braces = 0;
  bool hadBlock = false;
  for (;; parser->consume()) {
    const SourceToken &token = current(parser);
    if (endsFileOrItem(token))
      break;
    if (hadBlock && braces == 0 && token.firstOnLine)
      break;
    size_t type = token.getType();
    if (type == TileParser::LBRACE) {
      if (stopAtBlock)
        break;
      ++braces;
      hadBlock = true;
    } else if (type == TileParser::RBRACE) {
      if (braces == 0)
        break;
      --braces;
    } else if (braces == 0) {
      if (isStatementWord(token))
        break;
      if (type == TileParser::LPAREN || type == TileParser::LBRACK) {
        ++brackets;
      } else if (type == TileParser::RPAREN || type == TileParser::RBRACK) {
        brackets -= brackets > 0;
      } else if (type == TileParser::SEMI && brackets == 0) {
        parser->consume();
        break;
      }
    }
  }
  recovering_ = false;
  return hadBlock;
}

/// Whether a misspelled clause may begin here: a word that starts a line and continues nothing.
static bool mayBeginClause(const SourceToken &word, const SourceToken &last) {
  if (word.getType() != TileParser::ID || !word.firstOnLine)
    return false;
  size_t type = last.getType();
  return type == TileParser::RPAREN || type == TileParser::RBRACK ||
         (type >= TileParser::TRUE && type <= TileParser::OPTION) ||
         (type >= TileParser::ID && type <= TileParser::BAD_NUMBER);
}

/// To the next clause word outside brackets, or the body.
void ErrorStrategy::skipToClause(antlr4::Parser *parser) {
  size_t brackets = 0;
  for (;; parser->consume()) {
    const SourceToken &token = current(parser);
    size_t type = token.getType();
    if (endsFileOrItem(token) || type == TileParser::LBRACE || type == TileParser::RBRACE)
      break;
    if (type == TileParser::LPAREN || type == TileParser::LBRACK)
      ++brackets;
    else if (type == TileParser::RPAREN || type == TileParser::RBRACK)
      brackets -= brackets > 0;
    else if (isClauseWord(type) && (brackets == 0 || token.firstOnLine))
      break;
    else if (brackets == 0 && mayBeginClause(token, previous(token)))
      break;
  }
  recovering_ = false;
}

/// To the `,` or closing bracket after a broken parameter. Still recovering: the list goes on only
/// if it matches that.
void ErrorStrategy::skipParameter(antlr4::Parser *parser) {
  size_t brackets = 0;
  for (;; parser->consume()) {
    const SourceToken &token = current(parser);
    size_t type = token.getType();
    if (endsFileOrItem(token) || type == TileParser::LBRACE || type == TileParser::RBRACE ||
        type == TileParser::SEMI)
      return;
    bool closes =
        type == TileParser::RPAREN || type == TileParser::RBRACK || type == TileParser::GT;
    if (brackets == 0 && (closes || type == TileParser::COMMA))
      return;
    if (type == TileParser::LPAREN || type == TileParser::LBRACK || type == TileParser::LT)
      ++brackets;
    else if (closes)
      --brackets;
  }
}

void ErrorStrategy::skipToItem(antlr4::Parser *parser) {
  while (!endsFileOrItem(current(parser)))
    parser->consume();
}

// --- Lists
// ----------------------------------------------------------------------------------------

void ErrorStrategy::sync(antlr4::Parser *parser) {
  switch (parser->getContext()->getRuleIndex()) {
  case TileParser::RuleBlock:
    return syncStatements(parser);
  case TileParser::RuleClauses:
    return syncClauses(parser);
  case TileParser::RuleFile:
    return syncItems(parser);
  default:
    return;
  }
}

void ErrorStrategy::syncStatements(antlr4::Parser *parser) {
  for (;;) {
    const SourceToken &token = current(parser);
    size_t type = token.getType();
    if (beginsStatement(parser, type) || type == TileParser::RBRACE || endsFileOrItem(token))
      return;
    if (isMalformed(type)) {
      parser->consume();
    } else if (type == TileParser::SEMI) {
      if (Diagnostic *error = report(token.range, "empty statement: remove this ';'"))
        DiagnosticEngine::fixit(*error, token.range, "");
      parser->consume();
      recovering_ = false;
    } else if (type == TileParser::ELSE) {
      if (!brokenIfs_.count(parser->getContext()))
        report(token.range, "'else' without an 'if' before it");
      parser->consume();
      skipStatement(parser, true);
    } else {
      if (type == TileParser::RPAREN || type == TileParser::RBRACK)
        report(token.range, "unmatched " + quoted(token));
      else if (type == TileParser::CONST)
        report(token.range, "constants are declared outside of functions: use 'let' here");
      else
        report(token.range, "expected a statement");
      parser->consume();
      skipStatement(parser, false);
    }
  }
}

void ErrorStrategy::syncClauses(antlr4::Parser *parser) {
  static constexpr std::string_view words[] = {"variants", "select", "requires", "specialize",
                                               "grid",     "warps",  "stages",   "cluster",
                                               "max_regs", "option"};
  for (;;) {
    const SourceToken &token = current(parser);
    size_t type = token.getType();
    if (isClauseWord(type) || type == TileParser::LBRACE || type == TileParser::RBRACE ||
        endsFileOrItem(token) || isStatementWord(token))
      return;
    if (isMalformed(type)) {
      parser->consume();
    } else if (type == TileParser::SEMI || type == TileParser::COMMA) {
      // Only a list of clauses that goes on shows what was meant.
      const SourceToken &next = tokens_[token.getTokenIndex() + 1];
      if (!isClauseWord(next.getType()) && next.getType() != TileParser::LBRACE &&
          next.getType() != TileParser::ID)
        return;
      if (Diagnostic *error = report(token.range, "clauses follow each other without " +
                                                      quoted(token) + " in between"))
        DiagnosticEngine::fixit(*error, token.range, "");
      parser->consume();
      recovering_ = false;
    } else {
      if (type == TileParser::ID)
        reportUnknownWord(token, "clause", words, "expected a clause or '{'");
      else if (type == TileParser::RPAREN || type == TileParser::RBRACK)
        report(token.range, "unmatched " + quoted(token));
      else if (type == TileParser::ASSIGN)
        reportAssignment(token);
      else
        report(token.range, "expected a clause or '{'");
      parser->consume();
      skipToClause(parser);
    }
  }
}

void ErrorStrategy::syncItems(antlr4::Parser *parser) {
  static constexpr std::string_view words[] = {"kernel", "fn", "const", "import"};
  static constexpr const char *expected = "expected 'kernel', 'fn', 'const' or 'import'";
  for (;;) {
    const SourceToken &token = current(parser);
    size_t type = token.getType();
    if (type == antlr4::Token::EOF || isItemWord(type))
      return;
    if (isMalformed(type) || type == TileParser::UNTERMINATED_STRING ||
        type == TileParser::BAD_NUMBER) {
      parser->consume();
      continue;
    }
    if (type == TileParser::RBRACE || type == TileParser::SEMI) {
      std::string message =
          type == TileParser::SEMI ? "an item does not end in ';'" : "unmatched '}'";
      if (Diagnostic *error = report(token.range, message))
        DiagnosticEngine::fixit(*error, token.range, "");
      parser->consume();
      recovering_ = false;
      continue;
    }
    if (type == TileParser::ID)
      reportUnknownWord(token, "item", words, expected);
    else if (isStatementWord(token) || type == TileParser::IF)
      report(token.range,
             quoted(token) + " begins a statement, which must be inside a kernel or 'fn'");
    else
      report(token.range, expected);
    skipToItem(parser);
    recovering_ = false;
  }
}

} // namespace tilec
