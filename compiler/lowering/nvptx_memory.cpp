// Memory accesses of NVIDIA GPUs.
//
// An access that always happens and asks for no cache behaviour is an LLVM load or store, which the
// optimiser understands. Everything else is one predicated PTX instruction as inline assembly: no
// branch stands between the accesses of a tile, so all of them are in flight together.
//
//   @p ld.global.L1::evict_first.v4.b32 {$0, $1, $2, $3}, [a];   $0..$3 tied to what they are when
//                                                               p does not hold
#include "compiler/lowering/bits.h"
#include "compiler/lowering/nvptx_assembly.h"
#include "compiler/lowering/nvptx_primitives.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;

/// ld and st move at most 16 bytes on every architecture we have.
static constexpr unsigned kMaxAccessBytes = 16;

unsigned NvptxPrimitives::maxAccessBytes() const {
  return kMaxAccessBytes;
}

namespace {

/// The registers of one access in PTX: `count` words of `bits` bits.
struct Words {
  unsigned bits, count;

  Words(IntegerType element, unsigned elements) {
    unsigned total = element.getWidth() * elements;
    bits = element.getWidth() == 64 ? 64 : std::min(total, 32u);
    count = total / bits;
  }
  /// PTX has no 8-bit registers: bytes travel in 16-bit ones.
  IntegerType registerType(OpBuilder &builder) const {
    return builder.getIntegerType(std::max(bits, 16u));
  }
  StringRef constraint() const { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }
  std::string suffix() const {
    return (count > 1 ? ".v" + std::to_string(count) : std::string()) + ".b" + std::to_string(bits);
  }
};

} // namespace

/// Elements as PTX words.
static SmallVector<Value> pack(OpBuilder &builder, Location loc, ValueRange values, Words words) {
  auto element = cast<IntegerType>(values.front().getType());
  SmallVector<Value> result;
  unsigned perWord = words.bits / element.getWidth();
  if (perWord == 1) {
    for (Value value : values)
      result.push_back(
          element == words.registerType(builder)
              ? value
              : Value(LLVM::ZExtOp::create(builder, loc, words.registerType(builder), value)));
    return result;
  }
  auto vector = VectorType::get(perWord, element);
  for (unsigned word = 0; word < words.count; ++word) {
    Value packed = LLVM::PoisonOp::create(builder, loc, vector);
    for (unsigned index = 0; index < perWord; ++index)
      packed =
          LLVM::InsertElementOp::create(builder, loc, packed, values[word * perWord + index],
                                        constantInt(builder, loc, builder.getI32Type(), index));
    result.push_back(LLVM::BitcastOp::create(builder, loc, words.registerType(builder), packed));
  }
  return result;
}

static SmallVector<Value> unpack(OpBuilder &builder, Location loc, ValueRange registers,
                                 Words words, IntegerType element) {
  SmallVector<Value> result;
  unsigned perWord = words.bits / element.getWidth();
  for (Value word : registers) {
    if (perWord == 1) {
      result.push_back(element == word.getType()
                           ? word
                           : Value(LLVM::TruncOp::create(builder, loc, element, word)));
      continue;
    }
    Value vector = LLVM::BitcastOp::create(builder, loc, VectorType::get(perWord, element), word);
    for (unsigned index = 0; index < perWord; ++index)
      result.push_back(LLVM::ExtractElementOp::create(
          builder, loc, vector, constantInt(builder, loc, builder.getI32Type(), index)));
  }
  return result;
}

