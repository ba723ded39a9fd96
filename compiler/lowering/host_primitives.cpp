// DevicePrimitives of the host device: calls into tilert and libm (docs/host_device.md is the ABI).
//
// Threads of a program are fibers; whatever involves other threads is a call that may switch
// fibers, which LLVM treats as reading and writing all memory.
#include "compiler/lowering/bits.h"
#include "compiler/lowering/device_primitives.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tilec;

/// Byte offsets in struct tilert_host_thread.
static constexpr int32_t kThreadField = 0, kProgramField = 4, kProgramsField = 16,
                         kSharedField = 32;
static constexpr unsigned kMaxAccessBytes = 16;

static LLVM::LLVMFuncOp kernelAt(OpBuilder &builder) {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto kernel = dyn_cast<LLVM::LLVMFuncOp>(parent);
  return kernel ? kernel : parent->getParentOfType<LLVM::LLVMFuncOp>();
}

static Value self(OpBuilder &builder) {
  return kernelAt(builder).getArgument(0);
}

static Value byteOffset(OpBuilder &builder, Location loc, Value pointer, int32_t bytes) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes}, LLVM::GEPNoWrapFlags::inbounds);
}

/// A field of the thread's context; none of them changes while the thread runs.
static Value contextField(OpBuilder &builder, Location loc, Type type, int32_t offset) {
  auto load =
      LLVM::LoadOp::create(builder, loc, type, byteOffset(builder, loc, self(builder), offset));
  load.setInvariant(true);
  return load;
}

/// Calls a C function, declaring it when it is new.
static Value callC(OpBuilder &builder, Location loc, StringRef name, Type result,
                   ValueRange arguments) {
  auto module = kernelAt(builder)->getParentOfType<ModuleOp>();
  Type returned = result ? result : Type(LLVM::LLVMVoidType::get(builder.getContext()));
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    LLVM::LLVMFuncOp::create(
        builder, loc, name,
        LLVM::LLVMFunctionType::get(returned, SmallVector<Type>(arguments.getTypes())));
  }
  auto call =
      LLVM::CallOp::create(builder, loc, result ? TypeRange{result} : TypeRange(), name, arguments);
  return result ? call.getResult() : Value();
}

/// `bytes`, or 0 - no access at all - where the predicate does not hold.
static Value bytesWhere(OpBuilder &builder, Location loc, unsigned bytes, Value predicate) {
  Type i32 = builder.getI32Type();
  Value size = constantInt(builder, loc, i32, bytes);
  if (!predicate)
    return size;
  return LLVM::SelectOp::create(builder, loc, predicate, size, constantInt(builder, loc, i32, 0));
}

static Value asI32(OpBuilder &builder, Location loc, Value predicate) {
  return LLVM::ZExtOp::create(builder, loc, builder.getI32Type(), predicate);
}

/// Coordinates that tilert_host_tensor_copy takes.
static constexpr unsigned kMaxCoordinates = 5;

namespace {

class HostPrimitives final : public DevicePrimitives {
public:
  LLVM::LLVMFuncOp createKernel(OpBuilder &builder, func::FuncOp source,
                                ArrayRef<KernelParameter> parameters,
                                SmallVectorImpl<Value> &arguments) override;

  Value threadId(OpBuilder &builder, Location loc) override {
    return contextField(builder, loc, builder.getI32Type(), kThreadField);
  }
  Value programId(OpBuilder &builder, Location loc, unsigned axis) override {
    return contextField(builder, loc, builder.getI32Type(), kProgramField + 4 * axis);
  }
  Value numPrograms(OpBuilder &builder, Location loc, unsigned axis) override {
    return contextField(builder, loc, builder.getI32Type(), kProgramsField + 4 * axis);
  }
  Value sharedBase(OpBuilder &builder, Location loc) override {
    return contextField(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                        kSharedField);
  }
  unsigned globalAddressSpace() const override { return 0; }
  unsigned sharedAddressSpace() const override { return 0; }

