// Source ranges: every node says where it is, in bytes; positions count code points.
// Alone: build/release/bin/unit_syntax --test-suite=ranges
#include "parsed.h"

using namespace tilec;
using namespace tilec::test;

TEST_SUITE_BEGIN("ranges");

/// The texts of an expression and of its first operands, outermost first.
static std::vector<std::string> spine(const std::string &expression) {
  Parsed parsed("const X = " + expression + ";");
  REQUIRE(!parsed.diagnostics.hasErrors());
  std::vector<std::string> texts;
  for (const ast::Expr *at = parsed.file->constants[0].value.get(); at;
       at = at->operands.empty() ? nullptr : at->operands[0].get())
    texts.emplace_back(parsed.sources.text(at->range));
  return texts;
}

TEST_CASE("operators cover their operands, parentheses included") {
  CHECK(spine("(a + b) * c") == std::vector<std::string>{"(a + b) * c", "a + b", "a"});
  CHECK(spine("a * (b + c)")[0] == "a * (b + c)");
  CHECK(spine("- -a.T") == std::vector<std::string>{"- -a.T", "-a.T", "a.T", "a"});
  CHECK(spine("a ? b : c ? d : e")[0] == "a ? b : c ? d : e");
}

TEST_CASE("postfix forms cover their base") {
  CHECK(spine("x.dim(1)[0]") == std::vector<std::string>{"x.dim(1)[0]", "x.dim(1)", "x.dim", "x"});
  CHECK(spine("(a)[0]")[0] == "(a)[0]");
}

TEST_CASE("an operator has a range of its own") {
  Parsed parsed("const X = a << b;");
  CHECK(parsed.sources.text(parsed.file->constants[0].value->opRange) == "<<");
}

TEST_CASE("statements and items go from their first token to their last") {
  Parsed parsed("fn f(x) { let y = x; }");
  const ast::Function &function = parsed.file->functions[0];
  CHECK(parsed.sources.text(function.range) == "fn f(x) { let y = x; }");
  CHECK(parsed.sources.text(function.body.range) == "{ let y = x; }");
  CHECK(parsed.sources.text(function.body.statements[0]->range) == "let y = x;");
  CHECK(parsed.sources.text(function.params[0].name.range) == "x");
}

TEST_CASE("columns count characters, lines end at newlines") {
  SourceManager sources;
  uint32_t file = sources.add("a.tile", "\xC3\xA4\xE2\x82\xAC x\nyz");
  auto at = [&](uint32_t offset) { return sources.position({file, offset, 0}); };
  CHECK(at(6).line == 1);
  CHECK(at(6).column == 4);
  CHECK(at(8).line == 2);
  CHECK(at(9).column == 2);
  CHECK(at(1000).line == 2); // behind the end: the end
}

TEST_CASE("the text of a line has no line end") {
  SourceManager sources;
  uint32_t file = sources.add("a.tile", "one\r\n\ntwo");
  CHECK(sources.lineText(file, 1) == "one");
  CHECK(sources.lineText(file, 2) == "");
  CHECK(sources.lineText(file, 3) == "two");
  CHECK(sources.lineText(file, 4) == "");
}

TEST_CASE("ranges join in either order") {
  SourceRange a{0, 4, 2}, b{0, 10, 3};
  CHECK(join(a, b) == SourceRange{0, 4, 9});
  CHECK(join(b, a) == SourceRange{0, 4, 9});
}

TEST_SUITE_END();
