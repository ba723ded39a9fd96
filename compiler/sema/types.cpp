#include "compiler/sema/types.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tilec::sema {

namespace {
enum class Kind { Bool, Signed, Unsigned, Float };
struct ScalarInfo {
  Scalar scalar;
  const char *name;
  Kind kind;
  unsigned bits;
};
} // namespace

static constexpr ScalarInfo kScalars[] = {
    {Scalar::Bool, "bool", Kind::Bool, 1},      {Scalar::I8, "i8", Kind::Signed, 8},
    {Scalar::I16, "i16", Kind::Signed, 16},     {Scalar::I32, "i32", Kind::Signed, 32},
    {Scalar::I64, "i64", Kind::Signed, 64},     {Scalar::U8, "u8", Kind::Unsigned, 8},
    {Scalar::U16, "u16", Kind::Unsigned, 16},   {Scalar::U32, "u32", Kind::Unsigned, 32},
    {Scalar::U64, "u64", Kind::Unsigned, 64},   {Scalar::F8E4M3, "f8e4m3", Kind::Float, 8},
    {Scalar::F8E5M2, "f8e5m2", Kind::Float, 8}, {Scalar::F16, "f16", Kind::Float, 16},
    {Scalar::BF16, "bf16", Kind::Float, 16},    {Scalar::F32, "f32", Kind::Float, 32},
    {Scalar::F64, "f64", Kind::Float, 64}};

static constexpr Scalar kScalarList[] = {Scalar::Bool, Scalar::I8,     Scalar::I16,    Scalar::I32,
                                         Scalar::I64,  Scalar::U8,     Scalar::U16,    Scalar::U32,
                                         Scalar::U64,  Scalar::F8E4M3, Scalar::F8E5M2, Scalar::F16,
                                         Scalar::BF16, Scalar::F32,    Scalar::F64};

static const ScalarInfo &info(Scalar scalar) {
  return kScalars[static_cast<unsigned>(scalar)];
}

const char *name(Scalar scalar) {
  return info(scalar).name;
}

std::optional<Scalar> scalarNamed(llvm::StringRef name) {
  for (const ScalarInfo &entry : kScalars)
    if (name == entry.name)
      return entry.scalar;
  return std::nullopt;
}

llvm::ArrayRef<Scalar> allScalars() {
  return kScalarList;
}

bool isFloat(Scalar scalar) {
  return info(scalar).kind == Kind::Float;
}
bool isUnsigned(Scalar scalar) {
  return info(scalar).kind == Kind::Unsigned || info(scalar).kind == Kind::Bool;
}
bool isSigned(Scalar scalar) {
  return info(scalar).kind == Kind::Signed;
}
bool isInteger(Scalar scalar) {
  return info(scalar).kind == Kind::Signed || info(scalar).kind == Kind::Unsigned;
}
bool isFloat8(Scalar scalar) {
  return isFloat(scalar) && bitWidth(scalar) == 8;
}
unsigned bitWidth(Scalar scalar) {
  return info(scalar).bits;
}

std::string str(llvm::ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(shape, [](int64_t d) { return std::to_string(d); }), ", ") +
         "]";
}

std::string str(const ElementType &element) {
  if (!element.isPointer)
    return name(element.scalar);
  return std::string("ptr<") + (element.isConst ? "const " : "") + name(element.scalar) + ">";
}

std::string str(const TileType &type) {
  if (!type.isTile())
    return str(type.element);
  return "tile<" + str(type.element) + ", " + str(llvm::ArrayRef<int64_t>(type.shape)) + ">";
}

std::string str(const ViewType &type) {
  return std::string("view<") + (type.isConst ? "const " : "") + name(type.element) + ", " +
         std::to_string(type.rank) + ">";
}

mlir::Type toMlir(mlir::MLIRContext *context, Scalar scalar) {
  mlir::Builder builder(context);
  switch (scalar) {
  case Scalar::F8E4M3:
    return mlir::Float8E4M3FNType::get(context);
  case Scalar::F8E5M2:
    return mlir::Float8E5M2Type::get(context);
  case Scalar::F16:
    return builder.getF16Type();
  case Scalar::BF16:
    return builder.getBF16Type();
  case Scalar::F32:
    return builder.getF32Type();
  case Scalar::F64:
    return builder.getF64Type();
  default:
    return builder.getIntegerType(bitWidth(scalar));
  }
}

mlir::Type toMlir(mlir::MLIRContext *context, const TileType &type) {
  mlir::Type element = toMlir(context, type.element.scalar);
  if (type.element.isPointer)
    element = tile::PointerType::get(context, element);
  if (!type.isTile())
    return element;
  return mlir::RankedTensorType::get(type.shape, element);
}

Promotion promote(Scalar first, Scalar second) {
  if (first == second)
    return {first, {}};
  auto rank = [](Scalar scalar) { return isBool(scalar) ? 0 : isFloat(scalar) ? 2 : 1; };
  if (rank(first) != rank(second))
    return {rank(first) > rank(second) ? first : second, {}};
  if (bitWidth(first) != bitWidth(second))
    return {bitWidth(first) > bitWidth(second) ? first : second, {}};
  auto both = std::string(name(first)) + " and " + name(second);
  if (isFloat(first))
    return {std::nullopt, both + " have no common type; cast one of them, for example f32(...)"};
  return {std::nullopt,
          both + " differ in signedness; cast one of them, for example " + name(first) + "(...)"};
}

std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> first,
                                     llvm::ArrayRef<int64_t> second) {
  size_t rank = std::max(first.size(), second.size());
  Shape result(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    int64_t a = i < first.size() ? first[first.size() - 1 - i] : 1;
    int64_t b = i < second.size() ? second[second.size() - 1 - i] : 1;
    if (a != b && a != 1 && b != 1)
      return std::nullopt;
    result[rank - 1 - i] = a == 1 ? b : a;
  }
  return result;
}

std::optional<std::string> shapeProblem(llvm::ArrayRef<int64_t> shape) {
  if (shape.size() > kMaxRank)
    return "a tile has at most " + std::to_string(kMaxRank) + " dimensions; this one has " +
           std::to_string(shape.size());
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size <= 0 || !llvm::isPowerOf2_64(size))
      return "tile dimensions are powers of two; " + std::to_string(size) + " is not";
    if (size > kMaxElements || elements > kMaxElements / size)
      return "a tile has at most 2^20 elements; " + str(shape) + " has more";
    elements *= size;
  }
  return std::nullopt;
}

} // namespace tilec::sema
