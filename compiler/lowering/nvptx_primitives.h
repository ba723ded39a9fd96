// DevicePrimitives of NVIDIA GPUs; private to the nvptx_*.cpp files.
#pragma once

#include "compiler/lowering/device_primitives.h"

namespace tilec {

class NvptxPrimitives final : public DevicePrimitives {
public:
  explicit NvptxPrimitives(unsigned smVersion) : smVersion_(smVersion) {}
  mlir::LLVM::LLVMFuncOp createKernel(mlir::OpBuilder &builder, mlir::func::FuncOp source,
                                      llvm::ArrayRef<KernelParameter> parameters,
                                      llvm::SmallVectorImpl<mlir::Value> &arguments) override;
  mlir::Value threadId(mlir::OpBuilder &builder, mlir::Location loc) override;
  mlir::Value programId(mlir::OpBuilder &builder, mlir::Location loc, unsigned axis) override;
  mlir::Value numPrograms(mlir::OpBuilder &builder, mlir::Location loc, unsigned axis) override;
  mlir::Value sharedBase(mlir::OpBuilder &builder, mlir::Location loc) override;
  unsigned globalAddressSpace() const override;
  unsigned sharedAddressSpace() const override;
  mlir::Value shuffleXor(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                         unsigned mask) override;
  mlir::Value shuffleIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                           mlir::Value lane) override;
  void barrier(mlir::OpBuilder &builder, mlir::Location loc) override;
  mlir::Value electLane(mlir::OpBuilder &builder, mlir::Location loc) override;
  llvm::SmallVector<mlir::Value> mma(mlir::OpBuilder &builder, mlir::Location loc,
                                     const DotInstruction &instruction, mlir::ValueRange a,
                                     mlir::ValueRange b, mlir::ValueRange c) override;
  mlir::Value roundToTf32(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) override;
  unsigned maxAccessBytes() const override;
  llvm::SmallVector<mlir::Value> load(mlir::OpBuilder &builder, mlir::Location loc,
                                      mlir::Value pointer, mlir::IntegerType element,
                                      unsigned count, mlir::Value predicate,
                                      mlir::ValueRange others, const AccessHints &hints) override;
  void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
             mlir::ValueRange values, mlir::Value predicate, const AccessHints &hints) override;
  void copyAsync(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value shared,
                 mlir::Value global, unsigned bytes, mlir::Value mask, mlir::Value predicate,
                 const AccessHints &hints) override;
  void commitGroup(mlir::OpBuilder &builder, mlir::Location loc) override;
  void waitGroup(mlir::OpBuilder &builder, mlir::Location loc, unsigned pending) override;
  llvm::SmallVector<mlir::Value> loadMatrix(mlir::OpBuilder &builder, mlir::Location loc,
                                            mlir::Value row, unsigned count,
                                            bool transposed) override;
  void initMbarrier(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value barrier,
                    unsigned arrivals, mlir::Value predicate) override;
  void invalidateMbarrier(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value barrier,
                          mlir::Value predicate) override;
  void fenceTensorCopies(mlir::OpBuilder &builder, mlir::Location loc) override;
  void arriveExpecting(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value barrier,
                       mlir::Value bytes, mlir::Value predicate) override;
  void waitMbarrier(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value barrier,
                    mlir::Value phase) override;
  void tensorCopy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value map, mlir::Value shared,
                  mlir::Value barrier, mlir::ValueRange coordinates, mlir::Value predicate,
                  tile::EvictionPolicy evict) override;
  mlir::Value math(mlir::OpBuilder &builder, mlir::Location loc, MathFunction function,
                   mlir::Value operand, bool fast) override;
  mlir::Value fastDivide(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                         mlir::Value y) override;
  mlir::Value truncateFloat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value operand,
                            mlir::Type result) override;
  mlir::Value truncateToFloat8(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value operand,
                               mlir::Type type) override;
  mlir::Value extendFloat8(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value operand,
                           mlir::Type type) override;
  bool promotesToF32(mlir::Type type) const override;

private:
  unsigned smVersion_;
  bool flushesDenormals_ = false; ///< of the kernel made last
};

/// The L2 policy of a hint, made once in the kernel's entry block; null for a normal access.
mlir::Value cachePolicy(mlir::OpBuilder &builder, mlir::Location loc, tile::EvictionPolicy evict);

/// Calls the LLVM intrinsic of this name; overloads are resolved by the types.
mlir::Value callIntrinsic(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                          mlir::Type result, mlir::ValueRange arguments);

} // namespace tilec
