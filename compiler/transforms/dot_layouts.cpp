#include "compiler/transforms/dot_layouts.h"

#include "compiler/analysis/dot_instruction.h"
#include "compiler/layout/conversion.h"
#include "compiler/layout/cost_model.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <map>

using namespace mlir;
using namespace tilec;

/// Bytes one lane reads from shared memory at once, and all lanes in one wavefront.
static constexpr double kReadBytes = 16, kWavefrontBytes = 128;
/// Rounds of changing one dot at a time; two suffice in practice.
static constexpr unsigned kRounds = 3;

namespace {

/// One way to do a dot.
struct Candidate {
  WarpGrid grid;
  tile::LayoutAttr result;
};

struct Dot {
  Operation *op;
  Value a, b, result;
  DotInstruction instruction;
  bool inThreeParts; ///< tf32x3
  double frequency = 1;
  double work = 0; ///< multiply-adds, loops weighted
  int64_t k = 1;
  size_t order = 0; ///< in the program
  std::vector<Candidate> candidates = {};
};

class DotAssignment {
public:
  DotAssignment(func::FuncOp function, unsigned warps, ArrayRef<GlobalAccess> accesses,
                const CheapValues &cheap)
      : function_(function), context_(function.getContext()), warps_(warps), accesses_(accesses),
        cheap_(cheap) {}

  void run(bool float8, LayoutChoice &choice) {
    collect(float8);
    if (dots_.empty())
      return;
    choice = evaluate(search()).choice;
    for (const Dot &dot : dots_)
      for (bool isA : {true, false})
        assignOperand(dot, isA, choice);
  }

private:
  /// A candidate of each dot.
  using State = std::vector<size_t>;
  struct Outcome {
    LayoutChoice choice;
    double cost = 0;
  };

  tile::LayoutAttr attr(const LinearLayout &layout) const {
    return tile::LayoutAttr::get(context_, layout);
  }

  void collect(bool float8) {
    function_.walk([&](tile::DotOp op) {
      Dot dot{op,
              op.getA(),
              op.getB(),
              op.getResult(),
              chooseDotInstruction(op, float8),
              op.getPrecision() == tile::Precision::tf32x3};
      setDotInstruction(op, dot.instruction);
      dot.frequency = frequency(op);
      dot.order = dots_.size();
      dot.k = op.getA().getType().getShape().back();
      dot.work = dot.frequency * double(op.getType().getNumElements()) * double(dot.k);
      addCandidates(dot);
      dots_.push_back(std::move(dot));
    });
    llvm::sort(dots_, [](const Dot &a, const Dot &b) {
      return std::pair(-a.work, a.order) < std::pair(-b.work, b.order);
    });
  }

  void addCandidates(Dot &dot) const {
    std::vector<int64_t> shape = cast<RankedTensorType>(dot.result.getType()).getShape().vec();
    auto add = [&](const WarpGrid &grid, const LinearLayout &layout) {
      if (llvm::none_of(dot.candidates,
                        [&](const Candidate &other) { return other.result == attr(layout); }))
        dot.candidates.push_back({grid, attr(layout)});
    };
    if (dot.instruction.isMatrix) {
      Fragment fragment = dot.instruction.fragment();
      for (const WarpGrid &grid : warpGrids(fragment, shape, warps_))
        add(grid, dotResultLayout(fragment, shape, grid, warps_));
      return;
    }
    // One multiply-add a thread: four results in a row, so that operand b is read in vectors.
    constexpr unsigned kVector = 4;
    for (unsigned lanes : {4u, 8u, 16u, 32u})
      for (unsigned alongN = 1; alongN <= warps_; alongN *= 2)
        add({1, warps_ / alongN, alongN},
            blockedLayout(shape, /*order=*/{}, kVector, warps_, lanes, alongN));
  }

  //===--- Results ----------------------------------------------------------------------------===//

  /// The layout in which `dot` works when its result's class has `layout`: that one when it obeys
  /// the instruction, else the candidate's.
  tile::LayoutAttr workingLayout(const Dot &dot, tile::LayoutAttr layout,
                                 const Candidate &candidate) {
    if (!layout || layout == candidate.result)
      return candidate.result;
    auto [known, isNew] = fits_.try_emplace({dot.op, layout}, false);
    if (isNew) {
      Fragment fragment = dot.instruction.fragment();
      LinearLayout result = layout.layout();
      DotOperands operands = dotOperandLayouts(fragment, result, dot.k);
      known->second = !operands.a.verify() && !operands.b.verify() &&
                      planDot(fragment, result, operands.a, operands.b).has_value();
    }
    return known->second ? layout : candidate.result;
  }

