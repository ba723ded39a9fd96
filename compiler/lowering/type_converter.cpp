#include "compiler/lowering/type_converter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilec;

static LowerToLLVMOptions lowerOptions(MLIRContext *context) {
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  return options;
}

TileTypeConverter::TileTypeConverter(MLIRContext *context, unsigned globalAddressSpace)
    : LLVMTypeConverter(context, lowerOptions(context)) {
  addConversion([globalAddressSpace](tile::PointerType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), globalAddressSpace);
  });
  addConversion([](tile::TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext()); // to what the launch passes by value
  });
  addConversion([](tile::BufferType type) -> Type {
    return IntegerType::get(type.getContext(), 32); // where it starts in shared memory
  });
  addConversion([this](RankedTensorType type,
                       SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
    if (!isa_and_nonnull<tile::LayoutAttr>(type.getEncoding()))
      return failure();
    results.append(registersOf(type), elementType(type));
    return success();
  });
}

Type TileTypeConverter::elementType(Type tileOrScalar) const {
  return convertType(getElementTypeOrSelf(tileOrScalar));
}

unsigned tilec::registersOf(Type tileOrScalar) {
  if (auto tensor = dyn_cast<RankedTensorType>(tileOrScalar))
    return 1u << cast<tile::LayoutAttr>(tensor.getEncoding()).getReg().size();
  return 1;
}
