// What a plain LLVM instruction cannot say, behind one interface with two implementations: NVPTX
// (intrinsics, inline PTX) and the host device (calls into tilert, libm). Lowering patterns call
// these and never name a target.
//
// All values are LLVM-dialect values; everything is created at the builder's insertion point,
// inside the kernel's llvm.func. No primitive creates a block: patterns may run inside structured
// loops. Warp-wide operations are emitted so that LLVM treats them as convergent.
#pragma once

#include "compiler/analysis/dot_instruction.h"
#include "compiler/ir/dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#include <memory>

namespace mlir::func {
class FuncOp;
}

namespace tilec {

/// Functions of one float argument that hardware or a library provides.
enum class MathFunction { Exp, Exp2, Log, Log2, Sqrt, Rsqrt, Sin, Cos, Tanh, Erf };

/// Cache behaviour of one global access.
struct AccessHints {
  tile::CacheModifier cache = tile::CacheModifier::none;
  tile::EvictionPolicy evict = tile::EvictionPolicy::normal;
  bool readOnly = false; ///< nothing writes this memory while the kernel runs
};

/// One parameter of a kernel's ABI.
struct KernelParameter {
  mlir::Type type;          ///< an LLVM type; i1 is already i8
  bool readOnly = false;    ///< a `ptr<const T>`: the kernel never writes through it
  int64_t alignment = 0;    ///< bytes a pointer is known to be a multiple of, or 0
  bool isTensorMap = false; ///< passed by value; the kernel sees a pointer to it
};

class DevicePrimitives {
public:
  virtual ~DevicePrimitives() = default;

  // --- Kernel entry ------------------------------------------------------------------------
  /// The llvm.func that replaces `source`, with its symbol, warps and options (tile.* attributes).
  /// Its entry block exists and ends nowhere. `arguments` receives the parameters' values (the host
  /// loads them from its argument array in the entry block).
  virtual mlir::LLVM::LLVMFuncOp createKernel(mlir::OpBuilder &builder, mlir::func::FuncOp source,
                                              llvm::ArrayRef<KernelParameter> parameters,
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
  /// i1: holds in one lane, the same each time, of a warp all of whose lanes come here.
  virtual mlir::Value electLane(mlir::OpBuilder &builder, mlir::Location loc) = 0;

  // --- Products of matrices ----------------------------------------------------------------
  /// One matrix instruction of the warp: c + a x b. Registers in the instruction's order
  /// (layout/fragments.h), narrow elements packed into words from the lowest bits: a and b are i32,
  /// or f64; c and the results f32, i32, f64, or i32 words of two f16.
  virtual llvm::SmallVector<mlir::Value> mma(mlir::OpBuilder &builder, mlir::Location loc,
                                             const DotInstruction &instruction, mlir::ValueRange a,
                                             mlir::ValueRange b, mlir::ValueRange c) = 0;
  /// f32 rounded to tf32, to nearest with ties away from zero: a number whose low 13 bits are 0.
  virtual mlir::Value roundToTf32(mlir::OpBuilder &builder, mlir::Location loc,
                                  mlir::Value value) = 0;

  // --- Memory, global or shared by the pointer's address space -----------------------------
  /// Most bytes one access may move.
  virtual unsigned maxAccessBytes() const = 0;
  /// Loads `count` (a power of two) consecutive integers of type `element` (8 to 64 bits; count x
  /// size <= maxAccessBytes, the pointer aligned to it) when `predicate` (i1, or null: always)
  /// holds, else gives `others` (count values, or empty: zeros). Memory is not touched when the
  /// predicate does not hold. Returns count values.
  virtual llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &builder, mlir::Location loc,
                                              mlir::Value pointer, mlir::IntegerType element,
                                              unsigned count, mlir::Value predicate,
                                              mlir::ValueRange others,
                                              const AccessHints &hints) = 0;
  /// Stores consecutive integers, as `load`.
  virtual void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
                     mlir::ValueRange values, mlir::Value predicate, const AccessHints &hints) = 0;

