// Transfer of operations that make tiles or move elements; the elementwise ones are next door.
#include "compiler/analysis/facts_transfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace mlir;
using namespace tilec;
using namespace tilec::facts;

/// The grid's first axis holds at most 2^31 - 1 programs (CUDA C++ guide, "Compute Capabilities").
static constexpr IntegerRange kProgramCount = {1, INT32_MAX};

//===--- Creation ----------------------------------------------------------------------------===//

/// Facts read off the elements themselves, in row-major order.
static ValueFacts elementFacts(ArrayRef<int64_t> values, RankedTensorType type) {
  ValueFacts facts = FactAnalysis::pessimistic(type);
  facts.contiguity = facts.constancy = longestRuns(type);
  facts.range = {*llvm::min_element(values), *llvm::max_element(values)};
  int64_t stride = values.size();
  for (unsigned dim = 0; dim < facts.contiguity.size(); ++dim) {
    int64_t size = type.getRank() ? type.getDimSize(dim) : 1;
    stride /= size;
    int64_t &contiguity = facts.contiguity[dim], &constancy = facts.constancy[dim];
    auto index = [&](size_t element) { return static_cast<int64_t>(element) / stride % size; };
    for (size_t element = 0; element < values.size(); ++element) {
      if (index(element) == 0)
        continue;
      // A break before index i ends every run that is longer than the lowest bit of i.
      int64_t previous = values[element - stride], run = lowestBit(index(element));
      if (previous == INT64_MAX || values[element] != previous + 1)
        contiguity = std::min(contiguity, run);
      if (values[element] != previous)
        constancy = std::min(constancy, run);
    }
    facts.divisibility[dim] = kMaxDivisibility;
    for (size_t element = 0; element < values.size(); ++element)
      if (index(element) % contiguity == 0)
        facts.divisibility[dim] = std::min(facts.divisibility[dim], lowestBit(values[element]));
  }
  normalize(facts, type);
  return facts;
}

ValueFacts facts::constantFacts(Attribute value, Type type) {
  ValueFacts facts = FactAnalysis::pessimistic(type);
  if (isInteger(type)) {
    if (auto integer = dyn_cast<IntegerAttr>(value))
      return constantFacts(integer.getValue().getSExtValue(), type);
    auto elements = dyn_cast<DenseIntElementsAttr>(value);
    if (!elements || elements.getNumElements() == 0)
      return facts;
    if (elements.isSplat())
      return constantFacts(elements.getSplatValue<APInt>().getSExtValue(), type);
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      return facts;
    std::vector<int64_t> values;
    values.reserve(elements.getNumElements());
    for (const APInt &element : elements.getValues<APInt>())
      values.push_back(element.getSExtValue());
    return elementFacts(values, tile);
  }
  if (isa<SplatElementsAttr>(value))
    facts.constancy = longestRuns(type);
  return facts;
}

static ValueFacts arangeFacts(tile::ArangeOp op) {
  RankedTensorType type = op.getResult().getType();
  ValueFacts facts = FactAnalysis::pessimistic(type);
  if (!isInteger(type) || type.getRank() != 1 || type.getDimSize(0) < 1)
    return facts;
  int64_t start = static_cast<int32_t>(op.getStart()), end = start + type.getDimSize(0) - 1;
  facts.contiguity = longestRuns(type);
  facts.divisibility = {lowestBit(start)};
  IntegerRange full = fullRange(type);
  if (start >= full.min && end <= full.max)
    facts.range = {start, end};
  else
    facts.contiguity[0] = std::min(facts.contiguity[0], facts.divisibility[0]);
  normalize(facts, type);
  return facts;
}

/// Every element is one of the source's, whatever its place.
static ValueFacts anyElement(const Operand &source, Type type) {
  ValueFacts facts = FactAnalysis::pessimistic(type);
  facts.divisibility.assign(facts.divisibility.size(), source.divisor());
  facts.range = source.facts().range;
  normalize(facts, type);
  return facts;
}

static ValueFacts splatFacts(const Operand &source, Type type) {
  ValueFacts facts = anyElement(source, type);
  facts.constancy = longestRuns(type);
  return facts;
}

//===--- Shape -------------------------------------------------------------------------------===//

static ValueFacts expandDimsFacts(tile::ExpandDimsOp op, const Operand &source) {
  Type type = op.getResult().getType();
  if (op.getSource().getType().getRank() == 0)
    return splatFacts(source, type);
  ValueFacts facts = source.facts();
  facts.contiguity.insert(facts.contiguity.begin() + op.getAxis(), 1);
  facts.constancy.insert(facts.constancy.begin() + op.getAxis(), 1);
  facts.divisibility.insert(facts.divisibility.begin() + op.getAxis(), source.divisor());
  normalize(facts, type);
  return facts;
}

static ValueFacts broadcastFacts(tile::BroadcastOp op, const Operand &source) {
  RankedTensorType from = op.getSource().getType(), to = op.getResult().getType();
  ValueFacts facts = source.facts();
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (from.getDimSize(dim) != to.getDimSize(dim))
      facts.constancy[dim] = longestRuns(to)[dim];
  normalize(facts, to);
  return facts;
}

static ValueFacts permuteFacts(tile::PermuteOp op, const Operand &source) {
  ValueFacts facts = source.facts();
  for (auto [dim, from] : llvm::enumerate(op.getOrder())) {
    facts.contiguity[dim] = source.facts().contiguity[from];
    facts.divisibility[dim] = source.facts().divisibility[from];
    facts.constancy[dim] = source.facts().constancy[from];
  }
  return facts;
}

