// Scanning: the text of a file as a flat list of tokens, checked so that parsing it is safe.
//
// Before: the file is in the SourceManager. After: lexical errors (stray characters, unterminated
// strings, bad numbers, invalid UTF-8) are reported; the tokens end with EOF; and when `parseable`,
// a recursive parser needs at most kMaxNesting levels of recursion. ANTLR recurses on the machine
// stack, so that limit is checked here and not while parsing.
#pragma once

#include "compiler/syntax/diagnostics.h"

#include "antlr4-runtime.h"

namespace tilec {

/// Deepest nesting of brackets, `? :` and anonymous functions together.
inline constexpr size_t kMaxNesting = 200;

/// Most tokens of a file: a bound for the memory of the parse tree.
inline constexpr size_t kMaxTokens = 2'000'000;

/// A token as ANTLR sees it, in 48 bytes and without allocations of its own. The text stays in the
/// file; only `type`, `range` and `index` are meaningful.
class SourceToken final : public antlr4::Token {
public:
  SourceToken(size_t type, SourceRange range, size_t index, bool firstOnLine, bool indented)
      : range(range), type_(static_cast<uint32_t>(type)), index_(static_cast<uint32_t>(index)),
        firstOnLine(firstOnLine), indented(indented) {}

  size_t getType() const override { return static_cast<size_t>(static_cast<int32_t>(type_)); }
  size_t getTokenIndex() const override { return index_; }
  size_t getStartIndex() const override { return range.offset; }
  size_t getStopIndex() const override { return range.offset + range.length - 1; }
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() const override { return 0; }
  size_t getChannel() const override { return DEFAULT_CHANNEL; }
  std::string getText() const override { return {}; }
  antlr4::TokenSource *getTokenSource() const override { return nullptr; }
  antlr4::CharStream *getInputStream() const override { return nullptr; }
  std::string toString() const override { return {}; }

  uint32_t end() const { return range.offset + range.length; }

  SourceRange range;

private:
  uint32_t type_, index_;

public:
  bool firstOnLine; ///< no other token stands before it on its line
  bool indented;    ///< it is not in the first column
};

/// The `///` lines before a token.
struct DocComment {
  size_t token; ///< index of the token that follows
  std::string text;
};

struct Scan {
  std::vector<SourceToken> tokens;
  std::vector<DocComment> docs; ///< by ascending token
  bool parseable = true;
};

Scan scanFile(const SourceManager &sources, uint32_t file, DiagnosticEngine &diagnostics);

/// The tokens of a scan as the stream that an ANTLR parser reads.
class TokenList final : public antlr4::TokenStream {
public:
  explicit TokenList(std::vector<SourceToken> &tokens) : tokens_(tokens) {}

  void consume() override { next_ += next_ + 1 < tokens_.size(); }
  antlr4::Token *LT(ssize_t k) override;
  size_t LA(ssize_t k) override;
  antlr4::Token *get(size_t index) const override { return &tokens_[index]; }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return next_; }
  void seek(size_t index) override { next_ = std::min(index, tokens_.size() - 1); }
  size_t size() override { return tokens_.size(); }
  std::string getSourceName() const override { return {}; }
  antlr4::TokenSource *getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval &) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext *) override { return {}; }
  std::string getText(antlr4::Token *, antlr4::Token *) override { return {}; }

private:
  std::vector<SourceToken> &tokens_;
  size_t next_ = 0;
};

} // namespace tilec
