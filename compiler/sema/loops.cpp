// Loops: `for i in range(..)`, `for i in static_range(..)`, `while`.
//
// The loop variable never wraps on the way to its bound. With step 1 an i32 or i64 loop counts in
// its own type: it ends when it meets the bound. Any other loop of narrower type counts in i64 and
// its variable is the truncated counter; the counter is the 64-bit form that pointer arithmetic
// wants. Loops of 64-bit type with another step, and loops that count down, count trips:
//     i = lo + trip * step.
#include "compiler/sema/assigned.h"
#include "compiler/sema/evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec::sema {

using ast::BinaryOp;
using ast::Stmt;

/// Most iterations that static_range may write out in one kernel.
static constexpr unsigned kMaxUnrolled = 16384;
/// Largest `stages` and `unroll`.
static constexpr int64_t kMaxStages = 32, kMaxUnroll = 1024;

namespace {
/// The arguments of range(...).
struct RangeArguments {
  Value low, high, step = IntConstant{1, std::nullopt};
  SourceRange stepRange;
  std::optional<int64_t> stages, unroll;
};

/// The run-time parts of the variables that a loop assigns to, which its iterations hand on.
class Carried {
public:
  Carried(Evaluator &evaluator, const ast::Block &body) : evaluator_(evaluator) {
    for (const std::string &name : assignedNames(body))
      if (Variable *variable = evaluator.environment().find(name);
          variable && variable->isMutable && !variable->value.isError())
        variables_.push_back(variable);
  }

  /// The values before the loop, as IR.
  std::vector<mlir::Value> initial(SourceRange range) {
    std::vector<mlir::Value> values;
    for (Variable *variable : variables_) {
      std::vector<Value> parts;
      flatten(variable->value, parts);
      for (const Value &part : parts) {
        std::optional<RuntimeValue> value;
        if (part.isNumeric())
          value = evaluator_.asRuntime(part, range);
        if (!value)
          continue;
        types_.push_back(value->type);
        values.push_back(value->ir);
      }
    }
    return values;
  }

  /// The variables are now `values` (block arguments or results of the loop).
  void bind(mlir::ValueRange values) {
    size_t next = 0;
    for (Variable *variable : variables_) {
      std::vector<Value> parts;
      flatten(variable->value, parts);
      for (Value &part : parts)
        if (part.isNumeric() && next < types_.size()) {
          part = evaluator_.emit.leaf(values[next], types_[next]);
          ++next;
        }
      llvm::ArrayRef<Value> rest = parts;
      variable->value = withParts(variable->value, rest);
      structure_.push_back(variable->value);
    }
  }

  /// The values at the end of an iteration, as IR of the carried types. `entry` values stand for
  /// those that an error spoiled.
  std::vector<mlir::Value> final(mlir::ValueRange entry, SourceRange range) {
    std::vector<mlir::Value> values;
    for (size_t i = 0; i < variables_.size(); ++i) {
      std::vector<Value> before, parts;
      flatten(structure_[i], before);
      flatten(variables_[i]->value, parts);
      bool isSpoiled = parts.size() != before.size();
      for (size_t part = 0; part < before.size(); ++part) {
        if (before[part].isNumeric()) {
          mlir::Value value = entry[values.size()];
          if (!isSpoiled && parts[part].isNumeric())
            value = evaluator_.convertTo(parts[part], types_[values.size()]).ir;
          values.push_back(value);
        } else if (!isSpoiled && !parts[part].isError() && !identical(before[part], parts[part])) {
          evaluator_.error(range, "'" + variables_[i]->name +
                                      "' changes in a run-time loop; only numbers and tiles may");
        }
      }
      variables_[i]->value = structure_[i];
    }
    structure_.clear();
    return values;
  }

  const std::vector<TileType> &types() const { return types_; }

private:
  Evaluator &evaluator_;
  std::vector<Variable *> variables_;
  std::vector<TileType> types_;
  std::vector<Value> structure_; ///< the variables at the start of an iteration
};

/// A loop's counter: what scf.for counts, and how the loop variable follows from it.
struct Counter {
  mlir::Value low, high, step;
  std::function<RuntimeValue(mlir::Value)> variable;
};
} // namespace

//===--- range(...) --------------------------------------------------------------------------===//

