// What an expression evaluates to: something known now (a number, a type, a tuple, a function ...)
// or a run-time value of the IR with its language type. Copies are cheap.
#pragma once

#include "compiler/sema/constants.h"
#include "compiler/sema/types.h"
#include "compiler/syntax/ast.h"

#include "llvm/ADT/SmallVector.h"

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tilec::sema {

struct Builtin;
struct Origin;
struct View;
class Value;

/// A value of the IR. `origin` says how it was computed, for 64-bit pointer arithmetic (wide.h);
/// null for a leaf.
struct RuntimeValue {
  mlir::Value ir;
  TileType type;
  Origin *origin = nullptr; ///< owned by the Emitter
  Scalar scalar() const { return type.element.scalar; }
};

/// Already reported; silences what follows.
struct ErrorValue {};
struct NoneValue {};
struct TypeValue {
  Scalar scalar;
};
/// `(a, b)` and `[a, b]`.
struct SequenceValue {
  std::shared_ptr<const std::vector<Value>> elements;
  bool isList = false;
};
struct FunctionValue {
  const ast::Function *function;
};
/// An anonymous function with the values of the names it uses.
struct LambdaValue {
  const ast::Expr *expr;
  std::shared_ptr<const std::map<std::string, Value>> captures;
};
struct BuiltinValue {
  const Builtin *builtin;
};
/// A view parameter.
struct ViewValue {
  std::shared_ptr<const View> view;
};

class Value {
public:
  using Data = std::variant<ErrorValue, NoneValue, bool, IntConstant, FloatConstant, std::string,
                            TypeValue, SequenceValue, FunctionValue, LambdaValue, BuiltinValue,
                            ViewValue, RuntimeValue>;
  Value() = default; ///< an error value
  template <typename T>
    requires(!std::is_same_v<std::decay_t<T>, Value> && std::is_constructible_v<Data, T>)
  Value(T &&data) : data_(std::forward<T>(data)) {}
  Value(const Constant &constant) {
    std::visit([&](const auto &value) { data_ = value; }, constant);
  }

  template <typename T> const T *as() const { return std::get_if<T>(&data_); }
  bool isError() const { return as<ErrorValue>() != nullptr; }
  bool isNone() const { return as<NoneValue>() != nullptr; }
  const RuntimeValue *runtime() const { return as<RuntimeValue>(); }

  /// The number when this is a compile-time bool, integer or float.
  std::optional<Constant> constant() const;
  /// The integer when this is a compile-time one.
  std::optional<Wide> integer() const;
  /// True for what an IR value can stand for: numbers and run-time values.
  bool isNumeric() const { return runtime() || constant(); }
  /// True for an integer or float literal that takes its type from its context.
  bool isUntyped() const;

  static Value tuple(std::vector<Value> elements);
  static Value list(std::vector<Value> elements);

private:
  Data data_;
};

/// What a view parameter is at the kernel's ABI.
struct View {
  ViewType type;
  RuntimeValue base;                                ///< a pointer
  llvm::SmallVector<RuntimeValue> extents, strides; ///< one a dimension; strides are i64
};

/// The same value for sure: the same IR value or equal constants.
bool identical(const Value &first, const Value &second);

/// The parts of nested tuples and lists in order (the value itself when it is neither), and a value
/// of the same structure made of other parts.
void flatten(const Value &value, std::vector<Value> &parts);
Value withParts(const Value &structure, llvm::ArrayRef<Value> &parts);

/// The kind or type of a value for messages: "tile<f32, [64]>", "an integer literal", "a type".
std::string describe(const Value &value);

/// The type a numeric value has as a run-time value; a literal takes its default.
TileType typeOf(const Value &value);

} // namespace tilec::sema