  Value shuffleXor(OpBuilder &builder, Location loc, Value value, unsigned mask) override {
    Type i32 = builder.getI32Type();
    return callC(builder, loc, "tilert_host_shuffle_xor", i32,
                 {self(builder), value, constantInt(builder, loc, i32, mask)});
  }
  Value shuffleIndex(OpBuilder &builder, Location loc, Value value, Value lane) override {
    return callC(builder, loc, "tilert_host_shuffle_idx", builder.getI32Type(),
                 {self(builder), value, lane});
  }
  void barrier(OpBuilder &builder, Location loc) override {
    callC(builder, loc, "tilert_host_barrier", Type(), self(builder));
  }
  Value electLane(OpBuilder &builder, Location loc) override {
    Type i32 = builder.getI32Type();
    Value lane = LLVM::AndOp::create(builder, loc, threadId(builder, loc),
                                     constantInt(builder, loc, i32, (1 << kLaneBits) - 1));
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, lane,
                                constantInt(builder, loc, i32, 0));
  }
  SmallVector<Value> mma(OpBuilder &builder, Location loc, const DotInstruction &instruction,
                         ValueRange a, ValueRange b, ValueRange c) override;
  Value roundToTf32(OpBuilder &builder, Location loc, Value value) override;

  unsigned maxAccessBytes() const override { return kMaxAccessBytes; }
  SmallVector<Value> load(OpBuilder &builder, Location loc, Value pointer, IntegerType element,
                          unsigned count, Value predicate, ValueRange others,
                          const AccessHints &hints) override;
  void store(OpBuilder &builder, Location loc, Value pointer, ValueRange values, Value predicate,
             const AccessHints &hints) override;

  void noteSharedAccess(OpBuilder &builder, Location loc, Value pointer, unsigned bytes,
                        bool isWrite, Value predicate) override {
    callC(builder, loc, "tilert_host_shared_access", Type(),
          {self(builder), pointer, bytesWhere(builder, loc, bytes, predicate),
           constantInt(builder, loc, builder.getI32Type(), isWrite)});
  }
  void copyAsync(OpBuilder &builder, Location loc, Value shared, Value global, unsigned bytes,
                 Value mask, Value predicate, const AccessHints &) override {
    Type i32 = builder.getI32Type();
    Value filled = mask ? Value(LLVM::ZExtOp::create(builder, loc, i32, mask))
                        : constantInt(builder, loc, i32, 1);
    callC(builder, loc, "tilert_host_copy_async", Type(),
          {self(builder), shared, global, bytesWhere(builder, loc, bytes, predicate), filled});
  }
  void commitGroup(OpBuilder &builder, Location loc) override {
    callC(builder, loc, "tilert_host_commit_group", Type(), self(builder));
  }
  void waitGroup(OpBuilder &builder, Location loc, unsigned pending) override {
    callC(builder, loc, "tilert_host_wait_group", Type(),
          {self(builder), constantInt(builder, loc, builder.getI32Type(), pending)});
  }
  SmallVector<Value> loadMatrix(OpBuilder &builder, Location loc, Value row, unsigned count,
                                bool transposed) override;

  void initMbarrier(OpBuilder &builder, Location loc, Value barrier, unsigned arrivals,
                    Value predicate) override {
    callC(builder, loc, "tilert_host_mbarrier_init", Type(),
          {self(builder), barrier, constantInt(builder, loc, builder.getI32Type(), arrivals),
           asI32(builder, loc, predicate)});
  }
  void invalidateMbarrier(OpBuilder &builder, Location loc, Value barrier,
                          Value predicate) override {
    callC(builder, loc, "tilert_host_mbarrier_invalidate", Type(),
          {self(builder), barrier, asI32(builder, loc, predicate)});
  }
  void arriveExpecting(OpBuilder &builder, Location loc, Value barrier, Value bytes,
                       Value predicate) override {
    callC(builder, loc, "tilert_host_mbarrier_arrive_expect", Type(),
          {self(builder), barrier, bytes, asI32(builder, loc, predicate)});
  }
  void waitMbarrier(OpBuilder &builder, Location loc, Value barrier, Value phase) override {
    callC(builder, loc, "tilert_host_mbarrier_wait", Type(), {self(builder), barrier, phase});
  }
  void tensorCopy(OpBuilder &builder, Location loc, Value map, Value shared, Value barrier,
                  ValueRange coordinates, Value predicate, tile::EvictionPolicy) override {
    SmallVector<Value> arguments = {self(builder), map, shared, barrier};
    llvm::append_range(arguments, coordinates);
    while (arguments.size() < 4 + kMaxCoordinates)
      arguments.push_back(constantInt(builder, loc, builder.getI32Type(), 0));
    arguments.push_back(asI32(builder, loc, predicate));
    callC(builder, loc, "tilert_host_tensor_copy", Type(), arguments);
  }

