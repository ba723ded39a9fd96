// Types as written: `f32`, `T`, `ptr<const T>`, `tile<f32, [M, N]>`.
#include "compiler/sema/evaluator.h"

namespace tilec::sema {

using ast::TypeExpr;

std::optional<TileType> Evaluator::resolveType(const TypeExpr &type) {
  switch (type.kind) {
  case TypeExpr::Kind::Named: {
    Value value = lookUp(type.name);
    std::optional<Scalar> scalar = typeArgument(value, type.range);
    return scalar ? std::optional<TileType>(TileType(*scalar)) : std::nullopt;
  }
  case TypeExpr::Kind::Pointer: {
    std::optional<TileType> element = resolveType(*type.element);
    if (!element)
      return std::nullopt;
    if (element->isTile() || element->isPointer()) {
      error(type.element->range, "a pointer points to a scalar type, not to " + str(*element));
      return std::nullopt;
    }
    return TileType(ElementType{element->element.scalar, true, type.isConst});
  }
  case TypeExpr::Kind::Tile: {
    std::optional<TileType> element = resolveType(*type.element);
    Shape shape;
    for (const ast::ExprPtr &dim : type.dims) {
      std::optional<int64_t> size =
          constantInteger(evaluate(*dim), dim->range, "a tile dimension", 1, INT64_MAX);
      if (!size)
        return std::nullopt;
      shape.push_back(*size);
    }
    if (!element || !checkShape(shape, type.range))
      return std::nullopt;
    return element->withShape(shape);
  }
  case TypeExpr::Kind::View:
    error(type.range, "a view is a parameter of a kernel or function; nothing is made of views");
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ViewType> Evaluator::resolveView(const TypeExpr &type) {
  std::optional<TileType> element = resolveType(*type.element);
  std::optional<int64_t> rank =
      constantInteger(evaluate(*type.rank), type.rank->range, "the rank of a view", 1, kMaxRank);
  if (element && (element->isTile() || element->isPointer())) {
    error(type.element->range, "a view is of a scalar type, not of " + str(*element));
    return std::nullopt;
  }
  if (!element || !rank)
    return std::nullopt;
  return ViewType{element->element.scalar, type.isConst, static_cast<unsigned>(*rank)};
}

Value Evaluator::checkViewType(const TypeExpr &type, const Value &value, SourceRange range,
                               const std::string &parameter) {
  std::optional<ViewType> wanted = resolveView(type);
  if (!wanted)
    return ErrorValue{};
  const auto *given = value.as<ViewValue>();
  // What may be written may also be only read.
  bool fits = given && given->view->type.element == wanted->element &&
              given->view->type.rank == wanted->rank &&
              (wanted->isConst || !given->view->type.isConst);
  return fits ? value
              : fail(range, "'" + parameter + "' is " + str(*wanted) + ", but is given " +
                                describe(value));
}

Value Evaluator::checkParameterType(const TypeExpr &type, const Value &value, SourceRange range,
                                    const std::string &parameter) {
  if (value.isError())
    return value;
  if (type.kind == TypeExpr::Kind::Named && type.name.text == "type")
    return value.as<TypeValue>()
               ? value
               : fail(range, "'" + parameter + "' is a type, but is given " + describe(value));
  if (type.kind == TypeExpr::Kind::View)
    return checkViewType(type, value, range, parameter);
  std::optional<TileType> wanted = resolveType(type);
  if (!wanted)
    return ErrorValue{};
  auto mismatch = [&] {
    return fail(range,
                "'" + parameter + "' is " + str(*wanted) + ", but is given " + describe(value));
  };
  if (!value.isNumeric())
    return mismatch();
  TileType given = typeOf(value);
  if (!value.isUntyped() && given == *wanted)
    return value;
  if (given.shape != wanted->shape || given.isPointer() || wanted->isPointer())
    return mismatch();
  Scalar target = wanted->element.scalar;
  if (value.isUntyped()) {
    ConstantResult adapted = adapt(*value.constant(), target);
    return adapted.value ? Value(*adapted.value) : fail(range, adapted.problem);
  }
  if (promote(given.element.scalar, target).type != target)
    return mismatch();
  return cast(value, target, false, range);
}

} // namespace tilec::sema
