#include "compiler/sema/kernels.h"
#include "compiler/sema/contract_folding.h"
#include "compiler/sema/contracts.h"
#include "compiler/sema/variants.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

namespace tilec::sema {

using ast::Clause;
using ast::TypeExpr;

//===--- Declarations ------------------------------------------------------------------------===//

static const char *clauseName(Clause::Kind kind) {
  static constexpr const char *kNames[] = {"variants", "select", "requires", "specialize",
                                           "grid",     "warps",  "stages",   "cluster",
                                           "max_regs", "option"};
  return kNames[static_cast<unsigned>(kind)];
}

/// Each clause at most once, except requires and specialize; each option once; a grid.
static void checkClauses(Session &session, const ast::Kernel &kernel) {
  std::map<std::string, SourceRange> seen;
  for (const Clause &clause : kernel.clauses) {
    if (clause.kind == Clause::Kind::Requires || clause.kind == Clause::Kind::Specialize)
      continue;
    std::string name = clauseName(clause.kind);
    if (clause.kind == Clause::Kind::Option)
      name += " " + clause.name.text;
    auto [entry, isNew] = seen.emplace(name, clause.keyword);
    if (isNew)
      continue;
    Diagnostic &error = session.diagnostics.error(clause.keyword, "'" + name + "' is given twice");
    DiagnosticEngine::note(error, entry->second, "the first one is here");
  }
  if (!seen.count("grid"))
    session.diagnostics.error(kernel.name.range,
                              "'" + kernel.name.text +
                                  "' has no 'grid' clause; it says how many "
                                  "programs to launch, for example: grid cdiv(n, BLOCK)");
}

static const ast::ConstParam *findConstParam(const ast::Kernel &kernel, const std::string &name) {
  for (const ast::ConstParam &param : kernel.constParams)
    if (param.name.text == name)
      return &param;
  return nullptr;
}

/// The scalar type or type parameter that a pointer or view holds; empty after an error.
static std::string elementName(Session &session, const ast::Kernel &kernel, const TypeExpr &type) {
  if (type.kind == TypeExpr::Kind::Named) {
    if (const ast::ConstParam *param = findConstParam(kernel, type.name.text))
      if (param->type.kind == TypeExpr::Kind::Named && param->type.name.text == "type")
        return type.name.text;
    if (scalarNamed(type.name.text))
      return type.name.text;
    std::vector<std::string> names;
    for (Scalar scalar : allScalars())
      names.emplace_back(name(scalar));
    for (const ast::ConstParam &param : kernel.constParams)
      names.push_back(param.name.text);
    session.diagnostics.error(type.range, "unknown type '" + type.name.text + "'" +
                                              suggestion(type.name.text, names));
    return {};
  }
  session.diagnostics.error(type.range, "expected a scalar type");
  return {};
}

/// True when the kernel says `option extents = i64`. Other types are reported with the options.
static bool hasWideExtents(const ast::Kernel &kernel) {
  return llvm::any_of(kernel.clauses, [](const Clause &clause) {
    return clause.kind == Clause::Kind::Option && clause.name.text == "extents" &&
           !clause.values.empty() && clause.values[0]->kind == ast::Expr::Kind::NameRef &&
           clause.values[0]->name.text == "i64";
  });
}

/// One parameter; after an error without a kind, or without an element.
static void describeParam(Session &session, const ast::Kernel &kernel, const ast::Param &param,
                          KernelParam &result) {
  const TypeExpr &type = param.type;
  result.name = param.name.text;
  if (type.kind == TypeExpr::Kind::Pointer || type.kind == TypeExpr::Kind::View) {
    result.kind = type.kind == TypeExpr::Kind::Pointer ? "ptr" : "view";
    result.isConst = type.isConst;
    result.element = type.element ? elementName(session, kernel, *type.element) : "";
    if (type.kind == TypeExpr::Kind::View && type.rank) {
      Evaluator evaluator(session, BodySettings());
      std::optional<int64_t> rank =
          evaluator.constantInteger(evaluator.evaluateConstant(*type.rank), type.rank->range,
                                    "the rank of a view", 1, kMaxRank);
      result.rank = static_cast<unsigned>(rank.value_or(1));
      result.wideExtents = hasWideExtents(kernel);
    }
    return;
  }
  if (type.kind == TypeExpr::Kind::Tile) {
    session.diagnostics.error(type.range, "a kernel takes scalars, pointers and views, not tiles");
    return;
  }
  if (findConstParam(kernel, type.name.text)) {
    session.diagnostics.error(type.range,
                              "a scalar parameter has the same type in every variant, so its type "
                              "cannot be the const param '" +
                                  type.name.text + "'");
    return;
  }
  result.kind = elementName(session, kernel, type);
}

/// describeParam() had no error.
static bool isDescribed(const KernelParam &param) {
  bool pointsTo = param.kind == "ptr" || param.kind == "view";
  return pointsTo ? !param.element.empty() : !param.kind.empty();
}

/// False when the names in the body do not mean what was meant. Parameters whose types are wrong
/// are left without a kind, and the body is checked all the same.
static bool describeKernel(Session &session, const ast::Kernel &kernel, KernelContract &contract) {
  contract.name = kernel.name.text;
  contract.doc = kernel.doc;
  bool isValid = true;
  std::map<std::string, SourceRange> names;
  auto declare = [&](const ast::Name &name) {
    auto [entry, isNew] = names.emplace(name.text, name.range);
    if (isNew)
      return;
    Diagnostic &error = session.diagnostics.error(name.range, "the parameter '" + name.text +
                                                                  "' is declared twice");
    DiagnosticEngine::note(error, entry->second, "the first declaration is here");
    isValid = false;
  };
  for (const ast::ConstParam &param : kernel.constParams) {
    declare(param.name);
    isValid &= constParamType(session, param, true).isValid;
    bool isSelected = false;
    for (const Clause &clause : kernel.clauses)
      for (const ast::ChoiceList &list : clause.choices)
        isSelected |= clause.kind == Clause::Kind::Select && list.name.text == param.name.text;
    contract.constParams.push_back({param.name.text, param.type.name.text, isSelected});
  }
  for (const ast::Param &param : kernel.params) {
    declare(param.name);
    KernelParam described;
    describeParam(session, kernel, param, described);
    contract.params.push_back(std::move(described));
  }
  return isValid;
}

//===--- Instantiation -----------------------------------------------------------------------===//

/// One parameter of the IR function; a view has several.
struct AbiParam {
  TileType type;
  std::string name; ///< `x`, `x.dim(0)`, `x.stride(0)`: what messages call it
};

/// The types of one kernel parameter in a variant.
struct ParamTypes {
  std::optional<ViewType> view;
  std::vector<AbiParam> abi;
};

static std::optional<ParamTypes> paramTypes(Evaluator &evaluator, const ast::Param &param,
                                            bool wideExtents) {
  const std::string &name = param.name.text;
  if (param.type.kind != TypeExpr::Kind::View) {
    std::optional<TileType> type = evaluator.resolveType(param.type);
    return type ? std::optional<ParamTypes>({std::nullopt, {{*type, name}}}) : std::nullopt;
  }
  std::optional<ViewType> view = evaluator.resolveView(param.type);
  if (!view)
    return std::nullopt;
  ParamTypes result{view, {{TileType(ElementType{view->element, true, view->isConst}), name}}};
  auto add = [&](const char *query, Scalar type) {
    for (unsigned axis = 0; axis < view->rank; ++axis)
      result.abi.push_back({type, name + "." + query + "(" + std::to_string(axis) + ")"});
  };
  add("dim", wideExtents ? Scalar::I64 : Scalar::I32);
  add("stride", Scalar::I64);
  return result;
}

/// The parameter as a value of the body, made of the block arguments from `next` on.
static Value paramValue(Evaluator &evaluator, const ParamTypes &types,
                        llvm::ArrayRef<mlir::BlockArgument> &next) {
  std::vector<RuntimeValue> parts;
  for (const AbiParam &part : types.abi) {
    parts.push_back(evaluator.emit.leaf(next.front(), part.type));
    next = next.drop_front();
  }
  if (parts.empty())
    return Value(); // its type is in error
  if (!types.view)
    return parts.front();
  View view{*types.view, parts.front(), {}, {}};
  auto extents = parts.begin() + 1, strides = extents + types.view->rank;
  view.extents.assign(extents, strides);
  view.strides.assign(strides, parts.end());
  return ViewValue{std::make_shared<const View>(std::move(view))};
}

/// The IR function of one variant, without a body.
static mlir::func::FuncOp createFunction(Session &session, Evaluator &evaluator,
                                         const ast::Kernel &kernel,
                                         const std::vector<ParamTypes> &params,
                                         const VariantSettings &settings,
                                         const std::string &symbol) {
  mlir::OpBuilder &builder = evaluator.emit.builder;
  std::vector<AbiParam> abi;
  for (const ParamTypes &param : params)
    abi.insert(abi.end(), param.abi.begin(), param.abi.end());
  llvm::SmallVector<mlir::Type> inputs;
  for (const AbiParam &part : abi)
    inputs.push_back(evaluator.emit.mlirType(part.type));
  auto function = mlir::func::FuncOp::create(builder, session.location(kernel.name.range), symbol,
                                             builder.getFunctionType(inputs, {}));
  auto integer = [&](unsigned value) {
    return builder.getI32IntegerAttr(static_cast<int32_t>(value));
  };
  function->setAttr(tile::kKernelAttr, builder.getUnitAttr());
  function->setAttr(tile::kWarpsAttr, integer(settings.warps));
  function->setAttr(tile::kFmaAttr, builder.getBoolAttr(settings.fma));
  function->setAttr(tile::kFtzAttr, builder.getBoolAttr(settings.ftz));
  if (settings.maxRegisters)
    function->setAttr(tile::kMaxRegsAttr, integer(*settings.maxRegisters));
  for (unsigned i = 0; i < abi.size(); ++i) {
    const TileType &type = abi[i].type;
    function.setArgAttr(i, tile::kNameAttr, builder.getStringAttr(abi[i].name));
    if (type.element.isConst)
      function.setArgAttr(i, tile::kConstAttr, builder.getUnitAttr());
    if (!type.isPointer() && isInteger(type.element.scalar) && isUnsigned(type.element.scalar))
      function.setArgAttr(i, tile::kUnsignedAttr, builder.getUnitAttr());
  }
  unsigned next = 0;
  for (auto [number, param] : llvm::enumerate(params)) {
    if (param.view)
      function.setArgAttr(next, tile::kViewAttr, integer(static_cast<unsigned>(number)));
    next += static_cast<unsigned>(param.abi.size());
  }
  return function;
}

/// A module that breaks the IR's rules is this compiler's fault: say so instead of crashing later.
static bool verifyModule(Session &session, const ast::Kernel &kernel, mlir::ModuleOp module) {
  std::string problem;
  mlir::ScopedDiagnosticHandler handler(&session.context, [&](mlir::Diagnostic &diagnostic) {
    if (problem.empty())
      problem = diagnostic.str();
    return mlir::success();
  });
  if (mlir::succeeded(mlir::verify(module)))
    return true;
  session.diagnostics.error(kernel.name.range, "internal error: sema made invalid IR: " + problem);
  return false;
}

static std::map<std::string, Value> constantsByName(const ast::Kernel &kernel,
                                                    const VariantValues &values) {
  std::map<std::string, Value> constants;
  for (size_t i = 0; i < values.size(); ++i)
    constants[kernel.constParams[i].name.text] = values[i];
  return constants;
}

/// True when a launch can meet the `specialize` clauses with these const params.
static bool canSpecialize(const ast::Kernel &kernel, const KernelContract &contract,
                          const VariantValues &values) {
  std::map<std::string, Value> constants = constantsByName(kernel, values);
  return !contract.specialize.empty() &&
         llvm::none_of(contract.specialize, [&](const ContractClause &clause) {
           return knownCondition(foldContract(clause.expr, constants)) == false;
         });
}

static mlir::OwningOpRef<mlir::ModuleOp>
instantiate(Session &session, const ast::Kernel &kernel, const KernelContract &contract,
            const VariantValues &values, const VariantSettings &settings, const std::string &symbol,
            bool specialized, bool &isExhausted) {
  BodySettings body;
  body.fma = settings.fma;
  body.debug = session.options.debug;
  body.stages = settings.stages;
  body.quiet = specialized;
  Evaluator evaluator(session, body);
  declareConstants(evaluator, kernel, values);
  std::vector<ParamTypes> types;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    std::optional<ParamTypes> type;
    if (isDescribed(contract.params[i]))
      type = paramTypes(evaluator, kernel.params[i], hasWideExtents(kernel));
    types.push_back(type.value_or(ParamTypes()));
  }
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(session.location(kernel.name.range));
  evaluator.emit.builder.setInsertionPointToEnd(module->getBody());
  mlir::func::FuncOp function = createFunction(session, evaluator, kernel, types, settings, symbol);
  if (specialized)
    function->setAttr(tile::kSpecializedAttr, evaluator.emit.builder.getUnitAttr());
  mlir::Block *entry = function.addEntryBlock();
  evaluator.emit.builder.setInsertionPointToEnd(entry);
  std::vector<Value> parameters;
  llvm::ArrayRef<mlir::BlockArgument> arguments = entry->getArguments();
  for (unsigned i = 0; i < types.size(); ++i) {
    parameters.push_back(paramValue(evaluator, types[i], arguments));
    evaluator.declare(kernel.params[i].name, parameters.back(), /*isMutable=*/false);
    if (const auto *view = parameters.back().as<ViewValue>())
      emitExtentPromises(evaluator, *view->view, kernel.name.range);
  }
  std::map<std::string, Value> constants = constantsByName(kernel, values);
  bool isComplete = llvm::all_of(types, [](const ParamTypes &param) { return !param.abi.empty(); });
  if (isComplete)
    for (const ContractClause &clause : contract.requires_)
      emitPromises(evaluator, clause.expr, parameters, constants, kernel.name.range);
  if (isComplete && specialized)
    for (const ContractClause &clause : contract.specialize)
      emitPromises(evaluator, clause.expr, parameters, constants, kernel.name.range);
  evaluator.frame().isKernel = true;
  evaluator.frame().body = &kernel.body;
  evaluator.execute(kernel.body);
  evaluator.setLocation(kernel.name.range);
  mlir::func::ReturnOp::create(evaluator.emit.builder, evaluator.emit.loc);
  evaluator.clearDiscarded();
  isExhausted = evaluator.isExhausted();
  if (evaluator.errorCount() != 0 || !verifyModule(session, kernel, *module))
    return {};
  return module;
}

