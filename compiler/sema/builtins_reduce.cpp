// sum, max, min, argmax, argmin, any, all, xor_sum, reduce.
#include "compiler/sema/builtins.h"
#include "compiler/sema/reduction.h"

namespace tilec::sema {

using ast::BinaryOp;

/// minimum/maximum of two values (builtins_elementwise.cpp).
Value extremum(Evaluator &evaluator, const Value &left, const Value &right, bool largest,
               bool propagateNan, SourceRange range);

namespace {
struct Request {
  RuntimeValue source;
  std::optional<int64_t> axis;
  bool keepDims = false;
};
} // namespace

/// The axis, counted from the front; negative ones count from the end.
static bool axisArgument(Evaluator &evaluator, const BoundCall::Slot &slot, size_t rankOfSource,
                         std::optional<int64_t> &axis) {
  if (!slot.given || slot.value.isNone())
    return true;
  auto rank = static_cast<int64_t>(rankOfSource);
  if (rank == 0) {
    evaluator.error(slot.range, "a scalar has no axis");
    return false;
  }
  axis = evaluator.constantInteger(slot.value, slot.range, "the axis", -rank, rank - 1);
  if (axis && *axis < 0)
    *axis += rank;
  return axis.has_value();
}

/// `x, axis?, keep_dims?` from the slots of that number.
static std::optional<Request> request(Evaluator &evaluator, const BoundCall &call, size_t axisSlot,
                                      size_t keepSlot) {
  Request result;
  std::optional<RuntimeValue> source = evaluator.asRuntime(call[0].value, call[0].range);
  if (!source)
    return std::nullopt;
  if (source->type.isPointer()) {
    evaluator.error(call[0].range, "pointers cannot be reduced");
    return std::nullopt;
  }
  result.source = *source;
  if (!axisArgument(evaluator, call[axisSlot], source->type.shape.size(), result.axis))
    return std::nullopt;
  if (call[keepSlot].given) {
    std::optional<bool> keep =
        evaluator.constantBool(call[keepSlot].value, call[keepSlot].range, "'keep_dims'");
    if (!keep)
      return std::nullopt;
    result.keepDims = *keep;
  }
  return result;
}

/// One source, one result.
static Value
reduceOne(Evaluator &evaluator, const Request &request, SourceRange range,
          llvm::function_ref<RuntimeValue(const RuntimeValue &, const RuntimeValue &)> combine) {
  auto results = reduce(
      evaluator, {request.source}, request.axis, request.keepDims, range,
      [&](const std::vector<RuntimeValue> &left,
          const std::vector<RuntimeValue> &right) -> std::optional<std::vector<RuntimeValue>> {
        return std::vector<RuntimeValue>{combine(left[0], right[0])};
      });
  return results ? Value(results->front()) : Value();
}

/// fp8 is compared as f32.
static void widen(Evaluator &evaluator, Request &request) {
  if (isFloat8(request.source.scalar()))
    request.source = evaluator.emit.convert(request.source, Scalar::F32);
}

/// What a sum of `type` is computed in and gives: small integers 32 bits, narrow floats f32.
static Scalar accumulator(Scalar type) {
  if (isFloat(type))
    return bitWidth(type) < 32 ? Scalar::F32 : type;
  if (isBool(type))
    return Scalar::I32;
  return bitWidth(type) >= 32 ? type : isUnsigned(type) ? Scalar::U32 : Scalar::I32;
}

static Value sum(Evaluator &evaluator, const BoundCall &call) {
  std::optional<Request> request = sema::request(evaluator, call, 1, 2);
  if (!request)
    return ErrorValue{};
  Scalar type = accumulator(request->source.scalar());
  if (call[3].given) {
    std::optional<Scalar> wanted = evaluator.typeArgument(call[3].value, call[3].range);
    if (!wanted)
      return ErrorValue{};
    type = *wanted;
  }
  Emitter &emit = evaluator.emit;
  request->source = emit.convert(request->source, isFloat8(type) ? Scalar::F32 : type);
  Value result = reduceOne(
      evaluator, *request, call.range, [&](const RuntimeValue &left, const RuntimeValue &right) {
        return emit.arithmetic(isBool(type) ? BinaryOp::BitOr : BinaryOp::Add, left, right);
      });
  return result.isError() ? result : evaluator.cast(result, type, false, call.range);
}

static Value xorSum(Evaluator &evaluator, const BoundCall &call) {
  std::optional<Request> request = sema::request(evaluator, call, 1, 2);
  if (!request)
    return ErrorValue{};
  if (isFloat(request->source.scalar()))
    return evaluator.fail(call[0].range,
                          "'xor_sum' needs integers, but this is " + str(request->source.type));
  return reduceOne(evaluator, *request, call.range,
                   [&](const RuntimeValue &left, const RuntimeValue &right) {
                     return evaluator.emit.arithmetic(BinaryOp::BitXor, left, right);
                   });
}

template <bool isAny> static Value anyOrAll(Evaluator &evaluator, const BoundCall &call) {
  std::optional<Request> request = sema::request(evaluator, call, 1, 2);
  if (!request)
    return ErrorValue{};
  if (!isBool(request->source.scalar()))
    return evaluator.fail(call[0].range,
                          std::string("'") + call.builtin->name + "' needs bools, but this is " +
                              str(request->source.type) + "; compare it, for example with != 0");
  return reduceOne(
      evaluator, *request, call.range, [&](const RuntimeValue &left, const RuntimeValue &right) {
        return evaluator.emit.arithmetic(isAny ? BinaryOp::BitOr : BinaryOp::BitAnd, left, right);
      });
}

/// The index of each element along the axis, or in row-major order of the whole tile.
static RuntimeValue indices(Emitter &emit, const Request &request) {
  const Shape &shape = request.source.type.shape;
  if (shape.empty())
    return emit.constant(IntConstant{0, Scalar::I32}, Scalar::I32);
  if (!request.axis) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return emit.reshape(emit.arange(0, count), shape);
  }
  RuntimeValue index = emit.arange(0, shape[*request.axis]);
  Shape oneAxis(shape.size(), 1);
  oneAxis[*request.axis] = shape[*request.axis];
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (static_cast<int64_t>(dim) != *request.axis)
      index = emit.expandDims(index, static_cast<unsigned>(dim));
  return emit.broadcast(index, shape);
}

