// The AST as indented text, one node a line: kind, then what it says. Expressions are written on
// one line, fully parenthesised, so that the grouping shows.
#include "compiler/syntax/literals.h"
#include "compiler/syntax/parse.h"

namespace tilec {

using namespace ast;

namespace {

class Printer {
public:
  std::string print(const File &file);

private:
  void line(const std::string &text) { out_ += std::string(2 * indent_, ' ') + text + "\n"; }
  void doc(const std::string &text);
  void printKernel(const Kernel &kernel);
  void printFunction(const Function &function);
  void printClause(const Clause &clause);
  void printBlock(const Block &block);
  void printStatement(const Stmt &statement);
  void printIf(const Stmt &statement);

  std::string expr(const Expr &value);
  std::string exprs(const std::vector<ExprPtr> &values);
  std::string call(const Expr &value);
  std::string subscripts(const Expr &value);
  std::string type(const TypeExpr &type);
  static std::string names(const std::vector<Name> &names);

  std::string out_;
  size_t indent_ = 0;
};

/// Raises the indentation for as long as it lives.
struct Indented {
  explicit Indented(size_t &indent) : indent(indent) { ++indent; }
  ~Indented() { --indent; }
  size_t &indent;
};

std::string Printer::print(const File &file) {
  for (const Import &item : file.imports)
    line("import " + escape(item.path));
  for (const Constant &item : file.constants) {
    doc(item.doc);
    line("const " + item.name.text + (item.type ? ": " + type(*item.type) : "") + " = " +
         expr(*item.value));
  }
  for (const Function &item : file.functions)
    printFunction(item);
  for (const Kernel &item : file.kernels)
    printKernel(item);
  return std::move(out_);
}

void Printer::doc(const std::string &text) {
  if (!text.empty())
    line("doc " + escape(text));
}

void Printer::printFunction(const Function &function) {
  doc(function.doc);
  line("fn " + function.name.text);
  Indented indented(indent_);
  for (const auto &param : function.params)
    line("param " + param.name.text + (param.type ? ": " + type(*param.type) : ""));
  printBlock(function.body);
}

void Printer::printKernel(const Kernel &kernel) {
  doc(kernel.doc);
  line("kernel " + kernel.name.text);
  Indented indented(indent_);
  for (const ConstParam &param : kernel.constParams)
    line("const param " + param.name.text + ": " + type(param.type) +
         (param.defaultValue ? " = " + expr(*param.defaultValue) : ""));
  for (const Param &param : kernel.params)
    line("param " + param.name.text + ": " + type(param.type));
  for (const Clause &clause : kernel.clauses)
    printClause(clause);
  printBlock(kernel.body);
}

void Printer::printClause(const Clause &clause) {
  static constexpr const char *words[] = {"variants", "select", "requires", "specialize", "grid",
                                          "warps",    "stages", "cluster",  "max_regs",   "option"};
  std::string text = words[static_cast<int>(clause.kind)];
  const char *separator = " ";
  for (const ChoiceList &choice : clause.choices) {
    text += separator + choice.name.text + " in [" + exprs(choice.values) + "]";
    separator = ", ";
  }
  if (clause.condition)
    text += (clause.choices.empty() ? " " : " if ") + expr(*clause.condition);
  if (clause.kind == Clause::Kind::Option)
    text += " " + clause.name.text + " =";
  if (!clause.values.empty())
    text += " " + exprs(clause.values);
  line(text);
}

// --- Statements
// -----------------------------------------------------------------------------------

void Printer::printBlock(const Block &block) {
  line("block");
  Indented indented(indent_);
  for (const StmtPtr &statement : block.statements)
    printStatement(*statement);
}

void Printer::printStatement(const Stmt &statement) {
  auto withMessage = [&] {
    return expr(*statement.value) + (statement.message ? ", " + expr(*statement.message) : "");
  };
  switch (statement.kind) {
  case Stmt::Kind::Let:
    return line("let " + names(statement.names) + " = " + expr(*statement.value));
  case Stmt::Kind::Var:
    return line("var " + names(statement.names) + " = " + expr(*statement.value));
  case Stmt::Kind::Assign:
    return line("assign " + expr(*statement.target) + " " +
                (statement.compound ? spelling(*statement.compound) : "") + "= " +
                expr(*statement.value));
  case Stmt::Kind::Expression:
    return line("expression " + expr(*statement.value));
  case Stmt::Kind::For: {
    line("for " + names(statement.names) + " in " + expr(*statement.value));
    Indented indented(indent_);
    return printBlock(statement.body);
  }
  case Stmt::Kind::While: {
    line("while " + expr(*statement.value));
    Indented indented(indent_);
    return printBlock(statement.body);
  }
  case Stmt::Kind::If:
    return printIf(statement);
  case Stmt::Kind::Return:
    return line(statement.value ? "return " + expr(*statement.value) : "return");
  case Stmt::Kind::Block:
    return printBlock(statement.body);
  case Stmt::Kind::StaticAssert:
    return line("static_assert " + withMessage());
  case Stmt::Kind::Assert:
    return line("assert " + withMessage());
  }
}

/// A chain of `else if`s stays at one indentation, as it is written.
void Printer::printIf(const Stmt &first) {
  const char *word = "if ";
  for (const Stmt *branch = &first; branch; branch = branch->elseIf.get()) {
    line(word + (branch->value ? expr(*branch->value) : std::string()));
    Indented indented(indent_);
    printBlock(branch->body);
    word = "else if ";
    if (branch->elseBody) {
      --indent_;
      line("else");
      ++indent_;
      printBlock(*branch->elseBody);
    }
  }
}

// --- Expressions
// ----------------------------------------------------------------------------------

std::string Printer::names(const std::vector<Name> &names) {
  if (names.size() == 1)
    return names.front().text;
  std::string text = "(";
  for (size_t i = 0; i < names.size(); ++i)
    text += (i ? ", " : "") + names[i].text;
  return text + ")";
}

std::string Printer::exprs(const std::vector<ExprPtr> &values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + expr(*values[i]);
  return text;
}

std::string Printer::expr(const Expr &value) {
  switch (value.kind) {
  case Expr::Kind::IntLiteral:
  case Expr::Kind::FloatLiteral:
    return value.text;
  case Expr::Kind::BoolLiteral:
    return value.boolValue ? "true" : "false";
  case Expr::Kind::NoneLiteral:
    return "None";
  case Expr::Kind::StringLiteral:
    return escape(value.text);
  case Expr::Kind::NameRef:
    return value.name.text;
  case Expr::Kind::Unary:
    return std::string("(") + spelling(value.unaryOp) + expr(*value.operands[0]) + ")";
  case Expr::Kind::Binary:
    return "(" + expr(*value.operands[0]) + " " + spelling(value.binaryOp) + " " +
           expr(*value.operands[1]) + ")";
  case Expr::Kind::Conditional:
    return "(" + expr(*value.operands[0]) + " ? " + expr(*value.operands[1]) + " : " +
           expr(*value.operands[2]) + ")";
  case Expr::Kind::Call:
    return call(value);
  case Expr::Kind::Subscript:
    return expr(*value.operands[0]) + "[" + subscripts(value) + "]";
  case Expr::Kind::Attribute:
    return expr(*value.operands[0]) + "." + value.name.text;
  case Expr::Kind::Tuple:
    return "tuple(" + exprs(value.operands) + ")";
  case Expr::Kind::List:
    return "[" + exprs(value.operands) + "]";
  case Expr::Kind::Lambda:
    return "|" + names(value.lambda.params) + "| " + expr(*value.lambda.body);
  }
  return {};
}

std::string Printer::call(const Expr &value) {
  std::string text = expr(*value.operands[0]) + "(";
  for (size_t i = 0; i < value.arguments.size(); ++i) {
    const Argument &argument = value.arguments[i];
    text += i ? ", " : "";
    text += argument.name ? argument.name->text + " = " : "";
    text += expr(*argument.value);
  }
  return text + ")";
}

std::string Printer::subscripts(const Expr &value) {
  std::string text;
  for (size_t i = 0; i < value.subscripts.size(); ++i) {
    const Subscript &subscript = value.subscripts[i];
    text += i ? ", " : "";
    text += subscript.first ? expr(*subscript.first) : "";
    if (subscript.kind == Subscript::Kind::NewAxis)
      text += "None";
    else if (subscript.kind == Subscript::Kind::Slice)
      text += ":";
    else if (subscript.kind == Subscript::Kind::Window)
      text += " +: ";
    text += subscript.second ? expr(*subscript.second) : "";
  }
  return text;
}

std::string Printer::type(const TypeExpr &written) {
  std::string element = written.isConst ? "const " : "";
  if (written.element)
    element += type(*written.element);
  switch (written.kind) {
  case TypeExpr::Kind::Named:
    return written.name.text;
  case TypeExpr::Kind::Pointer:
    return "ptr<" + element + ">";
  case TypeExpr::Kind::View:
    return "view<" + element + ", " + expr(*written.rank) + ">";
  case TypeExpr::Kind::Tile:
    return "tile<" + element + ", [" + exprs(written.dims) + "]>";
  }
  return {};
}

} // namespace

std::string printAst(const File &file, const SourceManager &) {
  return Printer().print(file);
}

} // namespace tilec