  // --- Shared memory -----------------------------------------------------------------------
  /// Said before each plain access of shared memory, for targets that check them. `predicate` as
  /// for the access.
  virtual void noteSharedAccess(mlir::OpBuilder & /*builder*/, mlir::Location /*loc*/,
                                mlir::Value /*pointer*/, unsigned /*bytes*/, bool /*isWrite*/,
                                mlir::Value /*predicate*/) {}
  /// Starts copying `bytes` (4, 8 or 16; both pointers are aligned to them) from global to shared
  /// memory. `mask` (i1 or null: true): when false, zeros are written and `global` is not read.
  /// `predicate` (i1 or null: true): when false, nothing happens.
  virtual void copyAsync(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value shared,
                         mlir::Value global, unsigned bytes, mlir::Value mask,
                         mlir::Value predicate, const AccessHints &hints) = 0;
  /// Closes the group of the copies since the last one.
  virtual void commitGroup(mlir::OpBuilder &builder, mlir::Location loc) = 0;
  /// Waits until at most `pending` groups of the thread are under way.
  virtual void waitGroup(mlir::OpBuilder &builder, mlir::Location loc, unsigned pending) = 0;
  /// ldmatrix: `count` (1, 2, 4) matrices of 8 rows of 16 bytes; lane l passes the address of row
  /// l % 8 of matrix l / 8. Returns an i32 a matrix.
  virtual llvm::SmallVector<mlir::Value> loadMatrix(mlir::OpBuilder &builder, mlir::Location loc,
                                                    mlir::Value row, unsigned count,
                                                    bool transposed) = 0;

  // --- The tensor-copy engine and its barriers (sm_90 and later) ---------------------------
  // `barrier` points to 8 bytes of shared memory; `predicate` (i1): when false, nothing happens.
  /// mbarrier.init: a barrier whose phases end when `arrivals` threads have arrived.
  virtual void initMbarrier(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value barrier,
                            unsigned arrivals, mlir::Value predicate) = 0;
  /// mbarrier.inval: the end of a barrier.
  virtual void invalidateMbarrier(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value barrier,
                                  mlir::Value predicate) = 0;
  /// What the thread has written to shared memory, barriers included, comes before what the engine
  /// does there for copies that start later.
  virtual void fenceTensorCopies(mlir::OpBuilder & /*builder*/, mlir::Location /*loc*/) {}
  /// mbarrier.arrive.expect_tx: arrives, and lets the phase wait for `bytes` (i32) more.
  virtual void arriveExpecting(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value barrier,
                               mlir::Value bytes, mlir::Value predicate) = 0;
  /// mbarrier.try_wait.parity until it is true: the phase of parity `phase` (i32) has ended.
  virtual void waitMbarrier(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value barrier,
                            mlir::Value phase) = 0;
  /// cp.async.bulk.tensor: starts copying one box at `coordinates` (i32, innermost first) of what
  /// the map describes to `shared`; its bytes count at `barrier` when they have landed.
  virtual void tensorCopy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value map,
                          mlir::Value shared, mlir::Value barrier, mlir::ValueRange coordinates,
                          mlir::Value predicate, tile::EvictionPolicy evict) = 0;

  // --- Arithmetic --------------------------------------------------------------------------
  /// `operand` is f32 or f64. `fast`: the approximate instruction where the target has one.
  virtual mlir::Value math(mlir::OpBuilder &builder, mlir::Location loc, MathFunction function,
                           mlir::Value operand, bool fast) = 0;
  /// x / y, approximate where the target has an instruction for it.
  virtual mlir::Value fastDivide(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                                 mlir::Value y) = 0;
  /// f32 or f64 to f16, bf16 or f32, rounded once, to nearest even.
  virtual mlir::Value truncateFloat(mlir::OpBuilder &builder, mlir::Location loc,
                                    mlir::Value operand, mlir::Type result) = 0;
  /// f32 to fp8 (`type`; an i8 in LLVM) to nearest even, saturating, NaN to 0x7f. Null: the target
  /// has no instruction.
  virtual mlir::Value truncateToFloat8(mlir::OpBuilder &, mlir::Location, mlir::Value /*operand*/,
                                       mlir::Type /*type*/) {
    return {};
  }
  /// fp8 (`type`) to f16, exact. Null: the target has no instruction.
  virtual mlir::Value extendFloat8(mlir::OpBuilder &, mlir::Location, mlir::Value /*operand*/,
                                   mlir::Type /*type*/) {
    return {};
  }
  /// True when arithmetic on this type must be done in f32 and rounded (host: f16, bf16).
  virtual bool promotesToF32(mlir::Type type) const = 0;
};

/// For an architecture (80, 90, ...).
std::unique_ptr<DevicePrimitives> makeNvptxPrimitives(unsigned smVersion);
std::unique_ptr<DevicePrimitives> makeHostPrimitives();

} // namespace tilec
