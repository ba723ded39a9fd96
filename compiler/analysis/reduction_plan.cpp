#include "compiler/analysis/reduction_plan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

namespace {

/// One register, lane or warp bit of the layout.
struct HardwareBit {
  enum class Kind { Register, Lane, Warp } kind;
  unsigned bit;      ///< position within its kind
  Bits mask;         ///< its bit in a register or thread number
  Bits axis, kept;   ///< its column: along the axis, and in the result's element numbers
  bool done = false; ///< combined by a step

  bool isRegister() const { return kind == Kind::Register; }
};

} // namespace

static std::vector<HardwareBit> hardwareBits(const LinearLayout &layout, unsigned axis) {
  unsigned shift = layout.dimShift(axis);
  Bits mask = layout.dimMask(axis);
  unsigned axisBits = llvm::popcount(mask);
  std::vector<HardwareBit> bits;
  auto add = [&](HardwareBit::Kind kind, const std::vector<Bits> &columns, unsigned firstBit) {
    for (unsigned bit = 0; bit < columns.size(); ++bit) {
      Bits column = columns[bit];
      Bits low = column & ((Bits(1) << shift) - 1);
      Bits high = static_cast<Bits>(uint64_t(column) >> (shift + axisBits));
      bits.push_back(
          {kind, bit, Bits(1) << (firstBit + bit), (column & mask) >> shift, low | high << shift});
    }
  };
  add(HardwareBit::Kind::Register, layout.reg(), 0);
  add(HardwareBit::Kind::Lane, layout.lane(), 0);
  add(HardwareBit::Kind::Warp, layout.warp(), kLaneBits);
  return bits;
}

static ReductionStep stepOf(const HardwareBit &bit) {
  return {bit.kind == HardwareBit::Kind::Lane, bit.bit};
}

/// Registers, then lanes. Returns how many axis bits are left.
static void planCommutative(std::vector<HardwareBit> &bits, ReductionPlan &plan) {
  for (HardwareBit &bit : bits) {
    if (bit.axis == 0 || bit.kind == HardwareBit::Kind::Warp)
      continue;
    plan.steps.push_back(stepOf(bit));
    bit.done = true;
  }
  // Any numbering of what is left will do.
  for (HardwareBit &bit : bits)
    bit.axis = bit.done || bit.axis == 0 ? 0 : Bits(1) << plan.restBits++;
}

/// The axis bits from the lowest, up to the first one that is a warp's.
static bool planOrdered(std::vector<HardwareBit> &bits, unsigned axisBits, ReductionPlan &plan) {
  unsigned position = 0;
  for (; position < axisBits; ++position) {
    HardwareBit *holder = nullptr;
    for (HardwareBit &bit : bits) {
      if (bit.axis == 0 || llvm::Log2_32(bit.axis) != position)
        continue;
      if (holder)
        return false;
      holder = &bit;
    }
    if (!holder)
      return false;
    if (holder->kind == HardwareBit::Kind::Warp)
      break;
    ReductionStep step = stepOf(*holder);
    for (HardwareBit &bit : bits)
      if (bit.axis >> position & 1)
        (bit.isRegister() ? step.registerMask : step.threadMask) |= bit.mask;
    plan.steps.push_back(step);
    holder->done = true;
  }
  plan.restBits = axisBits - position;
  for (HardwareBit &bit : bits)
    bit.axis = bit.done ? 0 : bit.axis >> position;
  return true;
}

std::optional<ReductionPlan> tilec::planReduction(const LinearLayout &layout, unsigned axis,
                                                  bool commutative) {
  std::vector<HardwareBit> bits = hardwareBits(layout, axis);
  unsigned axisBits = llvm::popcount(layout.dimMask(axis));
  ReductionPlan plan;
  plan.ordered = !commutative;
  for (const HardwareBit &bit : bits)
    if (bit.isRegister() && bit.axis == 0)
      plan.keptRegisters |= bit.mask;
  if (commutative)
    planCommutative(bits, plan);
  else if (!planOrdered(bits, axisBits, plan))
    return std::nullopt;

  for (const HardwareBit &bit : bits) {
    Bits slot = bit.kept << plan.restBits | bit.axis;
    (bit.isRegister() ? plan.registerSlots : plan.threadSlots).push_back(slot);
    if (!bit.isRegister() && slot == 0)
      plan.notWriters |= bit.mask;
  }
  if (plan.restBits > 0)
    plan.slots = uint64_t(1) << (layout.elementBits() - axisBits + plan.restBits);
  return plan;
}

uint64_t ReductionPlan::sourceOffset(ArrayRef<unsigned> elementBytes, unsigned index) const {
  constexpr uint64_t kWidestAccess = 16; // bytes; slots are read in vectors
  uint64_t offset = 0;
  for (unsigned bytes : elementBytes.take_front(index))
    offset = llvm::alignTo(offset + slots * bytes, kWidestAccess);
  return offset;
}

bool tilec::isCommutative(tile::ReduceOp op) {
  if (op->hasAttr(kCommutativeAttr))
    return true;
  Block &block = op.getCombine().front();
  unsigned count = op.getSources().size();
  for (auto [index, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
    Operation *combine = value.getDefiningOp();
    if (!combine || combine->getBlock() != &block || combine->getNumOperands() != 2 ||
        !combine->hasTrait<OpTrait::IsCommutative>())
      return false;
    Value left = block.getArgument(index), right = block.getArgument(index + count);
    Value first = combine->getOperand(0), second = combine->getOperand(1);
    if (!(first == left && second == right) && !(first == right && second == left))
      return false;
  }
  return true;
}

std::optional<ReductionPlan> tilec::planReduction(tile::ReduceOp op) {
  return planReduction(tile::layoutOf(op.getSources().front()), op.getAxis(), isCommutative(op));
}