static std::optional<RangeArguments> rangeArguments(Evaluator &evaluator, const ast::Expr &call) {
  RangeArguments result;
  std::vector<const ast::Expr *> positional;
  bool isValid = true;
  bool isStatic = call.operands[0]->name.text == "static_range";
  for (const ast::Argument &argument : call.arguments) {
    if (!argument.name) {
      positional.push_back(argument.value.get());
      continue;
    }
    const std::string &name = argument.name->text;
    SourceRange range = argument.value->range;
    if (name == "step") {
      result.step = evaluator.evaluate(*argument.value);
      result.stepRange = range;
      isValid &= !result.step.isError();
    } else if (!isStatic && (name == "stages" || name == "unroll")) {
      std::optional<int64_t> value =
          evaluator.constantInteger(evaluator.evaluate(*argument.value), range, "'" + name + "'", 1,
                                    name == "stages" ? kMaxStages : kMaxUnroll);
      isValid &= value.has_value();
      (name == "stages" ? result.stages : result.unroll) = value;
    } else {
      evaluator.error(argument.name->range, "'" + call.operands[0]->name.text +
                                                "' has no parameter '" + name + "'" +
                                                suggestion(name, {"step", "stages", "unroll"}));
      isValid = false;
    }
  }
  if (positional.empty() || positional.size() > 3) {
    evaluator.error(call.range, "a range takes a bound, or two and perhaps a step: range(lo, hi, "
                                "step)");
    return std::nullopt;
  }
  std::vector<Value> values;
  for (const ast::Expr *expr : positional) {
    values.push_back(evaluator.evaluate(*expr));
    isValid &= !values.back().isError();
  }
  result.low = values.size() == 1 ? Value(IntConstant{0, std::nullopt}) : values[0];
  result.high = values.size() == 1 ? values[0] : values[1];
  if (values.size() == 3) {
    result.step = values[2];
    result.stepRange = positional[2]->range;
  }
  for (const Value *value : {&result.low, &result.high, &result.step}) {
    bool isInteger = value->isNumeric() && !typeOf(*value).isTile() &&
                     !typeOf(*value).isPointer() && sema::isInteger(typeOf(*value).element.scalar);
    if (isValid && !isInteger) {
      evaluator.error(call.range, "range takes scalar integers, but is given " + describe(*value));
      isValid = false;
    }
  }
  if (isValid && result.step.integer() == Wide(0)) {
    evaluator.error(result.stepRange, "the step is 0");
    isValid = false;
  }
  return isValid ? std::optional<RangeArguments>(result) : std::nullopt;
}

/// The loop variable's type: what the bounds promote to.
static std::optional<Scalar> variableType(Evaluator &evaluator, const RangeArguments &arguments,
                                          SourceRange range) {
  std::optional<Scalar> type;
  for (const Value *value : {&arguments.low, &arguments.high, &arguments.step}) {
    if (value->isUntyped())
      continue;
    Scalar scalar = typeOf(*value).element.scalar;
    Promotion promotion = type ? promote(*type, scalar) : Promotion{scalar, {}};
    if (!promotion.type) {
      evaluator.error(range, "the bounds of range: " + promotion.problem);
      return std::nullopt;
    }
    type = promotion.type;
  }
  if (type)
    return type;
  for (const Value *value : {&arguments.low, &arguments.high})
    if (!fits(*value->integer(), Scalar::I32))
      return Scalar::I64;
  return Scalar::I32;
}

/// The number of trips of a loop of 64-bit values, as i64:
///     lo < hi ? (hi - lo - 1) / step + 1 : 0, and the same turned round for a step below 0.
static mlir::Value tripCount(Emitter &emit, mlir::Value low, mlir::Value high, mlir::Value step,
                             bool isDescending, bool isUnsignedType) {
  mlir::OpBuilder &builder = emit.builder;
  auto integer = [&](int64_t value) {
    return emit.constant(IntConstant{value, Scalar::I64}, Scalar::I64).ir;
  };
  if (isDescending) {
    std::swap(low, high);
    step = mlir::arith::SubIOp::create(builder, emit.loc, integer(0), step);
  }
  using Predicate = mlir::arith::CmpIPredicate;
  mlir::Value runs = mlir::arith::CmpIOp::create(
      builder, emit.loc, isUnsignedType ? Predicate::ult : Predicate::slt, low, high);
  mlir::Value distance = mlir::arith::SubIOp::create(builder, emit.loc, high, low);
  mlir::Value last = mlir::arith::SubIOp::create(builder, emit.loc, distance, integer(1));
  mlir::Value trips = mlir::arith::DivUIOp::create(builder, emit.loc, last, step);
  trips = mlir::arith::AddIOp::create(builder, emit.loc, trips, integer(1));
  return mlir::arith::SelectOp::create(builder, emit.loc, runs, trips, integer(0));
}

