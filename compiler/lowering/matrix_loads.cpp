#include "compiler/lowering/matrix_loads.h"

#include "compiler/lowering/bits.h"

using namespace mlir;
using namespace tilec;

SmallVector<Value> tilec::loadMatrices(KernelContext &context, OpBuilder &builder, Location loc,
                                       const MatrixAccess &access, unsigned registers,
                                       IntegerType storage, function_ref<Value(unsigned)> row) {
  SmallVector<Value> results(registers);
  unsigned parts = 1u << access.wordBits.size();
  for (unsigned first : access.firsts(registers)) {
    SmallVector<Value> words = context.primitives.loadMatrix(builder, loc, row(first),
                                                             access.matrices(), access.transposed);
    for (auto [matrix, word] : llvm::enumerate(words)) {
      if (parts == 1) {
        results[access.member(first, matrix, 0)] = word;
        continue;
      }
      Value elements = LLVM::BitcastOp::create(builder, loc, VectorType::get(parts, storage), word);
      for (unsigned part = 0; part < parts; ++part)
        results[access.member(first, matrix, part)] = LLVM::ExtractElementOp::create(
            builder, loc, elements, constantInt(builder, loc, builder.getI32Type(), part));
    }
  }
  return results;
}
