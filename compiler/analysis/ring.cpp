#include "compiler/analysis/ring.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilec;

Value tilec::advanceRing(OpBuilder &builder, Location loc, Value slot, int64_t distance,
                         int64_t slots) {
  if (distance % slots == 0)
    return slot;
  Type type = slot.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  Value size = constant(slots);
  Value sum = arith::AddIOp::create(builder, loc, slot, constant(distance % slots));
  Value past = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, sum, size);
  Value wrapped = arith::AddIOp::create(builder, loc, slot, constant(distance % slots - slots));
  return arith::SelectOp::create(builder, loc, past, wrapped, sum);
}

Value tilec::advancePhase(OpBuilder &builder, Location loc, Value phase, Value next) {
  Type type = phase.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  Value wrapped = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, next, constant(0));
  Value other = arith::XOrIOp::create(builder, loc, phase, constant(1));
  return arith::SelectOp::create(builder, loc, wrapped, other, phase);
}

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

/// `value` = (base + distance) mod slots as advanceRing writes it: base and distance.
static std::optional<std::pair<Value, int64_t>> matchAdvance(Value value, int64_t slots) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return std::nullopt;
  auto past = select.getCondition().getDefiningOp<arith::CmpIOp>();
  auto wrapped = select.getTrueValue().getDefiningOp<arith::AddIOp>();
  auto sum = select.getFalseValue().getDefiningOp<arith::AddIOp>();
  if (!past || !wrapped || !sum || past.getPredicate() != arith::CmpIPredicate::uge ||
      past.getLhs() != sum.getResult() || wrapped.getLhs() != sum.getLhs() ||
      constantOf(past.getRhs()) != slots)
    return std::nullopt;
  std::optional<int64_t> distance = constantOf(sum.getRhs());
  if (!distance || *distance < 0 || *distance >= slots ||
      constantOf(wrapped.getRhs()) != *distance - slots)
    return std::nullopt;
  return std::pair(sum.getLhs(), *distance);
}

std::optional<RingSlot> tilec::ringSlot(Value slot, int64_t slots) {
  if (slots == 1)
    return RingSlot();
  if (std::optional<int64_t> constant = constantOf(slot))
    return *constant >= 0 && *constant < slots ? std::optional(RingSlot{nullptr, *constant})
                                               : std::nullopt;
  int64_t offset = 0;
  if (auto advanced = matchAdvance(slot, slots))
    std::tie(slot, offset) = *advanced;
  // The counter: starts at a constant, and is one further after each iteration.
  auto counter = dyn_cast<BlockArgument>(slot);
  auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || counter == loop.getInductionVar())
    return std::nullopt;
  std::optional<int64_t> first = constantOf(loop.getTiedLoopInit(counter)->get());
  auto step = matchAdvance(loop.getTiedLoopYieldedValue(counter)->get(), slots);
  if (!first || *first < 0 || *first >= slots || !step ||
      *step != std::pair<Value, int64_t>(slot, 1))
    return std::nullopt;
  return RingSlot{loop, (*first + offset) % slots};
}