/// Where the index bits of a dim lie in the row-major number of an element.
static SmallVector<unsigned> lowestIndexBits(ArrayRef<int64_t> shape) {
  SmallVector<unsigned> bits(shape.size(), 0);
  for (size_t dim = shape.size(); dim-- > 1;)
    bits[dim - 1] = bits[dim] + llvm::Log2_64(shape[dim]);
  return bits;
}

/// A reshape renames bits of the element number. The value does not depend on the low
/// log2(constancy) bits of a dim, so a result dim is constant as far up as its bits are such; it is
/// contiguous where it starts at the same bit as a source dim.
static ValueFacts reshapeFacts(tile::ReshapeOp op, const Operand &source) {
  ArrayRef<int64_t> from = op.getSource().getType().getShape();
  ArrayRef<int64_t> to = op.getResult().getType().getShape();
  ValueFacts facts = anyElement(source, op.getResult().getType());
  auto isPowerOfTwo = [](int64_t size) { return size > 0 && llvm::isPowerOf2_64(size); };
  if (!llvm::all_of(from, isPowerOfTwo) || !llvm::all_of(to, isPowerOfTwo) || facts.constant)
    return facts;
  SmallVector<unsigned> fromBits = lowestIndexBits(from), toBits = lowestIndexBits(to);
  SmallVector<bool> irrelevant(64, false);
  for (auto [dim, bit] : llvm::enumerate(fromBits))
    for (int64_t run = source.constancy(dim); run > 1; run /= 2)
      irrelevant[bit + llvm::Log2_64(run) - 1] = true;
  for (auto [dim, bit] : llvm::enumerate(toBits)) {
    while (facts.constancy[dim] < to[dim] && irrelevant[bit + llvm::Log2_64(facts.constancy[dim])])
      facts.constancy[dim] *= 2;
    for (auto [sourceDim, sourceBit] : llvm::enumerate(fromBits)) {
      if (sourceBit != bit || source.contiguity(sourceDim) == 1 || to[dim] == 1)
        continue;
      facts.contiguity[dim] = std::min(source.contiguity(sourceDim), to[dim]);
      facts.divisibility[dim] = source.divisorAt(sourceDim, facts.contiguity[dim]);
    }
  }
  return facts;
}

//===--- Promises ----------------------------------------------------------------------------===//

/// The two promises are read together: `multiple_of` speaks of the first elements of the runs that
/// a `max_contiguous` around it names, so it raises the divisibility and leaves the runs.
static ValueFacts promisedFacts(Operation *op, const Operand &source) {
  ValueFacts facts = source.facts();
  if (facts.constant)
    return facts;
  auto multiple = dyn_cast<tile::MultipleOfOp>(op);
  ArrayRef<int64_t> values =
      multiple ? multiple.getValues() : cast<tile::MaxContiguousOp>(op).getValues();
  std::vector<int64_t> &raised = multiple ? facts.divisibility : facts.contiguity;
  for (size_t dim = 0; dim < std::min(values.size(), raised.size()); ++dim)
    if (values[dim] > 0)
      raised[dim] = std::max(raised[dim], lowestBit(values[dim]));
  normalize(facts, op->getResult(0).getType());
  return facts;
}

std::vector<ValueFacts> facts::transfer(Operation *op, Lookup lookup) {
  if (op->getNumResults() == 1) {
    Type type = op->getResult(0).getType();
    auto operand = [&](unsigned index) {
      Value value = op->getOperand(index);
      return Operand(lookup(value), value.getType());
    };
    auto pessimistic = [&] { return FactAnalysis::pessimistic(type); };
    auto ranged = [&](IntegerRange range) {
      ValueFacts facts = pessimistic();
      facts.range = range;
      normalize(facts, type);
      return facts;
    };
    return {
        llvm::TypeSwitch<Operation *, ValueFacts>(op)
            .Case([&](arith::ConstantOp constant) {
              return constantFacts(constant.getValue(), type);
            })
            .Case([&](tile::ArangeOp arange) { return arangeFacts(arange); })
            .Case([&](tile::ProgramIdOp) { return ranged({0, kProgramCount.max - 1}); })
            .Case([&](tile::NumProgramsOp) { return ranged(kProgramCount); })
            .Case([&](tile::SplatOp) { return splatFacts(operand(0), type); })
            .Case([&](tile::ExpandDimsOp expand) { return expandDimsFacts(expand, operand(0)); })
            .Case(
                [&](tile::BroadcastOp broadcast) { return broadcastFacts(broadcast, operand(0)); })
            .Case([&](tile::PermuteOp permute) { return permuteFacts(permute, operand(0)); })
            .Case([&](tile::ReshapeOp reshape) { return reshapeFacts(reshape, operand(0)); })
            .Case([&](tile::ConvertLayoutOp) { return operand(0).facts(); })
            .Case<tile::MultipleOfOp, tile::MaxContiguousOp>(
                [&](Operation *promise) { return promisedFacts(promise, operand(0)); })
            .Default([&](Operation *other) {
              if (!other->hasTrait<OpTrait::Elementwise>() || !isMemoryEffectFree(other))
                return pessimistic();
              SmallVector<Operand> operands;
              for (unsigned index = 0; index < other->getNumOperands(); ++index)
                operands.push_back(operand(index));
              return transferElementwise(other, operands);
            })};
  }
  std::vector<ValueFacts> results;
  for (Type type : op->getResultTypes())
    results.push_back(FactAnalysis::pessimistic(type));
  return results;
}
