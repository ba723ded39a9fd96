// Nesting: how deep a recursive parser will be at each token, counted without parsing.
//
// Brackets, types in `<...>`, the middle of `? :` and anonymous functions are the only recursion of
// the grammar. What // ends a construct for certain also ends it here when brackets are missing:
// `;` and braces end what is open in parentheses, `kernel` and `fn` at the start of a line end
// everything. So a file with many small mistakes is not mistaken for a deep one, and the count is
// never below the parser's own depth.
#pragma once

#include <cstddef>
#include <vector>

namespace tilec {

class Nesting {
public:
  /// Takes the next token: its type (of TileLexer), and whether it begins a line.
  void next(size_t type, bool firstOnLine);

  /// Levels of recursion at the last token.
  size_t depth() const { return depth_; }

  /// How many `<` of types and parameter lists are open inside the innermost bracket.
  size_t openAngles() const { return frames_.back().angles; }

private:
  struct Frame {
    size_t open = 0;      ///< type of the bracket
    size_t questions = 0; ///< `?` still without its `:`
    size_t lambdas = 0;
    size_t angles = 0;
    size_t levels() const { return (open != 0) + questions + lambdas + angles; }
  };

  void push(size_t type);
  void pop();
  void clear(Frame &frame);

  std::vector<Frame> frames_{Frame{}};
  size_t depth_ = 0;
  size_t last_ = 0, beforeLast_ = 0;
};

} // namespace tilec
