#include "compiler/ir/carry.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

scf::ForOp tilec::carryMore(scf::ForOp loop, ValueRange initial) {
  DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto result = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, initial, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>(arguments.begin(), arguments.end());
      }));
  result->setDiscardableAttrs(attributes);
  return result;
}