Value tilec::cachePolicy(OpBuilder &builder, Location loc, tile::EvictionPolicy evict) {
  if (evict == tile::EvictionPolicy::normal)
    return {};
  StringRef name = evict == tile::EvictionPolicy::first ? "evict_first" : "evict_last";
  std::string text = ("createpolicy.fractional.L2::" + name + ".b64 $0, 1.0;").str();
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto kernel = dyn_cast<LLVM::LLVMFuncOp>(parent);
  Block &entry = (kernel ? kernel : parent->getParentOfType<LLVM::LLVMFuncOp>()).front();
  // Policies stand at the very start of the block, in front of everything that could use them.
  for (Operation &op : entry) {
    auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
    if (!assembly)
      break;
    if (assembly.getAsmString() == text)
      return assembly.getRes();
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entry);
  return LLVM::InlineAsmOp::create(builder, loc, builder.getI64Type(), ValueRange(), text, "=l",
                                   /*has_side_effects=*/false, /*is_align_stack=*/false,
                                   LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}

namespace {
/// The qualifiers of `ld`/`st` between the state space and the vector length.
struct Qualifiers {
  std::string text;
  Value policy; ///< null: no `.L2::cache_hint`
};
} // namespace

/// A cache operator and an L1 eviction priority exclude each other (PTX ISA, ld): the operator
/// wins, the L2 policy is used with either.
static Qualifiers qualifiers(OpBuilder &builder, Location loc, const AccessHints &hints,
                             bool isStore) {
  using tile::CacheModifier;
  Qualifiers result;
  CacheModifier cache = hints.cache;
  bool valid = isStore ? cache == CacheModifier::cg || cache == CacheModifier::cs ||
                             cache == CacheModifier::wt
                       : cache != CacheModifier::none && cache != CacheModifier::wt;
  if (valid)
    result.text += "." + tile::stringifyCacheModifier(cache).str();
  if (hints.readOnly && cache != CacheModifier::cv)
    result.text += ".nc";
  if (hints.evict != tile::EvictionPolicy::normal && cache != CacheModifier::cv) {
    if (!valid)
      result.text +=
          hints.evict == tile::EvictionPolicy::first ? ".L1::evict_first" : ".L1::evict_last";
    result.text += ".L2::cache_hint";
    result.policy = cachePolicy(builder, loc, hints.evict);
  }
  return result;
}

static StringRef space(Value pointer) {
  return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 1 ? "global"
                                                                               : "shared";
}

static bool isPlain(Value predicate, const AccessHints &hints) {
  return !predicate && hints.cache == tile::CacheModifier::none &&
         hints.evict == tile::EvictionPolicy::normal;
}

static std::string list(ArrayRef<std::string> names) {
  return names.size() == 1 ? names.front() : "{" + llvm::join(names, ", ") + "}";
}

namespace {
/// The operands every access shares, as they stand in the text.
struct Access {
  std::string guard, address, hint;

  Access(Assembly &assembly, Value pointer, Value predicate, Value policy) {
    address = "[" + assembly.input(pointer, space(pointer) == "global" ? "l" : "r") + "]";
    if (predicate)
      guard = "@" + assembly.input(predicate, "b") + " ";
    if (policy)
      hint = ", " + assembly.input(policy, "l");
  }
};
} // namespace

SmallVector<Value> NvptxPrimitives::load(OpBuilder &builder, Location loc, Value pointer,
                                         IntegerType element, unsigned count, Value predicate,
                                         ValueRange others, const AccessHints &hints) {
  SmallVector<Value> result;
  if (isPlain(predicate, hints)) {
    unsigned alignment = element.getWidth() / 8 * count;
    Type type = count == 1 ? Type(element) : Type(VectorType::get(count, element));
    auto load = LLVM::LoadOp::create(builder, loc, type, pointer, alignment);
    load.setInvariant(hints.readOnly);
    if (count == 1)
      return {load};
    for (unsigned index = 0; index < count; ++index)
      result.push_back(LLVM::ExtractElementOp::create(
          builder, loc, load, constantInt(builder, loc, builder.getI32Type(), index)));
    return result;
  }

  Words words(element, count);
  IntegerType registerType = words.registerType(builder);
  Qualifiers options = qualifiers(builder, loc, hints, /*isStore=*/false);
  Assembly assembly;
  SmallVector<std::string> outputs;
  for (unsigned word = 0; word < words.count; ++word)
    outputs.push_back(assembly.output(words.constraint()));
  if (predicate) {
    SmallVector<Value> initial(words.count);
    if (others.empty())
      llvm::fill(initial, constantInt(builder, loc, registerType, 0));
    else
      initial = pack(builder, loc, others, words);
    for (auto [word, value] : llvm::enumerate(initial))
      assembly.tied(value, word);
  }
  Access access(assembly, pointer, predicate, options.policy);
  std::string text = access.guard + "ld." + space(pointer).str() + options.text + words.suffix() +
                     " " + list(outputs) + ", " + access.address + access.hint + ";";
  Type resultType = registerType;
  if (words.count > 1)
    resultType = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                  SmallVector<Type>(words.count, registerType));
  Value loaded = LLVM::InlineAsmOp::create(
                     builder, loc, resultType, assembly.operands, text, assembly.constraints,
                     /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                     LLVM::AsmDialectAttr(), ArrayAttr())
                     .getRes();
  SmallVector<Value> registers;
  if (words.count == 1)
    registers.push_back(loaded);
  else
    for (unsigned word = 0; word < words.count; ++word)
      registers.push_back(LLVM::ExtractValueOp::create(builder, loc, loaded, word));
  return unpack(builder, loc, registers, words, element);
}

void NvptxPrimitives::store(OpBuilder &builder, Location loc, Value pointer, ValueRange values,
                            Value predicate, const AccessHints &hints) {
  auto element = cast<IntegerType>(values.front().getType());
  unsigned count = values.size();
  if (isPlain(predicate, hints)) {
    Value value = values.front();
    if (count > 1) {
      value = LLVM::PoisonOp::create(builder, loc, VectorType::get(count, element));
      for (auto [index, part] : llvm::enumerate(values))
        value = LLVM::InsertElementOp::create(
            builder, loc, value, part, constantInt(builder, loc, builder.getI32Type(), index));
    }
    LLVM::StoreOp::create(builder, loc, value, pointer, element.getWidth() / 8 * count);
    return;
  }

  Words words(element, count);
  Qualifiers options = qualifiers(builder, loc, hints, /*isStore=*/true);
  Assembly assembly;
  SmallVector<std::string> inputs;
  for (Value word : pack(builder, loc, values, words))
    inputs.push_back(assembly.input(word, words.constraint()));
  Access access(assembly, pointer, predicate, options.policy);
  std::string text = access.guard + "st." + space(pointer).str() + options.text + words.suffix() +
                     " " + access.address + ", " + list(inputs) + access.hint + ";";
  LLVM::InlineAsmOp::create(builder, loc, TypeRange(), assembly.operands, text,
                            assembly.constraints, /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}
