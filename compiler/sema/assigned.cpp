#include "compiler/sema/assigned.h"

namespace tilec::sema {

using ast::Stmt;

static void collect(const ast::Block &block, std::set<std::string> declared,
                    std::set<std::string> &assigned);

static void collect(const Stmt &statement, std::set<std::string> &declared,
                    std::set<std::string> &assigned) {
  switch (statement.kind) {
  case Stmt::Kind::Let:
  case Stmt::Kind::Var:
    for (const ast::Name &name : statement.names)
      declared.insert(name.text);
    return;
  case Stmt::Kind::Assign:
    if (statement.target && statement.target->kind == ast::Expr::Kind::NameRef &&
        !declared.count(statement.target->name.text))
      assigned.insert(statement.target->name.text);
    return;
  case Stmt::Kind::For: {
    std::set<std::string> inner = declared;
    for (const ast::Name &name : statement.names)
      inner.insert(name.text);
    collect(statement.body, inner, assigned);
    return;
  }
  case Stmt::Kind::If:
    collect(statement.body, declared, assigned);
    if (statement.elseBody)
      collect(*statement.elseBody, declared, assigned);
    if (statement.elseIf)
      collect(*statement.elseIf, declared, assigned);
    return;
  case Stmt::Kind::While:
  case Stmt::Kind::Block:
    collect(statement.body, declared, assigned);
    return;
  default:
    return;
  }
}

static void collect(const ast::Block &block, std::set<std::string> declared,
                    std::set<std::string> &assigned) {
  for (const ast::StmtPtr &statement : block.statements)
    collect(*statement, declared, assigned);
}

std::set<std::string> assignedNames(const ast::Block &block) {
  std::set<std::string> assigned;
  collect(block, {}, assigned);
  return assigned;
}

} // namespace tilec::sema
