// Layouts of matrix products. Alone: unit_layout --test-case='*dot*,*fragment*'
#include "compiler/layout/conversion.h"
#include "compiler/layout/fragments.h"

#include <doctest/doctest.h>

#include <map>

using namespace tilec;

/// The fragments of 1, 2 and 4 bytes, of doubles, and the plain multiply-add.
static std::vector<Fragment> allFragments() {
  return {mmaFragment(1), mmaFragment(2), mmaFragment(4), mmaFragmentOfDoubles()};
}

TEST_CASE("fragment layouts of one instruction are the ones of the PTX ISA") {
  // mma.m16n8k16: thread (4 g + t) holds a of row g, columns 2 t and 2 t + 1, first.
  LinearLayout result = dotResultLayout(mmaFragment(2), {16, 8}, {}, 1);
  DotOperands operands = dotOperandLayouts(mmaFragment(2), result, 16);
  CHECK(result.str() == "[16, 8] reg=[1, 64] lane=[2, 4, 8, 16, 32] warp=[]");
  CHECK(operands.a.str() == "[16, 16] reg=[1, 128, 8] lane=[2, 4, 16, 32, 64] warp=[]");
  CHECK(operands.b.str() == "[16, 8] reg=[8, 64] lane=[16, 32, 1, 2, 4] warp=[]");
}

TEST_CASE("fragment layouts of bytes keep four elements of k in a register") {
  LinearLayout result = dotResultLayout(mmaFragment(1), {16, 8}, {}, 1);
  DotOperands operands = dotOperandLayouts(mmaFragment(1), result, 32);
  CHECK(operands.a.str() == "[16, 32] reg=[1, 2, 256, 16] lane=[4, 8, 32, 64, 128] warp=[]");
  CHECK(operands.b.str() == "[32, 8] reg=[8, 16, 128] lane=[32, 64, 1, 2, 4] warp=[]");
}

TEST_CASE("dot layouts give each warp a block and replicate what warps share") {
  LinearLayout result = dotResultLayout(mmaFragment(2), {64, 64}, {1, 2, 2}, 4);
  CHECK(result.str() == "[64, 64] reg=[1, 512, 8, 16, 1024] lane=[2, 4, 64, 128, 256] "
                        "warp=[32, 2048]");
  DotOperands operands = dotOperandLayouts(mmaFragment(2), result, 32);
  CHECK(operands.a.warp() == std::vector<Bits>{0, 1024});
  CHECK(operands.b.warp() == std::vector<Bits>{32, 0});
}

TEST_CASE("registers of operands go through the steps of k last") {
  // One load of four matrices (three bits of registers) then serves instructions of one step.
  LinearLayout result = dotResultLayout(mmaFragment(2), {32, 32}, {}, 1);
  DotOperands operands = dotOperandLayouts(mmaFragment(2), result, 64);
  CHECK(operands.a.reg() == std::vector<Bits>{1, 8 * 64, 8, 16 * 64, 16, 32});
  CHECK(operands.b.reg() == std::vector<Bits>{32, 8 * 32, 8, 16, 16 * 32, 32 * 32});
}

namespace {

/// What the plan's instructions compute, element by element: how often each product (m, k, n) of
/// each batch is added to the register that owns the sum.
class Simulation {
public:
  Simulation(const Fragment &fragment, const LinearLayout &result, const LinearLayout &a,
             const LinearLayout &b)
      : fragment_(fragment), result_(result), a_(a), b_(b) {}

  /// True when every thread's every register gets each of its `k` products exactly once.
  bool isExact(int64_t k) {
    std::optional<DotPlan> plan = planDot(fragment_, result_, a_, b_);
    if (!plan)
      return false;
    for (Bits warp = 0; warp < result_.warps(); ++warp) {
      products_.clear();
      for (const DotStep &step : plan->steps)
        execute(step, plan->zeroLanes, warp);
      for (Bits lane = 0; lane < 32; ++lane)
        for (Bits reg = 0; reg < result_.registers(); ++reg)
          if (static_cast<int64_t>(products_[{lane, reg}].size()) != k)
            return false;
    }
    return valid_;
  }

private:
  /// Where the hardware has fragment coordinates (m, n, k) of an operand: register and lane.
  static std::pair<Bits, Bits> place(const FragmentOperand &form, Bits m, Bits n, Bits k) {
    auto bit = [&](FragmentBit its) {
      return (its.axis == DotAxis::M ? m : its.axis == DotAxis::N ? n : k) >> its.index & 1;
    };
    Bits reg = 0, lane = 0;
    for (size_t i = 0; i < form.reg.size(); ++i)
      reg |= bit(form.reg[i]) << i;
    for (size_t i = 0; i < form.lane.size(); ++i)
      lane |= bit(form.lane[i]) << i;
    return {reg, lane};
  }

  /// One mma of a warp: c[m][n] += a[m][k] * b[k][n] on the hardware's fragments.
  void execute(const DotStep &step, Bits zeroLanes, Bits warp) {
    for (Bits m = 0; m < Bits(1) << fragment_.m; ++m)
      for (Bits n = 0; n < Bits(1) << fragment_.n; ++n) {
        auto [regC, laneC] = place(fragment_.c, m, n, 0);
        for (Bits other = 0; other < regC; ++other)
          if (step.c[other] == step.c[regC])
            goto next; // a repetition of an element
        for (Bits k = 0; k < Bits(1) << fragment_.k; ++k) {
          auto [regA, laneA] = place(fragment_.a, m, n, k);
          auto [regB, laneB] = place(fragment_.b, m, n, k);
          bool zeroA = step.a[regA] == kZeroRegister || (laneA & zeroLanes) != 0;
          bool zeroB = step.b[regB] == kZeroRegister || (laneB & zeroLanes) != 0;
          valid_ &= zeroA == zeroB; // 0 * inf is no zero
          if (!zeroA && !zeroB)
            add(step.c[regC], laneC, a_.element(step.a[regA], laneA, warp),
                b_.element(step.b[regB], laneB, warp), warp);
        }
      next:;
      }
  }

