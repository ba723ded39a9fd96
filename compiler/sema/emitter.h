// Writes tile IR: each method makes the operation for operands that already have the right types
// and records where integers came from (wide.h). It checks nothing and reports nothing: callers
// have.
#pragma once

#include "compiler/sema/value.h"
#include "compiler/sema/wide.h"

#include <deque>

namespace tilec::sema {

class Emitter {
public:
  explicit Emitter(mlir::MLIRContext *context)
      : builder(context), loc(mlir::UnknownLoc::get(context)) {}

  mlir::OpBuilder builder;
  mlir::Location loc;
  bool contract = true; ///< `option fma`: a*b + c may be contracted

  /// A constant of `type`, every element equal when `shape` is not empty.
  RuntimeValue constant(const Constant &value, Scalar type, llvm::ArrayRef<int64_t> shape = {});

  // Shapes. The shapes must fit.
  RuntimeValue broadcast(const RuntimeValue &value, llvm::ArrayRef<int64_t> shape);
  RuntimeValue expandDims(const RuntimeValue &value, unsigned axis);
  RuntimeValue reshape(const RuntimeValue &value, llvm::ArrayRef<int64_t> shape);
  RuntimeValue permute(const RuntimeValue &value, llvm::ArrayRef<int32_t> order);
  RuntimeValue arange(int32_t start, int64_t count);

  // Elementwise. Operands have one type and shape (`select`: the condition's shape, or a scalar).
  RuntimeValue convert(const RuntimeValue &value, Scalar type, bool towardZero = false);
  RuntimeValue arithmetic(ast::BinaryOp op, const RuntimeValue &left, const RuntimeValue &right);
  RuntimeValue compare(ast::BinaryOp op, const RuntimeValue &left, const RuntimeValue &right);
  RuntimeValue negate(const RuntimeValue &value);
  RuntimeValue invert(const RuntimeValue &value); ///< ~x; !x of a bool
  RuntimeValue select(const RuntimeValue &condition, const RuntimeValue &whenTrue,
                      const RuntimeValue &whenFalse);
  RuntimeValue minimum(const RuntimeValue &left, const RuntimeValue &right, bool propagateNan);
  RuntimeValue maximum(const RuntimeValue &left, const RuntimeValue &right, bool propagateNan);
  RuntimeValue isNan(const RuntimeValue &value);
  RuntimeValue bitcast(const RuntimeValue &value, Scalar type);
  /// multiple_of / max_contiguous.
  template <typename Op>
  RuntimeValue hint(const RuntimeValue &value, llvm::ArrayRef<int64_t> values) {
    RuntimeValue result = value;
    result.ir = Op::create(builder, loc, value.ir, values);
    return structural(result, value);
  }

  /// pointer + offset or pointer - offset, the offset computed in 64 bits.
  RuntimeValue addPointer(const RuntimeValue &pointer, const RuntimeValue &offset, bool subtract);
  RuntimeValue inI64(const RuntimeValue &value);

  /// A promise (a scalar bool), also about the integers it compares as offsets take them: not
  /// wrapped.
  void assume(const RuntimeValue &condition);

  mlir::Type mlirType(const TileType &type) { return toMlir(builder.getContext(), type); }
  RuntimeValue leaf(mlir::Value value, TileType type) { return {value, std::move(type), nullptr}; }
  /// A leaf whose 64-bit form is known: a loop variable counted in i64.
  RuntimeValue leafWithWide(mlir::Value value, TileType type, mlir::Value wide);

private:
  template <typename Op> mlir::Value binary(const RuntimeValue &left, const RuntimeValue &right) {
    return Op::create(builder, loc, left.ir, right.ir);
  }
  template <typename Op> mlir::Value real(const RuntimeValue &left, const RuntimeValue &right) {
    auto flags = contract ? mlir::arith::FastMathFlags::contract : mlir::arith::FastMathFlags::none;
    return Op::create(builder, loc, left.ir, right.ir, flags);
  }
  mlir::Value integerArithmetic(ast::BinaryOp op, const RuntimeValue &left,
                                const RuntimeValue &right);
  /// Gives an integer result its origin: operands 0 and 1.
  RuntimeValue computed(RuntimeValue result, const RuntimeValue &left, const RuntimeValue &right);
  /// The same for an operation that moves elements: operand 0.
  RuntimeValue structural(RuntimeValue result, const RuntimeValue &source);
  bool traced(const RuntimeValue &value) const;
  Origin *newOrigin() { return &origins_.emplace_back(); }

  std::deque<Origin> origins_;
  /// What a comparison of scalar integers was made of.
  struct Comparison {
    ast::BinaryOp op;
    RuntimeValue left, right;
  };
  llvm::DenseMap<mlir::Operation *, Comparison> comparisons_;
  Widener widener_;
};

} // namespace tilec::sema
