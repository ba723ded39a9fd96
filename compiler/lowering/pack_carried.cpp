#include "compiler/lowering/pack_carried.h"

#include "compiler/ir/carry.h"
#include "compiler/lowering/bits.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;

static constexpr unsigned kWordBits = 32;

/// Values of this type that fit a word; 1 for what is not packed.
static unsigned valuesInWord(Type type) {
  if (!type.isIntOrFloat())
    return 1;
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits == 8 || bits == 16 ? kWordBits / bits : 1;
}

static Value pack(OpBuilder &builder, Location loc, ValueRange values) {
  auto storage = storageType(values.front().getType());
  Type vector = VectorType::get(static_cast<int64_t>(values.size()), storage);
  Value word = LLVM::UndefOp::create(builder, loc, vector);
  for (auto [index, value] : llvm::enumerate(values))
    word = LLVM::InsertElementOp::create(
        builder, loc, word, toStorage(builder, loc, value),
        constantInt(builder, loc, builder.getI32Type(), static_cast<int64_t>(index)));
  return LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), word);
}

static SmallVector<Value> unpack(OpBuilder &builder, Location loc, Value word, Type type) {
  auto storage = storageType(type);
  int64_t count = valuesInWord(type);
  Value vector = LLVM::BitcastOp::create(builder, loc, VectorType::get(count, storage), word);
  SmallVector<Value> values;
  for (int64_t index = 0; index < count; ++index) {
    Value bits = LLVM::ExtractElementOp::create(
        builder, loc, vector, constantInt(builder, loc, builder.getI32Type(), index));
    values.push_back(fromStorage(builder, loc, bits, type));
  }
  return values;
}

/// First arguments of the groups that fill a word.
static SmallVector<unsigned> groups(scf::ForOp loop) {
  SmallVector<unsigned> firsts;
  ValueRange initial = loop.getInitArgs();
  for (unsigned first = 0; first < initial.size();) {
    unsigned count = valuesInWord(initial[first].getType()), same = 1;
    while (same < count && first + same < initial.size() &&
           initial[first + same].getType() == initial[first].getType())
      ++same;
    if (count > 1 && same == count)
      firsts.push_back(first);
    first += same;
  }
  return firsts;
}

static void packLoop(scf::ForOp loop) {
  SmallVector<unsigned> firsts = groups(loop);
  if (firsts.empty())
    return;
  Location loc = loop.getLoc();
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto members = [&](ValueRange values, unsigned first) {
    return values.slice(first, valuesInWord(values[first].getType()));
  };
  SmallVector<Value> words;
  for (unsigned first : firsts)
    words.push_back(pack(rewriter, loc, members(loop.getInitArgs(), first)));
  unsigned old = loop.getInitArgs().size();
  loop = carryMore(loop, words);

  Operation *yield = loop.getBody()->getTerminator();
  for (auto [number, first] : llvm::enumerate(firsts)) {
    unsigned word = old + static_cast<unsigned>(number);
    Type type = loop.getInitArgs()[first].getType();
    rewriter.setInsertionPoint(yield);
    yield->setOperand(word, pack(rewriter, loc, members(yield->getOperands(), first)));
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> inside = unpack(rewriter, loc, loop.getRegionIterArg(word), type);
    rewriter.setInsertionPointAfter(loop);
    SmallVector<Value> behind = unpack(rewriter, loc, loop.getResult(word), type);
    for (unsigned index = 0; index < inside.size(); ++index) {
      // The separate value now carries itself, unused.
      BlockArgument argument = loop.getRegionIterArg(first + index);
      argument.replaceAllUsesWith(inside[index]);
      yield->setOperand(first + index, argument);
      loop.getResult(first + index).replaceAllUsesWith(behind[index]);
    }
  }
}

void tilec::packCarriedValues(LLVM::LLVMFuncOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    packLoop(loop);
}