  Value math(OpBuilder &builder, Location loc, MathFunction function, Value operand,
             bool fast) override;
  Value fastDivide(OpBuilder &builder, Location loc, Value x, Value y) override {
    return LLVM::FDivOp::create(builder, loc, x, y);
  }
  Value truncateFloat(OpBuilder &builder, Location loc, Value operand, Type result) override;
  bool promotesToF32(Type type) const override { return type.isF16() || type.isBF16(); }

private:
  Value matrixBlock_; ///< of the kernel made last: what mma's operands and results travel in
};

} // namespace

LLVM::LLVMFuncOp HostPrimitives::createKernel(OpBuilder &builder, func::FuncOp source,
                                              ArrayRef<KernelParameter> parameters,
                                              SmallVectorImpl<Value> &arguments) {
  Location loc = source.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                          {pointer, pointer});
  auto kernel = LLVM::LLVMFuncOp::create(builder, loc, source.getSymName(), type);
  Block *entry = kernel.addEntryBlock(builder);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(entry);
  matrixBlock_ = {};
  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, entry->getArgument(1),
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)},
                                     LLVM::GEPNoWrapFlags::inbounds);
    Value address = LLVM::LoadOp::create(builder, loc, pointer, slot);
    if (parameter.isTensorMap) {
      arguments.push_back(address);
      continue;
    }
    arguments.push_back(LLVM::LoadOp::create(builder, loc, parameter.type, address));
  }
  return kernel;
}

/// Bytes of the block that tilert_host_mma_* take: four words of a, two of b, four of c.
static constexpr unsigned kMatrixBlockBytes = 40;

SmallVector<Value> HostPrimitives::mma(OpBuilder &builder, Location loc,
                                       const DotInstruction &instruction, ValueRange a,
                                       ValueRange b, ValueRange c) {
  if (!matrixBlock_) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&kernelAt(builder).getBody().front());
    Value bytes = constantInt(builder, loc, builder.getI32Type(), kMatrixBlockBytes);
    matrixBlock_ =
        LLVM::AllocaOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                               builder.getI8Type(), bytes, /*alignment=*/8);
  }
  int32_t offset = 0;
  auto next = [&](Value value) {
    Value place = byteOffset(builder, loc, matrixBlock_, offset);
    offset += static_cast<int32_t>(value.getType().getIntOrFloatBitWidth() / 8);
    return place;
  };
  for (ValueRange values : {a, b})
    for (Value value : values)
      LLVM::StoreOp::create(builder, loc, value, next(value));
  SmallVector<Value> places;
  for (Value value : c) {
    places.push_back(next(value));
    LLVM::StoreOp::create(builder, loc, value, places.back());
  }
  std::string function = "tilert_host_" + instruction.str();
  std::replace(function.begin(), function.end(), '.', '_');
  callC(builder, loc, function, Type(), {self(builder), matrixBlock_});
  SmallVector<Value> results;
  for (auto [value, place] : llvm::zip(c, places))
    results.push_back(LLVM::LoadOp::create(builder, loc, value.getType(), place));
  return results;
}

Value HostPrimitives::roundToTf32(OpBuilder &builder, Location loc, Value value) {
  // Half of the last kept bit is added to the magnitude; a carry into the exponent is right.
  Type word = builder.getI32Type();
  auto constant = [&](int64_t bits) { return constantInt(builder, loc, word, bits); };
  Value bits = toStorage(builder, loc, value);
  Value magnitude = LLVM::AndOp::create(builder, loc, bits, constant(0x7fffffff));
  Value isFinite =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, magnitude, constant(0x7f800000));
  Value rounded = LLVM::AddOp::create(builder, loc, bits, constant(0x1000));
  rounded = LLVM::AndOp::create(builder, loc, rounded, constant(~int64_t(0x1fff)));
  bits = LLVM::SelectOp::create(builder, loc, isFinite, rounded, bits);
  return fromStorage(builder, loc, bits, value.getType());
}

/// A vector of `count` predicates.
static Value splatPredicate(OpBuilder &builder, Location loc, Value predicate, unsigned count) {
  auto type = VectorType::get(count, builder.getI1Type());
  Value mask = LLVM::PoisonOp::create(builder, loc, type);
  for (unsigned index = 0; index < count; ++index)
    mask = LLVM::InsertElementOp::create(builder, loc, mask, predicate,
                                         constantInt(builder, loc, builder.getI32Type(), index));
  return mask;
}

static Value toVector(OpBuilder &builder, Location loc, ValueRange values) {
  auto type = VectorType::get(values.size(), values.front().getType());
  Value vector = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [index, value] : llvm::enumerate(values))
    vector = LLVM::InsertElementOp::create(builder, loc, vector, value,
                                           constantInt(builder, loc, builder.getI32Type(), index));
  return vector;
}

