#include "compiler/transforms/candidate_layouts.h"

#include "compiler/layout/buffer_layout.h"
#include "compiler/layout/conversion.h"
#include "compiler/layout/cost_model.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace tilec;

/// Bytes of the memory line that a warp's request fills at best.
static constexpr unsigned kLineBytes = 128;

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
  } else if (auto copy = dyn_cast<tile::CopyAsyncOp>(op)) {
    access.ptr = copy.getPtr();
    access.mask = copy.getMask();
    tile::BufferType buffer = copy.getBuffer().getType();
    valueType = RankedTensorType::get(buffer.getShape(), buffer.getElement());
    maxVectorBytes = std::min(maxVectorBytes, kMaxCopyBytes);
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

Value tilec::movedTile(const GlobalAccess &access) {
  if (isa<tile::CopyAsyncOp>(access.op))
    return access.ptr;
  if (auto store = dyn_cast<tile::StoreOp>(access.op))
    return store.getValue();
  return access.op->getResult(0);
}

std::vector<LinearLayout> tilec::candidateLayouts(const GlobalAccess &access, unsigned warps) {
  std::vector<LinearLayout> candidates;
  std::vector<int64_t> shape = access.type.getShape().vec();
  constexpr unsigned kLanes = 1u << kLaneBits;
  for (unsigned vector = access.maxVector; vector > 0; vector /= 2) {
    unsigned lineLanes = kLineBytes / std::min(kLineBytes, access.elementBytes * vector);
    for (unsigned fastLanes : {kLanes, std::min(kLanes, lineLanes)})
      for (unsigned fastWarps : {warps, 1u}) {
        LinearLayout layout =
            blockedLayout(shape, access.order, vector, warps, fastLanes, fastWarps);
        if (llvm::find(candidates, layout) == candidates.end())
          candidates.push_back(layout);
      }
  }
  return candidates;
}

LinearLayout tilec::defaultLayout(ArrayRef<int64_t> shape, unsigned warps) {
  return blockedLayout(shape.vec(), /*order=*/{}, /*vector=*/1, warps);
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

/// How many addresses a thread computes: requests in one row are constants apart.
static double addresses(const GlobalAccess &access, const LinearLayout &layout) {
  Bits row = access.order.empty() ? 0 : layout.dimMask(access.order[0]);
  return double(
      1u << llvm::count_if(layout.reg(), [&](Bits column) { return (column & ~row) != 0; }));
}

double tilec::accessCost(const GlobalAccess &access, const LinearLayout &layout) {
  unsigned vector = accessVector(access, layout);
  double requests = double(layout.registers()) / vector;
  std::vector<int64_t> strides(layout.rank(), 0); // rows are taken as far apart
  if (!access.order.empty())
    strides[access.order[0]] = 1;
  unsigned sectors = sectorsPerRequest(layout, strides, access.elementBytes, vector);
  return layout.warps() * (requests * (cost::kGlobalRequest + cost::kSector * sectors) +
                           cost::kAddress * addresses(access, layout));
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
