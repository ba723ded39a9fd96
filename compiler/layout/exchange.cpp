// Conversions within warps: as few shuffles as possible.
//
// Within a warp, register r of B in lane l needs one element; A^-1 says in which register and lane
// of A it lies, and that is linear over F2 in (r, thread). A shuffle gives each lane one value and
// each lane offers one value, so it can serve a *different* result register in every lane. Round k
// serves register k ^ P(thread); P is ours to choose:
//
//        element of round k   e = B.reg(k) ^ M(thread)    with M = B.thread + B.reg P
//        source lane            = laneOf(e)
//        source register        = regOf(e), which the sender finds from its own number
//                                 because the map of lanes is one-to-one
//
// 1. If P can be chosen so that laneOf(M(thread)) is the lane itself, round k is a shfl.xor by
//    laneOf(B.reg(k)), and free where that is 0.
// 2. Otherwise some lane has all its values elsewhere, so no plan needs less than one shuffle a
//    register; P is chosen to make the map of lanes one-to-one and reaches that.
// Both are the minimum: in 1. every lane keeps exactly the values it has.
//
// Replicated lanes of A hold the same element, so bits of the source lane are free there: they take
// the lane's own bit, or make the map one-to-one. If A is replicated over warps and B is not, a
// warp can need several registers of the same lanes; then rounds are added whose results are
// dropped.
#include "compiler/layout/conversion_plans.h"
#include "compiler/layout/cost_model.h"

#include <algorithm>

namespace tilec {

namespace {

class Exchange {
public:
  Exchange(const LinearLayout &from, const LinearLayout &to)
      : from_(from), source_(from.reg()), registerBits_(from.reg().size()), roundReg_(to.reg()) {
    source_.add(from.lane());
    thread_ = to.lane();
    // The source is in the same warp, whose part of A is the warp column of A.
    for (size_t i = 0; i < to.warp().size(); ++i)
      thread_.push_back(to.warp()[i] ^ from.warp()[i]);
  }

  /// False when some element lies in another warp.
  bool staysInWarps() const {
    auto reachable = [&](Bits element) { return source_.contains(element); };
    return std::all_of(roundReg_.begin(), roundReg_.end(), reachable) &&
           std::all_of(thread_.begin(), thread_.end(), reachable);
  }

  ConversionPlan plan() {
    lanesStay_ = chooseStaying();
    if (!lanesStay_)
      chooseOneToOne();
    return emit();
  }

private:
  Bits regOf(Bits element) const {
    return source_.combination(element).value_or(0) & ((uint64_t(1) << registerBits_) - 1);
  }
  Bits laneOf(Bits element) const {
    return uint64_t(source_.combination(element).value_or(0)) >> registerBits_;
  }
  bool isLane(size_t threadBit) const { return threadBit < kLaneBits; }
  /// The element bit vector of thread bit i in round 0.
  Bits element(size_t threadBit) const {
    return thread_[threadBit] ^ gf2::apply(roundReg_, resultReg_[threadBit]);
  }

  /// Chooses P so that every lane is its own source in round 0; false when there is no such P.
  bool chooseStaying() {
    gf2::Span registers(roundReg_), lanes;
    for (Bits column : roundReg_)
      lanes.add(laneOf(column));
    resultReg_.assign(thread_.size(), 0);
    laneColumns_.assign(thread_.size(), 0);
    for (size_t i = 0; i < thread_.size(); ++i) {
      Bits held = isLane(i) ? from_.lane()[i] : 0;
      Bits wanted = laneOf(thread_[i]) ^ laneOf(held);
      // The exact choice also takes the sender's register 0, which saves a select before.
      std::optional<Bits> choice = 0;
      if (wanted)
        choice = registers.combination(thread_[i] ^ held);
      if (!choice)
        choice = lanes.combination(wanted);
      if (!choice)
        return false;
      resultReg_[i] = *choice;
      laneColumns_[i] = isLane(i) ? Bits(1) << i : 0;
    }
    return true;
  }

  /// Chooses P so that lanes that need different elements in round 0 have different sources.
  void chooseOneToOne() {
    resultReg_.assign(thread_.size(), 0);
    laneColumns_.assign(thread_.size(), 0);
    gf2::Span covered;
    std::vector<size_t> pending, left;
    for (size_t i = 0; i < kLaneBits; ++i)
      if (!covered.add(laneOf(thread_[i])))
        pending.push_back(i);
    for (size_t i : pending)
      if (!coverByRegister(i, covered))
        left.push_back(i);
    // What is left differs in registers of one source lane: go to its replicas, each different.
    // Lanes that want the same element may share a source, so they come last.
    std::sort(left.begin(), left.end(), [&](size_t a, size_t b) {
      return std::pair(thread_[a] == 0, a) < std::pair(thread_[b] == 0, b);
    });
    Bits free = from_.replicatedLanes();
    for (size_t i : left) {
      Bits bit = free >> i & 1 ? Bits(1) << i : free & ~(free - 1);
      if (!bit && thread_[i]) {
        addRound(i, covered);
        continue;
      }
      laneColumns_[i] = bit;
      free &= ~bit;
    }
    for (size_t i = 0; i < thread_.size(); ++i)
      laneColumns_[i] ^= laneOf(element(i));
  }

