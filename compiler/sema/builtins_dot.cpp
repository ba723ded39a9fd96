// dot: the product of matrices.
#include "compiler/sema/builtins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tilec::sema {

using tile::Precision;

/// What may be multiplied, and what products of it are summed in: the first by default.
struct DotType {
  Scalar operand;
  llvm::SmallVector<Scalar, 2> sums;
};

static llvm::SmallVector<DotType> dotTypes() {
  return {{Scalar::F16, {Scalar::F32, Scalar::F16}},
          {Scalar::BF16, {Scalar::F32}},
          {Scalar::F8E4M3, {Scalar::F32, Scalar::F16}},
          {Scalar::F8E5M2, {Scalar::F32, Scalar::F16}},
          {Scalar::F32, {Scalar::F32}},
          {Scalar::F64, {Scalar::F64}},
          {Scalar::I8, {Scalar::I32}},
          {Scalar::U8, {Scalar::I32}}};
}

/// "f16, bf16 or f32"
static std::string listed(llvm::ArrayRef<Scalar> types) {
  std::string text;
  for (size_t i = 0; i < types.size(); ++i)
    text += (i == 0 ? "" : i + 1 == types.size() ? " or " : ", ") + std::string(name(types[i]));
  return text;
}

static std::optional<DotType> dotType(Scalar operand) {
  for (const DotType &type : dotTypes())
    if (type.operand == operand)
      return type;
  return std::nullopt;
}

static std::optional<RuntimeValue> operand(Evaluator &evaluator, const BoundCall::Slot &slot) {
  if (slot.value.isError())
    return std::nullopt;
  const RuntimeValue *value = slot.value.runtime();
  size_t rank = value ? value->type.shape.size() : 0;
  if (!value || value->type.isPointer() || rank < 2 || rank > 3) {
    evaluator.error(slot.range, "'dot' multiplies tiles with 2 or 3 dimensions, but this is " +
                                    describe(slot.value));
    return std::nullopt;
  }
  if (!dotType(value->scalar())) {
    llvm::SmallVector<Scalar> known;
    for (const DotType &type : dotTypes())
      known.push_back(type.operand);
    evaluator.error(slot.range,
                    "'dot' multiplies " + listed(known) + ", but this is " + str(value->type));
    return std::nullopt;
  }
  return *value;
}

static std::string shapeText(const RuntimeValue &value) {
  return str(llvm::ArrayRef<int64_t>(value.type.shape));
}

/// The shape of the product, or nothing after an error.
static std::optional<Shape> productShape(Evaluator &evaluator, const RuntimeValue &a,
                                         const RuntimeValue &b, SourceRange range) {
  const Shape &left = a.type.shape, &right = b.type.shape;
  std::string both = "'dot' of " + shapeText(a) + " and " + shapeText(b) + ": ";
  size_t rank = left.size();
  std::string problem;
  if (right.size() != rank)
    problem = "both must have 2 dimensions, or both 3";
  else if (rank == 3 && left[0] != right[0])
    problem = "the numbers of matrices, " + std::to_string(left[0]) + " and " +
              std::to_string(right[0]) + ", differ";
  else if (left[rank - 1] != right[rank - 2])
    problem = "the first has " + std::to_string(left[rank - 1]) + " columns, the second " +
              std::to_string(right[rank - 2]) + " rows";
  if (!problem.empty()) {
    evaluator.error(range, both + problem);
    return std::nullopt;
  }
  Shape shape = left;
  shape[rank - 1] = right[rank - 1];
  if (!evaluator.checkShape(shape, range))
    return std::nullopt;
  return shape;
}

/// Most multiply-adds of one dot, as powers of two: every instruction of it is written out. The
/// second number is for those without matrix units.
static constexpr unsigned kMaxWork = 26, kMaxScalarWork = 20;

