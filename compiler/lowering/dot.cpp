// tile.dot: the instructions of a DotPlan (layout/fragments.h), one after the other.
//
// Each register of an operand is prepared once - widened, rounded, zeroed where k ends - and packed
// into the instruction's words when its first instruction is reached, which is early enough for
// whoever loaded it and leaves LLVM and ptxas free to interleave. Of tf32x3 every operand has two
// parts:
//
//      x = high + low     a x b ~ low(a) high(b) + high(a) low(b) + high(a) high(b)
//
// An infinity or NaN is kept in `low` with a `high` of 1 and its sign: products of high and low
// parts are then never infinity times a zero that stands for "nothing left".
#include "compiler/analysis/dot_instruction.h"
#include "compiler/lowering/bits.h"
#include "compiler/lowering/float8.h"
#include "compiler/lowering/patterns.h"

#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace tilec;

/// Bits of a machine register that narrower elements share.
static constexpr unsigned kWordBytes = 4;

namespace {

class DotEmitter {
public:
  DotEmitter(tile::DotOp op, const DotInstruction &instruction, const DotPlan &plan,
             KernelContext &context, OpBuilder &builder)
      : op_(op), instruction_(instruction), plan_(plan), context_(context), builder_(builder),
        loc_(op.getLoc()), parts_(op.getPrecision() == tile::Precision::tf32x3 ? 2 : 1) {}

  SmallVector<Value> run(ValueRange a, ValueRange b, ValueRange c) {
    Operand left{a, cast<RankedTensorType>(op_.getA().getType()).getElementType(), {}, {}};
    Operand right{b, cast<RankedTensorType>(op_.getB().getType()).getElementType(), {}, {}};
    SmallVector<Value> sums(c);
    for (const DotStep &step : plan_.steps) {
      SmallVector<Value> accumulators = sumsOf(step.c, sums);
      // Small products first.
      for (auto [partOfA, partOfB] : partsToMultiply())
        accumulators =
            multiply(words(left, step.a, partOfA), words(right, step.b, partOfB), accumulators);
      setSums(step.c, accumulators, sums);
    }
    return unpackedSums(sums);
  }

private:
  /// One operand: its registers, and what was made of them.
  struct Operand {
    ValueRange registers;
    Type element;
    std::map<unsigned, SmallVector<Value>> parts; ///< of each register, as instruction elements
    std::map<std::pair<std::vector<unsigned>, unsigned>, Value> words; ///< by registers and part
  };

  SmallVector<std::pair<unsigned, unsigned>> partsToMultiply() const {
    if (parts_ == 1)
      return {{0, 0}};
    return {{1, 0}, {0, 1}, {0, 0}};
  }

  /// One register of an operand as elements of the instruction: high part, low part.
  const SmallVector<Value> &partsOf(Operand &operand, unsigned reg) {
    SmallVector<Value> &parts = operand.parts[reg];
    if (!parts.empty())
      return parts;
    Value value = operand.registers[reg];
    if (instruction_.a == MatrixType::TF32)
      splitTf32(value, parts);
    else if (instruction_.a == MatrixType::F16 && !operand.element.isF16())
      parts.push_back(extendFloat8(builder_, loc_, context_.primitives, value, operand.element,
                                   builder_.getF16Type()));
    else
      parts.push_back(value);
    return parts;
  }

  void splitTf32(Value value, SmallVectorImpl<Value> &parts) {
    Value high = context_.primitives.roundToTf32(builder_, loc_, value);
    parts.push_back(high);
    if (parts_ == 1)
      return;
    Type type = value.getType();
    auto constant = [&](const APFloat &number) {
      return LLVM::ConstantOp::create(builder_, loc_, type, builder_.getFloatAttr(type, number));
    };
    Value rest = LLVM::FSubOp::create(builder_, loc_, value, high);
    Value low = context_.primitives.roundToTf32(builder_, loc_, rest);
    Value magnitude = LLVM::FAbsOp::create(builder_, loc_, high);
    Value isFinite = LLVM::FCmpOp::create(builder_, loc_, LLVM::FCmpPredicate::olt, magnitude,
                                          constant(APFloat::getInf(APFloat::IEEEsingle())));
    Value one = LLVM::CopySignOp::create(builder_, loc_, constant(APFloat(1.0f)), value);
    parts.push_back(LLVM::SelectOp::create(builder_, loc_, isFinite, low, high));
    parts.front() = LLVM::SelectOp::create(builder_, loc_, isFinite, high, one);
  }

  /// The machine registers of an operand of one instruction.
  SmallVector<Value> words(Operand &operand, ArrayRef<unsigned> registers, unsigned part) {
    unsigned perWord = std::max(1u, kWordBytes / bytesOf(instruction_.a));
    SmallVector<Value> result;
    for (unsigned first = 0; first < registers.size(); first += perWord) {
      ArrayRef<unsigned> members = registers.slice(first, perWord);
      Value &word = operand.words[{members.vec(), part}];
      if (!word)
        word = zeroWhereMissing(packed(operand, members, part));
      result.push_back(word);
    }
    return result;
  }

