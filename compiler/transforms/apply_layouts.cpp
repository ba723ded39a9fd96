#include "compiler/transforms/apply_layouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilec;

namespace {

class LayoutApplication {
public:
  LayoutApplication(func::FuncOp function, const LayoutChoice &choice, const CheapValues &cheap)
      : function_(function), choice_(choice), cheap_(cheap) {}

  void run() {
    // Decide on the list first: what is added below must not be visited.
    std::vector<Operation *> operations;
    std::vector<Operation *> cheapOperations;
    function_.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getNumResults() == 1 && cheap_.contains(op->getResult(0)))
        cheapOperations.push_back(op);
      else
        operations.push_back(op);
    });
    for (Operation *op : operations)
      retype(op);
    for (Operation *op : operations)
      for (unsigned index = 0; index < op->getNumOperands(); ++index)
        if (tile::LayoutAttr wanted = requiredLayout(op, index, choice_))
          op->setOperand(index, get(op->getOperand(index), wanted, op));
    // Every use of a cheap original went to a clone; users stand after their operands.
    for (Operation *op : llvm::reverse(cheapOperations))
      if (op->use_empty())
        op->erase();
  }

private:
  static void setLayout(Value value, tile::LayoutAttr layout) {
    value.setType(tile::withLayout(cast<RankedTensorType>(value.getType()), layout.layout()));
  }

  /// Results and block arguments get their layouts; a result made in another layout than chosen for
  /// the value is converted right behind the operation.
  void retype(Operation *op) {
    for (unsigned index = 0; index < op->getNumResults(); ++index) {
      Value result = op->getResult(index);
      tile::LayoutAttr made = producedLayout(op, index, choice_);
      if (!made)
        continue;
      setLayout(result, made);
      tile::LayoutAttr chosen = choice_.values.lookup(result);
      if (!chosen || chosen == made)
        continue;
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      auto converted = tile::ConvertLayoutOp::create(
          builder, op->getLoc(),
          tile::withLayout(cast<RankedTensorType>(result.getType()), chosen.layout()), result);
      result.replaceAllUsesExcept(converted, converted);
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (tile::LayoutAttr layout = choice_.values.lookup(argument))
            setLayout(argument, layout);
  }

  /// `value` in layout `wanted`, for use by `user`.
  Value get(Value value, tile::LayoutAttr wanted, Operation *user) {
    if (cheap_.contains(value))
      return recompute(value, wanted);
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getEncoding() == wanted)
      return value;
    OpBuilder builder(user);
    return tile::ConvertLayoutOp::create(builder, user->getLoc(),
                                         tile::withLayout(type, wanted.layout()), value);
  }

  /// A clone of the cheap `value` in layout `wanted`, beside the original.
  Value recompute(Value value, tile::LayoutAttr wanted) {
    Value &known = recomputed_[{value, wanted}];
    if (known)
      return known;
    Operation *op = value.getDefiningOp();
    RankedTensorType type =
        tile::withLayout(cast<RankedTensorType>(value.getType()), wanted.layout());
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Operation *clone = nullptr;
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto dense = cast<DenseElementsAttr>(constant.getValue());
      clone = arith::ConstantOp::create(builder, op->getLoc(), dense.reshape(type));
    } else {
      SmallVector<Value> operands(op->getOperands());
      auto implied = impliedLayouts(op, value, wanted);
      for (Value &operand : operands)
        for (auto [other, layout] : implied)
          if (other == operand) {
            operand = recompute(operand, layout);
            break;
          }
      builder.setInsertionPointAfter(op);
      clone = builder.clone(*op);
      clone->setOperands(operands);
      clone->getResult(0).setType(type);
    }
    Value made = clone->getResult(0);
    recomputed_[{value, wanted}] = made; // `known` may have moved
    return made;
  }

  func::FuncOp function_;
  const LayoutChoice &choice_;
  const CheapValues &cheap_;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> recomputed_;
};

} // namespace

void tilec::applyLayouts(func::FuncOp function, const LayoutChoice &choice,
                         const CheapValues &cheap) {
  LayoutApplication(function, choice, cheap).run();
}