static bool checkWork(Evaluator &evaluator, const Shape &product, int64_t k, Precision precision,
                      SourceRange range) {
  int64_t work = k;
  for (int64_t size : product)
    work *= size; // at most 2^40
  unsigned limit = precision == Precision::ieee ? kMaxScalarWork : kMaxWork;
  if (work <= int64_t(1) << limit)
    return true;
  evaluator.error(range, "this product takes 2^" + std::to_string(llvm::Log2_64(work)) +
                             " multiply-adds; a dot" +
                             (precision == Precision::ieee ? " with 'precision = ieee'" : "") +
                             " has at most 2^" + std::to_string(limit) +
                             ": sum smaller ones in a loop");
  return false;
}

static std::optional<Precision> precisionArgument(Evaluator &evaluator, const BoundCall &call,
                                                  Scalar type) {
  const BoundCall::Slot &slot = call[3];
  if (type != Scalar::F32) {
    if (!slot.given)
      return Precision::none;
    evaluator.error(slot.range, "'precision' is for products of f32; those of " +
                                    std::string(name(type)) + " are exact");
    return std::nullopt;
  }
  std::optional<Precision> precision =
      slot.given ? tile::symbolizePrecision(slot.word) : std::nullopt;
  if (precision && *precision != Precision::none)
    return precision;
  std::string choices = "tf32 (fast, 11 bits), tf32x3 (about 21 bits) or ieee (exact, slow)";
  if (slot.given)
    evaluator.error(slot.range, "'precision' of a dot is " + choices + ", not '" + slot.word + "'");
  else
    evaluator.error(call.range, "a dot of f32 must say 'precision = ': " + choices);
  return std::nullopt;
}

/// What is added to: `acc`, or zeros.
static std::optional<RuntimeValue> accumulator(Evaluator &evaluator, const BoundCall::Slot &slot,
                                               Scalar type, const Shape &shape) {
  llvm::SmallVector<Scalar, 2> sums = dotType(type)->sums;
  if (!slot.given || slot.value.isNone())
    return evaluator.emit.constant(castConstant(IntConstant{0, std::nullopt}, sums.front()),
                                   sums.front(), shape);
  if (slot.value.isError())
    return std::nullopt;
  const RuntimeValue *value = slot.value.runtime();
  if (!value || value->type.isPointer() || value->type.shape != shape) {
    evaluator.error(slot.range, "this product has shape " + str(llvm::ArrayRef<int64_t>(shape)) +
                                    ", and so must 'acc', which is " + describe(slot.value));
    return std::nullopt;
  }
  if (llvm::is_contained(sums, value->scalar()))
    return *value;
  evaluator.error(slot.range, "products of " + std::string(name(type)) + " are summed in " +
                                  listed(sums) + ", but 'acc' is " + str(value->type) +
                                  "; cast it with " + name(sums.front()) + "(...)");
  return std::nullopt;
}

static Value dot(Evaluator &evaluator, const BoundCall &call) {
  std::optional<RuntimeValue> a = operand(evaluator, call[0]);
  std::optional<RuntimeValue> b = operand(evaluator, call[1]);
  if (!a || !b)
    return ErrorValue{};
  Scalar type = a->scalar();
  if (type != b->scalar() && !(isFloat8(type) && isFloat8(b->scalar())))
    return evaluator.fail(call.range, "'dot' multiplies tiles of one type, but these are " +
                                          str(a->type) + " and " + str(b->type) +
                                          "; cast one of them");
  std::optional<Shape> shape = productShape(evaluator, *a, *b, call.range);
  std::optional<Precision> precision = precisionArgument(evaluator, call, type);
  if (!shape || !precision ||
      !checkWork(evaluator, *shape, a->type.shape.back(), *precision, call.range))
    return ErrorValue{};
  std::optional<RuntimeValue> sums = accumulator(evaluator, call[2], type, *shape);
  if (!sums)
    return ErrorValue{};
  Emitter &emit = evaluator.emit;
  auto op = tile::DotOp::create(emit.builder, emit.loc, sums->ir.getType(), a->ir, b->ir, sums->ir,
                                *precision, isUnsigned(type));
  return emit.leaf(op, sums->type);
}

static constexpr Builtin kDotBuiltins[] = {
    {"dot", "a, b, acc?, precision?:word", dot},
};

llvm::ArrayRef<Builtin> dotBuiltins() {
  return kDotBuiltins;
}

} // namespace tilec::sema
