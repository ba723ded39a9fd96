#include "compiler/transforms/layout_inference.h"

#include "compiler/layout/cost_model.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;

using Implied = SmallVector<std::pair<Value, tile::LayoutAttr>>;

static tile::LayoutAttr attr(MLIRContext *context, const LinearLayout &layout) {
  return tile::LayoutAttr::get(context, layout);
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// All operands and results that are tiles have one layout.
static bool sharesOneLayout(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<tile::LoadOp, tile::StoreOp, tile::CopyAsyncOp>(op);
}

/// The groups of values that control flow makes one: init, iter_arg, yielded value, result.
static void controlFlowGroup(Operation *op, Value known, SmallVectorImpl<Value> &group) {
  auto addIf = [&](ArrayRef<Value> candidates) {
    if (llvm::is_contained(candidates, known))
      group.append(candidates.begin(), candidates.end());
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument, yielded, result] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                   loop.getResults()))
      addIf({init, argument, yielded, result});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.getNumResults() == 0)
      return;
    for (auto [result, onTrue, onFalse] :
         llvm::zip(branch.getResults(), branch.thenYield().getOperands(),
                   branch.elseYield().getOperands()))
      addIf({result, onTrue, onFalse});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    // before(args) -> condition(values) -> after(values) -> yield(args)
    for (auto [init, argument, yielded] :
         llvm::zip(loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getOperands()))
      addIf({init, argument, yielded});
    for (auto [passed, argument, result] :
         llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments(), loop.getResults()))
      addIf({passed, argument, result});
  }
}

Implied tilec::impliedLayouts(Operation *op, Value known, tile::LayoutAttr layout) {
  Implied implied;
  MLIRContext *context = op->getContext();
  auto add = [&](Value value, tile::LayoutAttr its) {
    if (value && value != known && tile::isTile(value.getType()))
      implied.emplace_back(value, its);
  };
  LinearLayout algebra = layout.layout();

  if (sharesOneLayout(op)) {
    for (Value operand : op->getOperands())
      add(operand, layout);
    for (Value result : op->getResults())
      add(result, layout);
    return implied;
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    if (known == expand.getResult())
      add(expand.getSource(), attr(context, algebra.sliced(expand.getAxis())));
    else
      add(expand.getResult(), attr(context, algebra.expanded(expand.getAxis())));
  } else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    if (known == broadcast.getResult())
      add(broadcast.getSource(),
          attr(context, algebra.broadcastSource(shapeOf(broadcast.getSource()).vec())));
    else
      add(broadcast.getResult(),
          attr(context, algebra.broadcastResult(shapeOf(broadcast.getResult()).vec())));
  } else if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    bool backward = known == reshape.getResult();
    Value other = backward ? Value(reshape.getSource()) : Value(reshape.getResult());
    add(other, attr(context, algebra.reshaped(shapeOf(other).vec())));
  } else if (auto permute = dyn_cast<tile::PermuteOp>(op)) {
    SmallVector<int32_t> order(permute.getOrder());
    if (known == permute.getResult()) {
      SmallVector<int32_t> inverse(order.size());
      for (auto [dim, from] : llvm::enumerate(order))
        inverse[from] = static_cast<int32_t>(dim);
      add(permute.getSource(), attr(context, algebra.permuted({inverse.begin(), inverse.end()})));
    } else {
      add(permute.getResult(), attr(context, algebra.permuted({order.begin(), order.end()})));
    }
  } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    if (!llvm::is_contained(reduce.getSources(), known))
      return implied; // many source layouts have this slice
    if (!algebra.separable(reduce.getAxis()))
      return implied;
    for (Value source : reduce.getSources())
      add(source, layout);
    for (Value result : reduce.getResults())
      add(result, attr(context, algebra.sliced(reduce.getAxis())));
  } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
    if (known == dot.getC() || known == dot.getResult()) { // a and b are classes of their own
      add(dot.getC(), layout);
      add(dot.getResult(), layout);
    }
  } else {
    SmallVector<Value> group;
    controlFlowGroup(op, known, group);
    for (Value value : group)
      add(value, layout);
  }
  return implied;
}

SmallVector<Operation *> tilec::neighbours(Value value) {
  SmallVector<Operation *> operations;
  if (Operation *definition = value.getDefiningOp())
    operations.push_back(definition);
  else
    operations.push_back(cast<BlockArgument>(value).getOwner()->getParentOp());
  for (Operation *user : value.getUsers())
    operations.push_back(isa<scf::YieldOp, scf::ConditionOp>(user) ? user->getParentOp() : user);
  return operations;
}

