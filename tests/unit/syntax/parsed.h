// What the tests of this folder share: parse a text and look at the result as text.
#pragma once

#include "compiler/syntax/parse.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace doctest {
template <> struct StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines)
      text += "\n    " + line;
    return text.c_str();
  }
};
} // namespace doctest

namespace tilec::test {

/// A parsed text with everything that belongs to it.
struct Parsed {
  explicit Parsed(std::string text)
      : id(sources.add("test.tile", std::move(text))), diagnostics(sources),
        file(parseFile(sources, id, diagnostics)) {}

  std::string ast() const { return printAst(*file, sources); }
  std::string text() const {
    std::ostringstream out;
    diagnostics.printText(out);
    return out.str();
  }

  SourceManager sources;
  uint32_t id;
  DiagnosticEngine diagnostics;
  std::unique_ptr<ast::File> file;
};

/// The errors of a text, each as "line:column: message".
inline std::vector<std::string> errorsOf(std::string text) {
  Parsed parsed(std::move(text));
  std::vector<std::string> errors;
  for (const auto &diagnostic : parsed.diagnostics.all()) {
    auto [line, column] = parsed.sources.position(diagnostic->range);
    errors.push_back(std::to_string(line) + ":" + std::to_string(column) + ": " +
                     diagnostic->message);
  }
  return errors;
}

using Errors = std::vector<std::string>;

/// An expression as printAst groups it.
inline std::string grouped(const std::string &expression) {
  Parsed parsed("const X = " + expression + ";");
  REQUIRE_MESSAGE(!parsed.diagnostics.hasErrors(), parsed.text());
  std::string printed = parsed.ast();
  return printed.substr(10, printed.size() - 11); // without "const X = " and the line end
}

/// The statements of a function's body as printAst shows them, unindented.
inline std::string statements(const std::string &body) {
  Parsed parsed("fn f() {\n" + body + "\n}");
  REQUIRE_MESSAGE(!parsed.diagnostics.hasErrors(), parsed.text());
  std::istringstream lines(parsed.ast());
  std::string line, result;
  std::getline(lines, line); // fn f
  std::getline(lines, line); // block
  while (std::getline(lines, line))
    result += line.substr(4) + "\n";
  return result;
}

/// What stands between the name of a kernel and its body, as printAst shows it, unindented.
inline std::string header(const std::string &text) {
  Parsed parsed("kernel k" + text + " {}");
  REQUIRE_MESSAGE(!parsed.diagnostics.hasErrors(), parsed.text());
  std::istringstream lines(parsed.ast());
  std::string line, result;
  std::getline(lines, line); // kernel k
  while (std::getline(lines, line) && line != "  block")
    result += line.substr(2) + "\n";
  return result;
}

} // namespace tilec::test
