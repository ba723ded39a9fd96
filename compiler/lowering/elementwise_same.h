// The emitter of operations that the LLVM dialect has too.
#pragma once

#include "compiler/lowering/elementwise.h"

#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"

namespace tilec {

/// The same operation of the LLVM dialect, with its fast-math and overflow flags.
template <typename SourceOp, typename TargetOp>
void same(const ScalarOperation &scalar, llvm::SmallVectorImpl<mlir::Value> &results) {
  auto source = llvm::cast<SourceOp>(scalar.op);
  auto target =
      TargetOp::create(scalar.builder, scalar.loc(), mlir::TypeRange(scalar.results),
                       mlir::ValueRange(scalar.operands), llvm::ArrayRef<mlir::NamedAttribute>());
  if constexpr (requires { source.getFastmath(); })
    target.setFastmathFlags(mlir::arith::convertArithFastMathFlagsToLLVM(source.getFastmath()));
  if constexpr (requires { source.getOverflowFlags(); })
    target.setOverflowFlags(
        mlir::arith::convertArithOverflowFlagsToLLVM(source.getOverflowFlags()));
  results.push_back(target->getResult(0));
}

} // namespace tilec
