// The scan: ANTLR's lexer over the bytes of a file, one pass.
#include "compiler/syntax/scan.h"

#include "compiler/syntax/nesting.h"
#include "compiler/syntax/unicode.h"

#include "TileLexer.h"

namespace tilec {

using grammar::TileLexer;

namespace {

/// The bytes of a file as ANTLR's input. Offsets are byte offsets. Bytes beyond ASCII all read as
/// DEL: the grammar makes no difference between them, and the lexer caches its states for ASCII
/// only.
class ByteStream final : public antlr4::CharStream {
public:
  explicit ByteStream(std::string_view text) : text_(text) {}

  void consume() override { ++next_; }
  size_t LA(ssize_t k) override {
    size_t at = next_ + static_cast<size_t>(k < 0 ? k : k - 1);
    if (at >= text_.size())
      return EOF;
    return std::min<unsigned char>(static_cast<unsigned char>(text_[at]), 0x7F);
  }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}
  size_t index() override { return next_; }
  void seek(size_t index) override { next_ = index; }
  size_t size() override { return text_.size(); }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval &) override { return {}; }
  std::string toString() const override { return {}; }

private:
  std::string_view text_;
  size_t next_ = 0;
};

class Scanner {
public:
  Scanner(const SourceManager &sources, uint32_t file, DiagnosticEngine &diagnostics)
      : text_(sources.file(file).text), file_(file), diagnostics_(diagnostics) {}

  Scan run();

private:
  SourceRange range(size_t begin, size_t end) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)};
  }
  void add(size_t type, size_t begin, size_t end);
  void addDoc(size_t begin, size_t end);
  size_t addStray(size_t begin);
  void reportBadNumber(size_t begin, size_t end);
  void reportInvalidUtf8();
  bool giveUp(size_t begin, size_t end, const char *message);

  std::string_view text_;
  uint32_t file_;
  DiagnosticEngine &diagnostics_;
  Scan scan_;
  Nesting nesting_;
  size_t lastEnd_ = 0; ///< end of the last token
};

void Scanner::add(size_t type, size_t begin, size_t end) {
  bool firstOnLine = scan_.tokens.empty() ||
                     text_.substr(lastEnd_, begin - lastEnd_).find('\n') != std::string_view::npos;
  bool indented = begin > 0 && text_[begin - 1] != '\n';
  scan_.tokens.emplace_back(type, range(begin, end), scan_.tokens.size(), firstOnLine, indented);
  lastEnd_ = end;
  nesting_.next(type, firstOnLine);
}

void Scanner::addDoc(size_t begin, size_t end) {
  std::string_view line = text_.substr(begin + 3, end - begin - 3);
  if (!line.empty() && line.front() == ' ')
    line.remove_prefix(1);
  if (scan_.docs.empty() || scan_.docs.back().token != scan_.tokens.size())
    scan_.docs.push_back({scan_.tokens.size(), std::string(line)});
  else
    scan_.docs.back().text.append("\n").append(line);
}

/// Reports the character at `begin` and returns where scanning goes on.
size_t Scanner::addStray(size_t begin) {
  Character character = decodeCharacter(text_, begin);
  size_t end = begin + character.length;
  size_t lineEnd = std::min(text_.find('\n', begin), text_.size());
  if (character.code == '#') {
    // The rest of the line was meant as a comment; taking it for code would bring more errors.
    Diagnostic &error = diagnostics_.error(range(begin, end), "stray character '#'");
    DiagnosticEngine::note(error, range(begin, end), "comments begin with '//'");
    return lineEnd;
  }
  if (character.code == '\'') {
    size_t close = text_.find('\'', end);
    if (close < lineEnd) {
      diagnostics_.error(range(begin, close + 1), "strings are written in double quotes");
      add(TileLexer::UNTERMINATED_STRING, begin, close + 1);
      return close + 1;
    }
  }
  add(TileLexer::STRAY, begin, end);
  if (!character.valid)
    return end; // reported as invalid UTF-8
  Diagnostic &error =
      diagnostics_.error(range(begin, end), "stray character " + describeCharacter(character));
  if (character.code == '@')
    DiagnosticEngine::note(error, range(begin, end), "the matrix product is 'dot(a, b)'");
  return end;
}

