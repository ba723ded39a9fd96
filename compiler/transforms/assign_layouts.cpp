// Layout assignment: every tile of a function gets a layout.
//
//   The problem. A load wants its elements spread so that a lane moves 16 bytes and a warp a whole
//   line; a reduction wants the axis inside threads, or at least inside warps; elementwise
//   operations do not care, but want their operands alike. One choice fixes all tiles that are
//   joined by operations with an invertible layout map - a *class*:
//
//        load x ── exp ── max(axis 1) ─ expand ─ broadcast ── sub ── store
//          └──────────────────── one class ────────────────────────┘
//
//   The idea. Accesses are the anchors. Heaviest first (bytes, loops weighted), each tries its
//   candidate layouts: the choice is propagated over its class and the whole class is priced
//   - accesses by requests and sectors, reductions by shuffles and barriers - with the table in
//   layout/cost_model.h. The cheapest is kept. Where two anchors of one class disagree, the later
//   one converts when that is cheaper than a bad access. Cheap values (index arithmetic, splats)
//   take no part: they are computed again in whatever layout is asked of them (apply_layouts.cpp).
//
// Changes: types of tiles gain an encoding; tile.convert_layout where neighbours differ; cheap
// values are cloned per layout. Must hold: tile IR without layouts, uniform values are scalars.
// Holds after: every tile has a layout, operands of elementwise operations agree.
#include "compiler/transforms/apply_layouts.h"
#include "compiler/transforms/candidate_layouts.h"
#include "compiler/transforms/dot_layouts.h"
#include "compiler/transforms/layout_inference.h"
#include "compiler/transforms/passes.h"

#include "compiler/layout/conversion.h"
#include "compiler/layout/cost_model.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;

namespace {

class LayoutAssignment {
public:
  LayoutAssignment(func::FuncOp function, unsigned warps, const PipelineOptions &options)
      : function_(function), context_(function.getContext()), warps_(warps),
        float8_(options.float8), facts_(function), cheap_(function) {
    function.walk([&](Operation *op) {
      if (isa<tile::LoadOp, tile::StoreOp, tile::CopyAsyncOp>(op)) {
        if (auto access = describeAccess(op, facts_, options.maxVectorBytes)) {
          access->frequency = frequency(op);
          accesses_.push_back(*access);
        }
      } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
        reductions_.push_back(reduce);
      }
    });
  }

  LayoutChoice run() {
    assignDots(function_, warps_, float8_, accesses_, cheap_, choice_);
    std::vector<const GlobalAccess *> order;
    for (const GlobalAccess &access : accesses_)
      order.push_back(&access);
    llvm::sort(order, [](const GlobalAccess *a, const GlobalAccess *b) {
      return std::pair(-weight(*a), a) < std::pair(-weight(*b), b); // program order among equals
    });
    for (const GlobalAccess *access : order)
      assignAnchor(*access);
    assignRest();
    for (const GlobalAccess &access : accesses_)
      settle(access);
    for (tile::ReduceOp reduce : reductions_)
      settle(reduce);
    return std::move(choice_);
  }

  const std::vector<GlobalAccess> &accesses() const { return accesses_; }
  const CheapValues &cheap() const { return cheap_; }

private:
  static double weight(const GlobalAccess &access) {
    return access.frequency * access.elementBytes * double(access.type.getNumElements());
  }

  Layouts propagate(Value seed, tile::LayoutAttr layout) const {
    return spreadLayout(seed, layout, choice_, cheap_, /*guess=*/true);
  }

  /// Cost of all accesses and reductions of a class, were it assigned like that.
  double price(const Layouts &layouts, const GlobalAccess &anchor, const LinearLayout &own) const {
    double cycles = 0;
    for (const GlobalAccess &access : accesses_) {
      auto layout = layouts.find(movedTile(access));
      if (access.op == anchor.op)
        cycles += access.frequency * accessCost(access, own);
      else if (layout != layouts.end())
        cycles += access.frequency * accessCost(access, layout->second.layout());
    }
    for (tile::ReduceOp reduce : reductions_)
      for (Value source : reduce.getSources())
        if (auto layout = layouts.find(source); layout != layouts.end()) {
          LinearLayout algebra = layout->second.layout();
          unsigned words = (tile::elementBytes(getElementTypeOrSelf(source.getType())) + 3) / 4;
          cycles += frequency(reduce) * reduceCost(algebra, reduce.getAxis(), words);
        }
    return cycles;
  }

  void assignAnchor(const GlobalAccess &access) {
    Value value = movedTile(access);
    if (choice_.values.contains(value))
      return;
    double best = 0;
    std::optional<LinearLayout> chosen;
    Layouts spread;
    for (const LinearLayout &candidate : candidateLayouts(access, warps_)) {
      Layouts layouts;
      if (!cheap_.contains(value))
        layouts = propagate(value, attr(candidate));
      double cycles = price(layouts, access, candidate);
      if (!chosen || cycles < best) {
        best = cycles;
        chosen = candidate;
        spread = std::move(layouts);
      }
    }
    choice_.operations[access.op] = attr(*chosen);
    for (auto [other, layout] : spread)
      choice_.values[other] = layout;
  }