static std::optional<Counter> makeCounter(Evaluator &evaluator, const RangeArguments &arguments,
                                          Scalar type, SourceRange range) {
  Emitter &emit = evaluator.emit;
  auto typed = [&](const Value &value) {
    return evaluator.asType(value, type, range, "a bound of range");
  };
  std::optional<RuntimeValue> low = typed(arguments.low), high = typed(arguments.high);
  // A negative step of an unsigned loop does not fit its type; it is always counted in i64.
  std::optional<Wide> constantStep = arguments.step.integer();
  if (!low || !high)
    return std::nullopt;
  TileType variable(type);
  if (constantStep == Wide(1) && (type == Scalar::I32 || type == Scalar::I64)) {
    std::optional<RuntimeValue> one = typed(IntConstant{1, std::nullopt});
    return Counter{low->ir, high->ir, one->ir,
                   [&emit, variable](mlir::Value counter) { return emit.leaf(counter, variable); }};
  }
  bool is64 = bitWidth(type) == 64;
  auto in64 = [&](const RuntimeValue &value) {
    return emit
        .convert(emit.leaf(value.ir, value.type),
                 isUnsigned(type) && is64 ? Scalar::U64 : Scalar::I64)
        .ir;
  };
  mlir::Value low64 = in64(*low), high64 = in64(*high), step64;
  if (constantStep) {
    step64 =
        emit.constant(IntConstant{wrap(*constantStep, Scalar::I64), Scalar::I64}, Scalar::I64).ir;
  } else {
    std::optional<RuntimeValue> step = typed(arguments.step);
    if (!step)
      return std::nullopt;
    step64 = in64(*step);
  }
  auto narrowed = [&emit, variable, is64](mlir::Value wide) {
    mlir::Value value = wide;
    if (!is64)
      value = mlir::arith::TruncIOp::create(emit.builder, emit.loc, emit.mlirType(variable), wide);
    return emit.leafWithWide(value, variable, wide);
  };
  bool isDescending = constantStep && *constantStep < 0;
  if (!is64 && !isDescending)
    return Counter{low64, high64, step64, narrowed};
  mlir::Value trips =
      tripCount(emit, low64, high64, step64, isDescending, is64 && isUnsigned(type));
  RuntimeValue zero = emit.constant(IntConstant{0, Scalar::I64}, Scalar::I64);
  RuntimeValue one = emit.constant(IntConstant{1, Scalar::I64}, Scalar::I64);
  return Counter{
      zero.ir, trips, one.ir, [&emit, low64, step64, narrowed](mlir::Value trip) {
        mlir::Value offset = mlir::arith::MulIOp::create(emit.builder, emit.loc, trip, step64);
        return narrowed(mlir::arith::AddIOp::create(emit.builder, emit.loc, low64, offset));
      }};
}

