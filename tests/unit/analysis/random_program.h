// Random programs over integers, and an interpreter of them that knows nothing of the compiler: the
// ground against which every fact is checked.
//
// A program has arguments with promised ranges and divisors, a list of operations, at most one loop
// with a scalar and a tile carried, and operations after it. Values are signed 64-bit numbers
// wrapped to their width; a value is poison where the operation is undefined.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tilec::test {

struct ValueType {
  unsigned width = 32;        ///< bits; 0 for a pointer
  unsigned pointeeBytes = 1;  ///< 1, 2, 4, 8
  bool index = false;         ///< `index`, 64 bits
  std::vector<int64_t> shape; ///< empty: a scalar
  bool operator==(const ValueType &) const = default;
  std::string text() const;
  int64_t elements() const;
};

/// Elements in row-major order; nothing when poison.
using Elements = std::optional<std::vector<int64_t>>;

struct Node {
  std::string op; ///< as in MLIR; "argument", "carried", "induction", "result" have no text
  std::string predicate;
  std::vector<unsigned> operands;
  std::vector<int64_t> numbers; ///< constants' elements; start, axis, order
  ValueType type;
  // Promises about an argument.
  int64_t divisor = 1, min = 0, max = 0;
};

class RandomProgram {
public:
  RandomProgram(uint32_t seed, bool withLoop);

  std::string arguments() const;
  std::string body() const;
  /// Name of node `index` without the `%`.
  static std::string name(unsigned index) { return "v" + std::to_string(index); }
  const std::vector<Node> &nodes() const { return nodes_; }

  /// Runs on random arguments and calls `visit(node, elements)` for every value computed, in a loop
  /// for every iteration. Does nothing when the arguments break a promise between two of them.
  using Visit = std::function<void(unsigned, const std::vector<int64_t> &)>;
  void run(std::mt19937 &random, const Visit &visit) const;

private:
  struct Loop {
    unsigned lower, upper, step, induction;
    std::vector<unsigned> inits, carried, yields, results;
    unsigned bodyBegin, bodyEnd; ///< nodes of the body
  };

  /// A promise that two arguments compare so.
  struct Relation {
    std::string predicate;
    unsigned left, right;
  };

  unsigned add(Node node);
  using Accepts = std::function<bool(const ValueType &)>;
  std::vector<unsigned> candidates(const Accepts &accepts) const;
  unsigned pick(const Accepts &accepts);
  unsigned pickLike(ValueType type);
  int64_t number(unsigned limit);
  bool chance(unsigned percent) { return number(100) < percent; }
  ValueType tileType(unsigned width) const;

  void addArguments();
  unsigned addConstant(ValueType type);
  unsigned addArange();
  void addOperation();
  void addShuffle();
  void addPointer();
  void addCast();
  void addLoop();
  std::string line(const Node &node, unsigned index) const;
  std::string promises(unsigned index) const;
  Elements evaluate(const Node &node, const std::vector<Elements> &values) const;
  Elements argumentValue(const Node &node, std::mt19937 &random) const;

  std::mt19937 random_;
  std::vector<int64_t> shape_;
  unsigned width_ = 32;
  std::vector<Node> nodes_;
  std::vector<Relation> relations_;
  std::optional<Loop> loop_;
  unsigned hiddenBegin_ = 0, hiddenEnd_ = 0; ///< the loop's inside, invisible behind it
};

} // namespace tilec::test