  Outcome evaluate(const State &state) {
    Outcome outcome;
    LayoutChoice &choice = outcome.choice;
    for (auto [dot, index] : llvm::zip(dots_, state)) {
      const Candidate &candidate = dot.candidates[index];
      Value result = dot.result;
      if (!choice.values.contains(result))
        for (auto [value, layout] :
             spreadLayout(result, candidate.result, choice, cheap_, /*guess=*/false))
          choice.values[value] = layout;
      choice.operations[dot.op] = workingLayout(dot, choice.values.lookup(result), candidate);
    }
    for (const Dot &dot : dots_)
      choice.dotOperands[dot.op] = operandLayouts(dot, choice);
    outcome.cost = price(choice);
    return outcome;
  }

  /// Operand a may count k as its source has it, when that makes the conversion cheaper.
  std::pair<tile::LayoutAttr, tile::LayoutAttr> operandLayouts(const Dot &dot,
                                                               const LayoutChoice &choice) {
    Fragment fragment = dot.instruction.fragment();
    LinearLayout result = choice.operations.lookup(dot.op).layout();
    DotOperands best = dotOperandLayouts(fragment, result, dot.k);
    if (tile::LayoutAttr source = choice.values.lookup(dot.a)) {
      DotOperands other =
          dotOperandLayouts(fragment, result, dot.k, kOrderOf(fragment, source.layout()));
      unsigned bytes = tile::elementBytes(getElementTypeOrSelf(dot.a.getType()));
      if (conversionCost(source, attr(other.a), bytes) <
          conversionCost(source, attr(best.a), bytes))
        best = other;
    }
    return {attr(best.a), attr(best.b)};
  }

  /// Instructions and reads of operands of each loop body overlap: the longer of the two counts.
  /// Everything else is in the way of what follows.
  double price(const LayoutChoice &choice) {
    struct Streams {
      double arithmetic = 0, reads = 0;
    };
    llvm::MapVector<Block *, Streams> bodies;
    double cycles = 0;
    for (const Dot &dot : dots_) {
      Streams &streams = bodies[dot.op->getBlock()];
      streams.arithmetic += instructionCost(dot, choice.operations.lookup(dot.op).layout());
      auto [a, b] = choice.dotOperands.lookup(dot.op);
      for (auto [operand, layout] : {std::pair(dot.a, a), std::pair(dot.b, b)}) {
        if (choice.values.contains(operand) || cheap_.contains(operand))
          continue;
        double times = timesMade(operand, dot.op), once = readCost(operand, layout.layout());
        (times < dot.frequency ? cycles : streams.reads) += times * once;
      }
    }
    for (auto &[block, streams] : bodies)
      cycles += std::max(streams.arithmetic, streams.reads) +
                cost::kOverlapLoss * std::min(streams.arithmetic, streams.reads);
    function_.walk([&](Operation *op) {
      if (auto reduce = dyn_cast<tile::ReduceOp>(op))
        cycles += reductionCost(reduce, choice);
      for (unsigned index = 0; index < op->getNumOperands(); ++index) {
        Value operand = op->getOperand(index);
        if (tile::LayoutAttr has = choice.values.lookup(operand))
          if (tile::LayoutAttr wanted = requiredLayout(op, index, choice))
            cycles += timesMade(operand, op) * warps_ *
                      conversionCost(has, wanted, bytesOfElement(operand));
      }
      for (auto [index, result] : llvm::enumerate(op->getResults()))
        if (tile::LayoutAttr chosen = choice.values.lookup(result))
          if (tile::LayoutAttr made = producedLayout(op, unsigned(index), choice))
            cycles += frequency(op) * warps_ * conversionCost(made, chosen, bytesOfElement(result));
    });
    return cycles;
  }

  double reductionCost(tile::ReduceOp reduce, const LayoutChoice &choice) const {
    double cycles = 0;
    for (Value source : reduce.getSources())
      if (tile::LayoutAttr chosen = choice.values.lookup(source)) {
        LinearLayout layout = chosen.layout();
        Bits along = layout.dimMask(reduce.getAxis());
        bool crossesWarps =
            llvm::any_of(layout.warp(), [&](Bits column) { return (column & along) != 0; });
        cycles += frequency(reduce) *
                  (reduceCost(layout, reduce.getAxis(), (bytesOfElement(source) + 3) / 4) +
                   (crossesWarps ? warps_ * cost::kExposedTrip : 0));
      }
    return cycles;
  }

