// The types of the language as sema computes with them: scalars with signedness, pointers that know
// whether they may be written through, and tiles of either. Promotion and broadcasting live here.
// Immutable values; no state.
#pragma once

#include "compiler/ir/dialect.h"

#include <optional>
#include <string>

namespace tilec::sema {

/// Scalar types, within a kind from narrow to wide.
enum class Scalar {
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F8E4M3,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64
};

const char *name(Scalar scalar);
std::optional<Scalar> scalarNamed(llvm::StringRef name);
/// Every scalar type name, for suggestions.
llvm::ArrayRef<Scalar> allScalars();

bool isFloat(Scalar scalar);
bool isUnsigned(Scalar scalar); ///< bool counts as unsigned
bool isSigned(Scalar scalar);
bool isInteger(Scalar scalar); ///< bool is not
bool isFloat8(Scalar scalar);
unsigned bitWidth(Scalar scalar); ///< bool: 1
inline bool isBool(Scalar scalar) {
  return scalar == Scalar::Bool;
}

/// What a tile holds: scalars, or pointers to scalars.
struct ElementType {
  Scalar scalar = Scalar::I32; ///< of a pointer: what it points to
  bool isPointer = false;
  bool isConst = false; ///< pointer: only read through
  bool operator==(const ElementType &) const = default;
};

using Shape = llvm::SmallVector<int64_t, 5>;

/// The type of a run-time value. Rank 0 is a scalar.
struct TileType {
  ElementType element;
  Shape shape;

  TileType() = default;
  TileType(Scalar scalar, Shape shape = {}) : element{scalar}, shape(std::move(shape)) {}
  TileType(ElementType element, Shape shape = {}) : element(element), shape(std::move(shape)) {}

  bool isTile() const { return !shape.empty(); }
  bool isPointer() const { return element.isPointer; }
  bool isScalar(Scalar scalar) const {
    return !isTile() && !isPointer() && element.scalar == scalar;
  }
  TileType withElement(ElementType other) const { return TileType(other, shape); }
  TileType withShape(Shape other) const { return TileType(element, std::move(other)); }
  bool operator==(const TileType &) const = default;
};

/// The type of a view: a strided array of `rank` dimensions.
struct ViewType {
  Scalar element = Scalar::F32;
  bool isConst = false; ///< only read through
  unsigned rank = 1;
  bool operator==(const ViewType &) const = default;
};
/// `view<const f32, 2>`.
std::string str(const ViewType &type);

/// As a user writes it: `f32`, `ptr<const f16>`, `tile<f32, [16, 64]>`.
std::string str(const ElementType &element);
std::string str(const TileType &type);
std::string str(llvm::ArrayRef<int64_t> shape);

mlir::Type toMlir(mlir::MLIRContext *context, Scalar scalar);
mlir::Type toMlir(mlir::MLIRContext *context, const TileType &type);

/// The common type of two scalars, or why there is none ("f16 and bf16 ...; write ...").
struct Promotion {
  std::optional<Scalar> type;
  std::string problem;
};
Promotion promote(Scalar first, Scalar second);

/// NumPy's rule; nothing when the shapes do not fit together.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> first, llvm::ArrayRef<int64_t> second);

/// Limits of a tile.
inline constexpr unsigned kMaxRank = 5;
inline constexpr int64_t kMaxElements = int64_t(1) << 20;

/// What is wrong with a tile of this shape, for a message; nothing when it may exist.
std::optional<std::string> shapeProblem(llvm::ArrayRef<int64_t> shape);

} // namespace tilec::sema
