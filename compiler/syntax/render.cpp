// Diagnostics as text.
//
//   softmax.tile:3:14: error: expected ';' after expression
//       3 |     let x = 5
//         |              ^
//         |              ;
//
// The line under the caret shows the text of a fix-it where it belongs.
#include "compiler/syntax/diagnostics.h"
#include "compiler/syntax/unicode.h"

#include <algorithm>
#include <ostream>

namespace tilec {

namespace {

/// Widest excerpt of a source line, in columns; longer lines show the part around the caret.
constexpr size_t kMaxWidth = 100;
/// Columns kept before the caret when a line is cut.
constexpr size_t kContextBefore = 40;
constexpr size_t kTabWidth = 4;

struct Colors {
  const char *bold, *error, *warning, *note, *fixit, *reset;
};
constexpr Colors kAnsi = {"\x1b[1m",    "\x1b[1;31m", "\x1b[1;35m",
                          "\x1b[1;36m", "\x1b[32m",   "\x1b[0m"};
constexpr Colors kPlain = {"", "", "", "", "", ""};

/// A source line as it is shown, and where each of its bytes begins, in columns.
struct ShownLine {
  std::vector<std::string> cells; ///< one column each
  std::vector<size_t> columnOf;   ///< by byte; one more for the end
};

ShownLine show(std::string_view line) {
  ShownLine shown;
  for (size_t at = 0; at < line.size();) {
    Character character = decodeCharacter(line, at);
    for (uint32_t i = 0; i < character.length; ++i)
      shown.columnOf.push_back(shown.cells.size());
    if (character.code == '\t' && character.valid) {
      shown.cells.insert(shown.cells.end(), kTabWidth, " ");
    } else if (isPrintable(character)) {
      shown.cells.emplace_back(line.substr(at, character.length));
    } else {
      shown.cells.emplace_back("\xEF\xBF\xBD"); // U+FFFD, the replacement character
    }
    at += character.length;
  }
  shown.columnOf.push_back(shown.cells.size());
  return shown;
}

class Renderer {
public:
  Renderer(const SourceManager &sources, std::ostream &out, bool color)
      : sources_(sources), out_(out), colors_(color ? kAnsi : kPlain) {}

  void print(const Diagnostic &diagnostic, const Diagnostic *parent = nullptr);

private:
  void printHeader(const Diagnostic &diagnostic);
  void printExcerpt(const Diagnostic &diagnostic);
  std::string fixitLine(const Diagnostic &diagnostic, const ShownLine &shown, uint32_t lineStart,
                        uint32_t lineEnd, size_t firstColumn) const;

  const SourceManager &sources_;
  std::ostream &out_;
  Colors colors_;
};

void Renderer::print(const Diagnostic &diagnostic, const Diagnostic *parent) {
  printHeader(diagnostic);
  // A note on the place of its error says more about it: the excerpt is above.
  if (!parent || parent->range.file != diagnostic.range.file ||
      parent->range.offset != diagnostic.range.offset)
    printExcerpt(diagnostic);
  for (const Diagnostic &note : diagnostic.notes)
    print(note, &diagnostic);
}

void Renderer::printHeader(const Diagnostic &diagnostic) {
  auto [line, column] = sources_.position(diagnostic.range);
  out_ << colors_.bold << sources_.file(diagnostic.range.file).path << ':' << line << ':' << column
       << ": " << colors_.reset;
  switch (diagnostic.severity) {
  case Severity::Error:
    out_ << colors_.error << "error: ";
    break;
  case Severity::Warning:
    out_ << colors_.warning << "warning: ";
    break;
  case Severity::Note:
    out_ << colors_.note << "note: ";
    break;
  }
  out_ << colors_.reset << colors_.bold << diagnostic.message << colors_.reset;
  if (!diagnostic.warning.empty())
    out_ << (diagnostic.severity == Severity::Error ? " [-Werror=" : " [-W") << diagnostic.warning
         << ']';
  out_ << '\n';
}

void Renderer::printExcerpt(const Diagnostic &diagnostic) {
  uint32_t line = sources_.position(diagnostic.range).line;
  std::string_view text = sources_.lineText(diagnostic.range.file, line);
  uint32_t lineStart = sources_.file(diagnostic.range.file).lineStarts[line - 1];
  uint32_t lineEnd = lineStart + static_cast<uint32_t>(text.size());
  uint32_t begin = std::min(diagnostic.range.offset, lineEnd);
  uint32_t end = std::min(diagnostic.range.offset + diagnostic.range.length, lineEnd);

  // Only the bytes around the caret of a long line are looked at. A character has at most 4.
  static constexpr uint32_t window = 4 * kMaxWidth;
  uint32_t cutBefore = begin - lineStart > window ? begin - lineStart - window : 0;
  while (cutBefore > 0 && (text[cutBefore] & 0xC0) == 0x80)
    --cutBefore;
  text = text.substr(cutBefore, 2 * window + 4);
  lineStart += cutBefore;
  lineEnd = lineStart + static_cast<uint32_t>(text.size());
  end = std::min(end, lineEnd);

  ShownLine shown = show(text);
  size_t caret = shown.columnOf[begin - lineStart];
  size_t caretEnd = std::max(caret + 1, shown.columnOf[std::max(begin, end) - lineStart]);
  size_t first = caret > kMaxWidth - kContextBefore && shown.cells.size() > kMaxWidth
                     ? caret - kContextBefore
                     : 0;
  size_t last = std::min(shown.cells.size(), first + kMaxWidth);

  std::string number = std::to_string(line);
  std::string gutter(std::max<size_t>(5, number.size()), ' ');
  out_ << gutter.substr(number.size()) << number << " | ";
  for (size_t i = first; i < last; ++i)
    out_ << shown.cells[i];
  out_ << '\n' << gutter << " | " << std::string(caret - first, ' ') << colors_.error << '^';
  if (caretEnd > caret + 1)
    out_ << std::string(std::min(caretEnd, std::max(last, caret + 1)) - caret - 1, '~');
  out_ << colors_.reset << '\n';

  std::string fixes = fixitLine(diagnostic, shown, lineStart, lineEnd, first);
  if (!fixes.empty())
    out_ << gutter << " | " << colors_.fixit << fixes << colors_.reset << '\n';
}

std::string Renderer::fixitLine(const Diagnostic &diagnostic, const ShownLine &shown,
                                uint32_t lineStart, uint32_t lineEnd, size_t firstColumn) const {
  std::string result;
  for (const FixIt &fixit : diagnostic.fixits) {
    bool isOnLine = fixit.range.file == diagnostic.range.file && fixit.range.offset >= lineStart &&
                    fixit.range.offset <= lineEnd;
    if (!isOnLine || fixit.text.empty())
      continue;
    size_t column = shown.columnOf[fixit.range.offset - lineStart];
    if (column < firstColumn || column - firstColumn < result.size())
      continue;
    result.resize(column - firstColumn, ' ');
    result += fixit.text;
  }
  return result;
}

} // namespace

void DiagnosticEngine::printText(std::ostream &out, bool color) const {
  Renderer renderer(sources_, out, color);
  for (const auto &diagnostic : diagnostics_)
    renderer.print(*diagnostic);
}

} // namespace tilec