  void add(unsigned reg, Bits lane, Bits elementA, Bits elementB, Bits warp) {
    std::vector<int64_t> c = result_.coordinates(result_.element(reg, lane, warp));
    std::vector<int64_t> a = a_.coordinates(elementA), b = b_.coordinates(elementB);
    size_t rank = c.size();
    bool fits = a[rank - 2] == c[rank - 2] && b[rank - 1] == c[rank - 1] &&
                a[rank - 1] == b[rank - 2] && (rank == 2 || (a[0] == c[0] && b[0] == c[0]));
    valid_ &= fits && products_[{lane, reg}].insert({a[rank - 1], 0}).second;
  }

  const Fragment &fragment_;
  const LinearLayout &result_, &a_, &b_;
  std::map<std::pair<Bits, Bits>, std::map<int64_t, int>> products_;
  bool valid_ = true;
};

} // namespace

TEST_CASE("dot layouts of every small shape multiply every product exactly once") {
  for (const Fragment &fragment : allFragments())
    for (int64_t m : {1, 2, 8, 16, 32})
      for (int64_t n : {1, 4, 8, 32})
        for (int64_t k : {1, 2, 4, 8, 16, 64})
          for (const WarpGrid &grid : warpGrids(fragment, {m, n}, 4)) {
            LinearLayout result = dotResultLayout(fragment, {m, n}, grid, 4);
            DotOperands operands = dotOperandLayouts(fragment, result, k);
            REQUIRE(result.verify() == std::nullopt);
            REQUIRE(operands.a.verify() == std::nullopt);
            REQUIRE(operands.b.verify() == std::nullopt);
            CHECK(Simulation(fragment, result, operands.a, operands.b).isExact(k));
          }
}

TEST_CASE("dot layouts of batches keep the batches apart") {
  for (const Fragment &fragment : allFragments())
    for (const WarpGrid &grid : warpGrids(fragment, {4, 16, 16}, 8)) {
      LinearLayout result = dotResultLayout(fragment, {4, 16, 16}, grid, 8);
      DotOperands operands = dotOperandLayouts(fragment, result, 16);
      CHECK(Simulation(fragment, result, operands.a, operands.b).isExact(16));
    }
}

TEST_CASE("dot layouts take k in any order") {
  for (const Fragment &fragment : allFragments()) {
    LinearLayout result = dotResultLayout(fragment, {16, 16}, {}, 1);
    for (const KOrder &order : {KOrder{5, 3, 1}, KOrder{2, 0, 4, 1, 3, 5}, KOrder{4}}) {
      DotOperands operands = dotOperandLayouts(fragment, result, 64, order);
      CHECK(operands.a.verify() == std::nullopt);
      CHECK(Simulation(fragment, result, operands.a, operands.b).isExact(64));
    }
  }
}

TEST_CASE("dot layouts of plain multiply-adds follow any result layout") {
  for (unsigned vector : {1, 2, 4})
    for (unsigned lanes : {1, 8, 32}) {
      LinearLayout result = blockedLayout({16, 32}, {1, 0}, vector, 2, lanes);
      DotOperands operands = dotOperandLayouts(multiplyAddFragment(), result, 4);
      REQUIRE(operands.a.verify() == std::nullopt);
      std::optional<DotPlan> plan = planDot(multiplyAddFragment(), result, operands.a, operands.b);
      REQUIRE(plan);
      CHECK(plan->steps.size() == size_t(result.registers()) * 4);
    }
}

TEST_CASE("dot layouts that break the rule have no plan") {
  Fragment fragment = mmaFragment(2);
  LinearLayout result = dotResultLayout(fragment, {32, 32}, {1, 2, 1}, 2);
  DotOperands good = dotOperandLayouts(fragment, result, 32);
  DotOperands otherOrder = dotOperandLayouts(fragment, result, 32, {0, 3, 4});
  LinearLayout otherWarps = dotResultLayout(fragment, {32, 32}, {1, 1, 2}, 2);
  CHECK(planDot(fragment, result, good.a, good.b));
  CHECK_FALSE(planDot(fragment, result, otherOrder.a, good.b));
  CHECK_FALSE(planDot(fragment, otherWarps, good.a, good.b));
  CHECK_FALSE(planDot(fragment, result, good.b, good.a));
}

TEST_CASE("the result of a dot becomes operand a of the next in registers") {
  for (unsigned bytes : {1, 2, 4}) {
    LinearLayout first = dotResultLayout(mmaFragment(2), {64, 64}, {1, 4, 1}, 4);
    LinearLayout second = dotResultLayout(mmaFragment(bytes), {64, 32}, {1, 4, 1}, 4);
    KOrder order = kOrderOf(mmaFragment(bytes), first);
    DotOperands operands = dotOperandLayouts(mmaFragment(bytes), second, 64, order);
    CHECK(planConversion(first, operands.a, bytes).kind == ConversionPlan::Kind::Registers);
    if (bytes == 2) // the natural order
      CHECK(operands.a == dotOperandLayouts(mmaFragment(2), second, 64).a);
  }
}
