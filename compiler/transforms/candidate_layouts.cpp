#include "compiler/transforms/candidate_layouts.h"

#include "compiler/layout/cost_model.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace tilec;

namespace {

/// Bytes of the memory line and of the sector that a warp's requests are served in.
constexpr unsigned kLineBytes = 128, kSectorBytes = 32;

/// Builds a layout by handing out element bits dimension by dimension, lowest first.
class LayoutBuilder {
public:
  explicit LayoutBuilder(ArrayRef<int64_t> shape) : shape_(shape), used_(shape.size(), 0) {}

  unsigned left(unsigned dim) const { return llvm::Log2_64(shape_[dim]) - used_[dim]; }

  /// The next bit of `dim` as a column.
  Bits take(unsigned dim) {
    unsigned shift = used_[dim]++;
    for (unsigned lower = dim + 1; lower < shape_.size(); ++lower)
      shift += llvm::Log2_64(shape_[lower]);
    return Bits(1) << shift;
  }

  /// Moves up to `count` bits of the dims in `order` into `columns`.
  void fill(std::vector<Bits> &columns, unsigned count, ArrayRef<unsigned> order) {
    for (unsigned dim : order)
      while (count > 0 && left(dim) > 0) {
        columns.push_back(take(dim));
        --count;
      }
  }

private:
  ArrayRef<int64_t> shape_;
  SmallVector<unsigned> used_;
};

struct BlockedShape {
  unsigned vectorBits;      ///< registers along order[0] first
  unsigned fastLaneBits;    ///< at most that many lane bits along order[0]
  bool warpsAlongSlowFirst; ///< warps over order.back() first, or continue along order[0]
};

LinearLayout build(ArrayRef<int64_t> shape, ArrayRef<unsigned> order, unsigned warps,
                   const BlockedShape &blocked) {
  LayoutBuilder builder(shape);
  std::vector<Bits> reg, lane, warp;
  if (!order.empty()) {
    builder.fill(reg, std::min(blocked.vectorBits, builder.left(order[0])), {order[0]});
    builder.fill(lane, std::min(blocked.fastLaneBits, builder.left(order[0])), {order[0]});
  }
  SmallVector<unsigned> slowFirst(order.rbegin(), order.rend());
  SmallVector<unsigned> rest(order.drop_front(order.empty() ? 0 : 1));
  builder.fill(lane, kLaneBits - lane.size(), rest);
  builder.fill(lane, kLaneBits - lane.size(), order);
  unsigned warpBits = llvm::Log2_32(warps);
  builder.fill(warp, warpBits, blocked.warpsAlongSlowFirst ? ArrayRef<unsigned>(slowFirst) : order);
  builder.fill(reg, 32, order);
  lane.resize(kLaneBits, 0);
  warp.resize(warpBits, 0);
  return LinearLayout(shape.vec(), reg, lane, warp);
}

} // namespace

std::optional<GlobalAccess> tilec::describeAccess(Operation *op, const FactAnalysis &facts,
                                                  unsigned maxVectorBytes) {
  GlobalAccess access;
  access.op = op;
  Type valueType;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    access.ptr = load.getPtr();
    access.mask = load.getMask();
    valueType = load.getType();
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    access.ptr = store.getPtr();
    access.mask = store.getMask();
    valueType = store.getValue().getType();
  }
  access.type = dyn_cast_or_null<RankedTensorType>(valueType);
  if (!access.type)
    return std::nullopt;
  access.elementBytes = tile::elementBytes(access.type.getElementType());

  const ValueFacts &pointer = facts.of(access.ptr);
  access.order.resize(access.type.getRank());
  std::iota(access.order.begin(), access.order.end(), 0u);
  llvm::sort(access.order, [&](unsigned a, unsigned b) {
    auto run = [&](unsigned dim) {
      return dim < pointer.contiguity.size() ? pointer.contiguity[dim] : 1;
    };
    return run(a) != run(b) ? run(a) > run(b) : a > b; // the last dimension among equals
  });
  if (!access.order.empty())
    access.maxVector =
        vectorWidth(facts, access.ptr, access.mask, access.order[0], maxVectorBytes, &access.limit);
  return access;
}

std::vector<LinearLayout> tilec::candidateLayouts(const GlobalAccess &access, unsigned warps) {
  std::vector<LinearLayout> candidates;
  unsigned widest = llvm::Log2_32(access.maxVector);
  for (unsigned narrower = 0; narrower <= widest; ++narrower) {
    unsigned vectorBits = widest - narrower;
    unsigned lineLanes = kLineBytes / std::min(kLineBytes, access.elementBytes << vectorBits);
    for (unsigned fastLaneBits : {kLaneBits, std::min(kLaneBits, llvm::Log2_32(lineLanes))})
      for (bool slowFirst : {false, true}) {
        LinearLayout layout = build(access.type.getShape(), access.order, warps,
                                    {vectorBits, fastLaneBits, slowFirst});
        if (llvm::find(candidates, layout) == candidates.end())
          candidates.push_back(layout);
      }
  }
  return candidates;
}

LinearLayout tilec::defaultLayout(ArrayRef<int64_t> shape, unsigned warps) {
  SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0u);
  return build(shape, order, warps, {0, kLaneBits, false});
}

unsigned tilec::accessVector(const GlobalAccess &access, const LinearLayout &layout) {
  if (access.order.empty())
    return 1;
  unsigned shift = layout.dimShift(access.order[0]);
  unsigned vector = 1;
  for (Bits column : layout.reg()) {
    if (vector >= access.maxVector || column != Bits(vector) << shift)
      break;
    vector *= 2;
  }
  return vector;
}

/// Runs of addresses a request touches: the lane columns along the contiguous dimension extend the
/// vector's run, all other lanes start runs of their own.
static unsigned sectors(const GlobalAccess &access, const LinearLayout &layout, unsigned vector) {
  unsigned run = vector, runs = 1;
  Bits fast = access.order.empty() ? 0 : layout.dimMask(access.order[0]);
  unsigned shift = access.order.empty() ? 0 : layout.dimShift(access.order[0]);
  bool extending = true;
  for (Bits column : layout.lane()) {
    if (column == 0)
      continue;
    if (extending && (column & fast) == column && column == Bits(run) << shift)
      run *= 2;
    else {
      extending = false;
      runs *= 2;
    }
  }
  unsigned bytes = run * access.elementBytes;
  return runs * std::max(1u, (bytes + kSectorBytes - 1) / kSectorBytes);
}

double tilec::accessCost(const GlobalAccess &access, const LinearLayout &layout) {
  unsigned vector = accessVector(access, layout);
  double requests = double(layout.registers()) / vector;
  return layout.warps() * requests *
         (cost::kGlobalRequest + cost::kSector * sectors(access, layout, vector));
}

double tilec::reduceCost(const LinearLayout &layout, unsigned axis, unsigned words) {
  Bits mask = layout.dimMask(axis);
  auto along = [&](const std::vector<Bits> &columns) {
    return llvm::count_if(columns, [&](Bits column) { return (column & mask) != 0; });
  };
  double kept = double(layout.registers() >> along(layout.reg()));
  double cycles = (layout.registers() - kept) * cost::kRegisterOp * words;
  cycles += kept * along(layout.lane()) * (cost::kShuffle + cost::kRegisterOp) * words;
  if (unsigned warpBits = along(layout.warp()))
    cycles += cost::kBarrier + kept * words * (1 + (1u << warpBits)) * cost::kSharedWavefront;
  return cycles * layout.warps();
}