  static unsigned bytesOfElement(Value value) {
    return tile::elementBytes(getElementTypeOrSelf(value.getType()));
  }

  /// How often `value` has to be brought into the layout that `user` needs: conversions of what a
  /// loop does not change are hoisted out of it.
  static double timesMade(Value value, Operation *user) {
    Operation *definition = value.getDefiningOp();
    return std::min(frequency(user), definition ? frequency(definition) : frequency(user));
  }

  double instructionCost(const Dot &dot, const LinearLayout &result) const {
    Fragment fragment = dot.instruction.fragment();
    auto sizes = cast<RankedTensorType>(dot.result.getType()).getShape();
    auto atLeast = [](int64_t size, unsigned bits) {
      return double(std::max<int64_t>(size, int64_t(1) << bits));
    };
    // What a warp computes: its registers and lanes, and whole fragments at least.
    double perThread = double(result.registers()) * (1 << kLaneBits);
    double padding = atLeast(sizes[sizes.size() - 2], fragment.m) *
                     atLeast(sizes.back(), fragment.n) /
                     (double(sizes[sizes.size() - 2]) * double(sizes.back()));
    double fragmentSize = double(int64_t(1) << (fragment.m + fragment.n));
    double steps = atLeast(dot.k, fragment.k) / double(int64_t(1) << fragment.k);
    double parts = dot.inThreeParts ? 3 : 1;
    if (!dot.instruction.isMatrix)
      return dot.frequency * warps_ * result.registers() * double(dot.k) * cost::kMultiplyAdd;
    double instructions = std::max(1.0, perThread / fragmentSize) * padding * steps * parts;
    return dot.frequency * warps_ * instructions * cost::kMatrixInstruction;
  }

  /// Cycles, over all warps, to read a tile from shared memory into `layout`.
  double readCost(Value value, const LinearLayout &layout) const {
    double bytes = bytesOfElement(value);
    unsigned lanes = kLaneBits - llvm::popcount(layout.replicatedLanes());
    double perThread = layout.registers() * bytes;
    double wavefronts =
        std::max(perThread * (1u << lanes) / kWavefrontBytes, perThread / kReadBytes);
    return warps_ * wavefronts * cost::kStreamedWavefront;
  }

  double conversionCost(tile::LayoutAttr from, tile::LayoutAttr to, unsigned bytes) {
    if (from == to)
      return 0;
    auto [known, isNew] = conversions_.try_emplace({{from, to}, bytes}, 0);
    if (isNew) {
      ConversionPlan plan = planConversion(from.layout(), to.layout(), bytes);
      bool isTrip = plan.kind == ConversionPlan::Kind::Shared;
      known->second = plan.cost + (isTrip ? cost::kExposedTrip : 0);
    }
    return known->second;
  }

  /// The cheapest state found: from arrangements that are alike in all dots, then dot by dot.
  State search() {
    State best;
    double cost = 0;
    auto consider = [&](const State &state) {
      double its = evaluate(state).cost;
      if (!best.empty() && its >= cost)
        return false;
      best = state;
      cost = its;
      return true;
    };
    for (const Candidate &model : dots_.front().candidates) {
      State state;
      for (const Dot &dot : dots_)
        state.push_back(mostAlike(dot, model.grid));
      consider(state);
    }
    if (dots_.size() == 1)
      return best;
    for (unsigned round = 0; round < kRounds; ++round) {
      bool changed = false;
      for (size_t dot = 0; dot < dots_.size(); ++dot)
        for (size_t index = 0; index < dots_[dot].candidates.size(); ++index) {
          State state = best;
          state[dot] = index;
          if (state != best)
            changed |= consider(state);
        }
      if (!changed)
        break;
    }
    return best;
  }

  /// The candidate with as many warps along m as `grid`, or the nearest fewer.
  static size_t mostAlike(const Dot &dot, const WarpGrid &grid) {
    size_t best = 0;
    auto distance = [&](const Candidate &candidate) {
      return std::pair(candidate.grid.m > grid.m ? candidate.grid.m / grid.m + 1
                                                 : grid.m / candidate.grid.m,
                       candidate.grid.batch == grid.batch ? 0 : 1);
    };
    for (size_t index = 1; index < dot.candidates.size(); ++index)
      if (distance(dot.candidates[index]) < distance(dot.candidates[best]))
        best = index;
    return best;
  }

