// Robustness: input of any shape and size ends in a result or in diagnostics, without deep
// recursion. A stack overflow or a hang would end the test program itself. Alone:
// build/release/bin/unit_syntax --test-suite=robustness
#include "parsed.h"

#include "compiler/syntax/scan.h"

#include <random>

using namespace tilec;
using namespace tilec::test;

TEST_SUITE_BEGIN("robustness");

static std::string repeat(const std::string &text, size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

static constexpr size_t kDeep = 10000;

/// Whether a text has exactly one error, about its depth.
static bool isTooDeep(const std::string &body) {
  Errors errors = errorsOf("fn f() { " + body + " }");
  return errors.size() == 1 && errors[0].find("nested too deeply") != std::string::npos;
}

TEST_CASE("deep nesting is an error: brackets") {
  CHECK(isTooDeep("x = " + repeat("(", kDeep) + "1" + repeat(")", kDeep) + ";"));
  CHECK(isTooDeep("x = " + repeat("[", kDeep) + repeat("]", kDeep) + ";"));
  CHECK(isTooDeep("x = " + repeat("f(", kDeep) + repeat(")", kDeep) + ";"));
  CHECK(isTooDeep("x = " + repeat("a[", kDeep) + "0" + repeat("]", kDeep) + ";"));
  CHECK(isTooDeep(repeat("{", kDeep) + repeat("}", kDeep)));
  CHECK(isTooDeep(repeat("if a {", kDeep) + repeat("}", kDeep)));
  CHECK(isTooDeep("x = " + repeat("(", kDeep)));
}

TEST_CASE("deep nesting is an error: operators") {
  CHECK(isTooDeep("x = " + repeat("-", kDeep) + "1;"));
  CHECK(isTooDeep("x = " + repeat("! ~ ", kDeep) + "1;"));
  CHECK(isTooDeep("x = " + repeat("a ? b : ", kDeep) + "1;"));
  CHECK(isTooDeep("x = " + repeat("a ? ", kDeep) + "1" + repeat(": b", kDeep) + ";"));
  CHECK(isTooDeep("x = " + repeat("|a| ", kDeep) + "1;"));
  CHECK(isTooDeep("x = " + repeat("|a, b| ", kDeep) + "1;"));
  CHECK(isTooDeep("x = a" + repeat("[0]", kDeep) + ";"));
  CHECK(isTooDeep("x = a" + repeat(".T", kDeep) + ";"));
  CHECK(isTooDeep("if a {}" + repeat(" else if a {}", kDeep)));
}

TEST_CASE("deep nesting is an error: types") {
  for (const char *type : {"ptr<", "ptr<const ", "tile<"}) {
    Errors errors = errorsOf("kernel k(x: " + repeat(type, kDeep) + "f32");
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].find("nested too deeply") != std::string::npos);
  }
}

TEST_CASE("moderate nesting is none") {
  CHECK(errorsOf("const X = " + repeat("(", 150) + "1" + repeat(")", 150) + ";").empty());
  CHECK(errorsOf("const X = " + repeat("-", 500) + "1;").empty());
  CHECK(errorsOf("const X = " + repeat("1 + ", 900) + "1;").empty());
  CHECK(errorsOf("fn f() { if a {}" + repeat(" else if a {}", 500) + " }").empty());
}

TEST_CASE("the nesting limit counts what is open, not what a file has") {
  CHECK(errorsOf("const X = [" + repeat("(a ? |c| d : b), ", 1000) + "];").empty());
  CHECK(errorsOf("fn f() { " + repeat("if a < b { x = (1); }", 1000) + " }").empty());
  // Unclosed brackets are 300 mistakes, not nesting: the first hundred are shown.
  Parsed parsed("fn f() {\n" + repeat("g(1;\n", 300) + "}");
  CHECK(parsed.diagnostics.all().size() == DiagnosticEngine::kMaxErrors);
  CHECK(parsed.text().find("nested") == std::string::npos);
}

TEST_CASE("broken headers cannot hide nesting") {
  for (const char *piece : {"for kernel {", "if kernel {", "f(kernel {", "else {", "f(a {\n",
                            "for kernel k() {", "( ; {", "[ } {{"})
    CHECK(!errorsOf("fn f() {\n" + repeat(piece, kDeep)).empty());
}

TEST_CASE("a chain of half a million additions is an error, not a crash") {
  CHECK(isTooDeep("x = " + repeat("1+", 500000) + "1;"));
}

TEST_CASE("a million tokens are parsed") {
  Parsed parsed("const X = [" + repeat("1,", 250000) + "];\nfn f() {" + repeat("a=b;", 125000) +
                "}");
  CHECK(!parsed.diagnostics.hasErrors());
  CHECK(parsed.file->functions[0].body.statements.size() == 125000);
}

TEST_CASE("more tokens or bytes than the limits are an error") {
  CHECK(errorsOf(repeat("a ", kMaxTokens + 10)) ==
        Errors{"1:4000001: this file is too long: the limit is 2000000 tokens"});
  CHECK(errorsOf(std::string(100u << 20, ' ')) == Errors{"1:1: this file is larger than 16 MiB"});
}

TEST_CASE("files of one token, or none, or no text at all") {
  CHECK(errorsOf("").empty());
  CHECK(errorsOf("\n\n // nothing").empty());
  CHECK(errorsOf("a").size() == 1);
  CHECK(errorsOf(std::string(1000, '\0')).size() == DiagnosticEngine::kMaxErrors);
  CHECK(errorsOf(std::string(1000000, 'a')).size() == 1);
  CHECK(errorsOf("\"" + std::string(1000000, 'a')).size() == 1);
  CHECK(errorsOf("/*" + repeat("/*\xC3\xA4", 250000)).size() == 1);
}

TEST_CASE("floods of one token end in bounded time") {
  for (const char *token : {";", ")", "}", "= ", "a b;\n", ",", "else ", "in ", "kernel ", "\n#",
                            "?", "<", "'", "\"\n", "fn f("})
    CHECK(!errorsOf("fn f() { " + repeat(token, 20000)).empty());
}

TEST_CASE("tokens in random order") {
  static constexpr const char *tokens[] = {
      "kernel ", "fn ",  "\nkernel k", "\nfn f", "const ", "import ", "\"s\" ",   "let ",
      "var ",    "for ", "in ",        "while ", "if ",    "else ",   "return ",  "{",
      "}",       "(",    ")",          "[",      "]",      "<",       ">",        ">>",
      ",",       ";",    ";\n",        ":",      "+:",     "=",       "+=",       "+",
      "-",       "|",    "?",          "a ",     "range ", "1 ",      "1.5 ",     "1.x ",
      "None ",   "@",    "\xFF",       "ptr<",   "view<",  "grid ",   "\nwarps ", "variants ",
      ".",       "==",   "&&",         "||",     "///d\n", "/*"};
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string text = round % 2 ? "kernel k(x: i32) grid 1 {\n" : "";
    for (int i = 0; i < 60; ++i)
      text += tokens[random() % std::size(tokens)];
    Parsed parsed(text);
    CHECK_NOTHROW(parsed.ast());
    CHECK_NOTHROW(parsed.text());
  }
}

TEST_SUITE_END();
