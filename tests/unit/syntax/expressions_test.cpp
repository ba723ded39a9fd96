// Expressions: precedence, postfix forms, literals' places.
// Alone: build/release/bin/unit_syntax --test-suite=expressions
#include "parsed.h"

using namespace tilec::test;

TEST_SUITE_BEGIN("expressions");

TEST_CASE("multiplication binds more strongly than addition") {
  CHECK(grouped("a + b * c") == "(a + (b * c))");
  CHECK(grouped("a * b + c") == "((a * b) + c)");
  CHECK(grouped("a - b % c / d") == "(a - ((b % c) / d))");
}

TEST_CASE("operators of one level group to the left") {
  CHECK(grouped("a - b - c") == "((a - b) - c)");
  CHECK(grouped("a / b * c") == "((a / b) * c)");
  CHECK(grouped("a << b >> c") == "((a << b) >> c)");
}

TEST_CASE("each level binds more strongly than the next") {
  CHECK(grouped("a + b << c") == "((a + b) << c)");
  CHECK(grouped("a << b & c") == "((a << b) & c)");
  CHECK(grouped("a & b ^ c") == "((a & b) ^ c)");
  CHECK(grouped("a ^ b | c") == "((a ^ b) | c)");
  CHECK(grouped("a | b == c") == "((a | b) == c)");
  CHECK(grouped("a == b && c") == "((a == b) && c)");
  CHECK(grouped("a && b || c") == "((a && b) || c)");
}

TEST_CASE("each level binds more strongly than the one before, from the right") {
  CHECK(grouped("a || b && c") == "(a || (b && c))");
  CHECK(grouped("a && b < c") == "(a && (b < c))");
  CHECK(grouped("a >= b | c") == "(a >= (b | c))");
  CHECK(grouped("a | b ^ c & d << e + f * g") == "(a | (b ^ (c & (d << (e + (f * g))))))");
}

TEST_CASE("bit operators bind more strongly than comparisons, unlike in C") {
  CHECK(grouped("flags & mask == 0") == "((flags & mask) == 0)");
}

TEST_CASE("a conditional groups to the right and is weaker than ||") {
  CHECK(grouped("a ? b : c ? d : e") == "(a ? b : (c ? d : e))");
  CHECK(grouped("a ? b ? c : d : e") == "(a ? (b ? c : d) : e)");
  CHECK(grouped("a || b ? c + 1 : d || e") == "((a || b) ? (c + 1) : (d || e))");
}

TEST_CASE("prefix operators bind more strongly than binary and less than postfix ones") {
  CHECK(grouped("-a * b") == "((-a) * b)");
  CHECK(grouped("-a.T") == "(-a.T)");
  CHECK(grouped("!a == b") == "((!a) == b)");
  CHECK(grouped("- ~ + !a[0]") == "(-(~(+(!a[0]))))");
  CHECK(grouped("a - -1") == "(a - (-1))");
}

TEST_CASE("parentheses group and leave no node") {
  CHECK(grouped("(a + b) * c") == "((a + b) * c)");
  CHECK(grouped("((a))") == "a");
  CHECK(grouped("(a < b) == (c < d)") == "((a < b) == (c < d))");
}

TEST_CASE("tuples and lists") {
  CHECK(grouped("(a, b)") == "tuple(a, b)");
  CHECK(grouped("(a,)") == "tuple(a)");
  CHECK(grouped("[]") == "[]");
  CHECK(grouped("[M, N + 1,]") == "[M, (N + 1)]");
}

TEST_CASE("calls take positional and named arguments") {
  CHECK(grouped("f()") == "f()");
  CHECK(grouped("load(p + i, mask, other = -inf,)") == "load((p + i), mask, other = (-inf))");
  CHECK(grouped("max(x, axis = 1, nan = propagate)") == "max(x, axis = 1, nan = propagate)");
  CHECK(grouped("q.dim(1)") == "q.dim(1)");
}

TEST_CASE("every form of subscript") {
  CHECK(grouped("x[i]") == "x[i]");
  CHECK(grouped("x[:, None]") == "x[:, None]");
  CHECK(grouped("x[0:64, 1:, :n, :]") == "x[0:64, 1:, :n, :]");
  CHECK(grouped("v[head, row0 +: BM, 0 +: D]") == "v[head, row0 +: BM, 0 +: D]");
  CHECK(grouped("x[a ? b : c : d]") == "x[(a ? b : c):d]");
  CHECK(grouped("x.shape[0]") == "x.shape[0]");
  CHECK(grouped("x[0][1].T[2]") == "x[0][1].T[2]");
}

TEST_CASE("a window is one token: a sum before a slice's colon needs an operand") {
  CHECK(grouped("x[a + b:c]") == "x[(a + b):c]");
  CHECK(errorsOf("const X = x[a + :c];") == Errors{"1:17: expected expression"});
}

TEST_CASE("anonymous functions take everything that follows") {
  CHECK(grouped("reduce(x, 0, |a, b| a + b)") == "reduce(x, 0, |(a, b)| (a + b))");
  CHECK(grouped("scan(x, 0, |a| a | b)") == "scan(x, 0, |a| (a | b))");
  CHECK(grouped("f(|a| |b| a ? b : c)") == "f(|a| |b| (a ? b : c))");
}

TEST_CASE("words of clauses and types are ordinary names in expressions") {
  CHECK(grouped("grid + warps * stages - ptr") == "((grid + (warps * stages)) - ptr)");
  CHECK(grouped("range(tile, view, option = select)") == "range(tile, view, option = select)");
  CHECK(grouped("x.grid.type") == "x.grid.type");
}

TEST_CASE("comparisons do not chain") {
  CHECK(errorsOf("const X = a < b < c;") ==
        Errors{"1:17: comparisons do not chain: write 'a < b && b < c'"});
  CHECK(errorsOf("const X = f(1 <= n != 0);") ==
        Errors{"1:20: comparisons do not chain: write '1 <= n && n != 0'"});
  CHECK(errorsOf("const X = (a < b) == c;").empty());
}

TEST_CASE("only names and attributes can be called") {
  CHECK(errorsOf("const X = 3(4);") ==
        Errors{"1:11: this expression cannot be called: only functions can"});
  CHECK(errorsOf("const X = a[0](4);").size() == 1);
}

TEST_CASE("empty places in lists are errors, trailing commas are not") {
  CHECK(errorsOf("const X = f(a,, b);") == Errors{"1:15: expected expression before ','"});
  CHECK(errorsOf("const X = [a, , b];") == Errors{"1:15: expected expression before ','"});
  CHECK(errorsOf("const X = f(, a);") == Errors{"1:13: expected expression"});
  CHECK(errorsOf("const X = f(a,);").empty());
}

TEST_SUITE_END();
