// From ANTLR's parse tree to the AST.
//
// What the parser could not finish carries an exception and is left out; an error was reported for
// it. Everything else has all its parts. Here are also the checks that the grammar leaves open:
// empty places in lists, chained comparisons, literals out of range, what can be called or
// assigned.
//
// The parse tree may be deep where the grammar loops (1 + 1 + ... groups to the left); `Level`
// counts the depth of the AST while it is built and cuts it at kMaxDepth.
#pragma once

#include "compiler/syntax/ast.h"
#include "compiler/syntax/scan.h"

#include "TileParser.h"

namespace tilec {

class AstBuilder {
public:
  AstBuilder(const Scan &scan, const SourceManager &sources, uint32_t file,
             DiagnosticEngine &diagnostics)
      : scan_(scan), sources_(sources), file_(file), diagnostics_(diagnostics) {}

  std::unique_ptr<ast::File> build(grammar::TileParser::FileContext *context);

private:
  using Parser = grammar::TileParser;
  using Context = antlr4::ParserRuleContext;

  // build_items.cpp
  ast::Import importItem(Parser::ImportItemContext *context);
  ast::Constant constant(Parser::ConstantContext *context);
  ast::Function function(Parser::FunctionContext *context);
  ast::Kernel kernel(Parser::KernelContext *context);
  ast::Clause clause(Parser::ClauseContext *context);
  ast::ChoiceList choice(Parser::ChoiceContext *context);
  ast::TypeExpr type(Parser::TypeContext *context);
  std::string docBefore(Context *context) const;

  // build_statements.cpp
  ast::Block block(Parser::BlockContext *context);
  ast::StmtPtr statement(Parser::StatementContext *context);
  ast::StmtPtr ifStatement(Parser::StatementContext *context);
  ast::StmtPtr forStatement(Parser::StatementContext *context);
  ast::StmtPtr simpleStatement(Parser::StatementContext *context);
  void becomeAssert(ast::Stmt &statement);
  std::vector<ast::Name> pattern(Parser::PatternContext *context);

  // build_expressions.cpp
  /// Null means an empty list.
  std::vector<ast::ExprPtr> expressions(Parser::ExpressionsContext *context);
  ast::ExprPtr expression(Parser::ExpressionContext *context);
  ast::ExprPtr conditional(Parser::ConditionalContext *context);
  ast::ExprPtr lambda(Parser::LambdaContext *context);
  ast::ExprPtr expr(Parser::ExprContext *context);
  ast::ExprPtr angleExpr(Parser::AngleExprContext *context);
  ast::ExprPtr binary(Context *context, const SourceToken &op, ast::ExprPtr left,
                      ast::ExprPtr right);
  void checkComparison(Parser::ExprContext *context, const SourceToken &op);
  // build_operands.cpp
  ast::ExprPtr operand(Parser::OperandContext *context);
  ast::ExprPtr primary(Parser::PrimaryContext *context);
  ast::ExprPtr literal(Parser::LiteralContext *context);
  ast::ExprPtr postfix(Parser::PostfixContext *context, ast::ExprPtr base);
  ast::Argument argument(Parser::ArgumentContext *context);
  ast::Subscript subscript(Parser::SubscriptContext *context);

  /// One or more levels of the AST, for as long as it lives.
  class Level {
  public:
    explicit Level(AstBuilder &builder, size_t count = 1) : builder_(builder), count_(count) {
      builder_.depth_ += count_;
    }
    ~Level() { builder_.depth_ -= count_; }
    Level(const Level &) = delete;
    Level &operator=(const Level &) = delete;

  private:
    AstBuilder &builder_;
    size_t count_;
  };

  /// Whether the AST may not grow `count` levels deeper; reported at `context`, once a statement.
  bool tooDeep(Context *context, size_t count = 1);

  /// All children that are a `T`, in order; reports `,,` as a missing `what`.
  template <typename T> std::vector<T *> elements(Context *context, const char *what) {
    std::vector<T *> result;
    const SourceToken *last = nullptr; // the last child, if it is a token
    for (antlr4::tree::ParseTree *child : context->children) {
      const SourceToken *token = leaf(child);
      if (auto *element = token ? nullptr : dynamic_cast<T *>(child))
        result.push_back(element);
      if (token && last && token->getType() == Parser::COMMA && last->getType() == Parser::COMMA)
        diagnostics_.error(token->range, std::string("expected ") + what + " before ','");
      last = token;
    }
    return result;
  }

  /// The token of a child that is one, else null.
  static const SourceToken *leaf(antlr4::tree::ParseTree *child);
  /// The first child that is a token of this type, or null.
  static const SourceToken *token(Context *context, size_t type);
  ast::Name name(Context *context) const;
  ast::ExprPtr make(ast::Expr::Kind kind, SourceRange range) const;
  /// Stands for an expression that was reported.
  ast::ExprPtr placeholder(SourceRange range) const;
  SourceRange range(Context *context) const;
  std::string text(SourceRange range) const { return std::string(sources_.text(range)); }

  const Scan &scan_;
  const SourceManager &sources_;
  uint32_t file_;
  DiagnosticEngine &diagnostics_;
  size_t depth_ = 0;
  bool depthReported_ = false; ///< in this statement
};

} // namespace tilec
