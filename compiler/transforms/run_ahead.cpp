#include "compiler/transforms/run_ahead.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;

/// An integer division whose divisor is not known to be harmless.
static bool isUnsafeDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
         !isSpeculatable(op);
}

bool tilec::mayRunAhead(Operation *op) {
  if (!isMemoryEffectFree(op))
    return false;
  WalkResult walked = op->walk([](Operation *inner) {
    bool harmless = isa<scf::IfOp>(inner) || isUnsafeDivision(inner) || isSpeculatable(inner);
    return harmless ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

/// `runs` for each element of `type`.
static Value spread(OpBuilder &builder, Location loc, Value runs, Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return runs;
  return tile::SplatOp::create(builder, loc, tile.clone(builder.getI1Type()), runs);
}

void tilec::guardDivisions(OpBuilder &builder, Operation *op, Value runs) {
  op->walk([&](Operation *inner) {
    if (!isUnsafeDivision(inner))
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(inner);
    Location loc = inner->getLoc();
    Value divisor = inner->getOperand(1);
    Type type = divisor.getType();
    Value condition = spread(builder, loc, runs, type);
    Value one = arith::ConstantOp::create(builder, loc, builder.getOneAttr(type));
    inner->setOperand(1, arith::SelectOp::create(builder, loc, condition, divisor, one));
  });
}

Value tilec::loadAhead(OpBuilder &builder, tile::LoadOp load, const IRMapping &mapping,
                       Value runs) {
  Location loc = load.getLoc();
  Value predicate = spread(builder, loc, runs, load.getType());
  if (load.getMask())
    predicate =
        arith::AndIOp::create(builder, loc, mapping.lookupOrDefault(load.getMask()), predicate);
  Value other = load.getOther() ? mapping.lookupOrDefault(load.getOther()) : Value();
  return tile::LoadOp::create(builder, loc, load.getType(), mapping.lookupOrDefault(load.getPtr()),
                              predicate, other, load.getCache(), load.getEvict(),
                              load.getReadOnly());
}