  //===--- Operands ---------------------------------------------------------------------------===//

  /// Gives what makes an operand the operand's layout where that is cheaper than converting.
  void assignOperand(const Dot &dot, bool isA, LayoutChoice &choice) {
    Value operand = isA ? dot.a : dot.b;
    if (cheap_.contains(operand) || choice.values.contains(operand))
      return;
    auto [a, b] = choice.dotOperands.lookup(dot.op);
    tile::LayoutAttr layout = isA ? a : b;
    Layouts own = spreadLayout(operand, layout, choice, cheap_, /*guess=*/false);
    double converted = convertedCost(operand, dot.op, layout, own, choice);
    if (converted <= classCost(own))
      return; // the class is its accesses'
    for (auto [value, its] : own)
      choice.values[value] = its;
  }

  /// Accesses, elementwise work and reductions of a class with these layouts.
  double classCost(const Layouts &layouts) {
    double cycles = 0;
    for (const GlobalAccess &access : accesses_)
      if (auto layout = layouts.find(movedTile(access)); layout != layouts.end())
        cycles += access.frequency * accessCostIn(access, layout->second);
    for (auto [value, layout] : layouts) {
      Operation *op = value.getDefiningOp();
      if (!op)
        continue;
      if (isa<tile::LocalLoadOp>(op))
        cycles += frequency(op) * readCost(value, layout.layout());
      else if (op->hasTrait<OpTrait::Elementwise>())
        cycles += frequency(op) * warps_ * layout.layout().registers() * cost::kRegisterOp;
      for (Operation *user : value.getUsers())
        if (auto reduce = dyn_cast<tile::ReduceOp>(user))
          cycles += frequency(user) *
                    reduceCost(layout.layout(), reduce.getAxis(), (bytesOfElement(value) + 3) / 4);
    }
    return cycles;
  }

  /// An access whose tile has `layout`: directly, or through a layout that suits memory.
  double accessCostIn(const GlobalAccess &access, tile::LayoutAttr layout) {
    double best = accessCost(access, layout.layout());
    for (const LinearLayout &candidate : candidateLayouts(access, warps_))
      best =
          std::min(best, accessCost(access, candidate) +
                             warps_ * conversionCost(attr(candidate), layout, access.elementBytes));
    return best;
  }

  /// The class as its heaviest access wants it, with a conversion of the operand; infinite when
  /// nothing in it accesses memory: a buffer is read in any layout.
  double convertedCost(Value operand, Operation *user, tile::LayoutAttr layout, const Layouts &own,
                       const LayoutChoice &choice) {
    const GlobalAccess *heaviest = nullptr;
    auto weight = [](const GlobalAccess &access) {
      return access.frequency * access.elementBytes * double(access.type.getNumElements());
    };
    for (const GlobalAccess &access : accesses_)
      if (own.contains(movedTile(access)) && (!heaviest || weight(access) > weight(*heaviest)))
        heaviest = &access;
    double best = std::numeric_limits<double>::infinity();
    if (!heaviest)
      return best;
    for (const LinearLayout &candidate : candidateLayouts(*heaviest, warps_)) {
      Layouts layouts =
          spreadLayout(movedTile(*heaviest), attr(candidate), choice, cheap_, /*guess=*/false);
      auto its = layouts.find(operand);
      if (its == layouts.end())
        continue;
      best = std::min(best, classCost(layouts) +
                                timesMade(operand, user) * warps_ *
                                    conversionCost(its->second, layout, bytesOfElement(operand)));
    }
    return best;
  }

  func::FuncOp function_;
  MLIRContext *context_;
  unsigned warps_;
  ArrayRef<GlobalAccess> accesses_;
  const CheapValues &cheap_;
  std::vector<Dot> dots_; ///< the heaviest first
  llvm::DenseMap<std::pair<Operation *, Attribute>, bool> fits_;
  llvm::DenseMap<std::pair<std::pair<Attribute, Attribute>, unsigned>, double> conversions_;
};

} // namespace

void tilec::assignDots(func::FuncOp function, unsigned warps, bool float8,
                       ArrayRef<GlobalAccess> accesses, const CheapValues &cheap,
                       LayoutChoice &choice) {
  DotAssignment(function, warps, accesses, cheap).run(float8, choice);
}