void Evaluator::executeFor(const Stmt &statement) {
  const ast::Expr &call = *statement.value;
  std::string callee;
  if (call.kind == ast::Expr::Kind::Call && call.operands[0]->kind == ast::Expr::Kind::NameRef)
    callee = call.operands[0]->name.text;
  if (callee != "range" && callee != "static_range") {
    error(call.range, "a 'for' runs over range(...) or static_range(...)");
    return;
  }
  std::optional<RangeArguments> arguments = rangeArguments(*this, call);
  std::optional<Scalar> type;
  if (arguments)
    type = variableType(*this, *arguments, call.range);
  if (!type) {
    // The body is still worth checking.
    BlockScope scope(environment());
    declare(statement.names[0], ErrorValue{}, false);
    ++frame().loopDepth;
    execute(statement.body);
    --frame().loopDepth;
    return;
  }
  if (callee == "static_range") {
    executeStaticFor(statement, arguments->low, arguments->high, arguments->step, *type);
    return;
  }
  setLocation(call.range);
  std::optional<Counter> counter = makeCounter(*this, *arguments, *type, call.range);
  if (!counter)
    return;
  Carried carried(*this, statement.body);
  std::vector<mlir::Value> initial = carried.initial(statement.range);
  setLocation(statement.range);
  auto loop = mlir::scf::ForOp::create(emit.builder, emit.loc, counter->low, counter->high,
                                       counter->step, initial);
  mlir::Builder attributes(&session.context);
  std::optional<int64_t> stages = arguments->stages;
  if (!stages && settings.stages)
    stages = *settings.stages;
  if (stages)
    loop->setAttr(tile::kStagesAttr, attributes.getI32IntegerAttr(static_cast<int32_t>(*stages)));
  if (arguments->unroll)
    loop->setAttr(tile::kUnrollAttr,
                  attributes.getI32IntegerAttr(static_cast<int32_t>(*arguments->unroll)));
  {
    mlir::OpBuilder::InsertionGuard guard(emit.builder);
    mlir::Block *body = loop.getBody();
    if (!body->empty())
      body->back().erase(); // a terminator that the builder of a loop without results adds
    emit.builder.setInsertionPointToEnd(body);
    carried.bind(loop.getRegionIterArgs());
    BlockScope scope(environment());
    declare(statement.names[0], counter->variable(loop.getInductionVar()), false);
    ++frame().loopDepth;
    execute(statement.body);
    --frame().loopDepth;
    setLocation(statement.range);
    mlir::scf::YieldOp::create(emit.builder, emit.loc,
                               carried.final(loop.getRegionIterArgs(), statement.range));
  }
  carried.bind(loop.getResults());
}

void Evaluator::executeStaticFor(const Stmt &statement, const Value &low, const Value &high,
                                 const Value &step, Scalar type) {
  SourceRange range = statement.value->range;
  for (const Value *value : {&low, &high, &step})
    if (!value->integer()) {
      error(range, "static_range needs bounds known at compile time, but one is a run-time " +
                       describe(*value));
      return;
    }
  Wide increment = *step.integer(), end = *high.integer();
  ++frame().loopDepth;
  for (Wide i = *low.integer(); increment > 0 ? i < end : i > end; i += increment) {
    if (++unrolled_ > kMaxUnrolled) {
      error(range, "static_range would write out more than " + std::to_string(kMaxUnrolled) +
                       " iterations; use range");
      break;
    }
    unsigned errors = errorCount();
    BlockScope scope(environment());
    declare(statement.names[0], IntConstant{i, type}, false);
    execute(statement.body);
    if (errorCount() != errors)
      break; // the other iterations would say the same
  }
  --frame().loopDepth;
}

void Evaluator::executeWhile(const Stmt &statement) {
  Carried carried(*this, statement.body);
  std::vector<mlir::Value> initial = carried.initial(statement.range);
  llvm::SmallVector<mlir::Type> types;
  for (const TileType &type : carried.types())
    types.push_back(emit.mlirType(type));
  setLocation(statement.range);
  auto loop = mlir::scf::WhileOp::create(emit.builder, emit.loc, types, initial, nullptr, nullptr);
  mlir::OpBuilder::InsertionGuard guard(emit.builder);
  mlir::Block *before = loop.getBeforeBody();
  emit.builder.setInsertionPointToEnd(before);
  carried.bind(before->getArguments());
  std::optional<Value> condition = this->condition(
      evaluate(*statement.value), statement.value->range, "the condition of 'while'");
  if (!condition)
    condition = Value(false);
  std::optional<RuntimeValue> test = asRuntime(*condition, statement.value->range);
  setLocation(statement.range);
  carried.final(before->getArguments(), statement.range);
  mlir::scf::ConditionOp::create(emit.builder, emit.loc, test->ir, before->getArguments());
  mlir::Block *after = loop.getAfterBody();
  emit.builder.setInsertionPointToEnd(after);
  carried.bind(after->getArguments());
  ++frame().loopDepth;
  execute(statement.body);
  --frame().loopDepth;
  setLocation(statement.range);
  mlir::scf::YieldOp::create(emit.builder, emit.loc,
                             carried.final(after->getArguments(), statement.range));
  carried.bind(loop.getResults());
}

} // namespace tilec::sema
