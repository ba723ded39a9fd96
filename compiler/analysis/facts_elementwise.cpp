// Transfer of elementwise operations, one function an operation.
//
// The argument used again and again: let x be contiguous along a dim in aligned runs that start at
// multiples of L (a power of two no longer than the run), and c the same along such a run and a
// multiple of L. Then x walks through [s, s + L) with s a multiple of L, and no multiple of L lies
// inside. So x / c, x % c - s % c, x < c and the like cannot change their branch within the run,
// and no wrap-around falls inside it, since the bounds of every integer type are multiples of L
// too. `alignedRun` is the largest such L.
#include "compiler/analysis/facts_transfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace mlir;
using namespace tilec;
using namespace tilec::facts;

using arith::CmpIPredicate;

namespace {

/// An operation under transfer: its operands, and the facts of its result so far.
struct Elementwise {
  Operation *op;
  ArrayRef<Operand> operands;
  ValueFacts result;

  unsigned dims() const { return result.contiguity.size(); }
  Type type() const { return op->getResult(0).getType(); }

  /// The longest L such that `x` rises in aligned runs of L from multiples of L while `c` stays.
  int64_t alignedRun(const Operand &x, const Operand &c, unsigned dim) const {
    return std::min({x.contiguity(dim), x.divisorOfRuns(dim), c.constancy(dim)});
  }
  void atLeastConstant(unsigned dim, int64_t run) {
    result.constancy[dim] = std::max(result.constancy[dim], run);
  }
  /// The value may wrap from the type's largest to its smallest between two neighbours. Both are
  /// bounds of aligned runs no longer than half the type's values.
  void limitToAlignedRuns(unsigned dim) {
    int64_t &run = result.contiguity[dim], &divisor = result.divisibility[dim];
    int64_t aligned = std::min({run, divisor, powerOfTwo(int64_t(integerWidth(type())) - 1)});
    if (aligned < run)
      divisor = std::min(divisor, aligned); // shorter runs start between the longer ones too
    run = aligned;
  }
  void divisibleEverywhere(int64_t divisor) { result.divisibility.assign(dims(), divisor); }
  /// The result is this operand.
  void copy(const Operand &x) {
    for (unsigned dim = 0; dim < dims(); ++dim) {
      result.contiguity[dim] = x.contiguity(dim);
      result.divisibility[dim] = x.divisorOfRuns(dim);
      result.constancy[dim] = x.constancy(dim);
    }
  }
};

} // namespace

/// Bounds by MLIR's own range inference, each operation's InferIntRangeInterface.
static IntegerRange inferRange(Operation *op, ArrayRef<Operand> operands) {
  Type type = op->getResult(0).getType();
  IntegerRange full = fullRange(type);
  auto inferable = dyn_cast<InferIntRangeInterface>(op);
  if (!inferable || !isInteger(type))
    return full;
  // MLIR 22 infers -(-x / y) for negative x, which is wrong where -x wraps.
  if (isa<arith::CeilDivSIOp>(op) && operands[0].range().min == full.min)
    return full;
  SmallVector<IntegerValueRange> ranges;
  for (const Operand &operand : operands) {
    if (!isInteger(operand.type()))
      return full;
    unsigned width = integerWidth(operand.type());
    ranges.emplace_back(
        ConstantIntRanges::fromSigned(APInt(width, operand.range().min, /*isSigned=*/true),
                                      APInt(width, operand.range().max, /*isSigned=*/true)));
  }
  IntegerRange inferred = full;
  inferable.inferResultRangesFromOptional(ranges, [&](Value, const IntegerValueRange &range) {
    if (range.isUninitialized())
      return;
    inferred = {range.getValue().smin().getSExtValue(), range.getValue().smax().getSExtValue()};
  });
  return inferred.min <= inferred.max ? inferred : full;
}

//===--- Sums --------------------------------------------------------------------------------===//

/// True when the exact result of adding `sign` times the second range may leave the type.
static bool mayWrap(const Elementwise &e, int sign) {
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(e.op))
    if (flags.hasNoSignedWrap())
      return false;
  IntegerRange a = e.operands[0].range(), b = e.operands[1].range(), full = fullRange(e.type());
  int64_t min, max;
  bool overflow = sign > 0
                      ? llvm::AddOverflow(a.min, b.min, min) | llvm::AddOverflow(a.max, b.max, max)
                      : llvm::SubOverflow(a.min, b.max, min) | llvm::SubOverflow(a.max, b.min, max);
  return overflow || min < full.min || max > full.max;
}

