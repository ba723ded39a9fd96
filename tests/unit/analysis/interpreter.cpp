// Runs a random program with plain integer arithmetic, written from the operations' definitions.
#include "tests/unit/analysis/random_program.h"

#include <map>

using namespace tilec::test;

static int64_t wrapped(__int128 value, unsigned width) {
  unsigned drop = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << drop) >> drop;
}

static uint64_t asUnsigned(int64_t value, unsigned width) {
  return width == 64 ? value : static_cast<uint64_t>(value) & ((uint64_t(1) << width) - 1);
}

static bool compare(const std::string &predicate, int64_t a, int64_t b, unsigned width) {
  if (predicate == "eq" || predicate == "ne")
    return (a == b) == (predicate == "eq");
  bool less = a < b, equal = a == b;
  if (predicate[0] == 'u')
    less = asUnsigned(a, width) < asUnsigned(b, width);
  if (predicate.substr(1) == "lt")
    return less;
  if (predicate.substr(1) == "le")
    return less || equal;
  return predicate.substr(1) == "gt" ? !less && !equal : !less;
}

/// Operands of a binary operation, read both ways; quotients are defined.
struct Pair {
  int64_t a, b;
  uint64_t ua, ub;
  bool roundsUp() const { return a % b != 0 && (a < 0) == (b < 0); }
  bool roundsDown() const { return a % b != 0 && (a < 0) != (b < 0); }
};
using Wide = __int128;
using Formula = Wide (*)(const Pair &);

/// What each operation is before its result is wrapped.
static Formula formula(const std::string &op) {
  static const std::map<std::string, Formula> table = {
      {"addi", [](const Pair &p) { return Wide(p.a) + p.b; }},
      {"subi", [](const Pair &p) { return Wide(p.a) - p.b; }},
      {"muli", [](const Pair &p) { return Wide(p.a) * p.b; }},
      {"divsi", [](const Pair &p) { return Wide(p.a / p.b); }},
      {"divui", [](const Pair &p) { return Wide(p.ua / p.ub); }},
      {"remsi", [](const Pair &p) { return Wide(p.a % p.b); }},
      {"remui", [](const Pair &p) { return Wide(p.ua % p.ub); }},
      {"floordivsi", [](const Pair &p) { return Wide(p.a / p.b - p.roundsDown()); }},
      {"ceildivsi", [](const Pair &p) { return Wide(p.a / p.b + p.roundsUp()); }},
      {"ceildivui", [](const Pair &p) { return Wide(p.ua / p.ub + (p.ua % p.ub != 0)); }},
      {"shli", [](const Pair &p) { return Wide(p.ua << p.b); }},
      {"shrsi", [](const Pair &p) { return Wide(p.a >> p.b); }},
      {"shrui", [](const Pair &p) { return Wide(p.ua >> p.b); }},
      {"andi", [](const Pair &p) { return Wide(p.a & p.b); }},
      {"ori", [](const Pair &p) { return Wide(p.a | p.b); }},
      {"xori", [](const Pair &p) { return Wide(p.a ^ p.b); }},
      {"maxsi", [](const Pair &p) { return Wide(p.a > p.b ? p.a : p.b); }},
      {"minsi", [](const Pair &p) { return Wide(p.a < p.b ? p.a : p.b); }},
      {"maxui", [](const Pair &p) { return Wide(p.ua > p.ub ? p.a : p.b); }},
      {"minui", [](const Pair &p) { return Wide(p.ua < p.ub ? p.a : p.b); }},
  };
  return table.at(op);
}

/// a op b for every element; nothing where one is undefined.
static Elements binary(const std::string &op, const std::vector<int64_t> &left,
                       const std::vector<int64_t> &right, unsigned width) {
  bool divides = op.find("div") != std::string::npos || op.find("rem") != std::string::npos;
  bool overflows = divides && op.ends_with("si"), shifts = op.starts_with("sh");
  int64_t smallest = wrapped(Wide(1) << (width - 1), width);
  Formula compute = formula(op);
  std::vector<int64_t> result;
  for (size_t element = 0; element < left.size(); ++element) {
    int64_t a = left[element], b = right[element];
    Pair pair{a, b, asUnsigned(a, width), asUnsigned(b, width)};
    if ((divides && b == 0) || (overflows && a == smallest && b == -1) ||
        (shifts && pair.ub >= width))
      return std::nullopt;
    result.push_back(wrapped(compute(pair), width));
  }
  return result;
}

static std::vector<int64_t> coordinates(int64_t element, const std::vector<int64_t> &shape) {
  std::vector<int64_t> result(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; element /= shape[dim])
    result[dim] = element % shape[dim];
  return result;
}

static int64_t numberOf(const std::vector<int64_t> &coordinates,
                        const std::vector<int64_t> &shape) {
  int64_t number = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    number = number * shape[dim] + coordinates[dim];
  return number;
}

