#include "compiler/analysis/dot_instruction.h"

using namespace mlir;
using namespace tilec;

/// The attribute that holds the choice.
static constexpr llvm::StringLiteral kInstructionAttr = "tile.instruction";

namespace {
struct MatrixTypeInfo {
  MatrixType type;
  llvm::StringLiteral name;
  unsigned bytes;
};
} // namespace

static constexpr MatrixTypeInfo kMatrixTypes[] = {
    {MatrixType::F16, "f16", 2},   {MatrixType::BF16, "bf16", 2}, {MatrixType::TF32, "tf32", 4},
    {MatrixType::F32, "f32", 4},   {MatrixType::F64, "f64", 8},   {MatrixType::E4M3, "e4m3", 1},
    {MatrixType::E5M2, "e5m2", 1}, {MatrixType::S8, "s8", 1},     {MatrixType::U8, "u8", 1},
    {MatrixType::S32, "s32", 4}};

static const MatrixTypeInfo &infoOf(MatrixType type) {
  return kMatrixTypes[static_cast<unsigned>(type)];
}

llvm::StringRef tilec::name(MatrixType type) {
  return infoOf(type).name;
}
unsigned tilec::bytesOf(MatrixType type) {
  return infoOf(type).bytes;
}

std::string DotInstruction::str() const {
  return ((isMatrix ? "mma." : "fma.") + name(result) + "." + name(a) + "." + name(b)).str();
}

Fragment DotInstruction::fragment() const {
  if (!isMatrix)
    return multiplyAddFragment();
  return a == MatrixType::F64 ? mmaFragmentOfDoubles() : mmaFragment(bytesOf(a));
}

static MatrixType matrixType(Type element, bool isUnsigned) {
  if (element.isF16())
    return MatrixType::F16;
  if (element.isBF16())
    return MatrixType::BF16;
  if (element.isF32())
    return MatrixType::F32;
  if (element.isF64())
    return MatrixType::F64;
  if (isa<Float8E4M3FNType>(element))
    return MatrixType::E4M3;
  if (isa<Float8E5M2Type>(element))
    return MatrixType::E5M2;
  if (element.isInteger(8))
    return isUnsigned ? MatrixType::U8 : MatrixType::S8;
  return MatrixType::S32;
}

DotInstruction tilec::chooseDotInstruction(tile::DotOp op, bool float8) {
  auto element = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  DotInstruction chosen{true, matrixType(element(op.getC()), false),
                        matrixType(element(op.getA()), op.getIsUnsigned()),
                        matrixType(element(op.getB()), op.getIsUnsigned())};
  if (op.getPrecision() == tile::Precision::ieee)
    chosen.isMatrix = false; // no unit multiplies all of an f32
  else if (chosen.a == MatrixType::F32)
    chosen.a = chosen.b = MatrixType::TF32;
  if (bytesOf(chosen.a) == 1 && isa<FloatType>(element(op.getA())) && !float8)
    chosen.a = chosen.b = MatrixType::F16;
  return chosen;
}

void tilec::setDotInstruction(tile::DotOp op, const DotInstruction &instruction) {
  op->setAttr(kInstructionAttr, StringAttr::get(op.getContext(), instruction.str()));
}

std::optional<DotInstruction> tilec::dotInstruction(tile::DotOp op) {
  auto attribute = op->getAttrOfType<StringAttr>(kInstructionAttr);
  if (!attribute)
    return std::nullopt;
  for (bool float8 : {false, true})
    if (DotInstruction known = chooseDotInstruction(op, float8); known.str() == attribute)
      return known;
  return std::nullopt;
}
