// Tokens: numbers, strings, comments, doc comments, and what is none.
// Alone: build/release/bin/unit_syntax --test-suite=tokens
#include "parsed.h"

#include <cmath>

using namespace tilec;
using namespace tilec::test;

TEST_SUITE_BEGIN("tokens");

static const ast::Expr &constantOf(const Parsed &parsed) {
  REQUIRE(parsed.file->constants.size() == 1);
  return *parsed.file->constants[0].value;
}

TEST_CASE("integers: decimal, hexadecimal, underscores, up to 64 bits") {
  auto valueOf = [](const std::string &text) {
    Parsed parsed("const X = " + text + ";");
    CHECK(constantOf(parsed).kind == ast::Expr::Kind::IntLiteral);
    CHECK(constantOf(parsed).text == text);
    return constantOf(parsed).intValue;
  };
  CHECK(valueOf("0") == 0);
  CHECK(valueOf("1_000") == 1000);
  CHECK(valueOf("0x2a") == 42);
  CHECK(valueOf("0XFF_ff") == 65535);
  CHECK(valueOf("18446744073709551615") == UINT64_MAX);
}

TEST_CASE("floats: a point with a digit after it, or an exponent") {
  auto valueOf = [](const std::string &text) {
    Parsed parsed("const X = " + text + ";");
    CHECK(constantOf(parsed).kind == ast::Expr::Kind::FloatLiteral);
    return constantOf(parsed).floatValue;
  };
  CHECK(valueOf("1.0") == 1.0);
  CHECK(valueOf(".5") == 0.5);
  CHECK(valueOf("1e-5") == 0.00001);
  CHECK(valueOf("2.5E+3") == 2500.0);
  CHECK(valueOf("1_0.2_5") == 10.25);
  CHECK(std::isinf(valueOf("inf")));
  CHECK(std::isnan(valueOf("nan")));
}

TEST_CASE("literals out of range are errors") {
  CHECK(errorsOf("const X = 18446744073709551616;") ==
        Errors{"1:11: integer literal is too large for 64 bits"});
  CHECK(errorsOf("const X = 1e999;") == Errors{"1:11: float literal is out of the range of f64"});
}

TEST_CASE("what only begins like a number is one error") {
  for (const char *number : {"1.", "1.0f", "08", "0b1", "1.2.3", "0x", "12abc"})
    CHECK(errorsOf("const X = " + std::string(number) + ";") ==
          Errors{"1:11: invalid number '" + std::string(number) + "'"});
}

TEST_CASE("strings are unescaped") {
  Parsed parsed(R"(const X = "a\n\t\"\\b // no comment";)");
  CHECK(constantOf(parsed).text == "a\n\t\"\\b // no comment");
}

TEST_CASE("bad strings are one error each") {
  CHECK(errorsOf("const X = \"abc;\nconst Y = 1;") == Errors{"1:11: unterminated string"});
  CHECK(errorsOf(R"(const X = "a\qb";)") ==
        Errors{R"(1:13: unknown escape: strings have \n, \t, \" and \\)"});
  CHECK(errorsOf("const X = 'a b';") == Errors{"1:11: strings are written in double quotes"});
}

TEST_CASE("comments separate tokens and are ignored") {
  CHECK(grouped("a /* b */ + // c\n /* * / ** */ d /**/") == "(a + d)");
  CHECK(errorsOf("const X = 1; /* never closed * /") == Errors{"1:14: unterminated comment"});
}

TEST_CASE("doc comments attach to the next item") {
  Parsed parsed("/// One.\n///  Two.\n///\nkernel a() {}\n// plain\n//// slashes\nkernel b() {}\n"
                "/// C.\nconst C = 1; /// F.\n\nfn f() {}");
  REQUIRE(!parsed.diagnostics.hasErrors());
  CHECK(parsed.file->kernels[0].doc == "One.\n Two.\n");
  CHECK(parsed.file->kernels[1].doc.empty());
  CHECK(parsed.file->constants[0].doc == "C.");
  CHECK(parsed.file->functions[0].doc == "F.");
}

TEST_CASE("a character that is no token is one error and costs no other") {
  CHECK(errorsOf("fn f() { let a = b @ c; }") == Errors{"1:20: stray character '@'"});
  CHECK(errorsOf("fn f() { let \xCE\xBB = 1; }") == Errors{"1:14: stray character '\xCE\xBB'"});
  CHECK(errorsOf("fn f() { # comment here\n return 1; }") == Errors{"1:10: stray character '#'"});
  CHECK(errorsOf(std::string("fn f() { \0 }", 12)) == Errors{"1:10: stray character U+0000"});
}

TEST_CASE("text must be UTF-8, comments included") {
  CHECK(errorsOf("// \xFF\nconst X = 1;") == Errors{"1:4: invalid UTF-8"});
  CHECK(errorsOf("const X = \"\xC0\x80\";") == Errors{"1:12: invalid UTF-8"});     // overlong
  CHECK(errorsOf("const X = \"\xED\xA0\x80\";") == Errors{"1:12: invalid UTF-8"}); // surrogate
  CHECK(errorsOf("// \xF0\x9F\x8E\x89 \xE2\x82\xAC\nconst X = 1;").empty());
}

TEST_CASE("a byte order mark at the start and carriage returns are white space") {
  CHECK(errorsOf("\xEF\xBB\xBF"
                 "const X = 1;\r\nconst Y = 2;\r\n")
            .empty());
}

TEST_SUITE_END();
