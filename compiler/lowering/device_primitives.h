// What a plain LLVM instruction cannot say, behind one interface with two implementations: NVPTX
// (intrinsics, inline PTX) and the host device (calls into tilert, libm). Lowering patterns call
// these and never name a target.
//
// All values are LLVM-dialect values. Warp-wide operations are emitted so that LLVM treats them as
// convergent.
#pragma once

#include "compiler/ir/dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tilec {

/// Functions of one float argument (two for Pow-like ones) that hardware or a library provides.
enum class MathFunction { Exp, Exp2, Log, Log2, Sqrt, Rsqrt, Sin, Cos, Tanh, Erf };

/// Cache behaviour of one global access.
struct AccessHints {
  tile::CacheModifier cache = tile::CacheModifier::none;
  tile::EvictionPolicy evict = tile::EvictionPolicy::normal;
  bool readOnly = false; ///< nothing writes this memory while the kernel runs
};

class DevicePrimitives {
public:
  virtual ~DevicePrimitives() = default;

  // --- Kernel entry ------------------------------------------------------------------------
  /// The llvm.func of a kernel whose ABI parameters have these LLVM types, named `symbol`, with
  /// `warps` warps; the body block exists and is empty. `arguments` receives the parameters' values
  /// (the host loads them from its argument array in the entry block).
  virtual mlir::LLVM::LLVMFuncOp createKernel(mlir::OpBuilder &builder, mlir::Location loc,
                                              llvm::StringRef symbol,
                                              llvm::ArrayRef<mlir::Type> parameters,
                                              mlir::func::FuncOp source,
                                              llvm::SmallVectorImpl<mlir::Value> &arguments) = 0;

  // --- Where am I (i32) --------------------------------------------------------------------
  virtual mlir::Value threadId(mlir::OpBuilder &builder, mlir::Location loc) = 0;
  virtual mlir::Value programId(mlir::OpBuilder &builder, mlir::Location loc, unsigned axis) = 0;
  virtual mlir::Value numPrograms(mlir::OpBuilder &builder, mlir::Location loc, unsigned axis) = 0;
  /// Base of the program's shared memory, as a pointer in `sharedAddressSpace()`.
  virtual mlir::Value sharedBase(mlir::OpBuilder &builder, mlir::Location loc) = 0;
  virtual unsigned globalAddressSpace() const = 0;
  virtual unsigned sharedAddressSpace() const = 0;

  // --- Warp and program --------------------------------------------------------------------
  /// Shuffles of one i32 over the whole warp.
  virtual mlir::Value shuffleXor(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                                 unsigned mask) = 0;
  virtual mlir::Value shuffleIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                                   mlir::Value lane) = 0;
  virtual void barrier(mlir::OpBuilder &builder, mlir::Location loc) = 0;

  // --- Global memory -----------------------------------------------------------------------
  /// Loads `count` consecutive elements of LLVM type `element` (count x size <= 16 bytes, the
  /// pointer aligned to it) when `predicate` (i1, or null: always) holds, else gives `others`
  /// (count values, or empty: zero). Returns count values.
  virtual llvm::SmallVector<mlir::Value>
  loadGlobal(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer, mlir::Type element,
             unsigned count, mlir::Value predicate, mlir::ValueRange others,
             const AccessHints &hints) = 0;
  virtual void storeGlobal(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
                           mlir::ValueRange values, mlir::Value predicate,
                           const AccessHints &hints) = 0;

  // --- Arithmetic --------------------------------------------------------------------------
  /// `fast`: the approximate instruction where the target has one.
  virtual mlir::Value math(mlir::OpBuilder &builder, mlir::Location loc, MathFunction function,
                           mlir::Value operand, bool fast) = 0;
  /// Float to narrower float; f16, bf16, f32 results. `towardZero`: rtz, else nearest even.
  virtual mlir::Value truncateFloat(mlir::OpBuilder &builder, mlir::Location loc,
                                    mlir::Value operand, mlir::Type result, bool towardZero) = 0;
  /// True when arithmetic on this type must be done in f32 and rounded (host: f16, bf16).
  virtual bool promotesToF32(mlir::Type type) const = 0;
};

std::unique_ptr<DevicePrimitives> makeNvptxPrimitives(unsigned smVersion);
std::unique_ptr<DevicePrimitives> makeHostPrimitives();

} // namespace tilec
