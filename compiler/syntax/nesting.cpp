// The nesting count, token by token.
#include "compiler/syntax/nesting.h"

#include "TileLexer.h"

namespace tilec {

using grammar::TileLexer;

/// Whether a token can be the last of an operand: after one, `|` is an operator; elsewhere it
/// begins an anonymous function.
static bool endsOperand(size_t type) {
  switch (type) {
  case TileLexer::ID:
  case TileLexer::INT:
  case TileLexer::FLOAT:
  case TileLexer::BAD_NUMBER:
  case TileLexer::STRING:
  case TileLexer::UNTERMINATED_STRING:
  case TileLexer::TRUE:
  case TileLexer::FALSE:
  case TileLexer::NONE:
  case TileLexer::INF:
  case TileLexer::NAN_WORD:
  case TileLexer::RPAREN:
  case TileLexer::RBRACK:
    return true;
  default:
    return type >= TileLexer::PTR && type <= TileLexer::OPTION;
  }
}

void Nesting::push(size_t type) {
  Frame frame;
  frame.open = type;
  frames_.push_back(frame);
  ++depth_;
}

void Nesting::pop() {
  depth_ -= frames_.back().levels();
  frames_.pop_back();
}

void Nesting::clear(Frame &frame) {
  depth_ -= frame.questions + frame.lambdas + frame.angles;
  frame.questions = frame.lambdas = frame.angles = 0;
}

void Nesting::next(size_t type, bool firstOnLine) {
  switch (type) {
  case TileLexer::LBRACE:
  case TileLexer::RBRACE:
  case TileLexer::SEMI:
    while (frames_.size() > 1 && frames_.back().open != TileLexer::LBRACE)
      pop();
    clear(frames_.back());
    if (type == TileLexer::LBRACE)
      push(type);
    else if (type == TileLexer::RBRACE && frames_.size() > 1)
      pop();
    break;
  case TileLexer::LPAREN:
  case TileLexer::LBRACK:
    push(type);
    break;
  case TileLexer::RPAREN:
  case TileLexer::RBRACK:
    if (frames_.back().open == TileLexer::LPAREN || frames_.back().open == TileLexer::LBRACK)
      pop();
    break;
  case TileLexer::KERNEL:
  case TileLexer::FN:
    if (!firstOnLine) // no item, for the parser's recovery either
      break;
    while (frames_.size() > 1)
      pop();
    clear(frames_.back());
    break;
  case TileLexer::QUESTION:
    ++frames_.back().questions;
    ++depth_;
    break;
  case TileLexer::COLON:
    if (frames_.back().questions > 0) {
      --frames_.back().questions;
      --depth_;
    }
    break;
  case TileLexer::PIPE:
    if (!endsOperand(last_)) {
      ++frames_.back().lambdas;
      ++depth_;
    }
    break;
  case TileLexer::LT:
    if (last_ == TileLexer::PTR || last_ == TileLexer::VIEW || last_ == TileLexer::TILE ||
        beforeLast_ == TileLexer::KERNEL) {
      ++frames_.back().angles;
      ++depth_;
    }
    break;
  case TileLexer::GT:
    if (frames_.back().angles > 0) {
      --frames_.back().angles;
      --depth_;
    }
    break;
  case TileLexer::AND_AND:
  case TileLexer::OR_OR:
    // A variable may be called `ptr`: `ptr < end && ...` opened no type.
    depth_ -= frames_.back().angles;
    frames_.back().angles = 0;
    break;
  default:
    break;
  }
  beforeLast_ = last_;
  last_ = type;
}

} // namespace tilec