SmallVector<Value> HostPrimitives::load(OpBuilder &builder, Location loc, Value pointer,
                                        IntegerType element, unsigned count, Value predicate,
                                        ValueRange others, const AccessHints &) {
  auto type = VectorType::get(count, element);
  unsigned alignment = element.getWidth() / 8 * count;
  Value vector;
  if (predicate) {
    Value initial = others.empty() ? Value(LLVM::ZeroOp::create(builder, loc, type))
                                   : toVector(builder, loc, others);
    vector = LLVM::MaskedLoadOp::create(builder, loc, type, pointer,
                                        splatPredicate(builder, loc, predicate, count), initial,
                                        alignment);
  } else {
    vector = LLVM::LoadOp::create(builder, loc, type, pointer, alignment);
  }
  SmallVector<Value> result;
  for (unsigned index = 0; index < count; ++index)
    result.push_back(LLVM::ExtractElementOp::create(
        builder, loc, vector, constantInt(builder, loc, builder.getI32Type(), index)));
  return result;
}

void HostPrimitives::store(OpBuilder &builder, Location loc, Value pointer, ValueRange values,
                           Value predicate, const AccessHints &) {
  unsigned alignment = storageType(values.front().getType()).getWidth() / 8 * values.size();
  Value vector = toVector(builder, loc, values);
  if (predicate)
    LLVM::MaskedStoreOp::create(builder, loc, vector, pointer,
                                splatPredicate(builder, loc, predicate, values.size()), alignment);
  else
    LLVM::StoreOp::create(builder, loc, vector, pointer, alignment);
}

SmallVector<Value> HostPrimitives::loadMatrix(OpBuilder &builder, Location loc, Value row,
                                              unsigned count, bool transposed) {
  Type i32 = builder.getI32Type();
  Value results;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&kernelAt(builder).front());
    results = LLVM::AllocaOp::create(builder, loc, row.getType(), i32,
                                     constantInt(builder, loc, i32, count));
  }
  callC(builder, loc, "tilert_host_load_matrix", Type(),
        {self(builder), row, constantInt(builder, loc, i32, count),
         constantInt(builder, loc, i32, transposed), results});
  SmallVector<Value> words;
  for (unsigned index = 0; index < count; ++index)
    words.push_back(
        LLVM::LoadOp::create(builder, loc, i32, byteOffset(builder, loc, results, 4 * index)));
  return words;
}

Value HostPrimitives::math(OpBuilder &builder, Location loc, MathFunction function, Value operand,
                           bool) {
  Type type = operand.getType();
  switch (function) {
  case MathFunction::Exp:
    return LLVM::ExpOp::create(builder, loc, type, operand);
  case MathFunction::Exp2:
    return LLVM::Exp2Op::create(builder, loc, type, operand);
  case MathFunction::Log:
    return LLVM::LogOp::create(builder, loc, type, operand);
  case MathFunction::Log2:
    return LLVM::Log2Op::create(builder, loc, type, operand);
  case MathFunction::Sqrt:
    return LLVM::SqrtOp::create(builder, loc, type, operand);
  case MathFunction::Rsqrt: {
    Value one = LLVM::ConstantOp::create(builder, loc, type, builder.getFloatAttr(type, 1.0));
    return LLVM::FDivOp::create(builder, loc, one,
                                LLVM::SqrtOp::create(builder, loc, type, operand));
  }
  case MathFunction::Sin:
    return LLVM::SinOp::create(builder, loc, type, operand);
  case MathFunction::Cos:
    return LLVM::CosOp::create(builder, loc, type, operand);
  case MathFunction::Tanh:
    return LLVM::TanhOp::create(builder, loc, type, operand);
  case MathFunction::Erf: // no intrinsic
    return callC(builder, loc, type.isF32() ? "erff" : "erf", type, operand);
  }
  llvm_unreachable("all functions are handled");
}

Value HostPrimitives::truncateFloat(OpBuilder &builder, Location loc, Value operand, Type result) {
  if (!result.isBF16())
    return LLVM::FPTruncOp::create(builder, loc, result, operand);
  StringRef name =
      operand.getType().isF64() ? "tilert_host_f64_to_bf16" : "tilert_host_f32_to_bf16";
  Value bits = callC(builder, loc, name, builder.getI16Type(), operand);
  return fromStorage(builder, loc, bits, result);
}

std::unique_ptr<DevicePrimitives> tilec::makeHostPrimitives() {
  return std::make_unique<HostPrimitives>();
}