/// (value, index) of the extreme element: NaN loses against every number, the lowest index wins.
static std::optional<std::vector<RuntimeValue>>
reduceWithIndex(Evaluator &evaluator, const Request &request, bool largest, SourceRange range) {
  Emitter &emit = evaluator.emit;
  return reduce(
      evaluator, {request.source, indices(emit, request)}, request.axis, request.keepDims, range,
      [&](const std::vector<RuntimeValue> &left,
          const std::vector<RuntimeValue> &right) -> std::optional<std::vector<RuntimeValue>> {
        // The left element precedes the right one, so a tie is the left's.
        RuntimeValue takeRight =
            emit.compare(largest ? BinaryOp::Gt : BinaryOp::Lt, right[0], left[0]);
        if (isFloat(left[0].scalar())) {
          RuntimeValue rightIsNumber = emit.compare(BinaryOp::Eq, right[0], right[0]);
          RuntimeValue fromNan =
              emit.arithmetic(BinaryOp::BitAnd, emit.isNan(left[0]), rightIsNumber);
          takeRight = emit.arithmetic(BinaryOp::BitOr, takeRight, fromNan);
        }
        return std::vector<RuntimeValue>{emit.select(takeRight, right[0], left[0]),
                                         emit.select(takeRight, right[1], left[1])};
      });
}

template <bool largest> static Value argExtremum(Evaluator &evaluator, const BoundCall &call) {
  std::optional<Request> request = sema::request(evaluator, call, 1, 2);
  if (!request)
    return ErrorValue{};
  widen(evaluator, *request);
  auto results = reduceWithIndex(evaluator, *request, largest, call.range);
  return results ? Value((*results)[1]) : Value();
}

/// max and min: of a tile along an axis; of two scalars, the larger or smaller.
template <bool largest> static Value maxOrMin(Evaluator &evaluator, const BoundCall &call) {
  std::string name = call.builtin->name;
  std::optional<bool> propagate = propagatesNan(evaluator, call[4]);
  if (!propagate)
    return ErrorValue{};
  if (call[1].given && call[1].isPositional) {
    bool isScalarPair = call[0].value.isNumeric() && call[1].value.isNumeric() &&
                        !typeOf(call[0].value).isTile() && !typeOf(call[1].value).isTile();
    if (!isScalarPair)
      return evaluator.fail(call.range, "'" + name + "' of a tile: write " + name +
                                            "(x, axis = i) to reduce it, or " +
                                            (largest ? "maximum" : "minimum") +
                                            "(x, y) for the elementwise one");
    return extremum(evaluator, call[0].value, call[1].value, largest, *propagate, call.range);
  }
  std::optional<Request> request = sema::request(evaluator, call, 1, 2);
  if (!request)
    return ErrorValue{};
  widen(evaluator, *request);
  bool withIndices = false;
  if (call[3].given) {
    auto given = evaluator.constantBool(call[3].value, call[3].range, "'return_indices'");
    if (!given)
      return ErrorValue{};
    withIndices = *given;
  }
  if (withIndices) {
    if (*propagate)
      return evaluator.notSupported(call.range, "'return_indices' with 'nan = propagate'");
    auto results = reduceWithIndex(evaluator, *request, largest, call.range);
    return results ? Value::tuple({(*results)[0], (*results)[1]}) : Value();
  }
  Emitter &emit = evaluator.emit;
  return reduceOne(evaluator, *request, call.range,
                   [&](const RuntimeValue &left, const RuntimeValue &right) {
                     return largest ? emit.maximum(left, right, *propagate)
                                    : emit.minimum(left, right, *propagate);
                   });
}