  bool coverByRegister(size_t lane, gf2::Span &covered) {
    for (size_t r = 0; r < roundReg_.size(); ++r)
      if (covered.add(laneOf(thread_[lane]) ^ laneOf(roundReg_[r]))) {
        resultReg_[lane] = Bits(1) << r;
        return true;
      }
    return false;
  }

  /// Doubles the rounds by an element of a lane that no receiver reads yet.
  void addRound(size_t lane, gf2::Span &covered) {
    for (Bits column : from_.lane())
      if (column && !covered.contains(laneOf(column))) {
        roundReg_.push_back(column);
        coverByRegister(lane, covered);
        return;
      }
  }

  ConversionPlan emit() const {
    // The register a sender offers in round 0, by its lane: through the receiver it serves. Senders
    // that no lane reads offer what linearity gives.
    gf2::Span receivers;
    for (size_t i = 0; i < kLaneBits; ++i)
      receivers.add(laneColumns_[i]);
    std::vector<Bits> offered;
    for (size_t i = 0; i < kLaneBits; ++i) {
      Bits read = Bits(1) << i ^ receivers.reduce(Bits(1) << i);
      Bits receiver = receivers.combination(read).value_or(0), reg = 0;
      for (size_t j = 0; j < kLaneBits; ++j)
        if (receiver >> j & 1)
          reg ^= regOf(element(j));
      offered.push_back(reg);
    }
    std::vector<Bits> offeredByLane = offered;
    for (size_t i = kLaneBits; i < thread_.size(); ++i)
      offered.push_back(regOf(element(i)) ^ gf2::apply(offeredByLane, laneColumns_[i]));

    ConversionPlan plan;
    plan.selectsBefore = selects(offered);
    plan.selectsAfter = selects(resultReg_);
    plan.laneColumns = laneColumns_;
    plan.lanesStay = lanesStay_;
    for (Bits round = 0; round >> roundReg_.size() == 0; ++round) {
      Bits first = gf2::apply(roundReg_, round), lane = laneOf(first);
      plan.steps.push_back({regOf(first) ^ gf2::apply(offeredByLane, lane), lane});
      plan.shuffles += !lanesStay_ || lane;
    }
    plan.kind = plan.shuffles ? ConversionPlan::Kind::Shuffle : ConversionPlan::Kind::Registers;
    return plan;
  }

  static std::vector<RegisterSelect> selects(const std::vector<Bits> &columns) {
    std::vector<RegisterSelect> result;
    for (const gf2::RankOne &term : gf2::factor(columns))
      result.push_back({term.mask, term.image});
    return result;
  }

  const LinearLayout &from_;
  gf2::Span source_;           ///< A's register columns, then its lane columns
  unsigned registerBits_;      ///< of A
  std::vector<Bits> roundReg_; ///< B's register columns, and those of added rounds
  std::vector<Bits> thread_;   ///< B's element of each thread bit, less A's of the warp
  std::vector<Bits> resultReg_, laneColumns_; ///< P and the map of lanes, by thread bit
  bool lanesStay_ = false;
};

} // namespace

std::optional<ConversionPlan> planExchange(const LinearLayout &from, const LinearLayout &to,
                                           unsigned elementBytes) {
  Exchange exchange(from, to);
  if (!exchange.staysInWarps())
    return std::nullopt;
  ConversionPlan plan = exchange.plan();
  // Shuffles and selects are of 32 bits. A select's condition takes two operations a thread.
  double words = elementBytes > 4 ? 2 : 1;
  double selects = plan.selectsBefore.size() * (2 + words * from.registers()) +
                   plan.selectsAfter.size() * (2 + words * plan.steps.size());
  plan.cost = cost::kShuffle * words * plan.shuffles + cost::kRegisterOp * selects;
  if (plan.kind == ConversionPlan::Kind::Registers) {
    for (const ShuffleStep &step : plan.steps)
      plan.registers.push_back(step.source);
    plan.steps.clear();
    plan.laneColumns.clear();
    plan.lanesStay = false;
  }
  return plan;
}

} // namespace tilec
