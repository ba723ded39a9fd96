// Barriers between uses of shared memory that may overlap.
//
//   The problem. What one thread writes another may read only after a barrier, and what one reads
//   another may overwrite only after one. An asynchronous copy writes at any time between its issue
//   and the wait_group that covers it, and that wait speaks for the own thread's copies only: a
//   barrier has to follow it, too.
//
//   The idea. Walk the program with the accesses since the last barrier: they are *pending*. An
//   access that overlaps a pending one, where one of the two writes, gets a barrier in front, which
//   ends all that is pending. Copies are kept apart, *under way*, with the number of groups
//   committed since; a wait makes those it covers pending writes, as if they happened there.
//
//        wait_group 1     copy of slot i      -> pending write of slot i
//        ── barrier ──    found here: the copy below overwrites what others read in iteration i-1
//        copy  -> (i+2)   under way
//        read  <- (i)     nothing pending; the copies under way are of other slots
//
//   Slots. A slot of a ring is (iteration + offset) mod slots (analysis/ring.h), so two slots of
//   one ring are the same exactly when the offsets are. At the back edge the iteration grows by
//   one, and every offset known from before shrinks by one. What is not understood counts as every
//   slot. Different buffers overlap where their bytes do.
//
//   A copy by the tensor-copy engine needs a barrier in front like any write, and none behind:
//   every thread waits for it at its mbarrier. To arrive and to wait there counts as reading the
//   mbarrier, so that a barrier stands between those and its first and last moments; these are the
//   same thread's, and need none between each other.
//
//   Operations with scratch write it, pass a barrier of their own, and read it.
//
//   State flows through branches (union) and round loops (fixpoint). Only the last visit of a
//   loop's body, made with everything that can be pending at its start, says where its barriers
//   are: the first iteration alone would put one before the first read, which the one before the
//   copies makes superfluous later.
//
// Changes: tile.barrier before operations that conflict with pending accesses.
// Must hold: buffers and scratch are placed. All threads of a program take the same branches
// (conditions are scalars). Copies are waited for before they are read.
// Holds after: no byte of shared memory is written while another thread may still read or write it,
// and none is read that another wrote without a barrier in between.
#include "compiler/transforms/passes.h"

#include "compiler/analysis/ring.h"
#include "compiler/analysis/scratch.h"
#include "compiler/ir/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <set>

using namespace mlir;
using namespace tilec;

namespace {

/// Bytes of shared memory that an operation reads or writes.
struct Access {
  int64_t begin = 0, end = 0; ///< of the whole ring
  bool isWrite = false;
  int64_t slots = 0;        ///< of the ring; 0 for scratch
  bool byOneThread = false; ///< always the same
  std::optional<RingSlot> slot;

  auto key() const {
    RingSlot its = slot.value_or(RingSlot());
    return std::tuple(begin, end, isWrite, slots, byOneThread, slot.has_value(), its.loop,
                      its.offset);
  }
  /// An arbitrary order, which nothing but containers sees.
  bool operator<(const Access &other) const { return key() < other.key(); }
  bool operator==(const Access &other) const { return key() == other.key(); }

  bool conflictsWith(const Access &other) const {
    if ((!isWrite && !other.isWrite) || end <= other.begin || other.end <= begin ||
        (byOneThread && other.byOneThread))
      return false;
    bool oneRing = begin == other.begin && end == other.end && slots == other.slots && slots != 0;
    if (oneRing && slot && other.slot && slot->loop == other.slot->loop)
      return slot->offset == other.slot->offset;
    return true;
  }
};

/// A copy that no wait has covered, and the groups committed since its issue.
struct Copy {
  Access access;
  int64_t groups = 0;
  bool operator<(const Copy &other) const {
    return std::pair(groups, access.key()) < std::pair(other.groups, other.access.key());
  }
  bool operator==(const Copy &other) const = default;
};

struct State {
  std::set<Access> pending;
  std::set<Copy> underWay;
  bool operator==(const State &) const = default;

  void join(const State &other) {
    pending.insert(other.pending.begin(), other.pending.end());
    underWay.insert(other.underWay.begin(), other.underWay.end());
  }
  /// Replaces every slot.
  void mapSlots(function_ref<void(Access &)> map) {
    State mapped;
    for (Access access : pending) {
      map(access);
      mapped.pending.insert(access);
    }
    for (Copy copy : underWay) {
      map(copy.access);
      mapped.underWay.insert(copy);
    }
    *this = std::move(mapped);
  }
};

class BarrierPlacement {
public:
  explicit BarrierPlacement(func::FuncOp function) {
    function.walk([&](tile::WaitGroupOp wait) {
      manyGroups_ = std::max<int64_t>(manyGroups_, wait.getPending() + 1);
    });
    visit(function.getBody().front(), {}, needed_);
  }

  /// Operations that need a barrier in front.
  const SmallVector<Operation *> &needed() const { return needed_; }

private:
  /// The state after `block` when `state` holds before it, with the barriers added to `barriers`.
  State visit(Block &block, State state, SmallVector<Operation *> &barriers) {
    for (Operation &op : block) {
      if (isa<tile::BarrierOp>(op)) {
        state.pending.clear();
      } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
        state = visitLoop(op, std::move(state), barriers);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        State otherwise = state;
        if (branch.elseBlock())
          otherwise = visit(*branch.elseBlock(), state, barriers);
        state = visit(*branch.thenBlock(), std::move(state), barriers);
        state.join(otherwise);
      } else {
        visitAccess(op, state, barriers);
      }
    }
    return state;
  }