static void sum(Elementwise &e, const Operand &x, const Operand &y, bool wraps) {
  for (unsigned dim = 0; dim < e.dims(); ++dim) {
    int64_t run = std::max(std::min(x.contiguity(dim), y.constancy(dim)),
                           std::min(x.constancy(dim), y.contiguity(dim)));
    e.result.contiguity[dim] = run;
    e.result.divisibility[dim] = std::min(x.divisorAt(dim, run), y.divisorAt(dim, run));
    if (wraps)
      e.limitToAlignedRuns(dim);
  }
}

static void difference(Elementwise &e, const Operand &x, const Operand &y) {
  bool wraps = mayWrap(e, -1);
  for (unsigned dim = 0; dim < e.dims(); ++dim) {
    int64_t run = std::min(x.contiguity(dim), y.constancy(dim));
    e.result.contiguity[dim] = run;
    e.result.divisibility[dim] = std::min(x.divisorAt(dim, run), y.divisorAt(dim, run));
    e.atLeastConstant(dim, std::min(x.contiguity(dim), y.contiguity(dim)));
    if (wraps)
      e.limitToAlignedRuns(dim);
  }
}

static void addPointer(Elementwise &e, const Operand &pointer, const Operand &offset) {
  int64_t step = stepSize(e.type());
  for (unsigned dim = 0; dim < e.dims(); ++dim) {
    int64_t run = std::max(std::min(pointer.contiguity(dim), offset.constancy(dim)),
                           std::min(pointer.constancy(dim), offset.contiguity(dim)));
    e.result.contiguity[dim] = run;
    e.result.divisibility[dim] =
        std::min(pointer.divisorAt(dim, run), multiplied(offset.divisorAt(dim, run), step));
  }
}

//===--- Products, quotients -----------------------------------------------------------------===//

static void product(Elementwise &e, const Operand &x, const Operand &y) {
  if (x.constant() == 1)
    return e.copy(y);
  if (y.constant() == 1)
    return e.copy(x);
  e.divisibleEverywhere(multiplied(x.divisor(), y.divisor()));
}

/// Division by a power of two, 2^least .. 2^most, that is exact where x is divisible by it.
static void divideExactly(Elementwise &e, const Operand &x, int64_t most) {
  e.divisibleEverywhere(std::max<int64_t>(1, x.divisor() / most));
}

static void quotient(Elementwise &e, const Operand &x, const Operand &y, bool constantOnRuns) {
  if (y.constant() == 1)
    return e.copy(x);
  if (constantOnRuns)
    for (unsigned dim = 0; dim < e.dims(); ++dim)
      e.atLeastConstant(dim, std::min(e.alignedRun(x, y, dim), y.divisor()));
  if (y.constant() && *y.constant() > 0 && llvm::isPowerOf2_64(*y.constant()))
    divideExactly(e, x, *y.constant());
}

static void remainder(Elementwise &e, const Operand &x, const Operand &y, bool contiguousOnRuns) {
  if (x.range().min >= 0 && y.range().min > x.range().max)
    return e.copy(x);
  if (std::optional<int64_t> modulus = y.constant();
      modulus && *modulus > 0 && llvm::isPowerOf2_64(*modulus) && x.divisor() >= *modulus)
    e.result.range = {0, 0};
  for (unsigned dim = 0; dim < e.dims(); ++dim) {
    int64_t run = contiguousOnRuns ? std::min(e.alignedRun(x, y, dim), y.divisor()) : 1;
    e.result.contiguity[dim] = run;
    e.result.divisibility[dim] = std::min(x.divisorAt(dim, run), y.divisor());
  }
}

//===--- Bits --------------------------------------------------------------------------------===//

static void shiftLeft(Elementwise &e, const Operand &x, const Operand &amount) {
  if (amount.constant() == 0)
    return e.copy(x);
  e.divisibleEverywhere(multiplied(x.divisor(), powerOfTwo(amount.range().min)));
}

static void shiftRight(Elementwise &e, const Operand &x, const Operand &amount) {
  if (amount.constant() == 0)
    return e.copy(x);
  // A shift rounds toward minus infinity, so negative values need no exception.
  for (unsigned dim = 0; dim < e.dims(); ++dim)
    e.atLeastConstant(dim, std::min(e.alignedRun(x, amount, dim), powerOfTwo(amount.range().min)));
  divideExactly(e, x, powerOfTwo(amount.range().max));
}

/// 2^(number of low bits that are one in every element).
static int64_t lowOnes(const Operand &x) {
  return x.constant() ? powerOfTwo(llvm::countr_one(static_cast<uint64_t>(*x.constant()))) : 1;
}