tile::LayoutAttr tilec::requiredLayout(Operation *op, unsigned index, const LayoutChoice &choice) {
  Value operand = op->getOperand(index);
  if (!tile::isTile(operand.getType()))
    return {};
  auto of = [&](Value value) { return choice.values.lookup(value); };

  if (isa<tile::LoadOp, tile::StoreOp, tile::CopyAsyncOp, tile::ReduceOp>(op))
    return choice.operations.lookup(op);
  if (isa<tile::DotOp>(op)) {
    auto [a, b] = choice.dotOperands.lookup(op);
    return index == 0 ? a : index == 1 ? b : choice.operations.lookup(op);
  }
  if (op->hasTrait<OpTrait::Elementwise>())
    return of(op->getResult(0));
  if (isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp>(op)) {
    tile::LayoutAttr result = of(op->getResult(0));
    if (!result)
      return {};
    for (auto [value, layout] : impliedLayouts(op, op->getResult(0), result))
      if (value == operand)
        return layout;
    return {};
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return of(loop.getTiedLoopRegionIterArg(&op->getOpOperand(index)));
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return of(loop.getBeforeArguments()[index]);
  if (isa<scf::ConditionOp>(op))
    return of(cast<scf::WhileOp>(op->getParentOp()).getAfterArguments()[index - 1]);
  if (isa<scf::YieldOp>(op)) {
    if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
      return of(loop.getBeforeArguments()[index]);
    if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
      return of(loop.getRegionIterArg(index));
    return of(op->getParentOp()->getResult(index));
  }
  return of(operand);
}

tile::LayoutAttr tilec::producedLayout(Operation *op, unsigned index, const LayoutChoice &choice) {
  Value result = op->getResult(index);
  if (!tile::isTile(result.getType()))
    return {};
  if (isa<tile::LoadOp, tile::DotOp>(op))
    return choice.operations.lookup(op);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    tile::LayoutAttr works = choice.operations.lookup(op);
    return works ? attr(op->getContext(), works.layout().sliced(reduce.getAxis()))
                 : tile::LayoutAttr();
  }
  // What a loop carries has one layout from end to end: the argument's. Where paths that disagree
  // lead to argument and result, the result is converted behind the loop.
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return choice.values.lookup(loop.getRegionIterArg(index));
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return choice.values.lookup(loop.getAfterArguments()[index]);
  return choice.values.lookup(result);
}

/// Longest chain of operations that is computed again rather than converted. A conversion through
/// shared memory costs some tens of issue slots (cost_model.h).
static constexpr unsigned kCheapOperations = 48;

CheapValues::CheapValues(Operation *function) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() != 1 || !tile::isTile(op->getResult(0).getType()))
      return;
    bool leaf = op->hasTrait<OpTrait::ConstantLike>() || isa<tile::SplatOp, tile::ArangeOp>(op);
    bool step = isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::ReshapeOp, tile::PermuteOp,
                    tile::AddPtrOp, tile::MultipleOfOp, tile::MaxContiguousOp, arith::AddIOp,
                    arith::SubIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
                    arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::CmpIOp, arith::ExtSIOp,
                    arith::ExtUIOp, arith::TruncIOp, arith::SelectOp>(op);
    if (!leaf && !step)
      return;
    unsigned cost = 1;
    for (Value operand : op->getOperands()) {
      if (!tile::isTile(operand.getType()))
        continue;
      auto known = cost_.find(operand);
      if (known == cost_.end())
        return;
      cost += known->second;
    }
    if (cost <= kCheapOperations)
      cost_[op->getResult(0)] = cost;
  });
}

Layouts tilec::spreadLayout(Value seed, tile::LayoutAttr layout, const LayoutChoice &choice,
                            const CheapValues &cheap, bool guess) {
  Layouts found;
  found[seed] = layout;
  SmallVector<Value> worklist = {seed};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    tile::LayoutAttr its = found[value];
    for (Operation *op : neighbours(value)) {
      if (!guess && isa<tile::BroadcastOp>(op) && op->getOperand(0) == value)
        continue;
      for (auto [other, implied] : impliedLayouts(op, value, its))
        if (!cheap.contains(other) && !choice.values.contains(other) &&
            found.insert({other, implied}).second)
          worklist.push_back(other);
    }
  }
  return found;
}

double tilec::frequency(Operation *op) {
  double times = 1;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      times *= trips ? std::max<double>(1, trips->roundToDouble()) : cost::kLoopWeight;
    } else if (isa<scf::WhileOp>(parent)) {
      times *= cost::kLoopWeight;
    }
  return times;
}