void Scanner::reportBadNumber(size_t begin, size_t end) {
  std::string_view number = text_.substr(begin, end - begin);
  std::string quoted = "'" + std::string(number.substr(0, 40)) + "'";
  bool hexadecimal = number.size() > 1 && number[0] == '0' && (number[1] | 0x20) == 'x';
  Diagnostic &error = diagnostics_.error(range(begin, end), "invalid number " + quoted);
  if (number.back() == '.' && number.find_first_not_of("0123456789_.") == std::string_view::npos) {
    DiagnosticEngine::note(error, range(begin, end), "a digit must follow the '.'");
    DiagnosticEngine::fixit(error, range(end, end), "0");
  } else if (!hexadecimal && (number.back() | 0x20) == 'f') {
    DiagnosticEngine::note(error, range(begin, end),
                           "literals have no suffix: they take the type of the other operand");
    DiagnosticEngine::fixit(error, range(end - 1, end), "");
  } else if (number[0] == '0' &&
             number.find_first_not_of("0123456789_") == std::string_view::npos) {
    DiagnosticEngine::note(error, range(begin, begin + 1),
                           "a decimal number does not begin with 0; there are no octal numbers");
  }
}

void Scanner::reportInvalidUtf8() {
  for (size_t at = 0; at < text_.size();) {
    if (static_cast<unsigned char>(text_[at]) < 0x80) {
      ++at;
      continue;
    }
    Character character = decodeCharacter(text_, at);
    if (!character.valid) {
      diagnostics_.error(range(at, at + character.length), "invalid UTF-8");
      return;
    }
    at += character.length;
  }
}

/// Reports why the file is not parsed, and ends the token list there.
bool Scanner::giveUp(size_t begin, size_t end, const char *message) {
  diagnostics_.error(range(begin, end), message);
  scan_.parseable = false;
  return true;
}

Scan Scanner::run() {
  if (text_.size() > kMaxFileBytes) {
    giveUp(0, 0, "this file is larger than 16 MiB");
    return std::move(scan_);
  }
  reportInvalidUtf8();

  ByteStream bytes(text_);
  if (text_.substr(0, 3) == "\xEF\xBB\xBF") // byte order mark
    bytes.seek(3);
  TileLexer lexer(&bytes);
  lexer.removeErrorListeners();
  for (bool done = false; !done;) {
    std::unique_ptr<antlr4::Token> token = lexer.nextToken();
    size_t type = token->getType();
    size_t begin = token->getStartIndex(), end = token->getStopIndex() + 1;
    switch (type) {
    case antlr4::Token::EOF:
      add(type, text_.size(), text_.size());
      done = true;
      break;
    case TileLexer::DOC:
      addDoc(begin, end);
      break;
    case TileLexer::STRAY:
      bytes.seek(addStray(begin));
      break;
    case TileLexer::BAD_NUMBER:
      reportBadNumber(begin, end);
      add(type, begin, end);
      break;
    case TileLexer::UNTERMINATED_STRING:
      diagnostics_.error(range(begin, end), "unterminated string");
      add(type, begin, end);
      break;
    case TileLexer::UNTERMINATED_COMMENT:
      diagnostics_.error(range(begin, begin + 2), "unterminated comment");
      add(type, begin, end);
      break;
    case TileLexer::SHR:
      if (nesting_.openAngles() >= 2) { // closes two types: ptr<ptr<f32>>
        add(TileLexer::GT, begin, begin + 1);
        add(TileLexer::GT, begin + 1, end);
        break;
      }
      [[fallthrough]];
    default:
      add(type, begin, end);
      break;
    }
    if (nesting_.depth() > kMaxNesting)
      done = giveUp(begin, end, "this is nested too deeply: the limit is 200 levels");
    else if (scan_.tokens.size() > kMaxTokens)
      done = giveUp(begin, end, "this file is too long: the limit is 2000000 tokens");
    else if (diagnostics_.errorCount() > DiagnosticEngine::kMaxErrors)
      done = true, scan_.parseable = false;
  }
  return std::move(scan_);
}

} // namespace

Scan scanFile(const SourceManager &sources, uint32_t file, DiagnosticEngine &diagnostics) {
  return Scanner(sources, file, diagnostics).run();
}

antlr4::Token *TokenList::LT(ssize_t k) {
  if (k < 0) {
    size_t back = static_cast<size_t>(-k);
    return back > next_ ? nullptr : &tokens_[next_ - back];
  }
  return &tokens_[std::min(next_ + static_cast<size_t>(k) - 1, tokens_.size() - 1)];
}

size_t TokenList::LA(ssize_t k) {
  antlr4::Token *token = LT(k);
  return token ? token->getType() : antlr4::Token::INVALID_TYPE;
}

} // namespace tilec
