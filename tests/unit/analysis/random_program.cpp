// Making random programs and printing them; the interpreter is in interpreter.cpp.
#include "tests/unit/analysis/random_program.h"

#include <algorithm>
#include <numeric>

using namespace tilec::test;

std::string ValueType::text() const {
  static const char *const pointees[] = {"", "i8", "i16", "", "i32", "", "", "", "i64"};
  std::string element = width == 0 ? "!tile.ptr<" + std::string(pointees[pointeeBytes]) + ">"
                        : index    ? "index"
                                   : "i" + std::to_string(width);
  if (shape.empty())
    return element;
  std::string sizes;
  for (int64_t size : shape)
    sizes += std::to_string(size) + "x";
  return "tensor<" + sizes + element + ">";
}

int64_t ValueType::elements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

static int64_t wrapped(int64_t value, unsigned width) {
  unsigned drop = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << drop) >> drop;
}

static const char *const predicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                         "sge", "ult", "ule", "ugt", "uge"};

//===--- Choosing ----------------------------------------------------------------------------===//

int64_t RandomProgram::number(unsigned limit) {
  return random_() % limit;
}

unsigned RandomProgram::add(Node node) {
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

ValueType RandomProgram::tileType(unsigned width) const {
  return {width, 1, false, shape_};
}

/// Acceptable nodes that the next operation may use.
std::vector<unsigned> RandomProgram::candidates(const Accepts &accepts) const {
  std::vector<unsigned> found;
  for (unsigned index = 0; index < nodes_.size(); ++index)
    if ((index < hiddenBegin_ || index >= hiddenEnd_) && accepts(nodes_[index].type))
      found.push_back(index);
  return found;
}

/// One of the acceptable nodes, recent ones more often. There must be one.
unsigned RandomProgram::pick(const Accepts &accepts) {
  std::vector<unsigned> found = candidates(accepts);
  unsigned newest = std::max(number(found.size()), number(found.size()));
  return found[newest];
}

unsigned RandomProgram::pickLike(ValueType type) {
  auto accepts = [&](const ValueType &other) { return other == type; };
  if (type.width != 0 && (chance(25) || candidates(accepts).empty()))
    return addConstant(type);
  return pick(accepts);
}

//===--- Leaves ------------------------------------------------------------------------------===//

unsigned RandomProgram::addConstant(ValueType type) {
  static const int64_t plain[] = {0,  1,  -1, 2,  3,  4,  7,  8,   -4,
                                  -8, 12, 16, 15, 31, 32, 64, -64, 100};
  Node node{"arith.constant", "", {}, {}, type};
  auto element = [&] {
    return chance(95) ? wrapped(plain[number(std::size(plain))], type.width)
                      : wrapped(int64_t(random_()) << number(33), type.width);
  };
  if (type.shape.empty() || chance(80)) {
    node.numbers.assign(type.elements(), element());
  } else {
    // A tile that has some structure: runs, steps, or noise.
    int64_t run = int64_t(1) << number(4), start = element(), step = number(3);
    for (int64_t index = 0; index < type.elements(); ++index)
      node.numbers.push_back(
          wrapped(start + (step ? index / run * step * run + index % run : number(5)), type.width));
  }
  return add(std::move(node));
}

void RandomProgram::addArguments() {
  static const int64_t divisors[] = {1, 1, 2, 4, 8, 16, 64};
  for (unsigned count = 3 + number(3); count > 0; --count) {
    Node node{"argument", "", {}, {}, {width_, 1, false, {}}};
    node.divisor = divisors[number(std::size(divisors))];
    int64_t limit = std::min<int64_t>(1000, INT64_MAX >> (64 - width_));
    int64_t lowest = width_ == 64 ? INT64_MIN : -(int64_t(1) << (width_ - 1));
    int64_t ranges[][2] = {{lowest, -(lowest + 1)}, {0, limit}, {1, limit}, {-40, 40}, {0, 7}};
    auto &range = ranges[number(std::size(ranges))];
    node.min = range[0], node.max = range[1];
    if (node.max < node.divisor && node.min > 0)
      node.divisor = 1;
    add(std::move(node));
  }
  if (chance(40))
    relations_.push_back({predicates[number(10)], unsigned(number(3)), unsigned(number(3))});
  Node pointer{"argument", "", {}, {}, {0, unsigned(1) << number(4), false, {}}};
  pointer.divisor = divisors[number(std::size(divisors))];
  pointer.min = 0, pointer.max = int64_t(1) << 40;
  add(std::move(pointer));
}

/// An arange along one dim, spread over the shape, in the program's width.
unsigned RandomProgram::addArange() {
  unsigned dim = number(shape_.size());
  static const int64_t starts[] = {0, 0, 0, 1, 4, 16, 24, -8, -5, 100};
  ValueType type{32, 1, false, {shape_[dim]}};
  unsigned value = add({"tile.arange", "", {}, {starts[number(std::size(starts))]}, type});
  if (width_ != 32) {
    type.width = width_;
    value = add({width_ > 32 ? "arith.extsi" : "arith.trunci", "", {value}, {}, type});
  }
  for (unsigned axis = 0; axis < shape_.size(); ++axis) {
    if (axis == dim)
      continue;
    type.shape.insert(type.shape.begin() + axis, 1);
    value = add({"tile.expand_dims", "", {value}, {axis}, type});
  }
  type.shape = shape_;
  return add({"tile.broadcast", "", {value}, {}, type});
}

//===--- Operations --------------------------------------------------------------------------===//

void RandomProgram::addOperation() {
  static const char *const binary[] = {
      "addi",  "addi",  "subi",  "muli", "muli",      "divsi",      "divui",     "remsi",
      "remui", "shli",  "shrsi", "andi", "ori",       "xori",       "maxsi",     "minsi",
      "maxui", "minui", "shrui", "addi", "ceildivsi", "floordivsi", "ceildivui", "remsi"};
  bool scalar = chance(25);
  ValueType type = scalar ? ValueType{width_, 1, false, {}} : tileType(width_);
  ValueType boolean = type;
  boolean.width = 1;
  switch (number(12)) {
  case 0:
    add({"tile.splat", "", {pickLike({width_, 1, false, {}})}, {}, tileType(width_)});
    return;
  case 1:
    addArange();
    return;
  case 2:
  case 3:
    add({"arith.cmpi", predicates[number(10)], {pickLike(type), pickLike(type)}, {}, boolean});
    return;
  case 4: {
    unsigned condition = pickLike(chance(30) ? ValueType{1, 1, false, {}} : boolean);
    unsigned left = pickLike(type), right = pickLike(type);
    add({"arith.select", "", {condition, left, right}, {}, type});
    return;
  }
  case 5: {
    static const char *const logic[] = {"arith.andi", "arith.ori", "arith.xori"};
    add({logic[number(3)], "", {pickLike(boolean), pickLike(boolean)}, {}, boolean});
    return;
  }
  case 6:
    addShuffle();
    return;
  case 7:
    addPointer();
    return;
  case 8:
    addCast();
    return;
  default:
    add({std::string("arith.") + binary[number(std::size(binary))],
         "",
         {pickLike(type), pickLike(type)},
         {},
         type});
  }
}

/// reshape, permute, reshape: elements move in a regular way.
void RandomProgram::addShuffle() {
  unsigned value = pickLike(tileType(chance(20) ? 1 : width_));
  ValueType type = nodes_[value].type;
  type.shape.clear();
  for (int64_t rest = nodes_[value].type.elements(); rest > 1 || type.shape.empty();) {
    int64_t size = std::min<int64_t>(rest, int64_t(1) << number(4));
    type.shape.push_back(size);
    rest /= size;
  }
  value = add({"tile.reshape", "", {value}, {}, type});
  std::vector<int64_t> order(type.shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random_);
  ValueType permuted = type;
  for (size_t dim = 0; dim < order.size(); ++dim)
    permuted.shape[dim] = type.shape[order[dim]];
  value = add({"tile.permute", "", {value}, order, permuted});
  permuted.shape = shape_;
  add({"tile.reshape", "", {value}, {}, permuted});
}

void RandomProgram::addPointer() {
  unsigned base = pick([](const ValueType &type) { return type.width == 0; });
  ValueType type = nodes_[base].type, offset = type;
  offset.width = width_, offset.pointeeBytes = 1;
  if (type.shape.empty() && chance(60)) {
    type.shape = shape_;
    add({"tile.splat", "", {base}, {}, type});
    return;
  }
  add({"tile.addptr", "", {base, pickLike(offset)}, {}, type});
}

/// To another width and back, so that the value takes part again.
void RandomProgram::addCast() {
  ValueType type = chance(25) ? ValueType{width_, 1, false, {}} : tileType(width_), other = type;
  unsigned value = pickLike(type);
  if (chance(20)) {
    other.width = 64, other.index = true;
    bool isUnsigned = chance(50);
    const char *cast = isUnsigned ? "arith.index_castui" : "arith.index_cast";
    value = add({cast, "", {value}, {}, other});
    add({cast, "", {value}, {}, type});
    return;
  }
  static const unsigned widths[] = {1, 8, 16, 32, 64};
  do
    other.width = widths[number(5)];
  while (other.width == width_);
  const char *extend = chance(50) ? "arith.extsi" : "arith.extui";
  value = add({other.width > width_ ? extend : "arith.trunci", "", {value}, {}, other});
  add({other.width > width_ ? "arith.trunci" : extend, "", {value}, {}, type});
}

void RandomProgram::addLoop() {
  ValueType scalar{width_, 1, false, {}}, tile = tileType(width_);
  Loop loop;
  loop.lower = pickLike(scalar), loop.upper = pickLike(scalar);
  ValueType carriedPointer =
      nodes_[pick([](const ValueType &type) { return type.width == 0; })].type;
  loop.step = chance(50) ? addConstant(scalar) : pickLike(scalar);
  for (const ValueType &type : {scalar, tile, carriedPointer})
    loop.inits.push_back(pickLike(type));
  unsigned before = nodes_.size();
  for (unsigned init : loop.inits)
    loop.carried.push_back(add({"carried", "", {}, {}, nodes_[init].type}));
  loop.induction = add({"induction", "", {}, {}, scalar});
  loop.bodyBegin = nodes_.size();
  for (unsigned count = 2 + number(6); count > 0; --count)
    addOperation();
  if (chance(50)) // a step that loops are full of
    add({"arith.addi", "", {loop.carried[1], pickLike(tile)}, {}, tile});
  for (unsigned init : loop.inits) {
    ValueType type = nodes_[init].type;
    loop.yields.push_back(pickLike(type));
  }
  loop.bodyEnd = nodes_.size();
  for (unsigned init : loop.inits)
    loop.results.push_back(add({"result", "", {}, {}, nodes_[init].type}));
  hiddenBegin_ = before, hiddenEnd_ = loop.bodyEnd;
  loop_ = std::move(loop);
}

RandomProgram::RandomProgram(uint32_t seed, bool withLoop) : random_(seed) {
  static const std::vector<int64_t> shapes[] = {{16},    {32},      {8, 4}, {4, 16},
                                                {1, 16}, {2, 4, 4}, {256}};
  static const unsigned widths[] = {8, 16, 32, 32, 32, 64, 64};
  shape_ = shapes[number(40) ? number(6) : 6];
  width_ = widths[number(std::size(widths))];
  addArguments();
  addArange();
  for (unsigned count = 4 + number(10); count > 0; --count)
    addOperation();
  if (!withLoop)
    return;
  addLoop();
  for (unsigned count = number(5); count > 0; --count)
    addOperation();
}

//===--- Printing ----------------------------------------------------------------------------===//

std::string RandomProgram::arguments() const {
  std::string text;
  for (unsigned index = 0; index < nodes_.size(); ++index)
    if (nodes_[index].op == "argument")
      text += (text.empty() ? "%" : ", %") + name(index) + ": " + nodes_[index].type.text();
  return text;
}

/// The elements of a tile constant as nested lists, from dim `dim` and element `begin` on.
static std::string nested(const Node &node, size_t dim, size_t begin,
                          const std::function<std::string(int64_t)> &literal) {
  if (dim == node.type.shape.size())
    return literal(node.numbers[begin]);
  size_t stride = 1;
  for (size_t inner = dim + 1; inner < node.type.shape.size(); ++inner)
    stride *= node.type.shape[inner];
  std::string text;
  for (int64_t place = 0; place < node.type.shape[dim]; ++place)
    text += (place ? ", " : "[") + nested(node, dim + 1, begin + place * stride, literal);
  return text + "]";
}

std::string RandomProgram::line(const Node &node, unsigned index) const {
  auto operand = [&](unsigned place) { return "%" + name(node.operands[place]); };
  auto typeOf = [&](unsigned place) { return nodes_[node.operands[place]].type.text(); };
  std::string type = node.type.text(), text = "%" + name(index) + " = " + node.op + " ";
  auto literal = [&](int64_t value) -> std::string {
    return node.type.width == 1 ? (value ? "true" : "false") : std::to_string(value);
  };
  if (node.op == "arith.constant") {
    if (node.type.shape.empty())
      return text + literal(node.numbers[0]) + (node.type.width == 1 ? "" : " : " + type);
    bool splat = std::equal(node.numbers.begin() + 1, node.numbers.end(), node.numbers.begin());
    std::string elements = splat ? literal(node.numbers[0]) : nested(node, 0, 0, literal);
    return text + "dense<" + elements + "> : " + type;
  }
  if (node.op == "tile.arange")
    return text + std::to_string(node.numbers[0]) + " : " + type;
  if (node.op == "tile.permute") {
    std::string order;
    for (int64_t dim : node.numbers)
      order += (order.empty() ? "" : ", ") + std::to_string(dim);
    return text + operand(0) + ", [" + order + "] : " + typeOf(0) + " -> " + type;
  }
  if (node.op == "tile.expand_dims")
    return text + operand(0) + ", " + std::to_string(node.numbers[0]) + " : " + typeOf(0) + " -> " +
           type;
  if (node.op == "tile.addptr")
    return text + operand(0) + ", " + operand(1) + " : " + typeOf(0) + ", " + typeOf(1);
  if (node.op == "arith.cmpi")
    return text + node.predicate + ", " + operand(0) + ", " + operand(1) + " : " + typeOf(0);
  if (node.op == "arith.select")
    return text + operand(0) + ", " + operand(1) + ", " + operand(2) + " : " + typeOf(0) + ", " +
           type;
  if (node.operands.size() == 2)
    return text + operand(0) + ", " + operand(1) + " : " + type;
  bool arrow = node.op.starts_with("tile.");
  return text + operand(0) + " : " + typeOf(0) + (arrow ? " -> " : " to ") + type;
}

/// The promises about an argument, as contracts become them.
std::string RandomProgram::promises(unsigned index) const {
  const Node &node = nodes_[index];
  std::string value = "%" + name(index), type = node.type.text();
  if (node.type.width == 0)
    return "tile.assume_aligned " + value + ", " + std::to_string(node.divisor) + " : " + type +
           "\n";
  auto constant = [&](const char *suffix, int64_t number) {
    return value + suffix + " = arith.constant " + std::to_string(number) + " : " + type + "\n";
  };
  std::string text = constant("_min", node.min) + constant("_max", node.max) +
                     constant("_divisor", node.divisor) + constant("_zero", 0);
  text += value + "_low = arith.cmpi sge, " + value + ", " + value + "_min : " + type + "\n";
  text += value + "_high = arith.cmpi sle, " + value + ", " + value + "_max : " + type + "\n";
  text += value + "_both = arith.andi " + value + "_low, " + value + "_high : i1\n";
  text += "tile.assume " + value + "_both\n";
  text += value + "_rest = arith.remsi " + value + ", " + value + "_divisor : " + type + "\n";
  text += value + "_exact = arith.cmpi eq, " + value + "_rest, " + value + "_zero : " + type + "\n";
  return text + "tile.assume " + value + "_exact\n";
}

std::string RandomProgram::body() const {
  std::string text;
  auto list = [&](const std::vector<unsigned> &indices, bool types) {
    std::string items;
    for (unsigned index : indices)
      items +=
          (items.empty() ? "" : ", ") + (types ? nodes_[index].type.text() : "%" + name(index));
    return items;
  };
  for (size_t index = 0; index < relations_.size(); ++index) {
    const auto &[predicate, left, right] = relations_[index];
    std::string condition = "%related" + std::to_string(index);
    text += condition + " = arith.cmpi " + predicate + ", %" + name(left) + ", %" + name(right) +
            " : " + nodes_[left].type.text() + "\ntile.assume " + condition + "\n";
  }
  for (unsigned index = 0; index < nodes_.size(); ++index) {
    const Node &node = nodes_[index];
    if (node.op == "argument")
      text += promises(index);
    else if (loop_ && index == loop_->carried[0]) {
      std::string pairs;
      for (size_t place = 0; place < loop_->inits.size(); ++place)
        pairs += (place ? ", %" : "%") + name(loop_->carried[place]) + " = %" +
                 name(loop_->inits[place]);
      text += list(loop_->results, false) + " = scf.for %" + name(loop_->induction) + " = %" +
              name(loop_->lower) + " to %" + name(loop_->upper) + " step %" + name(loop_->step) +
              " iter_args(" + pairs + ") -> (" + list(loop_->results, true) +
              ") : " + nodes_[loop_->lower].type.text() + " {\n";
    } else if (loop_ && index == loop_->results[0]) {
      text +=
          "scf.yield " + list(loop_->yields, false) + " : " + list(loop_->yields, true) + "\n}\n";
    }
    bool printed = node.op.find('.') != std::string::npos;
    if (printed)
      text += line(node, index) + "\n";
  }
  return text;
}
