// The staged interpreter: walks the AST of one variant once. What can be known now is computed now;
// the rest becomes tile IR. A failed expression has an error value, which silences what uses it, so
// that one run reports every independent error.
//
// One Evaluator serves one kernel variant (or one constant context: clauses, `const` items, whose
// stray IR is thrown away). Its methods are spread over files by what they do:
//   expressions.cpp operators.cpp subscripts.cpp   values from expressions
//   calls.cpp arguments.cpp builtins_*.cpp         calls
//   statements.cpp branches.cpp loops.cpp          statements
//   checks.cpp                                     requirements on values, with their messages
#pragma once

#include "compiler/sema/emitter.h"
#include "compiler/sema/scope.h"
#include "compiler/sema/session.h"

#include "mlir/IR/Region.h"

namespace tilec::sema {

struct Builtin;
struct BoundCall;
struct BoundArgument;
struct Window;
struct Branch;

/// Expressions, blocks and calls nest at most this deep together; `analyze` runs on a stack that
/// is large enough for it.
inline constexpr unsigned kMaxDepth = 4000;

/// Most expressions evaluated for one variant. Functions are inlined, so a small source can mean an
/// endless kernel.
inline constexpr unsigned kMaxEvaluations = 2'000'000;

/// How a list of statements ends.
enum class Flow {
  Falls,   ///< control reaches the end
  Returns, ///< every path returned
  Maybe    ///< some did: `Frame::live` says at run time whether control reaches the end
};

/// One function call (or the kernel) in evaluation.
struct Frame {
  Environment environment;
  const ast::Function *function = nullptr; ///< null: a kernel, a lambda or a constant context
  SourceRange callSite;                    ///< where it was called from
  mlir::LocationAttr callLocation;         ///< of callSite, itself inside its callers
  const ast::Block *body = nullptr;        ///< its outermost block; the end of it returns
  bool isKernel = false;
  unsigned loopDepth = 0;
  std::optional<Value> result; ///< what `return` gave, on the paths that returned
  mlir::Value live;            ///< Flow::Maybe: i1
};

/// What clauses say about the variant whose body is evaluated.
struct BodySettings {
  bool fma = true, debug = false;
  std::optional<unsigned> stages; ///< the kernel's `stages` clause, when written
  bool quiet = false;             ///< static_print prints nothing (a specialised twin)
};

class Evaluator {
public:
  Evaluator(Session &session, BodySettings settings);
  ~Evaluator();
  Evaluator(const Evaluator &) = delete;
  Evaluator &operator=(const Evaluator &) = delete;

  Session &session;
  Emitter emit;
  const BodySettings settings;
  std::vector<std::unique_ptr<Frame>> frames;
  /// The kernel whose clauses are evaluated, for messages about its parameters.
  const ast::Kernel *clausesOf = nullptr;
  Frame &frame() { return *frames.back(); }
  Environment &environment() { return frame().environment; }

  // --- Errors -----------------------------------------------------------------------------------
  /// Reports at `range`, with a note for each call that led here. Inside the prelude the error is
  /// reported where the user's code called it.
  Diagnostic &error(SourceRange range, std::string message);
  /// The same, as an expression's value.
  Value fail(SourceRange range, std::string message);
  /// True after the kernel has grown past every limit: what follows has error values.
  bool isExhausted() const { return evaluations_ > kMaxEvaluations; }
  /// Errors so far, repetitions of other variants' errors included.
  unsigned errorCount() const { return errors_; }
  Value notSupported(SourceRange range, const std::string &what);

  // --- Expressions ------------------------------------------------------------------------------
  Value evaluate(const ast::Expr &expr);
  /// In a constant context: run-time operations that it needs lead nowhere.
  Value evaluateConstant(const ast::Expr &expr);
  Value binary(ast::BinaryOp op, const Value &left, const Value &right, SourceRange range);
  Value unary(ast::UnaryOp op, const Value &operand, SourceRange range);
  Value cast(const Value &value, Scalar type, bool towardZero, SourceRange range);
  /// The type a type expression names; nothing after an error.
  std::optional<TileType> resolveType(const ast::TypeExpr &type);
  std::optional<ViewType> resolveView(const ast::TypeExpr &type);
  /// `value` as a parameter declared with `type`; an error value when it does not fit.
  Value checkParameterType(const ast::TypeExpr &type, const Value &value, SourceRange range,
                           const std::string &parameter);
  /// A name as a value; reports unknown ones.
  Value lookUp(const ast::Name &name);

  // --- Calls ------------------------------------------------------------------------------------
  Value callFunction(const Value &callee, std::vector<Value> arguments, SourceRange range);

  // --- Checks: nothing (after an error) when the value does not fit ------------------------------
  std::optional<int64_t> constantInteger(const Value &value, SourceRange range,
                                         const std::string &what, int64_t low, int64_t high);
  std::optional<bool> constantBool(const Value &value, SourceRange range, const std::string &what);
  std::optional<Shape> constantShape(const Value &value, SourceRange range);
  bool checkShape(llvm::ArrayRef<int64_t> shape, SourceRange range);
  std::optional<Scalar> typeArgument(const Value &value, SourceRange range);
  /// As IR; literals take their default type.
  std::optional<RuntimeValue> asRuntime(const Value &value, SourceRange range);
  /// As IR of scalar type `type`: literals adapt, narrower types of a lower kind are promoted.
  std::optional<RuntimeValue> asType(const Value &value, Scalar type, SourceRange range,
                                     const std::string &what);
  std::optional<RuntimeValue> broadcastTo(const RuntimeValue &value, llvm::ArrayRef<int64_t> shape,
                                          SourceRange range);
  /// The common type of two values (elements and shape), or nothing after an error.
  std::optional<TileType> commonType(const Value &left, const Value &right, SourceRange range);
  /// `value` as `type`, which commonType gave.
  RuntimeValue convertTo(const Value &value, const TileType &type);
  /// Both as their common type.
  bool unify(const Value &left, const Value &right, RuntimeValue &first, RuntimeValue &second,
             SourceRange range);
  /// Makes fp8 operands of arithmetic f32, as they count there, unless a wider float is among the
  /// values, which they are promoted to. True when any was.
  bool widenFloat8(llvm::MutableArrayRef<Value> values, SourceRange range);
  /// All of them.
  std::optional<std::vector<RuntimeValue>> unifyAll(const std::vector<Value> &values,
                                                    SourceRange range);
  /// A scalar bool for `if`, `while`, `assume`; a compile-time one stays one.
  std::optional<Value>
  condition(const Value &value, SourceRange range, const std::string &what,
            const char *tileHint = "where(condition, a, b) chooses for each element");

