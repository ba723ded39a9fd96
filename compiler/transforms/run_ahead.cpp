#include "compiler/transforms/run_ahead.h"

#include "compiler/ir/dialect.h"

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
  return !op->walk([](Operation *inner) {
              bool harmless =
                  isa<scf::IfOp>(inner) || isUnsafeDivision(inner) || isSpeculatable(inner);
              return harmless ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

void tilec::guardDivisions(OpBuilder &builder, Operation *op, Value runs) {
  op->walk([&](Operation *inner) {
    if (!isUnsafeDivision(inner))
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(inner);
    Location loc = inner->getLoc();
    Value divisor = inner->getOperand(1), condition = runs;
    Type type = divisor.getType();
    if (auto tile = dyn_cast<RankedTensorType>(type))
      condition = tile::SplatOp::create(builder, loc, tile.clone(builder.getI1Type()), runs);
    Value one = arith::ConstantOp::create(builder, loc, builder.getOneAttr(type));
    inner->setOperand(1, arith::SelectOp::create(builder, loc, condition, divisor, one));
  });
}
