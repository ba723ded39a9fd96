// Verifier of tile.dot: shapes and types. Layouts are checked where they are decided.
#include "compiler/ir/dialect.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// The result types a dot of these operand elements may have.
static bool accumulates(Type operand, Type other, Type result) {
  auto isFloat8 = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
  if (isFloat8(operand) && isFloat8(other))
    return result.isF32() || result.isF16();
  if (operand != other)
    return false;
  if (operand.isF16())
    return result.isF32() || result.isF16();
  if (operand.isBF16())
    return result.isF32();
  if (operand.isF32() || operand.isF64())
    return result == operand;
  return operand.isInteger(8) && result.isInteger(32);
}

LogicalResult DotOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(), c = getC().getType();
  int64_t rank = c.getRank();
  if ((rank != 2 && rank != 3) || a.getRank() != rank || b.getRank() != rank)
    return emitOpError("operands must all have rank 2 or all have rank 3");
  if (rank == 3 && (a.getDimSize(0) != c.getDimSize(0) || b.getDimSize(0) != c.getDimSize(0)))
    return emitOpError("batch sizes differ");
  if (a.getDimSize(rank - 2) != c.getDimSize(rank - 2) ||
      b.getDimSize(rank - 1) != c.getDimSize(rank - 1) ||
      a.getDimSize(rank - 1) != b.getDimSize(rank - 2))
    return emitOpError("shapes do not fit");
  if (!accumulates(a.getElementType(), b.getElementType(), c.getElementType()))
    return emitOpError("element types do not fit");
  if (a.getElementType().isF32() != (getPrecision() != Precision::none))
    return emitOpError("f32 operands need a precision, others have none");
  if (getIsUnsigned() && !a.getElementType().isInteger())
    return emitOpError("only integers are unsigned");
  return success();
}
