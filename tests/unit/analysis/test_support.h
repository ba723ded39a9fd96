// Parses tile IR and looks facts up by SSA name.
#pragma once

#include "compiler/analysis/facts.h"

#include <memory>
#include <string>

namespace tilec::test {

/// A func.func parsed from text, its facts, and its values by name (`x` for %x).
class Function {
public:
  /// `arguments` and `body` as in MLIR; the return is added. With an empty name the text is a whole
  /// module.
  Function(const std::string &arguments, const std::string &body);
  ~Function();

  /// Facts of %name; fails the test when there is no such value.
  const ValueFacts &operator[](const std::string &name) const;
  mlir::Value value(const std::string &name) const;
  const FactAnalysis &facts() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace tilec::test

#include <doctest/doctest.h>

#include <vector>

namespace tilec::test {
using Runs = std::vector<int64_t>;
} // namespace tilec::test
