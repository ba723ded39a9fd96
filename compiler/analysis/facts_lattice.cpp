#include "compiler/analysis/facts_lattice.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;
using namespace tilec;
using namespace tilec::facts;

int64_t facts::lowestBit(int64_t value) {
  return powerOfTwo(llvm::countr_zero(static_cast<uint64_t>(value)));
}

int64_t facts::multiplied(int64_t a, int64_t b) {
  return powerOfTwo(llvm::countr_zero(static_cast<uint64_t>(a)) +
                    llvm::countr_zero(static_cast<uint64_t>(b)));
}

int64_t facts::powerOfTwo(int64_t exponent) {
  return int64_t(1) << std::clamp<int64_t>(exponent, 0, 62);
}

bool facts::isInteger(Type type) {
  Type element = getElementTypeOrSelf(type);
  auto integer = dyn_cast<IntegerType>(element);
  return isa<IndexType>(element) ||
         (integer && integer.getWidth() >= 1 && integer.getWidth() <= 64);
}

unsigned facts::integerWidth(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer ? integer.getWidth() : 64;
}

IntegerRange facts::fullRange(Type type) {
  if (!isInteger(type))
    return {};
  unsigned width = integerWidth(type);
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

std::vector<int64_t> facts::longestRuns(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile || tile.getRank() == 0)
    return {1};
  std::vector<int64_t> runs;
  for (int64_t size : tile.getShape())
    runs.push_back(size > 0 ? lowestBit(size) : 1);
  return runs;
}

int64_t facts::stepSize(Type type) {
  auto pointer = dyn_cast<tile::PointerType>(getElementTypeOrSelf(type));
  if (!pointer)
    return 1;
  Type pointee = pointer.getPointee();
  return pointee.isIntOrFloat() || isa<tile::PointerType>(pointee)
             ? lowestBit(tile::elementBytes(pointee))
             : 1;
}

ValueFacts FactAnalysis::pessimistic(Type type) {
  size_t dims = longestRuns(type).size();
  ValueFacts facts;
  facts.contiguity.assign(dims, 1);
  facts.divisibility.assign(dims, 1);
  facts.constancy.assign(dims, 1);
  facts.range = fullRange(type);
  return facts;
}

void facts::normalize(ValueFacts &facts, Type type) {
  IntegerRange full = fullRange(type);
  facts.range.min = std::clamp(facts.range.min, full.min, full.max);
  facts.range.max = std::clamp(facts.range.max, full.min, full.max);
  std::vector<int64_t> longest = longestRuns(type);
  if (isInteger(type) && facts.range.min == facts.range.max) {
    facts.constant = facts.range.min;
    facts.contiguity.assign(longest.size(), 1);
    facts.divisibility.assign(longest.size(), lowestBit(facts.range.min));
    facts.constancy = longest;
    return;
  }
  facts.constant.reset();
  for (auto [dim, size] : llvm::enumerate(longest)) {
    facts.constancy[dim] = std::min(facts.constancy[dim], size);
    if (facts.contiguity[dim] <= size)
      continue;
    // Every run now is one whole line: it starts where the longer run did.
    facts.contiguity[dim] = size;
  }
}

ValueFacts facts::constantFacts(int64_t value, Type type) {
  ValueFacts facts = FactAnalysis::pessimistic(type);
  facts.range = {value, value};
  normalize(facts, type);
  return facts;
}

ValueFacts facts::join(const ValueFacts &a, const ValueFacts &b, Type type) {
  ValueFacts result = FactAnalysis::pessimistic(type);
  Operand left(a, type), right(b, type);
  for (unsigned dim = 0; dim < result.contiguity.size(); ++dim) {
    int64_t run = std::min(a.contiguity[dim], b.contiguity[dim]);
    result.contiguity[dim] = run;
    result.divisibility[dim] = std::min(left.divisorAt(dim, run), right.divisorAt(dim, run));
    result.constancy[dim] = std::min(a.constancy[dim], b.constancy[dim]);
  }
  result.range = {std::min(a.range.min, b.range.min), std::max(a.range.max, b.range.max)};
  normalize(result, type);
  return result;
}

void facts::widen(const ValueFacts &old, ValueFacts &joined, Type type) {
  IntegerRange full = fullRange(type);
  if (joined.range.min < old.range.min)
    joined.range.min = joined.range.min >= 0 ? 0 : full.min;
  if (joined.range.max > old.range.max)
    joined.range.max = joined.range.max <= 0 ? 0 : full.max;
  normalize(joined, type);
}

std::string facts::describe(const ValueFacts &facts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto list = [&](const char *name, const std::vector<int64_t> &values) {
    stream << name << " = [";
    llvm::interleaveComma(values, stream);
    stream << "], ";
  };
  list("contiguity", facts.contiguity);
  list("divisibility", facts.divisibility);
  list("constancy", facts.constancy);
  stream << "range = [" << facts.range.min << ", " << facts.range.max << "]";
  if (facts.constant)
    stream << ", constant = " << *facts.constant;
  return text;
}

Operand::Operand(const ValueFacts &facts, Type type)
    : facts_(&facts), type_(type), step_(stepSize(type)) {
  auto tile = dyn_cast<RankedTensorType>(type);
  scalar_ = !tile || tile.getRank() == 0;
  for (auto [run, divisibility] : llvm::zip(facts.contiguity, facts.divisibility))
    divisor_ = std::max(divisor_, run == 1 ? divisibility : std::min(divisibility, step_));
}

int64_t Operand::contiguity(unsigned dim) const {
  return scalar_ ? 1 : facts_->contiguity[dim];
}

int64_t Operand::constancy(unsigned dim) const {
  return scalar_ ? kMaxDivisibility : facts_->constancy[dim];
}

int64_t Operand::divisorAt(unsigned dim, int64_t run) const {
  if (scalar_)
    return divisor_;
  int64_t own = facts_->divisibility[dim];
  if (run < facts_->contiguity[dim])
    own = std::min(own, multiplied(run, step_));
  return std::max(own, divisor_);
}