  Value packed(Operand &operand, ArrayRef<unsigned> members, unsigned part) {
    SmallVector<Value> values;
    for (unsigned reg : members)
      values.push_back(reg == kZeroRegister ? Value() : partsOf(operand, reg)[part]);
    if (bytesOf(instruction_.a) > kWordBytes || !instruction_.isMatrix)
      return values.front() ? values.front() : zero(context_.types.convertType(operand.element));
    return pack(values);
  }

  /// One i32 of storage bits, the first lowest; null values are zeros.
  Value pack(ArrayRef<Value> values) {
    IntegerType word = builder_.getI32Type();
    Value result;
    for (auto [index, value] : llvm::enumerate(values)) {
      if (!value)
        continue;
      Value bits = toStorage(builder_, loc_, value);
      if (bits.getType() != word)
        bits = LLVM::ZExtOp::create(builder_, loc_, word, bits);
      if (index > 0)
        bits = LLVM::ShlOp::create(
            builder_, loc_, bits,
            constantInt(builder_, loc_, word, int64_t(index) * 32 / int64_t(values.size())));
      result = result ? Value(LLVM::OrOp::create(builder_, loc_, result, bits, /*isDisjoint=*/true))
                      : bits;
    }
    return result ? result : constantInt(builder_, loc_, word, 0);
  }

  Value zero(Type type) { return LLVM::ZeroOp::create(builder_, loc_, type); }

  Value zeroWhereMissing(Value value) {
    Value holds = context_.threadHasNone(builder_, plan_.zeroLanes);
    return holds
               ? Value(LLVM::SelectOp::create(builder_, loc_, holds, value, zero(value.getType())))
               : value;
  }

  /// Sums of f16 stay packed from instruction to instruction.
  bool packsSums() const { return instruction_.isMatrix && bytesOf(instruction_.result) < 4; }

  SmallVector<Value> sumsOf(ArrayRef<unsigned> registers, ArrayRef<Value> sums) {
    SmallVector<Value> values;
    if (!packsSums()) {
      for (unsigned reg : registers)
        values.push_back(sums[reg]);
      return values;
    }
    for (unsigned first = 0; first < registers.size(); first += 2) {
      Value &word = packedSums_[{registers[first], registers[first + 1]}];
      if (!word)
        word = pack({sums[registers[first]], sums[registers[first + 1]]});
      values.push_back(word);
    }
    return values;
  }

  void setSums(ArrayRef<unsigned> registers, ArrayRef<Value> values, SmallVectorImpl<Value> &sums) {
    if (packsSums()) {
      for (auto [index, value] : llvm::enumerate(values))
        packedSums_[{registers[2 * index], registers[2 * index + 1]}] = value;
      return;
    }
    for (auto [reg, value] : llvm::zip(registers, values))
      sums[reg] = value; // a repeated register gets the same sum again
  }

  SmallVector<Value> unpackedSums(ArrayRef<Value> sums) {
    SmallVector<Value> results(sums);
    for (auto [registers, word] : packedSums_) {
      Value low = LLVM::TruncOp::create(builder_, loc_, builder_.getI16Type(), word);
      Value high = LLVM::TruncOp::create(
          builder_, loc_, builder_.getI16Type(),
          LLVM::LShrOp::create(builder_, loc_, word,
                               constantInt(builder_, loc_, word.getType(), 16)));
      Type type = sums.front().getType();
      results[registers.second] = fromStorage(builder_, loc_, high, type);
      results[registers.first] = fromStorage(builder_, loc_, low, type);
    }
    return results;
  }

  SmallVector<Value> multiply(ArrayRef<Value> a, ArrayRef<Value> b, ArrayRef<Value> c) {
    if (instruction_.isMatrix)
      return context_.primitives.mma(builder_, loc_, instruction_, a, b, c);
    return {LLVM::FMAOp::create(builder_, loc_, a.front(), b.front(), c.front())};
  }

  tile::DotOp op_;
  const DotInstruction &instruction_;
  const DotPlan &plan_;
  KernelContext &context_;
  OpBuilder &builder_;
  Location loc_;
  unsigned parts_; ///< of an operand's element
  std::map<std::pair<unsigned, unsigned>, Value> packedSums_;
};

struct DotPattern : TilePattern<tile::DotOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::DotOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<DotInstruction> instruction = dotInstruction(op);
    if (!instruction)
      return op.emitError("lowering: a dot without an instruction");
    std::optional<DotPlan> plan = planDot(instruction->fragment(), tile::layoutOf(op.getResult()),
                                          tile::layoutOf(op.getA()), tile::layoutOf(op.getB()));
    if (!plan)
      return op.emitError("lowering: the layouts do not fit the instruction ")
             << instruction->str();
    SmallVector<Value> results = DotEmitter(op, *instruction, *plan, context, rewriter)
                                     .run(adaptor.getA(), adaptor.getB(), adaptor.getC());
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void tilec::populateDotPatterns(RewritePatternSet &patterns, KernelContext &context) {
  patterns.add<DotPattern>(context, patterns.getContext());
}
