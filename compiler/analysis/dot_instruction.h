// Which instruction a tile.dot is made of: the one place that decides, for layout assignment (which
// gives operands and result the fragments' layouts) and lowering (which emits it). The decision is
// kept on the operation, so that lowering never makes it again.
//
// Elements of operands may be widened on the way into the instruction: fp8 to f16, exactly, where
// the architecture has no products of fp8; f32 is rounded to tf32.
#pragma once

#include "compiler/ir/dialect.h"
#include "compiler/layout/fragments.h"

namespace tilec {

/// Types inside a matrix instruction.
enum class MatrixType { F16, BF16, TF32, F32, F64, E4M3, E5M2, S8, U8, S32 };
/// As in names of instructions: "f16", "e4m3".
llvm::StringRef name(MatrixType type);
unsigned bytesOf(MatrixType type);

struct DotInstruction {
  bool isMatrix = false; ///< a warp's mma; else one thread's multiply-add
  MatrixType result, a, b;

  /// "mma.f32.f16.f16", "fma.f32.f32.f32".
  std::string str() const;
  Fragment fragment() const;
  bool operator==(const DotInstruction &) const = default;
};

/// The best instruction for `op`. `float8`: the target multiplies fp8 in its matrix units.
DotInstruction chooseDotInstruction(tile::DotOp op, bool float8);

/// The choice, as an attribute of the operation.
void setDotInstruction(tile::DotOp op, const DotInstruction &instruction);
/// Nothing when none was set, or one that does not exist.
std::optional<DotInstruction> dotInstruction(tile::DotOp op);

} // namespace tilec
