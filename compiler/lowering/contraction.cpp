#include "compiler/lowering/contraction.h"

#include "compiler/ir/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilec;

void tilec::keepContractionWithinCasts(func::FuncOp kernel) {
  kernel.walk([](Operation *op) {
    if (!isa<arith::TruncFOp, arith::ExtFOp, tile::TruncFOp>(op))
      return;
    Operation *source = op->getOperand(0).getDefiningOp();
    while (isa_and_nonnull<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::ReshapeOp,
                           tile::PermuteOp, tile::ConvertLayoutOp>(source))
      source = source->getOperand(0).getDefiningOp();
    if (auto product = dyn_cast_or_null<arith::MulFOp>(source))
      product.setFastmath(product.getFastmath() & ~arith::FastMathFlags::contract);
  });
}
