// Places in shared memory: buffers by their lifetimes, and scratch of reductions and conversions.
//
//   A buffer lives from its alloc to its last use; inside a loop that began after the alloc, to the
//   end of that loop. Operations with scratch use it only while they run. What does not live at one
//   time may share bytes:
//
//     alloc a   ┌──── a ────┐
//       loop    │  reads a  │   scratch of a reduction in the loop: beside a
//     end       └───────────┘
//     convert   ┌ scratch ┐     where a was
//
//   Buffers come first, largest first, each at the lowest place free during its life. Scratch could
//   always take the lowest free place - at the price of a barrier before each. Handing out places
//   round a ring that is at least twice the largest piece puts neighbours apart: the barrier inside
//   the second operation then also separates the first from the third, and no other is needed. The
//   ring is as large as buffers make the memory anyway.
//
// Changes: offset on tile.alloc, scratch_offset on tile.reduce and tile.convert_layout; tile.shared
// on the function.
// Must hold: layouts are final; nothing that uses shared memory is added or moved afterwards.
// Holds after: everything that needs shared memory has an offset, and what lives at one time does
// not overlap; offset + size <= tile.shared.
#include "compiler/transforms/passes.h"

#include "compiler/analysis/scratch.h"
#include "compiler/ir/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

namespace {

/// Offsets of scratch are multiples of this many bytes: the widest shared-memory access.
constexpr unsigned kScratchAlignment = 16;
/// Offsets of buffers: a wavefront, so that bank conflicts are what the layout says; and where the
/// tensor-copy engine writes, all address bits that its swizzle looks at.
constexpr unsigned kBufferAlignment = 128, kTensorCopyAlignment = 1024;
/// The ring holds this much even when all pieces are small: a few reductions side by side.
constexpr unsigned kSmallRing = 1024;

/// Something with a place: bytes [offset, offset + bytes) while the operations numbered first to
/// last run.
struct Piece {
  Operation *op;
  int64_t bytes;
  unsigned first, last;
  int64_t alignment = 1;
  int64_t offset = 0;

  bool livesWith(const Piece &other) const { return first <= other.last && other.first <= last; }
};

class SharedPlacement {
public:
  explicit SharedPlacement(func::FuncOp function) : function_(function) {
    unsigned next = 0;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { number_[op] = next++; });
    collect();
  }

  void run() {
    placeBuffers();
    placeScratch();
    OpBuilder builder(function_.getContext());
    for (const Piece &buffer : buffers_)
      buffer.op->setAttr("offset", builder.getI32IntegerAttr(static_cast<int32_t>(buffer.offset)));
    for (const Piece &scratch : scratch_)
      scratch.op->setAttr("scratch_offset",
                          builder.getI32IntegerAttr(static_cast<int32_t>(scratch.offset)));
    // Beyond what any GPU has, the exact figure does not matter.
    auto used = static_cast<int32_t>(std::min<int64_t>(used_, INT32_MAX));
    function_->setAttr(tile::kSharedAttr, builder.getI32IntegerAttr(used));
  }

private:
  void collect() {
    function_.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto alloc = dyn_cast<tile::AllocOp>(op)) {
        int64_t bytes = llvm::alignTo(alloc.getBuffer().getType().bytes(), kBufferAlignment);
        unsigned last = number_[op];
        int64_t alignment = kBufferAlignment;
        for (Operation *user : alloc.getBuffer().getUsers()) {
          last = std::max(last, endOf(user, alloc->getBlock()));
          if (auto copy = dyn_cast<tile::TensorCopyOp>(user); copy && copy.getBuffer() == alloc)
            alignment = kTensorCopyAlignment;
        }
        buffers_.push_back({op, bytes, number_[op], last, alignment});
      } else if (isa<tile::ReduceOp, tile::ConvertLayoutOp>(op)) {
        if (int64_t bytes = llvm::alignTo(scratchBytes(op), kScratchAlignment))
          scratch_.push_back({op, bytes, number_[op], number_[op]});
      }
    });
  }

  /// The number of the last operation inside the one of `block` that `user` is or stands in.
  unsigned endOf(Operation *user, Block *block) {
    unsigned last = number_[user];
    if (Operation *ancestor = block->findAncestorOpInBlock(*user))
      ancestor->walk([&](Operation *op) { last = std::max(last, number_[op]); });
    return last;
  }

  void placeBuffers() {
    std::vector<Piece *> order;
    for (Piece &buffer : buffers_)
      order.push_back(&buffer);
    llvm::sort(order, [](const Piece *a, const Piece *b) {
      return std::pair(-a->bytes, a->first) < std::pair(-b->bytes, b->first);
    });
    std::vector<const Piece *> placed;
    for (Piece *buffer : order) {
      buffer->offset = firstFree(*buffer, 0, placed);
      used_ = std::max(used_, buffer->offset + buffer->bytes);
      placed.push_back(buffer);
    }
  }

  /// The lowest offset from `from` on where `piece` overlaps nothing that lives with it.
  static int64_t firstFree(const Piece &piece, int64_t from,
                           const std::vector<const Piece *> &placed) {
    std::vector<const Piece *> others;
    for (const Piece *other : placed)
      if (other->livesWith(piece))
        others.push_back(other);
    llvm::sort(others, [](const Piece *a, const Piece *b) {
      return std::pair(a->offset, a->first) < std::pair(b->offset, b->first);
    });
    for (const Piece *other : others)
      if (from < other->offset + other->bytes && other->offset < from + piece.bytes)
        from = llvm::alignTo(other->offset + other->bytes, piece.alignment);
    return from;
  }

  void placeScratch() {
    // Beside live buffers, and where there are none.
    int64_t room = kSmallRing, next = 0, buffersEnd = used_;
    if (buffers_.empty())
      for (const Piece &piece : scratch_)
        room = std::max(room, 2 * piece.bytes);
    std::vector<const Piece *> placed;
    for (const Piece &buffer : buffers_)
      placed.push_back(&buffer);
    for (Piece &piece : scratch_) {
      int64_t live = 0;
      for (const Piece &buffer : buffers_)
        if (buffer.livesWith(piece))
          live = std::max(live, buffer.offset + buffer.bytes);
      piece.offset = firstFree(piece, next, placed);
      if (piece.offset + piece.bytes > std::max(buffersEnd, live + room))
        piece.offset = firstFree(piece, 0, placed);
      next = piece.offset + piece.bytes;
      used_ = std::max(used_, next);
    }
  }

  func::FuncOp function_;
  llvm::DenseMap<Operation *, unsigned> number_;
  std::vector<Piece> buffers_, scratch_;
  int64_t used_ = 0;
};

struct PlaceSharedPass : PassWrapper<PlaceSharedPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlaceSharedPass)
  StringRef getArgument() const override { return "tile-place-shared"; }
  StringRef getDescription() const override { return "Gives out shared memory"; }

  void runOnOperation() override { SharedPlacement(getOperation()).run(); }
};

} // namespace

std::unique_ptr<Pass> tilec::createPlaceSharedPass() {
  return std::make_unique<PlaceSharedPass>();
}
