// Statements: every form, and the checks that belong to them.
// Alone: build/release/bin/unit_syntax --test-suite=statements
#include "parsed.h"

using namespace tilec::test;

TEST_SUITE_BEGIN("statements");

TEST_CASE("declarations") {
  CHECK(statements("let x = a;") == "let x = a\n");
  CHECK(statements("var x = a + 1;") == "var x = (a + 1)\n");
  CHECK(statements("let (a, b) = f(x);") == "let (a, b) = f(x)\n");
}

TEST_CASE("assignments, plain and compound") {
  CHECK(statements("x = 1;") == "assign x = 1\n");
  CHECK(statements("x += 1; x -= 1; x *= 2; x /= 2; x %= 3;") ==
        "assign x += 1\nassign x -= 1\nassign x *= 2\nassign x /= 2\nassign x %= 3\n");
  CHECK(statements("x &= 1; x |= 1; x ^= 1; x <<= 1; x >>= 1;") ==
        "assign x &= 1\nassign x |= 1\nassign x ^= 1\nassign x <<= 1\nassign x >>= 1\n");
}

TEST_CASE("only a name can be assigned to") {
  CHECK(errorsOf("fn f() { x[0] = 1; }") == Errors{"1:10: cannot assign to an element"});
  CHECK(errorsOf("fn f() { f() = 1; }") == Errors{"1:10: only a variable can be assigned to"});
  CHECK(errorsOf("fn f() { x = y = 1; }") == Errors{"1:16: an assignment is not an expression"});
}

TEST_CASE("expression statements") {
  CHECK(statements("store(p, x);") == "expression store(p, x)\n");
  CHECK(statements("print(\"x =\", x);") == "expression print(\"x =\", x)\n");
}

TEST_CASE("for loops run over range or static_range") {
  CHECK(statements("for i in range(0, n, 4, stages = 3) { f(i); }") ==
        "for i in range(0, n, 4, stages = 3)\n  block\n    expression f(i)\n");
  CHECK(statements("for i in static_range(4) {}") == "for i in static_range(4)\n  block\n");
  CHECK(errorsOf("fn f() { for i in x {} }") ==
        Errors{"1:19: a 'for' loop runs over 'range(...)' or 'static_range(...)'"});
}

TEST_CASE("while and nested blocks") {
  CHECK(statements("while i < n { i += 1; }") == "while (i < n)\n  block\n    assign i += 1\n");
  CHECK(statements("{ { } }") == "block\n  block\n");
}

TEST_CASE("if, else if, else") {
  CHECK(statements("if a { } else if b { } else { f(); }") ==
        "if a\n  block\nelse if b\n  block\nelse\n  block\n    expression f()\n");
  CHECK(statements("if (a) { } else if (b) { }") == "if a\n  block\nelse if b\n  block\n");
  CHECK(errorsOf("fn f() { if a {} else {} else {} }") ==
        Errors{"1:26: 'else' after the last branch of this 'if'"});
}

TEST_CASE("an else-if is a statement of its own in the tree, with its own range") {
  Parsed parsed("fn f() { if a {} else if b {} else {} }");
  const auto &first = *parsed.file->functions[0].body.statements[0];
  REQUIRE(first.elseIf);
  CHECK(first.elseIf->elseBody);
  CHECK(parsed.sources.text(first.range) == "if a {} else if b {} else {}");
  CHECK(parsed.sources.text(first.elseIf->range) == "if b {} else {}");
}

TEST_CASE("return, with a value, a tuple, or nothing") {
  CHECK(statements("return;") == "return\n");
  CHECK(statements("return a + b;") == "return (a + b)\n");
  CHECK(statements("return (a, b);") == "return tuple(a, b)\n");
}

TEST_CASE("assert and static_assert are statements") {
  CHECK(statements("assert(a < b, \"order\");") == "assert (a < b), \"order\"\n");
  CHECK(statements("static_assert(N == 4);") == "static_assert (N == 4)\n");
  CHECK(errorsOf("fn f() { assert(); }") ==
        Errors{"1:10: 'assert' takes a condition and, optionally, a message"});
  CHECK(errorsOf("fn f() { static_assert(a, b); }") ==
        Errors{"1:27: the message must be a string"});
}

TEST_CASE("words of clauses and types may name variables") {
  CHECK(statements("let grid = 1; var warps = grid; ptr = view;") ==
        "let grid = 1\nvar warps = grid\nassign ptr = view\n");
  CHECK(statements("if ptr < n >> 2 && view < n { }") ==
        "if ((ptr < (n >> 2)) && (view < n))\n  block\n");
}

TEST_CASE("keywords may not") {
  CHECK(errorsOf("fn f() { let in = 1; }") ==
        Errors{"1:14: 'in' is a keyword and cannot be a name"});
  CHECK(errorsOf("fn f() { var kernel = 1; }") ==
        Errors{"1:14: 'kernel' is a keyword and cannot be a name"});
}

TEST_SUITE_END();
