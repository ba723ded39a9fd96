// The `tile` dialect in C++. Operation semantics are in TileOps.td.
#pragma once

#include "compiler/layout/linear_layout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/ir/TileDialect.h.inc"
#include "compiler/ir/TileEnums.h.inc"
namespace tilec::tile {
/// The resource that promises (tile.assume) write: it orders nothing but keeps them where they are.
struct PromiseResource : mlir::SideEffects::Resource::Base<PromiseResource> {
  llvm::StringRef getName() final { return "tile.promise"; }
};
/// Shared memory: what buffers live in.
struct SharedMemoryResource : mlir::SideEffects::Resource::Base<SharedMemoryResource> {
  llvm::StringRef getName() final { return "tile.shared_memory"; }
};
/// A thread's queue of asynchronous copies: keeps copies, commits and waits in order.
struct CopyQueueResource : mlir::SideEffects::Resource::Base<CopyQueueResource> {
  llvm::StringRef getName() final { return "tile.copy_queue"; }
};
} // namespace tilec::tile

#define GET_TYPEDEF_CLASSES
#include "compiler/ir/TileTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/ir/TileAttrs.h.inc"
#define GET_OP_CLASSES
#include "compiler/ir/TileOps.h.inc"

namespace tilec::tile {

/// Registers every dialect that tile IR is made of: tile, arith, math, scf, func.
void registerTileDialects(mlir::DialectRegistry &registry);

/// True for a tile: a ranked tensor (a scalar of the language is a scalar here).
inline bool isTile(mlir::Type type) {
  return llvm::isa<mlir::RankedTensorType>(type);
}

/// The layout of a tile; the type must have one (after layout assignment every tile has).
LinearLayout layoutOf(mlir::Type type);
inline LinearLayout layoutOf(mlir::Value value) {
  return layoutOf(value.getType());
}

/// `type` with `layout` as its encoding.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const LinearLayout &layout);

/// Bytes an element occupies in memory: i1 and pointers included (1 and 8).
unsigned elementBytes(mlir::Type element);

// Discardable attributes on a kernel's func.func.
inline constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";     // unit: an entry point
inline constexpr llvm::StringLiteral kWarpsAttr = "tile.warps";       // i32: warps a program
inline constexpr llvm::StringLiteral kSharedAttr = "tile.shared";     // i32: bytes of shared memory
inline constexpr llvm::StringLiteral kMaxRegsAttr = "tile.max_regs";  // i32: registers a thread
inline constexpr llvm::StringLiteral kFmaAttr = "tile.fma";           // bool: contract a*b+c
inline constexpr llvm::StringLiteral kFtzAttr = "tile.ftz";           // bool: flush f32 denormals
inline constexpr llvm::StringLiteral kStagesAttr = "tile.stages";     // i32 on scf.for
inline constexpr llvm::StringLiteral kUnrollAttr = "tile.unroll";     // i32 on scf.for
inline constexpr llvm::StringLiteral kUnsignedAttr = "tile.unsigned"; // unit on a parameter
inline constexpr llvm::StringLiteral kConstAttr = "tile.const"; // unit on a ptr<const T> parameter
inline constexpr llvm::StringLiteral kNameAttr = "tile.name";   // string on a parameter
inline constexpr llvm::StringLiteral kViewAttr = "tile.view"; // i32 on a view's base: its parameter
// unit on a kernel: its `specialize` clauses hold, and what does not fit it has a general variant
inline constexpr llvm::StringLiteral kSpecializedAttr = "tile.specialized";

} // namespace tilec::tile