  // --- Statements -------------------------------------------------------------------------------
  Flow execute(const ast::Block &block);

  /// Runs `body` with the builder at the end of a fresh block of `region`.
  void buildIn(mlir::Region &region, llvm::function_ref<void()> body);
  /// Keeps operations that nothing may use alive until the end, so that no address is used twice.
  void discard(mlir::Region &region);
  /// Deletes them. The values in them must not be used any more.
  void clearDiscarded();
  /// Sets the location of what is emitted next.
  void setLocation(SourceRange range);
  /// Scalar `condition ? then : otherwise`, either of which may emit: evaluated lazily.
  Value lazySelect(const RuntimeValue &condition, llvm::function_ref<Value()> whenTrue,
                   llvm::function_ref<Value()> whenFalse, SourceRange range);

  /// `assume(condition)`.
  void assume(const Value &condition, SourceRange range);
  /// Declares a variable or parameter in the innermost block.
  void declare(const ast::Name &name, Value value, bool isMutable);

private:
  Value evaluateKind(const ast::Expr &expr);
  Value evaluateBinary(const ast::Expr &expr);
  Value evaluateConditional(const ast::Expr &expr);
  Value evaluateAttribute(const ast::Expr &expr);
  Value evaluateSubscript(const ast::Expr &expr);
  Value subscript(const Value &base, const ast::Expr &expr);
  Value viewQuery(const View &view, const ast::Expr &expr);
  std::optional<Window> window(const ViewValue &view, const ast::Expr &expr);
  /// The place of a load or store: a window of a view, or a value.
  bool bindPlace(const ast::Expr &expr, BoundArgument &slot);
  Value evaluateLambda(const ast::Expr &expr);
  Value evaluateSequence(const ast::Expr &expr);
  Value shortCircuit(ast::BinaryOp op, const RuntimeValue &left, const ast::Expr &rightExpr,
                     SourceRange range);
  Value pointerArithmetic(ast::BinaryOp op, const Value &left, const Value &right,
                          SourceRange range);
  Value shift(ast::BinaryOp op, const Value &left, const Value &right, SourceRange range);
  Value logical(ast::BinaryOp op, const Value &left, const Value &right, SourceRange range);
  Value globalConstant(Global &global, SourceRange range);

  Value evaluateCall(const ast::Expr &expr);
  Value callBuiltin(const Builtin &builtin, const ast::Expr &expr);
  Value checkViewType(const ast::TypeExpr &type, const Value &value, SourceRange range,
                      const std::string &parameter);
  Value castCall(Scalar type, const ast::Expr &expr);
  Value inlineFunction(const ast::Function &function, std::vector<Value> arguments,
                       SourceRange range);
  Value callLambda(const LambdaValue &lambda, std::vector<Value> arguments, SourceRange range);
  bool bindParameter(const ast::Function::FunctionParam &param, Value value, SourceRange range);
  bool bindArguments(const Builtin &builtin, const ast::Expr &expr, BoundCall &call);
  bool orderArguments(const ast::Function &function, const ast::Expr &expr,
                      std::vector<Value> &arguments);

  Flow executeFrom(const ast::Block &block, size_t first);
  Flow executeStatement(const ast::Stmt &statement);
  /// An `if`. What follows it is `rest` from `restFirst` (or null): executed too, on the paths that
  /// go on, when `restTaken` becomes true.
  Flow executeIf(const ast::Stmt &statement, const ast::Block *rest, size_t restFirst,
                 bool &restTaken);
  Flow executeElse(const ast::Stmt &statement);
  Flow executeWhileLive(const ast::Block &block, size_t first);
  Flow joinBranches(mlir::Value condition, Branch &whenTrue, Branch &whenFalse,
                    const std::vector<Variable *> &variables, SourceRange range);
  void runBranch(Branch &branch, const std::vector<Variable *> &variables,
                 llvm::function_ref<Flow()> body);
  void executeDeclaration(const ast::Stmt &statement);
  void executeAssignment(const ast::Stmt &statement);
  Flow executeReturn(const ast::Stmt &statement);
  void executeStaticAssert(const ast::Stmt &statement);
  void executeAssert(const ast::Stmt &statement);
  void executeFor(const ast::Stmt &statement);
  void executeStaticFor(const ast::Stmt &statement, const Value &low, const Value &high,
                        const Value &step, Scalar type);
  void executeWhile(const ast::Stmt &statement);
  Value initialValue(const Value &value, SourceRange range);

  mlir::Region graveyard_;
  unsigned errors_ = 0, evaluations_ = 0;
  unsigned depth_ = 0;    ///< of nested evaluation
  unsigned unrolled_ = 0; ///< iterations of static_range so far
};

/// The value of a `const` item; errors are reported once.
Value evaluateGlobalConstant(Session &session, const ast::Constant &constant);

} // namespace tilec::sema