/// reduce(x | (x, y, ...), axis, fn).
static Value generalReduce(Evaluator &evaluator, const BoundCall &call) {
  const auto *tuple = call[0].value.as<SequenceValue>();
  std::vector<Value> given = tuple ? *tuple->elements : std::vector<Value>{call[0].value};
  std::vector<RuntimeValue> sources;
  for (const Value &value : given) {
    std::optional<RuntimeValue> source = evaluator.asRuntime(value, call[0].range);
    if (!source)
      return ErrorValue{};
    if (source->type.isPointer() || source->type.shape != typeOf(given[0]).shape)
      return evaluator.fail(call[0].range,
                            "the tiles of a reduction have one shape, but these are " +
                                describe(call[0].value));
    sources.push_back(*source);
  }
  std::optional<int64_t> axis;
  if (sources.empty() || !axisArgument(evaluator, call[1], sources[0].type.shape.size(), axis))
    return sources.empty() ? evaluator.fail(call[0].range, "nothing to reduce") : Value();
  bool keepDims = false;
  if (call[3].given) {
    auto keep = evaluator.constantBool(call[3].value, call[3].range, "'keep_dims'");
    if (!keep)
      return ErrorValue{};
    keepDims = *keep;
  }
  auto results = reduce(
      evaluator, sources, axis, keepDims, call.range,
      [&](const std::vector<RuntimeValue> &left,
          const std::vector<RuntimeValue> &right) -> std::optional<std::vector<RuntimeValue>> {
        std::vector<Value> arguments(left.begin(), left.end());
        arguments.insert(arguments.end(), right.begin(), right.end());
        Value combined = evaluator.callFunction(call[2].value, arguments, call[2].range);
        if (combined.isError())
          return std::nullopt;
        const auto *parts = combined.as<SequenceValue>();
        std::vector<Value> values = parts ? *parts->elements : std::vector<Value>{combined};
        if (values.size() != sources.size()) {
          evaluator.error(call[2].range, "the function gives " + describe(combined) + " for " +
                                             std::to_string(sources.size()) + " tiles");
          return std::nullopt;
        }
        std::vector<RuntimeValue> result;
        for (size_t i = 0; i < values.size(); ++i) {
          // The combination has the elements' type, or there is nothing to combine it with again.
          std::optional<RuntimeValue> value = evaluator.asType(
              values[i], sources[i].scalar(), call[2].range, "what the function gives");
          if (!value)
            return std::nullopt;
          result.push_back(*value);
        }
        return result;
      });
  if (!results)
    return ErrorValue{};
  if (!tuple)
    return results->front();
  return Value::tuple(std::vector<Value>(results->begin(), results->end()));
}

static constexpr Builtin kReductionBuiltins[] = {
    {"sum", "x, axis?, keep_dims?, dtype?", sum},
    {"max", "x, axis?, keep_dims?, return_indices?, nan?:word", maxOrMin<true>},
    {"min", "x, axis?, keep_dims?, return_indices?, nan?:word", maxOrMin<false>},
    {"argmax", "x, axis?, keep_dims?", argExtremum<true>},
    {"argmin", "x, axis?, keep_dims?", argExtremum<false>},
    {"any", "x, axis?, keep_dims?", anyOrAll<true>},
    {"all", "x, axis?, keep_dims?", anyOrAll<false>},
    {"xor_sum", "x, axis?, keep_dims?", xorSum},
    {"reduce", "x, axis, fn, keep_dims?", generalReduce},
};

llvm::ArrayRef<Builtin> reduceBuiltins() {
  return kReductionBuiltins;
}

} // namespace tilec::sema