/// Where the low bits of the mask are all one, x & mask keeps the run; where they are zero, it is
/// the same along the run.
static void bitAnd(Elementwise &e, const Operand &x, const Operand &y) {
  for (unsigned dim = 0; dim < e.dims(); ++dim) {
    auto kept = [&](const Operand &value, const Operand &mask) {
      e.atLeastConstant(dim, std::min(e.alignedRun(value, mask, dim), mask.divisor()));
      return std::min(e.alignedRun(value, mask, dim), lowOnes(mask));
    };
    int64_t run = std::max(kept(x, y), kept(y, x));
    e.result.contiguity[dim] = run;
    e.result.divisibility[dim] = std::max(x.divisorAt(dim, run), y.divisorAt(dim, run));
  }
}

/// Where the low bits of the mask are zero, x | mask and x ^ mask keep the run; `or` with ones
/// there makes it the same along the run.
static void bitOr(Elementwise &e, const Operand &x, const Operand &y, bool exclusive) {
  for (unsigned dim = 0; dim < e.dims(); ++dim) {
    auto kept = [&](const Operand &value, const Operand &mask) {
      if (!exclusive)
        e.atLeastConstant(dim, std::min(e.alignedRun(value, mask, dim), lowOnes(mask)));
      return std::min(e.alignedRun(value, mask, dim), mask.divisor());
    };
    int64_t run = std::max(kept(x, y), kept(y, x));
    e.result.contiguity[dim] = run;
    e.result.divisibility[dim] = std::min(x.divisorAt(dim, run), y.divisorAt(dim, run));
  }
}

//===--- Choices -----------------------------------------------------------------------------===//

/// One of x and y in each element, the same choice along runs of `choice(dim)`.
static void either(Elementwise &e, const Operand &x, const Operand &y,
                   llvm::function_ref<int64_t(unsigned)> choice) {
  for (unsigned dim = 0; dim < e.dims(); ++dim) {
    int64_t run = std::min({choice(dim), x.contiguity(dim), y.contiguity(dim)});
    e.result.contiguity[dim] = run;
    e.result.divisibility[dim] = std::min(x.divisorAt(dim, run), y.divisorAt(dim, run));
  }
}

static void extremum(Elementwise &e, const Operand &x, const Operand &y, bool maximum,
                     bool isUnsigned) {
  const Operand &low = maximum ? y : x, &high = maximum ? x : y;
  // Non-negative values order alike, signed or not.
  bool comparable = !isUnsigned || (x.range().min >= 0 && y.range().min >= 0);
  if (comparable && low.range().max <= high.range().min)
    return e.copy(x);
  if (comparable && high.range().max <= low.range().min)
    return e.copy(y);
  either(e, x, y, [](unsigned) { return int64_t(1); });
}

CmpIPredicate facts::swapped(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::slt:
    return CmpIPredicate::sgt;
  case CmpIPredicate::sle:
    return CmpIPredicate::sge;
  case CmpIPredicate::sgt:
    return CmpIPredicate::slt;
  case CmpIPredicate::sge:
    return CmpIPredicate::sle;
  case CmpIPredicate::ult:
    return CmpIPredicate::ugt;
  case CmpIPredicate::ule:
    return CmpIPredicate::uge;
  case CmpIPredicate::ugt:
    return CmpIPredicate::ult;
  case CmpIPredicate::uge:
    return CmpIPredicate::ule;
  case CmpIPredicate::eq:
  case CmpIPredicate::ne:
    break;
  }
  return predicate;
}

/// How long an aligned run of a contiguous x compares alike with a bound that stays: x < c changes
/// only at c, which must start a run; x <= c changes at c + 1.
static int64_t comparisonRun(CmpIPredicate predicate, const Operand &bound) {
  switch (predicate) {
  case CmpIPredicate::slt:
  case CmpIPredicate::sge:
  case CmpIPredicate::ult:
  case CmpIPredicate::uge:
    return bound.divisor();
  case CmpIPredicate::sle:
  case CmpIPredicate::sgt:
  case CmpIPredicate::ule:
  case CmpIPredicate::ugt:
    return lowOnes(bound);
  case CmpIPredicate::eq:
  case CmpIPredicate::ne:
    break;
  }
  return 1;
}

static void compare(Elementwise &e, CmpIPredicate predicate, const Operand &x, const Operand &y) {
  bool isUnsigned = predicate == CmpIPredicate::ult || predicate == CmpIPredicate::ule ||
                    predicate == CmpIPredicate::ugt || predicate == CmpIPredicate::uge;
  bool differenceDecides = !isUnsigned || (x.range().min >= 0 && y.range().min >= 0);
  for (unsigned dim = 0; dim < e.dims(); ++dim) {
    e.atLeastConstant(dim, std::min(e.alignedRun(x, y, dim), comparisonRun(predicate, y)));
    e.atLeastConstant(dim, std::min(e.alignedRun(y, x, dim), comparisonRun(swapped(predicate), x)));
    if (differenceDecides)
      e.atLeastConstant(dim, std::min(x.contiguity(dim), y.contiguity(dim)));
  }
}

