// Recovery: one error a mistake, at its place, and everything else is still read.
// Alone: build/release/bin/unit_syntax --test-suite=recovery
#include "parsed.h"

using namespace tilec;
using namespace tilec::test;

TEST_SUITE_BEGIN("recovery");

/// Errors of a function's body of one line each; the body starts at line 2.
static Errors bodyErrors(const std::string &body) {
  return errorsOf("fn f(a, b) {\n" + body + "\n}");
}

TEST_CASE("a missing semicolon is reported where it is missing, with a fix-it") {
  Parsed parsed("fn f() {\n  let x = 5\n  let y = 6;\n}");
  CHECK(parsed.text() == "test.tile:2:12: error: expected ';' after expression\n"
                         "    2 |   let x = 5\n"
                         "      |            ^\n"
                         "      |            ;\n");
  CHECK(parsed.ast() == "fn f\n  block\n    let x = 5\n    let y = 6\n");
}

TEST_CASE("a missing bracket is taken as read and its opening is shown") {
  Parsed parsed("fn f() {\n  g(1, 2;\n  let x = [1;\n  let y = (2;\n}");
  CHECK(parsed.diagnostics.errorCount() == 3);
  CHECK(parsed.diagnostics.all()[0]->notes.at(0).message == "to match this '('");
  CHECK(parsed.ast() == "fn f\n  block\n    expression g(1, 2)\n    let x = [1]\n    let y = 2\n");
}

TEST_CASE("a missing brace ends at the next item") {
  Parsed parsed("kernel a() {\n  if x {\n    f();\n}\n\nkernel b() {}\n");
  CHECK(parsed.text().find("test.tile:4:2: error: expected '}'\n") == 0);
  CHECK(parsed.text().find("test.tile:1:12: note: to match this '{'") != std::string::npos);
  CHECK(parsed.diagnostics.errorCount() == 1);
  CHECK(parsed.file->kernels.size() == 2);
}

TEST_CASE("each broken statement is one error and the others are kept") {
  Parsed parsed("fn f() {\n  let = 5;\n  let a = 1;\n  x = ;\n  let b = (1 + ) * 2;\n  g(a b);\n"
                "  let c = 3;\n}");
  CHECK(parsed.diagnostics.errorCount() == 4);
  CHECK(parsed.ast() == "fn f\n  block\n    let a = 1\n    let c = 3\n");
}

TEST_CASE("a list that goes on wrongly wants a comma or its end") {
  CHECK(bodyErrors("g(a b);") == Errors{"2:4: expected ',' or ')'"});
  CHECK(bodyErrors("let x = [a b];") == Errors{"2:11: expected ',' or ']'"});
  CHECK(bodyErrors("g(a];") == Errors{"2:4: expected ',' or ')'"});
}

TEST_CASE("an expression that breaks off at a line end is reported there") {
  CHECK(bodyErrors("let x = a +\nlet y = 1;") == Errors{"2:12: expected expression"});
  CHECK(bodyErrors("let x =\nreturn;") == Errors{"2:8: expected expression"});
}

TEST_CASE("too many brackets") {
  CHECK(bodyErrors("let x = (a));\nlet y = 1;") == Errors{"2:12: unmatched ')'"});
  CHECK(bodyErrors("]\nlet y = 1;") == Errors{"2:1: unmatched ']'"});
  CHECK(errorsOf("fn f() {}\n}\nfn g() {}") == Errors{"2:1: unmatched '}'"});
}

TEST_CASE("the block of a broken header is still read") {
  CHECK(bodyErrors("if a = b { g(1 2); } else { h(] }") ==
        Errors{"2:6: '=' does not compare: write '=='", "2:15: expected ',' or ')'",
               "2:31: expected expression"});
  CHECK(bodyErrors("for (i = 0; i < n; i++) { g(b c); }") ==
        Errors{"2:5: expected a name after 'for'", "2:30: expected ',' or ')'"});
}

TEST_CASE("a block may lose its opening brace") {
  CHECK(bodyErrors("if a\n  g();\n}\nwhile b\n  g();\n}") ==
        Errors{"2:5: expected '{' after the condition", "5:8: expected '{' after the condition"});
  CHECK(bodyErrors("if (a) return;\nlet x = 1;") ==
        Errors{"2:7: expected '{' after the condition"});
}

TEST_CASE("broken parameters do not hide one another") {
  CHECK(errorsOf("kernel k<N i32, M: i32 = >(x, y: ptr<f32, z i32)\n  grid 1\n{ let a = ; }") ==
        Errors{"1:11: expected ':' and a type after parameter 'N'", "1:26: expected expression",
               "1:29: expected ':' and a type after parameter 'x'", "1:41: expected '>'",
               "1:44: expected ':' and a type after parameter 'z'", "3:11: expected expression"});
}

TEST_CASE("unknown and broken clauses do not hide one another") {
  CHECK(
      errorsOf("kernel k()\n  gird 4\n  requires\n  option fma true\n  stages 2;\n  warp 8\n{}") ==
      Errors{"2:3: unknown clause 'gird'; did you mean 'grid'?", "4:10: expected a clause or '{'",
             "5:11: clauses follow each other without ';' in between",
             "6:3: unknown clause 'warp'; did you mean 'warps'?"});
}

TEST_CASE("what is no item is skipped to the next one") {
  Parsed parsed("kernal a() { x; }\nint main() {}\nlet y = 1;\nfn f() {};\nkernel k() {}\n");
  CHECK(parsed.diagnostics.errorCount() == 2);
  CHECK(parsed.file->kernels.size() == 1);
  CHECK(errorsOf("let y = 1;") ==
        Errors{"1:1: 'let' begins a statement, which must be inside a kernel or 'fn'"});
}

TEST_CASE("habits from other languages are answered in this one") {
  CHECK(bodyErrors("a++;") == Errors{"2:2: there is no '++': write 'a += 1'"});
  CHECK(bodyErrors("let x: i32 = 1;") ==
        Errors{"2:6: variables are declared without a type: convert the value, as in 'i32(x)'"});
  CHECK(bodyErrors("let x = a and b;") == Errors{"2:11: 'and' is written '&&'"});
  CHECK(bodyErrors("if a {}\nelif b {}") == Errors{"3:1: 'elif' is written 'else if'"});
  CHECK(bodyErrors("lte x = 1;") == Errors{"2:1: unknown statement 'lte'; did you mean 'let'?"});
  CHECK(errorsOf("fn f() -> i32 {}") ==
        Errors{"1:8: a function's result type is not written: it follows from 'return'"});
}

TEST_CASE("messages never quote the parser generator") {
  for (const char *text : {"kernel", "kernel k", "kernel k<", "kernel k(", "kernel k()", "fn f(a",
                           "const", "const X", "const X =", "import", "fn f() {", "fn f() { let",
                           "fn f() { for i", "fn f() { x[", "fn f() { |a", "fn f() { a ?", "fn"}) {
    Errors errors = errorsOf(text);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].find("expected") != std::string::npos);
    CHECK(errors[0].find("viable") == std::string::npos);
    CHECK(errors[0].find("mismatched") == std::string::npos);
    CHECK(errors[0].find('{') ==
          errors[0].find("'{'") + (errors[0].find("'{'") != std::string::npos));
  }
}

TEST_SUITE_END();
