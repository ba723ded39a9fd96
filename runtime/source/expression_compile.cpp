// Trees to postfix programs. Kinds were fixed when the manifest was read; this chooses
// instructions, inserts conversions, and turns `and`, `or` and `select` into jumps.
#include "expression.h"

namespace tilert {

bool mentions(const Expression &expression, Operator op) {
  if (expression.op == op)
    return true;
  for (const Expression &operand : expression.operands)
    if (mentions(operand, op))
      return true;
  return false;
}

bool dependsOnVariant(const Expression &expression) {
  return mentions(expression, Operator::Const) || mentions(expression, Operator::Occupancy) ||
         mentions(expression, Operator::NoAlias); // element sizes may follow from a const param
}

namespace {

class Compiler {
public:
  Compiler(const std::vector<ConstValue> &values, const std::vector<ParameterShape> &parameters,
           std::vector<Instruction> &code)
      : values_(values), parameters_(parameters), code_(code), start_(code.size()) {}

  Program finish() {
    return {static_cast<uint32_t>(start_), static_cast<uint32_t>(code_.size() - start_)};
  }
  void emitExpression(const Expression &expression);

private:
  Instruction &emit(Code code) { return code_.emplace_back(Instruction{code}); }
  void pushInteger(int64_t value) { emit(Code::PushInteger).value.integer = value; }
  void pushReal(double value) { emit(Code::PushReal).value.real = value; }
  void load(Code code, const Expression &expression) {
    Instruction &instruction = emit(code);
    instruction.index = expression.index;
    instruction.value.integer = expression.integer;
  }
  void convert(ValueKind from, ValueKind to);
  void emitAs(const Expression &expression, ValueKind kind) {
    emitExpression(expression);
    convert(expression.kind, kind);
  }
  size_t emitJump(Code code) {
    emit(code);
    return code_.size() - 1;
  }
  void land(size_t jump) { code_[jump].index = static_cast<uint32_t>(code_.size() - start_); }

  void emitConst(const ConstValue &value);
  void emitNoAlias(const Expression &expression);
  void emitArithmetic(const Expression &expression);
  void emitComparison(const Expression &expression);
  bool emitArgumentComparison(Operator op, const Expression &left, const Expression &right);
  void emitShortCircuit(const Expression &expression, Code jump);
  void emitSelect(const Expression &expression);
  void emitCast(const Expression &expression);

