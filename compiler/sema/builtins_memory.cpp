// load and store: through pointers here, of windows in windows.cpp.
#include "compiler/sema/builtins.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::sema {

using tile::CacheModifier;
using tile::EvictionPolicy;

static std::optional<CacheModifier> cacheModifier(Evaluator &evaluator, const BoundCall::Slot &slot,
                                                  bool isStore) {
  if (!slot.given)
    return CacheModifier::none;
  std::optional<CacheModifier> modifier = tile::symbolizeCacheModifier(slot.word);
  using Modifier = CacheModifier;
  bool fits = modifier && *modifier != Modifier::none &&
              (isStore ? *modifier != Modifier::ca && *modifier != Modifier::cv
                       : *modifier != Modifier::wt);
  if (fits)
    return modifier;
  evaluator.error(slot.range, std::string("'cache' of a ") + (isStore ? "store" : "load") +
                                  " is one of " + (isStore ? "cg, cs, wt" : "ca, cg, cs, cv") +
                                  ", not '" + slot.word + "'");
  return std::nullopt;
}

static std::optional<EvictionPolicy> evictionPolicy(Evaluator &evaluator,
                                                    const BoundCall::Slot &slot) {
  if (!slot.given)
    return EvictionPolicy::normal;
  std::optional<EvictionPolicy> policy = tile::symbolizeEvictionPolicy(slot.word);
  if (!policy)
    evaluator.error(slot.range, "'evict' is one of normal, first, last, not '" + slot.word + "'");
  return policy;
}

static std::optional<RuntimeValue>
pointerArgument(Evaluator &evaluator, const BoundCall::Slot &slot, const std::string &what) {
  const RuntimeValue *value = slot.value.runtime();
  if (value && value->type.isPointer())
    return *value;
  const char *hint = slot.value.as<ViewValue>() ? "; name a window of it, as in x[i, k +: 64]" : "";
  evaluator.error(slot.range, what +
                                  " needs a pointer, a tile of pointers or a window of a view, "
                                  "but this is " +
                                  describe(slot.value) + hint);
  return std::nullopt;
}

/// The mask in the pointer's shape; null IR when there is none.
static std::optional<RuntimeValue> maskArgument(Evaluator &evaluator, const BoundCall::Slot &slot,
                                                const RuntimeValue &pointer) {
  if (!slot.given || slot.value.isNone())
    return RuntimeValue{};
  const Value &value = slot.value;
  bool isBoolLike = value.isNumeric() && !value.isUntyped() && !typeOf(value).isPointer() &&
                    isBool(typeOf(value).element.scalar);
  if (!isBoolLike) {
    evaluator.error(slot.range, "the mask must be bool, but is " + describe(value));
    return std::nullopt;
  }
  std::optional<RuntimeValue> mask = evaluator.asRuntime(value, slot.range);
  std::optional<Shape> shape = broadcastShapes(mask->type.shape, pointer.type.shape);
  if (!shape || *shape != pointer.type.shape) {
    evaluator.error(slot.range, "the mask has shape " +
                                    str(llvm::ArrayRef<int64_t>(mask->type.shape)) +
                                    ", which does not broadcast to the pointer's " +
                                    str(llvm::ArrayRef<int64_t>(pointer.type.shape)));
    return std::nullopt;
  }
  return evaluator.emit.broadcast(*mask, pointer.type.shape);
}

static Value load(Evaluator &evaluator, const BoundCall &call) {
  auto cache = cacheModifier(evaluator, call[3], /*isStore=*/false);
  auto evict = evictionPolicy(evaluator, call[4]);
  if (call[0].window)
    return cache && evict ? loadWindow(evaluator, call, *cache, *evict) : Value();
  std::optional<RuntimeValue> pointer = pointerArgument(evaluator, call[0], "load");
  if (!pointer)
    return ErrorValue{};
  std::optional<RuntimeValue> mask = maskArgument(evaluator, call[1], *pointer);
  if (!mask || !cache || !evict)
    return ErrorValue{};
  if (call[5].given)
    return evaluator.fail(call[5].range, "'pad' is what elements outside a view read; with a "
                                         "pointer, masked-off elements read 'other'");
  TileType type = pointer->type.withElement({pointer->scalar()});
  RuntimeValue other;
  if (call[2].given && !call[2].value.isNone()) {
    if (!mask->ir)
      return evaluator.fail(call[2].range, "'other' is what masked-off elements read, but this "
                                           "load has no mask");
    std::optional<RuntimeValue> value =
        evaluator.asType(call[2].value, type.element.scalar, call[2].range, "'other'");
    if (value)
      value = evaluator.broadcastTo(*value, type.shape, call[2].range);
    if (!value)
      return ErrorValue{};
    other = *value;
  }
  Emitter &emit = evaluator.emit;
  auto operation =
      tile::LoadOp::create(emit.builder, emit.loc, emit.mlirType(type), pointer->ir, mask->ir,
                           other.ir, *cache, *evict, pointer->type.element.isConst);
  return emit.leaf(operation, type);
}

static Value store(Evaluator &evaluator, const BoundCall &call) {
  auto cache = cacheModifier(evaluator, call[3], /*isStore=*/true);
  auto evict = evictionPolicy(evaluator, call[4]);
  if (call[0].window)
    return cache && evict ? storeWindow(evaluator, call, *cache, *evict) : Value();
  std::optional<RuntimeValue> pointer = pointerArgument(evaluator, call[0], "store");
  if (!pointer)
    return ErrorValue{};
  if (pointer->type.element.isConst)
    return evaluator.fail(call[0].range, "cannot store through " + str(pointer->type) +
                                             ": the parameter promises that the kernel only reads "
                                             "there");
  std::optional<RuntimeValue> value =
      evaluator.asType(call[1].value, pointer->scalar(), call[1].range, "the stored value");
  std::optional<RuntimeValue> mask = maskArgument(evaluator, call[2], *pointer);
  if (!value || !mask || !cache || !evict)
    return ErrorValue{};
  std::optional<Shape> shape = broadcastShapes(value->type.shape, pointer->type.shape);
  if (!shape || *shape != pointer->type.shape)
    return evaluator.fail(call[1].range, "the stored value has shape " +
                                             str(llvm::ArrayRef<int64_t>(value->type.shape)) +
                                             ", which does not broadcast to the pointer's " +
                                             str(llvm::ArrayRef<int64_t>(pointer->type.shape)));
  Emitter &emit = evaluator.emit;
  tile::StoreOp::create(emit.builder, emit.loc, pointer->ir,
                        emit.broadcast(*value, pointer->type.shape).ir, mask->ir, *cache, *evict);
  return NoneValue{};
}

static constexpr Builtin kMemoryBuiltins[] = {
    {"load", "p:place, mask?, other?, cache?:word, evict?:word, pad?", load},
    {"store", "p:place, value, mask?, cache?:word, evict?:word", store},
};

llvm::ArrayRef<Builtin> memoryBuiltins() {
  return kMemoryBuiltins;
}

} // namespace tilec::sema
