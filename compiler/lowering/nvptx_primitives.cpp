// DevicePrimitives of NVIDIA GPUs: the kernel's ABI, special registers, warp operations,
// arithmetic. Memory accesses are in nvptx_memory.cpp, functions in nvptx_math.cpp.
//
// Intrinsics are called by name, so the NVVM dialect is not needed to translate the result.
#include "compiler/lowering/nvptx_primitives.h"

#include "compiler/lowering/bits.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tilec;

/// Global memory and shared memory of the NVPTX backend.
static constexpr unsigned kGlobal = 1, kShared = 3;
/// The program's dynamic shared memory; its size is given at launch.
static constexpr llvm::StringLiteral kSharedSymbol = "tile_shared";
/// Covers every vector access and bank-aligned layout, and the tensor-copy engine's swizzles.
static constexpr unsigned kSharedAlignment = 1024;
/// A tensor map in 64-bit words, and its alignment in bytes (CUDA driver API, CUtensorMap).
static constexpr unsigned kMapWords = 16, kMapAlignment = 64;
/// All lanes of a warp take part.
static constexpr int32_t kAllLanes = -1;
/// shfl.sync's clamp operand for whole warps.
static constexpr int32_t kWholeWarp = 31;

Value tilec::callIntrinsic(OpBuilder &builder, Location loc, StringRef name, Type result,
                           ValueRange arguments) {
  auto call =
      LLVM::CallIntrinsicOp::create(builder, loc, result, builder.getStringAttr(name), arguments);
  return call.getResults();
}

unsigned NvptxPrimitives::globalAddressSpace() const {
  return kGlobal;
}
unsigned NvptxPrimitives::sharedAddressSpace() const {
  return kShared;
}

/// nvvm-reflect-ftz makes libdevice take its flushing paths.
static void setReflectFtz(OpBuilder &builder, Operation *module) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&module->getRegion(0).front());
  MLIRContext *context = builder.getContext();
  Attribute flag = LLVM::ModuleFlagAttr::get(context, LLVM::ModFlagBehavior::Override,
                                             builder.getStringAttr("nvvm-reflect-ftz"),
                                             builder.getI32IntegerAttr(1));
  LLVM::ModuleFlagsOp::create(builder, module->getLoc(), builder.getArrayAttr(flag));
}

LLVM::LLVMFuncOp NvptxPrimitives::createKernel(OpBuilder &builder, func::FuncOp source,
                                               ArrayRef<KernelParameter> parameters,
                                               SmallVectorImpl<Value> &arguments) {
  SmallVector<Type> types;
  for (const KernelParameter &parameter : parameters)
    types.push_back(parameter.type);
  auto functionType =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), types);
  auto kernel = LLVM::LLVMFuncOp::create(builder, source.getLoc(), source.getSymName(),
                                         functionType, LLVM::Linkage::External,
                                         /*dsoLocal=*/false, LLVM::CConv::PTX_Kernel);

  SmallVector<Attribute> options;
  auto setOption = [&](StringRef name, const Twine &value) {
    options.push_back(builder.getStrArrayAttr({name, value.str()}));
  };
  options.push_back(builder.getStringAttr("nounwind"));
  int64_t warps = 1;
  if (auto attribute = source->getAttrOfType<IntegerAttr>(tile::kWarpsAttr))
    warps = attribute.getInt();
  setOption("nvvm.reqntid", Twine(warps << kLaneBits) + ",1,1");
  if (auto registers = source->getAttrOfType<IntegerAttr>(tile::kMaxRegsAttr))
    setOption("nvvm.maxnreg", Twine(registers.getInt()));
  if (auto ftz = source->getAttrOfType<BoolAttr>(tile::kFtzAttr); ftz && ftz.getValue()) {
    setOption("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    setReflectFtz(builder, source->getParentOp());
    flushesDenormals_ = true;
  }
  kernel.setPassthroughAttr(builder.getArrayAttr(options));

  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    if (parameter.isTensorMap) {
      auto words = LLVM::LLVMArrayType::get(builder.getI64Type(), kMapWords);
      kernel.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(words));
      kernel.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(kMapAlignment));
      continue;
    }
    if (!isa<LLVM::LLVMPointerType>(parameter.type))
      continue;
    if (parameter.readOnly)
      kernel.setArgAttr(index, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
    if (parameter.alignment > 1)
      kernel.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(parameter.alignment));
  }
  Block *entry = kernel.addEntryBlock(builder);
  arguments.append(entry->args_begin(), entry->args_end());
  return kernel;
}

static Value specialRegister(OpBuilder &builder, Location loc, StringRef name, unsigned axis) {
  constexpr char axes[] = {'x', 'y', 'z'};
  std::string intrinsic = ("llvm.nvvm.read.ptx.sreg." + name + ".").str() + axes[axis];
  return callIntrinsic(builder, loc, intrinsic, builder.getI32Type(), {});
}

