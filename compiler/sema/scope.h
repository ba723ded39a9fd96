// Names: the variables of blocks, one environment a function call; and what to say about a name
// that does not exist.
#pragma once

#include "compiler/sema/value.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilec::sema {

struct Variable {
  Value value;
  bool isMutable = false; ///< `var`
  SourceRange declared;
  std::string name = {}; ///< set by Environment
};

/// The nested blocks of one function call, innermost last. A name is visible from its declaration
/// to the end of its block.
class Environment {
public:
  Environment() { push(); }
  void push() { blocks_.emplace_back(); }
  void pop() { blocks_.pop_back(); }

  /// Declares in the innermost block; the earlier variable when that block has the name already.
  const Variable *declare(const std::string &name, Variable variable);
  Variable *find(const std::string &name);
  /// All visible names, for suggestions.
  void collectNames(std::vector<std::string> &names) const;

  /// Every variable, by position; assigning to `var`s changes values only, so positions hold until
  /// the innermost block at the time of the call is left.
  std::vector<Variable *> variables();

private:
  struct Block {
    std::map<std::string, Variable> variables;
  };
  std::vector<Block> blocks_;
};

/// Pushes a block for a C++ scope.
class BlockScope {
public:
  explicit BlockScope(Environment &environment) : environment_(environment) { environment_.push(); }
  ~BlockScope() { environment_.pop(); }
  BlockScope(const BlockScope &) = delete;
  BlockScope &operator=(const BlockScope &) = delete;

private:
  Environment &environment_;
};

/// The candidate nearest to `name` when it is near enough to be meant; the first of equals.
std::optional<std::string> nearest(llvm::StringRef name,
                                   const std::vector<std::string> &candidates);

/// "; did you mean 'x'?" or nothing.
std::string suggestion(llvm::StringRef name, const std::vector<std::string> &candidates);

} // namespace tilec::sema
