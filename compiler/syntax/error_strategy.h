// What the parser does about a syntax error: says what is missing, and goes on where it makes
// sense.
//
// ANTLR's own strategy guesses by deleting and inserting tokens and names sets of expected ones.
// Ours reports one error a mistake, where the mistake is, and knows three ways on:
//
//   insert   A missing `;` or closing bracket is reported at the end of the token before it and
//   taken
//            as read. The tree is complete.
//   unwind   Otherwise the rules up to the nearest statement, clause, parameter or item are left.
//            Each carries the exception, so the AST builder drops it, and tokens are skipped to
//            where the next one can begin.
//   sync     Where a list of statements, clauses or items finds none, junk is reported and skipped.
//
// After a report nothing more is reported until a token has been matched again.
#pragma once

#include "compiler/syntax/scan.h"

#include <bitset>
#include <set>
#include <span>

namespace tilec {

class ErrorStrategy final : public antlr4::ANTLRErrorStrategy {
public:
  ErrorStrategy(const Scan &scan, const SourceManager &sources, DiagnosticEngine &diagnostics)
      : tokens_(scan.tokens), sources_(sources), diagnostics_(diagnostics) {}

  void reset(antlr4::Parser *) override { recovering_ = false; }
  bool inErrorRecoveryMode(antlr4::Parser *) override { return recovering_; }
  void reportMatch(antlr4::Parser *) override { recovering_ = false; }

  /// A single token is missing: insert or unwind.
  antlr4::Token *recoverInline(antlr4::Parser *parser) override;
  /// No alternative of a rule begins with the next token.
  void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &error) override;
  /// Leaves a rule, or ends the unwinding and skips to where the next of its kind may begin.
  void recover(antlr4::Parser *parser, std::exception_ptr error) override;
  /// Called where a list goes on or ends.
  void sync(antlr4::Parser *parser) override;

private:
  // error_strategy.cpp: going on
  void syncStatements(antlr4::Parser *parser);
  void syncClauses(antlr4::Parser *parser);
  void syncItems(antlr4::Parser *parser);
  bool skipStatement(antlr4::Parser *parser, bool stopAtBlock);
  void skipToClause(antlr4::Parser *parser);
  void skipParameter(antlr4::Parser *parser);
  void skipToItem(antlr4::Parser *parser);
  bool beginsStatement(antlr4::Parser *parser, size_t type);
  bool isNearMalformed(const SourceToken &next) const;
  bool canInsert(size_t missing, const SourceToken &next) const;

  // error_messages.cpp: what is said
  void reportMissing(antlr4::Parser *parser, size_t missing);
  void reportMissingCloser(antlr4::Parser *parser, size_t missing);
  std::string describeMissing(antlr4::Parser *parser, size_t missing) const;
  std::string describeMissingBlock(antlr4::ParserRuleContext *context) const;
  void reportUnexpected(antlr4::Parser *parser);
  void reportUnknownWord(const SourceToken &word, const char *what,
                         std::span<const std::string_view> candidates, const char *otherwise);
  void reportAssignment(const SourceToken &token);
  bool reportForeignSyntax(antlr4::Parser *parser, size_t missing);

  /// Begins an error unless one is being recovered from; null then.
  Diagnostic *report(SourceRange range, std::string message);
  /// Where something is expected: at the next token, or after the last one if that ended its line.
  SourceRange placeFor(const SourceToken &next) const;
  SourceRange after(const SourceToken &token) const;
  const SourceToken &current(antlr4::Parser *parser) const;
  const SourceToken &previous(const SourceToken &token) const;
  std::string_view text(const SourceToken &token) const { return sources_.text(token.range); }
  std::string quoted(const SourceToken &token) const;

  const std::vector<SourceToken> &tokens_;
  const SourceManager &sources_;
  DiagnosticEngine &diagnostics_;
  bool recovering_ = false;
  /// Blocks in which an `if` lost its condition: an `else` may follow there.
  std::set<antlr4::ParserRuleContext *> brokenIfs_;
  std::bitset<128> statementStarts_;
};

} // namespace tilec