//===--- Casts -------------------------------------------------------------------------------===//

/// A cast to another width moves the value by a multiple of a power of two above every divisor it
/// has (0 apart, which stays 0): divisibility survives, runs survive where the value cannot move.
static void castInteger(Elementwise &e, const Operand &x, bool isUnsigned) {
  e.copy(x);
  IntegerRange full = fullRange(e.type());
  bool same = x.range().min >= (isUnsigned ? 0 : full.min) && x.range().max <= full.max;
  for (unsigned dim = 0; dim < e.dims() && !same; ++dim)
    e.limitToAlignedRuns(dim);
}

static void bitcast(Elementwise &e, const Operand &x) {
  if (x.type() == e.type())
    return e.copy(x);
  bool pointers = isa<tile::PointerType>(getElementTypeOrSelf(x.type())) &&
                  isa<tile::PointerType>(getElementTypeOrSelf(e.type()));
  if (pointers)
    e.divisibleEverywhere(x.divisor()); // in bytes, whatever the pointee
}

ValueFacts facts::transferElementwise(Operation *op, ArrayRef<Operand> operands) {
  Type type = op->getResult(0).getType();
  Elementwise e{op, operands, FactAnalysis::pessimistic(type)};
  // The same inputs give the same output.
  for (unsigned dim = 0; dim < e.dims(); ++dim) {
    e.result.constancy[dim] = kMaxDivisibility;
    for (const Operand &operand : operands)
      e.result.constancy[dim] = std::min(e.result.constancy[dim], operand.constancy(dim));
  }
  bool understood = llvm::all_of(operands, [](const Operand &operand) {
    Type element = getElementTypeOrSelf(operand.type());
    return isInteger(element) || !isa<IntegerType>(element);
  });
  if (!understood || (isa<IntegerType>(getElementTypeOrSelf(type)) && !isInteger(type))) {
    normalize(e.result, type);
    return e.result;
  }

  auto nonNegative = [](const Operand &x) { return x.range().min >= 0; };
  e.result.range = inferRange(op, operands);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](arith::AddIOp) { sum(e, operands[0], operands[1], mayWrap(e, 1)); })
      .Case([&](arith::SubIOp) { difference(e, operands[0], operands[1]); })
      .Case([&](tile::AddPtrOp) { addPointer(e, operands[0], operands[1]); })
      .Case([&](arith::MulIOp) { product(e, operands[0], operands[1]); })
      .Case([&](arith::DivUIOp) { quotient(e, operands[0], operands[1], true); })
      .Case(
          [&](arith::DivSIOp) { quotient(e, operands[0], operands[1], nonNegative(operands[0])); })
      .Case([&](arith::FloorDivSIOp) {
        quotient(e, operands[0], operands[1], nonNegative(operands[1]));
      })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { quotient(e, operands[0], operands[1], false); })
      .Case([&](arith::RemUIOp) { remainder(e, operands[0], operands[1], true); })
      .Case(
          [&](arith::RemSIOp) { remainder(e, operands[0], operands[1], nonNegative(operands[0])); })
      .Case([&](arith::ShLIOp) { shiftLeft(e, operands[0], operands[1]); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto) { shiftRight(e, operands[0], operands[1]); })
      .Case([&](arith::AndIOp) { bitAnd(e, operands[0], operands[1]); })
      .Case([&](arith::OrIOp) { bitOr(e, operands[0], operands[1], false); })
      .Case([&](arith::XOrIOp) { bitOr(e, operands[0], operands[1], true); })
      .Case([&](arith::MaxSIOp) { extremum(e, operands[0], operands[1], true, false); })
      .Case([&](arith::MinSIOp) { extremum(e, operands[0], operands[1], false, false); })
      .Case([&](arith::MaxUIOp) { extremum(e, operands[0], operands[1], true, true); })
      .Case([&](arith::MinUIOp) { extremum(e, operands[0], operands[1], false, true); })
      .Case([&](arith::CmpIOp compared) {
        compare(e, compared.getPredicate(), operands[0], operands[1]);
      })
      .Case([&](arith::SelectOp) {
        const Operand &condition = operands[0];
        if (condition.constant())
          return e.copy(operands[*condition.constant() ? 1 : 2]);
        either(e, operands[1], operands[2], [&](unsigned dim) { return condition.constancy(dim); });
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(
          [&](auto) { castInteger(e, operands[0], false); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) { castInteger(e, operands[0], true); })
      .Case([&](tile::BitcastOp) { bitcast(e, operands[0]); });
  normalize(e.result, type);
  return e.result;
}
