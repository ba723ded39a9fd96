// The abstract syntax tree: what a .tile file says, apart from how it was parsed.
//
// Nodes are plain structs with a kind; ownership is by unique_ptr from parent to child. Nothing
// here is typed or resolved: names are strings, types are expressions (`ptr<f32>` is a TypeExpr).
// Every node has the source range it came from. The depth of a tree is limited (kMaxDepth), so
// walks may recurse.
#pragma once

#include "compiler/syntax/source.h"

namespace tilec::ast {

/// Deepest tree the parser hands over, in nodes from the item down.
inline constexpr unsigned kMaxDepth = 1000;

struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;

/// A name with its place.
struct Name {
  std::string text;
  SourceRange range;
};

// --- Types as written ---------------------------------------------------------------------------

/// `f32`, `T` (a type parameter), `type`, `ptr<const T>`, `view<T, 2>`, `tile<f32, [M, N]>`.
struct TypeExpr {
  enum class Kind { Named, Pointer, View, Tile } kind = Kind::Named;
  SourceRange range;
  Name name;                         ///< Named
  std::unique_ptr<TypeExpr> element; ///< Pointer, View, Tile
  bool isConst = false;              ///< Pointer, View: `const` before the element
  ExprPtr rank;                      ///< View
  std::vector<ExprPtr> dims;         ///< Tile
};

// --- Expressions --------------------------------------------------------------------------------

enum class BinaryOp {
  Mul,
  Div,
  Rem,
  Add,
  Sub,
  Shl,
  Shr,
  BitAnd,
  BitXor,
  BitOr,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  LogicalAnd,
  LogicalOr
};
enum class UnaryOp { Neg, Not, BitNot, Plus };

/// The operator as written, e.g. "<<".
const char *spelling(BinaryOp op);
const char *spelling(UnaryOp op);

/// One call argument: positional, or `name = value`.
struct Argument {
  std::optional<Name> name;
  ExprPtr value;
};

/// One subscript of `x[...]`.
struct Subscript {
  enum class Kind {
    Index,   ///< an expression: an index
    NewAxis, ///< None
    Slice,   ///< `lo:hi`, `:`, `lo:`, `:hi` (missing bounds are null)
    Window   ///< `start +: length`
  } kind = Kind::Index;
  SourceRange range;
  ExprPtr first, second;
};

/// An anonymous function `|a, b| expr`.
struct Lambda {
  std::vector<Name> params;
  ExprPtr body;
};

struct Expr {
  enum class Kind {
    IntLiteral,
    FloatLiteral,
    BoolLiteral,
    NoneLiteral,
    StringLiteral, // `inf` and `nan` are FloatLiteral
    NameRef,       ///< name
    Unary,         ///< unaryOp, operands[0]
    Binary,        ///< binaryOp, operands[0], operands[1]
    Conditional,   ///< operands: condition, then, else
    Call,          ///< operands[0] callee (NameRef or Attribute), arguments
    Subscript,     ///< operands[0] base, subscripts
    Attribute,     ///< operands[0] base, name (`.T`, `.shape`, `.dim`)
    Tuple,         ///< operands; `(a, b)`
    List,          ///< operands; `[M, N]` as a shape or list
    Lambda         ///< lambda
  } kind;
  SourceRange range;
  uint64_t intValue = 0;  ///< IntLiteral: the magnitude (a leading `-` is Unary)
  double floatValue = 0;  ///< FloatLiteral
  bool boolValue = false; ///< BoolLiteral
  std::string text;       ///< StringLiteral: unescaped; literals: as written
  Name name;              ///< NameRef, Attribute
  BinaryOp binaryOp{};
  UnaryOp unaryOp{};
  SourceRange opRange; ///< Unary, Binary: the operator
  std::vector<ExprPtr> operands;
  std::vector<Argument> arguments;
  std::vector<Subscript> subscripts;
  Lambda lambda;
};

// --- Statements ---------------------------------------------------------------------------------

struct Block {
  SourceRange range; ///< braces included
  std::vector<StmtPtr> statements;
};

struct Stmt {
  enum class Kind {
    Let,    ///< names (one, or several for a tuple pattern), value
    Var,    ///< names (one), value
    Assign, ///< target (an expression; only a NameRef is valid), value; `compound` for `+=` etc.
    Expression,   ///< value
    For,          ///< names[0] = loop variable, value = the call of `range` or `static_range`, body
    While,        ///< value = condition, body
    If,           ///< value = condition, body, and elseBody or elseIf
    Return,       ///< value or null
    Block,        ///< body
    StaticAssert, ///< value, message (string expression or null)
    Assert        ///< value, message
  } kind;
  SourceRange range;
  std::vector<Name> names;
  ExprPtr target;
  std::optional<BinaryOp> compound;
  ExprPtr value;
  ExprPtr message;
  Block body;
  std::unique_ptr<Block> elseBody;
  StmtPtr elseIf; ///< an If statement
};

// --- Items --------------------------------------------------------------------------------------

/// `NAME: type = default` in `kernel k<...>`.
struct ConstParam {
  Name name;
  TypeExpr type;        ///< i32, i64, f32, bool, type ...
  ExprPtr defaultValue; ///< or null
};

struct Param {
  Name name;
  TypeExpr type;
};

/// `A in [1, 2, 4]`.
struct ChoiceList {
  Name name;
  std::vector<ExprPtr> values;
};

struct Clause {
  enum class Kind {
    Variants,
    Select, ///< choices, and `condition` for `variants ... if cond`
    Requires,
    Specialize, ///< condition
    Grid,       ///< values: 1..3
    Warps,
    Stages,
    Cluster,
    MaxRegs, ///< values[0]
    Option   ///< name, values[0]
  } kind;
  SourceRange range; ///< from the clause word to its end
  SourceRange keyword;
  Name name;
  std::vector<ChoiceList> choices;
  ExprPtr condition;
  std::vector<ExprPtr> values;
};

struct Kernel {
  Name name;
  std::string doc; ///< text of the `///` lines before it, without the slashes
  SourceRange range;
  std::vector<ConstParam> constParams;
  std::vector<Param> params;
  std::vector<Clause> clauses;
  Block body;
};

struct Function {
  Name name;
  std::string doc;
  SourceRange range;
  /// Types are optional on `fn` parameters: `fn f(x, n: i32)`.
  struct FunctionParam {
    Name name;
    std::optional<TypeExpr> type;
  };
  std::vector<FunctionParam> params;
  Block body;
};

struct Constant {
  Name name;
  std::string doc;
  SourceRange range;
  std::optional<TypeExpr> type;
  ExprPtr value;
};

struct Import {
  SourceRange range;
  std::string path;
  SourceRange pathRange;
};

/// One file. Items of each kind in source order.
struct File {
  uint32_t id = 0;
  std::vector<Import> imports;
  std::vector<Constant> constants;
  std::vector<Function> functions;
  std::vector<Kernel> kernels;
};

} // namespace tilec::ast