  /// Tiles that no access reaches.
  void assignRest() {
    auto assign = [&](Value value) {
      if (!tile::isTile(value.getType()) || cheap_.contains(value) ||
          choice_.values.contains(value))
        return;
      auto type = cast<RankedTensorType>(value.getType());
      for (auto [other, layout] : propagate(value, attr(defaultLayout(type.getShape(), warps_))))
        choice_.values[other] = layout;
    };
    function_.walk<WalkOrder::PreOrder>([&](Operation *op) {
      llvm::for_each(op->getResults(), assign);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), assign);
    });
  }

  /// The layout an access works in: that of the tile it moves, or its own where converting is
  /// cheaper than accessing memory in that one.
  void settle(const GlobalAccess &access) {
    Value value = movedTile(access);
    if (cheap_.contains(value))
      return; // its own candidate stands, the value is computed in it
    tile::LayoutAttr natural = choice_.values.lookup(value);
    choice_.operations[access.op] = natural;
    LinearLayout from = natural.layout();
    double best = accessCost(access, from);
    for (const LinearLayout &candidate : candidateLayouts(access, warps_)) {
      if (candidate == from)
        continue;
      double converted = accessCost(access, candidate) +
                         planConversion(from, candidate, access.elementBytes).cost * warps_;
      if (converted < best) {
        best = converted;
        choice_.operations[access.op] = attr(candidate);
      }
    }
  }

  /// The layout a reduction works in: that of its first tile that has one, if no column mixes the
  /// axis with other dimensions.
  void settle(tile::ReduceOp reduce) {
    auto type = cast<RankedTensorType>(reduce.getSources().front().getType());
    for (Value source : reduce.getSources())
      if (!cheap_.contains(source)) {
        tile::LayoutAttr layout = choice_.values.lookup(source);
        if (layout.layout().separable(reduce.getAxis())) {
          choice_.operations[reduce] = layout;
          return;
        }
      }
    choice_.operations[reduce] = attr(defaultLayout(type.getShape(), warps_));
  }

  tile::LayoutAttr attr(const LinearLayout &layout) const {
    return tile::LayoutAttr::get(context_, layout);
  }

  func::FuncOp function_;
  MLIRContext *context_;
  unsigned warps_;
  bool float8_;
  FactAnalysis facts_;
  CheapValues cheap_;
  std::vector<GlobalAccess> accesses_;
  std::vector<tile::ReduceOp> reductions_;
  LayoutChoice choice_;
};

/// One line an access: what a lane moves, what a request touches, why not more.
void remarkAccesses(const std::vector<GlobalAccess> &accesses, const LayoutChoice &choice) {
  for (const GlobalAccess &access : accesses) {
    LinearLayout layout = choice.operations.lookup(access.op).layout();
    unsigned vector = accessVector(access, layout);
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << "[coalesce] "
           << (isa<tile::StoreOp>(access.op)  ? "store"
               : isa<tile::LoadOp>(access.op) ? "load"
                                              : "copy")
           << ": " << vector << " x " << access.type.getElementType() << " a lane ("
           << vector * access.elementBytes << " bytes), " << layout.registers() / vector
           << " requests a warp";
    if (vector < access.maxVector)
      stream << "; not wider: the tile has too few elements for its threads, or another access "
                "decided the layout";
    else if (!access.limit.empty())
      stream << "; not wider: " << access.limit;
    access.op->emitRemark(text);
  }
}

void remarkConversions(func::FuncOp function) {
  function.walk([](tile::ConvertLayoutOp op) {
    unsigned bytes = tile::elementBytes(op.getType().getElementType());
    ConversionPlan plan =
        planConversion(tile::layoutOf(op.getSource()), tile::layoutOf(op.getType()), bytes);
    const char *how = plan.kind == ConversionPlan::Kind::Registers ? "in registers"
                      : plan.kind == ConversionPlan::Kind::Shuffle ? "by warp shuffles"
                                                                   : "through shared memory";
    op.emitRemark() << "[layout] conversion " << how << ", about "
                    << static_cast<int64_t>(plan.cost)
                    << " cycles a warp: " << tile::layoutOf(op.getSource()).str() << " -> "
                    << tile::layoutOf(op.getType()).str();
  });
}

struct AssignLayoutsPass : PassWrapper<AssignLayoutsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssignLayoutsPass)
  explicit AssignLayoutsPass(PipelineOptions options) : options_(std::move(options)) {}
  StringRef getArgument() const override { return "tile-assign-layouts"; }
  StringRef getDescription() const override { return "Gives every tile a layout"; }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto warps = function->getAttrOfType<IntegerAttr>(tile::kWarpsAttr);
    if (!warps) {
      function.emitError("tile-assign-layouts: the function has no ") << tile::kWarpsAttr;
      return signalPassFailure();
    }
    LayoutAssignment assignment(function, static_cast<unsigned>(warps.getInt()), options_);
    LayoutChoice choice = assignment.run();
    if (options_.remarks.count("coalesce"))
      remarkAccesses(assignment.accesses(), choice);
    applyLayouts(function, choice, assignment.cheap());
    if (options_.remarks.count("layout"))
      remarkConversions(function);
  }

  PipelineOptions options_;
};

} // namespace

std::unique_ptr<Pass> tilec::createAssignLayoutsPass(const PipelineOptions &options) {
  return std::make_unique<AssignLayoutsPass>(options);
}