  const std::vector<ConstValue> &values_;
  const std::vector<ParameterShape> &parameters_;
  std::vector<Instruction> &code_;
  size_t start_;
};

void Compiler::convert(ValueKind from, ValueKind to) {
  if (from == to || to == ValueKind::Name || from == ValueKind::Name)
    return;
  if (to == ValueKind::Real)
    emit(Code::IntegerToReal);
  else if (to == ValueKind::Boolean)
    emit(from == ValueKind::Real ? Code::RealToBoolean : Code::IntegerToBoolean);
  // A boolean is an integer already; reals become integers by `cast` only.
}

void Compiler::emitConst(const ConstValue &value) {
  if (value.kind == ValueKind::Real)
    pushReal(value.real);
  else
    pushInteger(value.integer);
}

void Compiler::emitNoAlias(const Expression &expression) {
  load(Code::LoadNoAlias, expression);
  code_.back().sizeA = static_cast<uint8_t>(parameters_[expression.index].elementSize);
  code_.back().sizeB =
      static_cast<uint8_t>(parameters_[static_cast<size_t>(expression.integer)].elementSize);
}

/// The instruction of an arithmetic operator on integers and on reals.
struct ArithmeticRow {
  Operator op;
  Code integer, real;
};
constexpr ArithmeticRow kArithmetic[] = {
    {Operator::Add, Code::AddInteger, Code::AddReal},
    {Operator::Sub, Code::SubInteger, Code::SubReal},
    {Operator::Mul, Code::MulInteger, Code::MulReal},
    {Operator::Div, Code::DivInteger, Code::DivReal},
    {Operator::Rem, Code::RemInteger, Code::RemReal},
    {Operator::Min, Code::MinInteger, Code::MinReal},
    {Operator::Max, Code::MaxInteger, Code::MaxReal},
    {Operator::CeilDiv, Code::CeilDivInteger, Code::CeilDivReal},
    {Operator::Negate, Code::NegateInteger, Code::NegateReal},
    {Operator::Abs, Code::AbsInteger, Code::AbsReal},
    {Operator::BitAnd, Code::BitAnd, Code::BitAnd}, // integers only, checked by the reader
    {Operator::BitOr, Code::BitOr, Code::BitOr},
    {Operator::BitXor, Code::BitXor, Code::BitXor},
    {Operator::ShiftLeft, Code::ShiftLeft, Code::ShiftLeft},
    {Operator::ShiftRight, Code::ShiftRight, Code::ShiftRight},
    {Operator::BitNot, Code::BitNot, Code::BitNot},
    {Operator::NextPow2, Code::NextPow2, Code::NextPow2},
};

void Compiler::emitArithmetic(const Expression &expression) {
  for (const Expression &operand : expression.operands)
    emitAs(operand, expression.kind);
  for (const ArithmeticRow &row : kArithmetic)
    if (row.op == expression.op)
      emit(expression.kind == ValueKind::Real ? row.real : row.integer);
}

/// The comparison that holds when this one holds with its sides exchanged.
Operator mirrored(Operator op) {
  switch (op) {
  case Operator::Less:
    return Operator::Greater;
  case Operator::LessEqual:
    return Operator::GreaterEqual;
  case Operator::Greater:
    return Operator::Less;
  case Operator::GreaterEqual:
    return Operator::LessEqual;
  default:
    return op;
  }
}

/// `argument op literal` of integers, as one instruction.
bool Compiler::emitArgumentComparison(Operator op, const Expression &left,
                                      const Expression &right) {
  const bool literal = right.op == Operator::Integer || right.op == Operator::Const;
  if (left.op != Operator::Argument || left.kind != ValueKind::Integer || !literal ||
      right.kind != ValueKind::Integer)
    return false;
  Instruction &instruction = emit(Code::CompareArgument);
  instruction.index = left.index;
  instruction.type = static_cast<uint8_t>(parameters_[left.index].type);
  instruction.sizeA = static_cast<uint8_t>(op);
  instruction.value.integer =
      right.op == Operator::Const ? values_[right.index].integer : right.integer;
  return true;
}

void Compiler::emitComparison(const Expression &expression) {
  const Expression &left = expression.operands[0], &right = expression.operands[1];
  if (emitArgumentComparison(expression.op, left, right) ||
      emitArgumentComparison(mirrored(expression.op), right, left))
    return;
  const bool real = left.kind == ValueKind::Real || right.kind == ValueKind::Real;
  const bool swap = expression.op == Operator::Greater || expression.op == Operator::GreaterEqual;
  const ValueKind kind = real ? ValueKind::Real : ValueKind::Integer;
  emitAs(swap ? right : left, kind);
  emitAs(swap ? left : right, kind);
  switch (expression.op) {
  case Operator::Equal:
    emit(real ? Code::EqualReal : Code::EqualInteger);
    break;
  case Operator::NotEqual:
    emit(real ? Code::NotEqualReal : Code::NotEqualInteger);
    break;
  case Operator::Less:
  case Operator::Greater:
    emit(real ? Code::LessReal : Code::LessInteger);
    break;
  default:
    emit(real ? Code::LessEqualReal : Code::LessEqualInteger);
  }
}

void Compiler::emitShortCircuit(const Expression &expression, Code jump) {
  emitAs(expression.operands[0], ValueKind::Boolean);
  const size_t end = emitJump(jump);
  emitAs(expression.operands[1], ValueKind::Boolean);
  land(end);
}

void Compiler::emitSelect(const Expression &expression) {
  emitAs(expression.operands[0], ValueKind::Boolean);
  const size_t otherwise = emitJump(Code::JumpIfFalse);
  emitAs(expression.operands[1], expression.kind);
  const size_t end = emitJump(Code::Jump);
  land(otherwise);
  emitAs(expression.operands[2], expression.kind);
  land(end);
}

void Compiler::emitCast(const Expression &expression) {
  const Expression &operand = expression.operands[0];
  const auto type = static_cast<uint8_t>(expression.castTo);
  if (isReal(type)) {
    emitAs(operand, ValueKind::Real);
    emit(Code::RoundReal).type = type;
  } else if (type == TILERT_TYPE_BOOL) {
    emitAs(operand, ValueKind::Boolean);
  } else {
    emitExpression(operand);
    emit(operand.kind == ValueKind::Real ? Code::RealToInteger : Code::NarrowInteger).type = type;
  }
}

void Compiler::emitExpression(const Expression &expression) {
  switch (expression.op) {
  case Operator::Integer:
  case Operator::Boolean:
  case Operator::Name:
    return pushInteger(expression.integer);
  case Operator::Real:
    return pushReal(expression.real);
  case Operator::Const:
    return emitConst(values_[expression.index]);
  case Operator::Argument:
    load(Code::LoadArgument, expression);
    code_.back().type = static_cast<uint8_t>(parameters_[expression.index].type);
    return;
  case Operator::Dim:
    return load(Code::LoadDim, expression);
  case Operator::Stride:
    return load(Code::LoadStride, expression);
  case Operator::Aligned:
    return load(Code::LoadAligned, expression);
  case Operator::NoAlias:
    return emitNoAlias(expression);
  case Operator::NumSms:
    emit(Code::LoadNumSms);
    return;
  case Operator::Occupancy:
    emit(Code::LoadOccupancy);
    return;
  case Operator::Equal:
  case Operator::NotEqual:
  case Operator::Less:
  case Operator::LessEqual:
  case Operator::Greater:
  case Operator::GreaterEqual:
    return emitComparison(expression);
  case Operator::And:
    return emitShortCircuit(expression, Code::JumpIfFalseOrPop);
  case Operator::Or:
    return emitShortCircuit(expression, Code::JumpIfTrueOrPop);
  case Operator::Not:
    emitAs(expression.operands[0], ValueKind::Boolean);
    emit(Code::Not);
    return;
  case Operator::Select:
    return emitSelect(expression);
  case Operator::Cast:
    return emitCast(expression);
  default:
    return emitArithmetic(expression);
  }
}

} // namespace

Program compileExpression(const Expression &expression, const std::vector<ConstValue> &values,
                          const std::vector<ParameterShape> &parameters,
                          std::vector<Instruction> &code) {
  Compiler compiler(values, parameters, code);
  compiler.emitExpression(expression);
  return compiler.finish();
}

} // namespace tilert
