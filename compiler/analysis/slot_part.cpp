#include "compiler/analysis/slot_part.h"

#include "compiler/ir/part_of_slot.h"
#include "compiler/layout/gf2.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilec;

tile::LocalLoadOp tilec::readPartOfSlot(OpBuilder &builder, Location loc, Value buffer, Value slot,
                                        ArrayRef<int64_t> starts, ArrayRef<int64_t> shape) {
  auto type = cast<tile::BufferType>(buffer.getType());
  auto load = tile::LocalLoadOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElement()), buffer, slot);
  if (shape != type.getShape())
    load->setAttr(tile::kPartOfSlotAttr, builder.getDenseI64ArrayAttr(starts));
  return load;
}

/// Of each element bit of a tile of `part`, the element bit of one of `whole` it stands for.
static std::vector<Bits> spreadBits(ArrayRef<int64_t> part, ArrayRef<int64_t> whole) {
  LinearLayout from(part.vec(), {}, {}, {}), to(whole.vec(), {}, {}, {});
  std::vector<Bits> columns(from.elementBits());
  for (unsigned dim = 0; dim < part.size(); ++dim)
    for (int64_t bit = 0; int64_t(1) << bit < part[dim]; ++bit)
      columns[from.dimShift(dim) + bit] = Bits(1) << (to.dimShift(dim) + bit);
  return columns;
}

Bits tilec::firstElement(tile::LocalLoadOp load) {
  auto starts = load->getAttrOfType<DenseI64ArrayAttr>(tile::kPartOfSlotAttr);
  if (!starts)
    return 0;
  return LinearLayout(load.getBuffer().getType().getShape().vec(), {}, {}, {})
      .elementAt(starts.asArrayRef().vec());
}

LinearLayout tilec::layoutInSlot(tile::LocalLoadOp load) {
  LinearLayout layout = tile::layoutOf(load.getType());
  ArrayRef<int64_t> whole = load.getBuffer().getType().getShape();
  if (load.getType().getShape() == whole)
    return layout;
  std::vector<Bits> map = spreadBits(load.getType().getShape(), whole);
  auto spread = [&](std::vector<Bits> columns) {
    for (Bits &column : columns)
      column = gf2::apply(map, column);
    return columns;
  };
  std::vector<Bits> reg = spread(layout.reg());
  Bits read = 0;
  for (Bits bit : map)
    read |= bit;
  for (unsigned bit = 0; int64_t(1) << bit < load.getBuffer().getType().elements(); ++bit)
    if (!(read >> bit & 1))
      reg.push_back(Bits(1) << bit);
  return {whole.vec(), reg, spread(layout.lane()), spread(layout.warp())};
}