Elements RandomProgram::evaluate(const Node &node, const std::vector<Elements> &values) const {
  for (unsigned operand : node.operands)
    if (!values[operand])
      return std::nullopt;
  int64_t count = node.type.elements();
  if (node.op == "arith.constant")
    return node.numbers;
  if (node.op.starts_with("arith.") && node.op != "arith.cmpi" && node.operands.size() == 2)
    return binary(node.op.substr(6), *values[node.operands[0]], *values[node.operands[1]],
                  node.type.width);
  std::vector<int64_t> result(count);
  auto read = [&](unsigned operand, int64_t element) {
    const std::vector<int64_t> &elements = *values[node.operands[operand]];
    return elements.size() == 1 ? elements[0] : elements[element];
  };
  for (int64_t element = 0; element < count; ++element) {
    int64_t &value = result[element];
    if (node.op == "tile.arange") {
      value = node.numbers[0] + element;
    } else if (node.op == "tile.permute") {
      const std::vector<int64_t> &shape = nodes_[node.operands[0]].type.shape;
      std::vector<int64_t> place = coordinates(element, node.type.shape), from(shape.size());
      for (size_t dim = 0; dim < shape.size(); ++dim)
        from[node.numbers[dim]] = place[dim];
      value = read(0, numberOf(from, shape));
    } else if (node.op == "tile.broadcast") {
      const std::vector<int64_t> &shape = nodes_[node.operands[0]].type.shape;
      std::vector<int64_t> place = coordinates(element, node.type.shape);
      for (size_t dim = 0; dim < shape.size(); ++dim)
        place[dim] = shape[dim] == 1 ? 0 : place[dim];
      value = read(0, numberOf(place, shape));
    } else if (node.op == "tile.addptr") {
      __int128 address = __int128(read(1, element)) * node.type.pointeeBytes + read(0, element);
      if (address > INT64_MAX || address < INT64_MIN)
        return std::nullopt; // no object is that far away
      value = address;
    } else if (node.op == "arith.cmpi") {
      unsigned width = nodes_[node.operands[0]].type.width;
      value = -int64_t(compare(node.predicate, read(0, element), read(1, element), width));
    } else if (node.op == "arith.select") {
      value = read(0, element) ? read(1, element) : read(2, element);
    } else if (node.op == "arith.extui" || node.op == "arith.index_castui") {
      value = wrapped(asUnsigned(read(0, element), nodes_[node.operands[0]].type.width),
                      node.type.width);
    } else { // casts that keep low bits, and moves
      value = node.type.width == 0 ? read(0, element) : wrapped(read(0, element), node.type.width);
    }
  }
  return result;
}

/// A value that keeps the argument's promises, often at the ends of its range.
Elements RandomProgram::argumentValue(const Node &node, std::mt19937 &random) const {
  uint64_t span = static_cast<uint64_t>(node.max) - static_cast<uint64_t>(node.min);
  uint64_t wide = (uint64_t(random()) << 32) | random();
  uint64_t place = random() % 4 == 0    ? span - std::min<uint64_t>(span, random() % 70)
                   : random() % 3 == 0  ? std::min<uint64_t>(span, random() % 70)
                   : span == UINT64_MAX ? wide
                                        : wide % (span + 1);
  int64_t value = static_cast<int64_t>(static_cast<uint64_t>(node.min) + place);
  if (random() % 4 == 0 && node.min < -100)
    value = static_cast<int64_t>(random() % 200) - 100;
  int64_t low = value - ((value % node.divisor) + node.divisor) % node.divisor;
  if (low >= node.min && low <= value)
    return {{low}};
  return {{low + node.divisor}};
}

void RandomProgram::run(std::mt19937 &random, const Visit &visit) const {
  // Enough iterations to see a carried value move; the rest would only repeat.
  static constexpr int kIterations = 12;
  std::vector<Elements> values(nodes_.size());
  auto set = [&](unsigned index, Elements elements) {
    values[index] = std::move(elements);
    if (values[index])
      visit(index, *values[index]);
  };
  for (unsigned index = 0; index < nodes_.size(); ++index)
    if (nodes_[index].op == "argument")
      values[index] = argumentValue(nodes_[index], random);
  for (const auto &[predicate, left, right] : relations_)
    if (!compare(predicate, (*values[left])[0], (*values[right])[0], width_))
      return;
  auto execute = [&](unsigned begin, unsigned end) {
    for (unsigned index = begin; index < end; ++index)
      set(index, nodes_[index].op == "argument" ? values[index] : evaluate(nodes_[index], values));
  };
  if (!loop_)
    return execute(0, nodes_.size());
  execute(0, loop_->carried[0]);
  if (!values[loop_->lower] || !values[loop_->upper] || !values[loop_->step])
    return;
  int64_t lower = (*values[loop_->lower])[0], upper = (*values[loop_->upper])[0],
          step = (*values[loop_->step])[0];
  if (step <= 0)
    return; // not a loop
  std::vector<Elements> carried;
  for (unsigned init : loop_->inits)
    carried.push_back(values[init]);
  int iterations = 0;
  for (__int128 induction = lower; induction < upper; induction += step) {
    if (++iterations > kIterations)
      return;
    for (size_t place = 0; place < carried.size(); ++place)
      set(loop_->carried[place], carried[place]);
    set(loop_->induction, {{static_cast<int64_t>(induction)}});
    execute(loop_->bodyBegin, loop_->bodyEnd);
    for (size_t place = 0; place < carried.size(); ++place)
      carried[place] = values[loop_->yields[place]];
  }
  for (size_t place = 0; place < carried.size(); ++place)
    set(loop_->results[place], carried[place]);
  execute(loop_->results.back() + 1, nodes_.size());
}