  void visitAccess(Operation &op, State &state, SmallVector<Operation *> &barriers) {
    auto separate = [&](const Access &access) {
      if (llvm::any_of(state.pending,
                       [&](const Access &other) { return other.conflictsWith(access); })) {
        barriers.push_back(&op);
        state.pending.clear();
      }
    };
    auto use = [&](const Access &access) {
      separate(access);
      state.pending.insert(access);
    };
    if (auto load = dyn_cast<tile::LocalLoadOp>(op)) {
      use(slotAccess(load.getBuffer(), load.getSlot(), false));
    } else if (auto store = dyn_cast<tile::LocalStoreOp>(op)) {
      use(slotAccess(store.getBuffer(), store.getSlot(), true));
    } else if (auto copy = dyn_cast<tile::CopyAsyncOp>(op)) {
      Access access = slotAccess(copy.getBuffer(), copy.getSlot(), true);
      separate(access);
      state.underWay.insert({access, 0});
    } else if (auto copy = dyn_cast<tile::TensorCopyOp>(op)) {
      // All threads wait until it has landed before anything else happens to the slot: nothing of
      // it is ever pending.
      separate(slotAccess(copy.getBuffer(), copy.getSlot(), true));
      use(slotAccess(copy.getBarriers(), copy.getSlot(), false));
    } else if (auto wait = dyn_cast<tile::WaitMbarrierOp>(op)) {
      use(slotAccess(wait.getBarriers(), wait.getSlot(), false));
    } else if (isa<tile::InitMbarriersOp, tile::InvalidateMbarriersOp>(op)) {
      Access access = slotAccess(op.getOperand(0), {}, true);
      access.byOneThread = true;
      use(access);
    } else if (isa<tile::CommitGroupOp>(op)) {
      std::set<Copy> older;
      for (Copy copy : state.underWay) {
        copy.groups = std::min(copy.groups + 1, manyGroups_);
        older.insert(copy);
      }
      state.underWay = std::move(older);
    } else if (auto wait = dyn_cast<tile::WaitGroupOp>(op)) {
      for (auto copy = state.underWay.begin(); copy != state.underWay.end();) {
        bool landed = copy->groups > wait.getPending();
        if (landed)
          state.pending.insert(copy->access);
        copy = landed ? state.underWay.erase(copy) : std::next(copy);
      }
    } else if (int64_t bytes = scratchBytes(&op)) {
      Access scratch;
      scratch.begin = op.getAttrOfType<IntegerAttr>("scratch_offset").getInt();
      scratch.end = scratch.begin + bytes;
      scratch.isWrite = true;
      separate(scratch);
      state.pending.clear(); // the operation's own barrier
      scratch.isWrite = false;
      state.pending.insert(scratch);
    }
  }

  /// `slot`: null for all of them.
  static Access slotAccess(Value buffer, Value slot, bool isWrite) {
    auto type = cast<tile::BufferType>(buffer.getType());
    Access access;
    if (auto alloc = buffer.getDefiningOp<tile::AllocOp>())
      access.begin = alloc.getOffset().value_or(0);
    access.end = access.begin + type.bytes();
    access.isWrite = isWrite;
    access.slots = type.getSlots();
    if (slot)
      access.slot = ringSlot(slot, type.getSlots());
    return access;
  }

  State visitLoop(Operation &loop, State state, SmallVector<Operation *> &barriers) {
    // In iteration 0, slot s is (iteration + s) mod slots.
    if (isa<scf::ForOp>(loop))
      state.mapSlots([&](Access &access) {
        if (access.slots > 1 && access.slot && !access.slot->loop)
          access.slot->loop = &loop;
      });
    while (true) {
      SmallVector<Operation *> found;
      State after = state;
      for (Region &region : loop.getRegions()) // scf.while: before, then after
        after = visit(region.front(), std::move(after), found);
      after.mapSlots([&](Access &access) {
        if (access.slot && access.slot->loop == &loop)
          access.slot->offset = (access.slot->offset + access.slots - 1) % access.slots;
      });
      State joined = state;
      joined.join(after);
      if (joined == state) {
        barriers.append(found);
        break;
      }
      state = std::move(joined);
    }
    if (auto whileLoop =
            dyn_cast<scf::WhileOp>(loop)) { // its condition has been computed once more
      SmallVector<Operation *> known;
      state = visit(*whileLoop.getBeforeBody(), std::move(state), known);
    }
    state.mapSlots([&](Access &access) {
      if (access.slot && access.slot->loop == &loop)
        access.slot.reset();
    });
    return state;
  }

  int64_t manyGroups_ = 1; ///< as many as any wait tells apart
  SmallVector<Operation *> needed_;
};

struct InsertBarriersPass : PassWrapper<InsertBarriersPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertBarriersPass)
  StringRef getArgument() const override { return "tile-insert-barriers"; }
  StringRef getDescription() const override { return "Separates uses of shared memory"; }

  void runOnOperation() override {
    BarrierPlacement placement(getOperation());
    for (Operation *op : placement.needed()) {
      OpBuilder builder(op);
      tile::BarrierOp::create(builder, op->getLoc());
    }
  }
};

} // namespace

std::unique_ptr<Pass> tilec::createInsertBarriersPass() {
  return std::make_unique<InsertBarriersPass>();
}
