// planDot: which registers each instruction of a dot takes, found from the layouts alone.
#include "compiler/layout/algebra.h"
#include "compiler/layout/dot_space.h"

#include <algorithm>

namespace tilec {

namespace {

/// One operand while its layout is matched against the result's.
struct Operand {
  const FragmentOperand &form;
  const LinearLayout &layout;
  Bits kMask;
  unsigned kShift;
  std::vector<Bits> kRegisters; ///< coordinates of the register columns along k, in order

  Operand(const FragmentOperand &form, const LinearLayout &layout, Bits kMask, unsigned kShift)
      : form(form), layout(layout), kMask(kMask), kShift(kShift) {
    for (Bits column : layout.reg())
      if (column != 0 && (column & ~kMask) == 0)
        kRegisters.push_back(column >> kShift);
  }
};

class DotPlanner {
public:
  DotPlanner(const Fragment &fragment, const LinearLayout &result, const LinearLayout &a,
             const LinearLayout &b, int64_t k)
      : fragment_(fragment), space_(result.shape(), k), result_(result),
        registers_(fragment, space_, result), a_(fragment.a, a, space_.kMaskOfA(), 0),
        b_(fragment.b, b, space_.kMaskOfB(), space_.nBits) {}

  std::optional<DotPlan> run() {
    if (!registers_.valid || a_.layout.shape() != space_.shapeOfA() ||
        b_.layout.shape() != space_.shapeOfB() || !matchThreads() || !matchK())
      return std::nullopt;
    if (!makeSteps())
      return std::nullopt;
    return std::move(plan_);
  }

private:
  /// Lanes and warps of the operands hold what the result's do, except the fragment's bits of k.
  bool matchThreads() {
    for (const Operand *operand : {&a_, &b_}) {
      auto share = [&](Bits element) {
        return operand == &a_ ? space_.inA(element) : space_.inB(element);
      };
      const LinearLayout &layout = operand->layout;
      if (layout.warp().size() != result_.warp().size())
        return false;
      for (size_t i = 0; i < layout.warp().size(); ++i)
        if (layout.warp()[i] != share(result_.warp()[i]))
          return false;
      for (size_t i = operand->form.lane.size(); i < layout.lane().size(); ++i)
        if (layout.lane()[i] != share(result_.lane()[i]))
          return false;
      for (size_t i = 0; i < operand->form.lane.size(); ++i) {
        FragmentBit bit = operand->form.lane[i];
        if (bit.axis != DotAxis::K &&
            layout.lane()[i] != share(registers_.columnOf(fragment_, result_, bit)))
          return false;
      }
    }
    // The fragment's bits in the result's lanes lie along their own dimension.
    for (size_t i = 0; i < fragment_.c.lane.size(); ++i) {
      Bits mask = fragment_.c.lane[i].axis == DotAxis::M ? space_.mMask() : space_.nMask();
      if ((result_.lane()[i] & ~mask) != 0)
        return false;
    }
    return true;
  }

  /// The fragment's bits of k: in lanes they must agree; in registers the first of a's serve.
  bool matchK() {
    kFragment_.assign(fragment_.k, 0);
    std::vector<Bits> inB(fragment_.k, 0);
    for (const Operand *operand : {&a_, &b_})
      for (size_t i = 0; i < operand->form.lane.size(); ++i) {
        FragmentBit bit = operand->form.lane[i];
        if (bit.axis != DotAxis::K)
          continue;
        Bits column = operand->layout.lane()[i];
        if ((column & ~operand->kMask) != 0)
          return false;
        (operand == &a_ ? kFragment_ : inB)[bit.index] = column >> operand->kShift;
        if (column == 0)
          plan_.zeroLanes |= Bits(1) << i;
      }
    if (kFragment_ != inB)
      return false;
    kSteps_ = a_.kRegisters;
    for (FragmentBit bit : fragment_.a.reg) {
      if (bit.axis != DotAxis::K || kSteps_.empty())
        continue;
      kFragment_[bit.index] = kSteps_.front();
      kSteps_.erase(kSteps_.begin());
    }
    return true;
  }

  /// The register of lane 0, warp 0 that holds each element of one repetition, a fragment register
  /// after the other; false where it lies elsewhere.
  template <typename Column>
  static bool find(const FragmentOperand &form, const LayoutInverse &inverse, Bits base,
                   Column column, std::vector<unsigned> &registers) {
    for (Bits index = 0; index < Bits(1) << form.reg.size(); ++index) {
      Bits element = base;
      bool isZero = false;
      for (size_t bit = 0; bit < form.reg.size(); ++bit) {
        if (!(index >> bit & 1))
          continue;
        Bits its = column(form.reg[bit]);
        isZero |= form.reg[bit].axis == DotAxis::K && its == 0;
        element ^= its;
      }
      Place place = inverse.owner(element);
      if (place.lane != 0 || place.warp != 0)
        return false;
      registers.push_back(isZero ? kZeroRegister : place.reg);
    }
    return true;
  }

  bool makeSteps() {
    LayoutInverse inA(a_.layout), inB(b_.layout), inC(result_);
    auto along = [&](FragmentBit bit) { return registers_.columnOf(fragment_, result_, bit); };
    auto columnOfA = [&](FragmentBit bit) {
      return bit.axis == DotAxis::K ? space_.kInA(kFragment_[bit.index]) : space_.inA(along(bit));
    };
    auto columnOfB = [&](FragmentBit bit) {
      return bit.axis == DotAxis::K ? space_.kInB(kFragment_[bit.index]) : space_.inB(along(bit));
    };
    auto count = [](const std::vector<Bits> &columns) { return Bits(1) << columns.size(); };
    for (Bits step = 0; step < count(kSteps_); ++step) {
      Bits depth = gf2::apply(kSteps_, step);
      for (Bits batch = 0; batch < count(registers_.batch); ++batch)
        for (Bits row = 0; row < count(registers_.m); ++row)
          for (Bits column = 0; column < count(registers_.n); ++column) {
            Bits first = gf2::apply(registers_.batch, batch) ^ gf2::apply(registers_.m, row);
            Bits second = gf2::apply(registers_.batch, batch) ^ gf2::apply(registers_.n, column);
            DotStep &made = plan_.steps.emplace_back();
            if (!find(fragment_.a, inA, space_.inA(first) ^ space_.kInA(depth), columnOfA,
                      made.a) ||
                !find(fragment_.b, inB, space_.inB(second) ^ space_.kInB(depth), columnOfB,
                      made.b) ||
                !find(fragment_.c, inC, first ^ gf2::apply(registers_.n, column), along, made.c))
              return false;
          }
    }
    return true;
  }

  const Fragment &fragment_;
  DotSpace space_;
  const LinearLayout &result_;
  ResultRegisters registers_;
  Operand a_, b_;
  std::vector<Bits> kFragment_; ///< coordinates of the fragment's k bits, 0 where k has fewer
  std::vector<Bits> kSteps_;    ///< the other register bits of k
  DotPlan plan_;
};

} // namespace

std::optional<DotPlan> planDot(const Fragment &fragment, const LinearLayout &result,
                               const LinearLayout &a, const LinearLayout &b) {
  if (result.rank() < 2 || result.rank() > 3 || a.rank() != result.rank() ||
      b.rank() != result.rank())
    return std::nullopt;
  return DotPlanner(fragment, result, a, b, a.shape().back()).run();
}

} // namespace tilec