void analyzeKernel(Session &session, const ast::Kernel &kernel) {
  KernelContract contract;
  checkClauses(session, kernel);
  bool isValid = describeKernel(session, kernel, contract);
  if (isValid && llvm::all_of(contract.params, isDescribed))
    buildContracts(session, kernel, contract);
  size_t index = session.program.kernels.size();
  std::set<std::string> symbols;
  bool isExhausted = false;
  for (const VariantValues &values : enumerateVariants(session, kernel)) {
    // What is wrong in a clause hides nothing of the body.
    VariantSettings settings = variantSettings(session, kernel, values).value_or(VariantSettings());
    if (!isValid || isExhausted)
      continue;
    std::string base = variantSymbol(kernel, values);
    for (unsigned copy = 2; symbols.count(base) != 0; ++copy)
      base = variantSymbol(kernel, values) + "_" + std::to_string(copy);
    symbols.insert(base);
    // Specialised before general: the dispatcher takes the first that fits.
    for (bool specialized : {true, false}) {
      if (specialized && !canSpecialize(kernel, contract, values))
        continue;
      VariantContract variant;
      variant.symbol = base + (specialized ? "__s" : "");
      variant.specialized = specialized;
      variant.warps = settings.warps;
      variant.cluster = settings.cluster;
      for (const Value &value : values)
        variant.values.push_back(toConstValue(value));
      mlir::OwningOpRef<mlir::ModuleOp> module = instantiate(
          session, kernel, contract, values, settings, variant.symbol, specialized, isExhausted);
      if (module)
        session.program.variants.push_back({std::move(module), index, contract.variants.size()});
      contract.variants.push_back(std::move(variant));
    }
  }
  session.program.kernels.push_back(std::move(contract));
}

} // namespace tilec::sema