Value NvptxPrimitives::threadId(OpBuilder &builder, Location loc) {
  return specialRegister(builder, loc, "tid", 0);
}
Value NvptxPrimitives::programId(OpBuilder &builder, Location loc, unsigned axis) {
  return specialRegister(builder, loc, "ctaid", axis);
}
Value NvptxPrimitives::numPrograms(OpBuilder &builder, Location loc, unsigned axis) {
  return specialRegister(builder, loc, "nctaid", axis);
}

Value NvptxPrimitives::sharedBase(OpBuilder &builder, Location loc) {
  Operation *module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!SymbolTable::lookupSymbolIn(module, kSharedSymbol)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&module->getRegion(0).front());
    LLVM::GlobalOp::create(builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External, kSharedSymbol,
                           /*value=*/Attribute(), kSharedAlignment, kShared);
  }
  return LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), kShared), kSharedSymbol);
}

Value NvptxPrimitives::shuffleXor(OpBuilder &builder, Location loc, Value value, unsigned mask) {
  Type i32 = builder.getI32Type();
  return callIntrinsic(builder, loc, "llvm.nvvm.shfl.sync.bfly.i32", i32,
                       {constantInt(builder, loc, i32, kAllLanes), value,
                        constantInt(builder, loc, i32, mask),
                        constantInt(builder, loc, i32, kWholeWarp)});
}

Value NvptxPrimitives::shuffleIndex(OpBuilder &builder, Location loc, Value value, Value lane) {
  Type i32 = builder.getI32Type();
  return callIntrinsic(builder, loc, "llvm.nvvm.shfl.sync.idx.i32", i32,
                       {constantInt(builder, loc, i32, kAllLanes), value, lane,
                        constantInt(builder, loc, i32, kWholeWarp)});
}

void NvptxPrimitives::barrier(OpBuilder &builder, Location loc) {
  Value barrierNumber = constantInt(builder, loc, builder.getI32Type(), 0);
  LLVM::CallIntrinsicOp::create(
      builder, loc, builder.getStringAttr("llvm.nvvm.barrier.cta.sync.aligned.all"), barrierNumber);
}

Value NvptxPrimitives::electLane(OpBuilder &builder, Location loc) {
  // ptxas knows that one lane goes on behind elect.sync (PTX ISA); behind a comparison of lanes it
  // makes a loop over the lanes that may, round each instruction of the tensor-copy engine.
  Type i32 = builder.getI32Type();
  Type pair = LLVM::LLVMStructType::getLiteral(builder.getContext(), {i32, builder.getI1Type()});
  Value elected = callIntrinsic(builder, loc, "llvm.nvvm.elect.sync", pair,
                                constantInt(builder, loc, i32, kAllLanes));
  return LLVM::ExtractValueOp::create(builder, loc, elected, 1);
}

Value NvptxPrimitives::truncateFloat(OpBuilder &builder, Location loc, Value operand, Type result) {
  // One fptrunc is one rounding: where no instruction exists the backend rounds to odd in between.
  return LLVM::FPTruncOp::create(builder, loc, result, operand);
}

/// cvt to and from fp8 (PTX ISA, cvt).
static constexpr unsigned kFirstFloat8Version = 89;

static StringRef float8Name(Type type) {
  return isa<Float8E4M3FNType>(type) ? "e4m3x2" : "e5m2x2";
}

Value NvptxPrimitives::truncateToFloat8(OpBuilder &builder, Location loc, Value operand,
                                        Type type) {
  if (smVersion_ < kFirstFloat8Version)
    return {};
  // The second operand makes the low half of the pair.
  Value zero = LLVM::ZeroOp::create(builder, loc, operand.getType());
  Value pair = callIntrinsic(builder, loc, ("llvm.nvvm.ff.to." + float8Name(type) + ".rn").str(),
                             builder.getI16Type(), {zero, operand});
  return LLVM::TruncOp::create(builder, loc, builder.getI8Type(), pair);
}

Value NvptxPrimitives::extendFloat8(OpBuilder &builder, Location loc, Value operand, Type type) {
  // f8e5m2 is the upper half of an f16: a shift is cheaper.
  if (smVersion_ < kFirstFloat8Version || !isa<Float8E4M3FNType>(type))
    return {};
  Value pair = LLVM::ZExtOp::create(builder, loc, builder.getI16Type(), operand);
  Value halves = callIntrinsic(builder, loc, "llvm.nvvm.e4m3x2.to.f16x2.rn",
                               VectorType::get(2, builder.getF16Type()), pair);
  return LLVM::ExtractElementOp::create(builder, loc, halves,
                                        constantInt(builder, loc, builder.getI32Type(), 0));
}

bool NvptxPrimitives::promotesToF32(Type) const {
  return false;
}

std::unique_ptr<DevicePrimitives> tilec::makeNvptxPrimitives(unsigned smVersion) {
  return std::make_unique<NvptxPrimitives>(smVersion);
}
