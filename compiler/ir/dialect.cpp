#include "compiler/ir/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Parses and prints a possibly empty comma-separated list of column numbers.
template <typename Integer>
static ParseResult parseColumns(AsmParser &parser, SmallVector<Integer> &columns) {
  Integer first;
  OptionalParseResult present = parser.parseOptionalInteger(first);
  if (!present.has_value())
    return success();
  if (failed(*present))
    return failure();
  columns.push_back(first);
  while (succeeded(parser.parseOptionalComma())) {
    Integer next;
    if (parser.parseInteger(next))
      return failure();
    columns.push_back(next);
  }
  return success();
}

template <typename Integer>
static void printColumns(AsmPrinter &printer, ArrayRef<Integer> columns) {
  llvm::interleaveComma(columns, printer.getStream());
}

#include "compiler/ir/TileDialect.cpp.inc"
#include "compiler/ir/TileEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/ir/TileTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/ir/TileAttrs.cpp.inc"

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/ir/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/ir/TileAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/ir/TileOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

void tile::registerTileDialects(DialectRegistry &registry) {
  registry.insert<TileDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                  func::FuncDialect>();
}

LinearLayout LayoutAttr::layout() const {
  return LinearLayout(getShape().vec(), getReg().vec(), getLane().vec(), getWarp().vec());
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout) {
  return get(context, layout.shape(), layout.reg(), layout.lane(), layout.warp());
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, ArrayRef<uint32_t> reg,
                                 ArrayRef<uint32_t> lane, ArrayRef<uint32_t> warp) {
  LinearLayout layout(shape.vec(), reg.vec(), lane.vec(), warp.vec());
  if (std::optional<std::string> reason = layout.verify())
    return emitError() << "invalid layout: " << *reason;
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape != getShape())
    return emitError() << "layout of shape [" << getShape() << "] on a tile of shape [" << shape
                       << "]";
  return success();
}

LinearLayout tile::layoutOf(Type type) {
  return cast<LayoutAttr>(cast<RankedTensorType>(type).getEncoding()).layout();
}

RankedTensorType tile::withLayout(RankedTensorType type, const LinearLayout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               LayoutAttr::get(type.getContext(), layout));
}

unsigned tile::elementBytes(Type element) {
  if (isa<PointerType>(element))
    return 8;
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}
