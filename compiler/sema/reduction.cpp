#include "compiler/sema/reduction.h"

namespace tilec::sema {

/// The operations a combine region may hold: arithmetic on elements.
static bool isElementArithmetic(mlir::Operation &operation) {
  llvm::StringRef dialect = operation.getName().getDialectNamespace();
  return dialect == "arith" || dialect == "math" ||
         llvm::isa<tile::FpToIntOp, tile::TruncFOp, tile::BitcastOp>(operation);
}

/// Reports what a combine region must not do; true when it is fine.
static bool checkCombine(Evaluator &evaluator, mlir::Region &region, SourceRange range) {
  for (mlir::Operation &operation : region.front()) {
    if (!isElementArithmetic(operation)) {
      evaluator.error(range, "the function of a reduction may only compute with its arguments; "
                             "where(c, a, b) chooses");
      return false;
    }
    for (mlir::Value operand : operation.getOperands())
      if (operand.getParentRegion() != &region) {
        evaluator.error(range, "the function of a reduction uses a run-time value from outside; "
                               "only its arguments and constants may be used");
        return false;
      }
  }
  return true;
}

static std::optional<std::vector<RuntimeValue>> reduceAxis(Evaluator &evaluator,
                                                           const std::vector<RuntimeValue> &sources,
                                                           int64_t axis, SourceRange range,
                                                           Combine combine) {
  Emitter &emit = evaluator.emit;
  mlir::Region region;
  bool isValid = true;
  evaluator.buildIn(region, [&] {
    std::vector<RuntimeValue> sides[2];
    for (std::vector<RuntimeValue> &side : sides)
      for (const RuntimeValue &source : sources) {
        TileType type(source.type.element);
        mlir::Value argument = region.front().addArgument(emit.mlirType(type), emit.loc);
        side.push_back(emit.leaf(argument, type));
      }
    auto combined = combine(sides[0], sides[1]);
    isValid = combined && checkCombine(evaluator, region, range);
    if (!isValid)
      return;
    llvm::SmallVector<mlir::Value> yielded;
    for (const RuntimeValue &value : *combined)
      yielded.push_back(value.ir);
    tile::YieldOp::create(emit.builder, emit.loc, yielded);
  });
  if (!isValid) {
    evaluator.discard(region);
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> types;
  std::vector<RuntimeValue> results;
  for (const RuntimeValue &source : sources) {
    TileType type = source.type;
    type.shape.erase(type.shape.begin() + axis);
    operands.push_back(source.ir);
    types.push_back(emit.mlirType(type));
    results.push_back(emit.leaf(nullptr, type));
  }
  evaluator.setLocation(range);
  auto operation = tile::ReduceOp::create(
      emit.builder, emit.loc, types, operands,
      emit.builder.getI32IntegerAttr(static_cast<int32_t>(axis)), mlir::IntegerAttr());
  operation.getCombine().takeBody(region);
  for (size_t i = 0; i < results.size(); ++i)
    results[i].ir = operation.getResult(i);
  return results;
}

std::optional<std::vector<RuntimeValue>> reduce(Evaluator &evaluator,
                                                std::vector<RuntimeValue> sources,
                                                std::optional<int64_t> axis, bool keepDims,
                                                SourceRange range, Combine combine) {
  auto rank = static_cast<int64_t>(sources.front().type.shape.size());
  if (axis) {
    auto results = reduceAxis(evaluator, sources, *axis, range, combine);
    if (results && keepDims)
      for (RuntimeValue &value : *results)
        value = evaluator.emit.expandDims(value, static_cast<unsigned>(*axis));
    return results;
  }
  // The last axis first: neighbours in row-major order meet first.
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    auto results = reduceAxis(evaluator, sources, dim, range, combine);
    if (!results)
      return std::nullopt;
    sources = std::move(*results);
  }
  if (keepDims && rank > 0)
    for (RuntimeValue &value : sources)
      value = evaluator.emit.broadcast(value, Shape(rank, 1));
  return sources;
}

} // namespace tilec::sema
