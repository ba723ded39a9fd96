#include "manifest.h"

#include "expression_reader.h"
#include "expression_text.h"
#include "failure.h"
#include "numeric.h"

#include <algorithm>
#include <bit>
#include <set>

namespace tilert {
namespace {

using Json = nlohmann::json;

/// What this tilert reads, and the first schema whose variants may have tensor maps: a tilert that
/// knows nothing of them would launch such kernels without.
constexpr int64_t kNewestSchema = 2, kMapsSchema = 2;
constexpr unsigned kMaxRank = 8;     ///< the language allows 5
constexpr unsigned kMaxWarps = 32;   ///< 1024 threads, the hardware's limit
constexpr unsigned kMaxCluster = 16; ///< with the non-portable attribute
constexpr unsigned kMaxShared = 1u << 20;
constexpr unsigned kMaxBoxSide = 256;   ///< cuTensorMapEncodeTiled
constexpr unsigned kMapChunkBytes = 16; ///< rows of a box are made of these
/// A megabyte of JSON could otherwise ask for the product of its clauses and variants.
constexpr size_t kMaxInstructions = size_t{1} << 22;
constexpr unsigned kMaxParameters = 4096; ///< their values fill at most 4 KB or 32 KB on the GPU

[[noreturn]] void bad(const std::string &message) {
  throw Failure(TILERT_ERROR_BAD_IMAGE, message);
}

const Json &member(const Json &object, const char *key) {
  if (!object.is_object())
    bad(std::string("`") + key + "` is asked of what is no object");
  const auto found = object.find(key);
  if (found == object.end())
    bad(std::string("`") + key + "` is missing");
  return *found;
}

const Json &arrayMember(const Json &object, const char *key) {
  const Json &value = member(object, key);
  if (!value.is_array())
    bad(std::string("`") + key + "` is no array");
  return value;
}

std::string textMember(const Json &object, const char *key) {
  const Json &value = member(object, key);
  if (!value.is_string())
    bad(std::string("`") + key + "` is no string");
  return value.get<std::string>();
}

/// A member that may be missing.
std::string optionalText(const Json &object, const char *key, const char *otherwise) {
  return object.is_object() && object.contains(key) ? textMember(object, key) : otherwise;
}

int64_t integerIn(const Json &value, const char *key, int64_t low, int64_t high) {
  const bool fits =
      value.is_number_integer() &&
      (!value.is_number_unsigned() || value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX)) &&
      value.get<int64_t>() >= low && value.get<int64_t>() <= high;
  if (!fits)
    bad(std::string("`") + key + "` is no integer from " + std::to_string(low) + " to " +
        std::to_string(high));
  return value.get<int64_t>();
}

int64_t integerMember(const Json &object, const char *key, int64_t low, int64_t high) {
  return integerIn(member(object, key), key, low, high);
}

int64_t optionalInteger(const Json &object, const char *key, int64_t low, int64_t high,
                        int64_t otherwise) {
  return object.contains(key) ? integerMember(object, key, low, high) : otherwise;
}

bool optionalFlag(const Json &object, const char *key) {
  if (!object.is_object() || !object.contains(key))
    return false;
  const Json &value = member(object, key);
  if (!value.is_boolean())
    bad(std::string("`") + key + "` is neither true nor false");
  return value.get<bool>();
}

class KernelReader {
public:
  explicit KernelReader(KernelTable &kernel) : kernel_(kernel) {}

  void read(const Json &json) {
    kernel_.name = textMember(json, "name");
    try {
      kernel_.doc = optionalText(json, "doc", "");
      readConstParams(json);
      readParams(json);
      readClauses(json, "specialize", true);
      kernel_.firstRequires = static_cast<unsigned>(kernel_.conjuncts.size());
      readClauses(json, "requires", false);
      readGrid(json);
      readVariants(json);
      compile();
      kernel_.signature = signature();
    } catch (const Failure &failure) {
      throw Failure(failure.status(), "kernel " + kernel_.name + ": " + failure.message());
    }
  }

private:
  void readConstParams(const Json &json);
  void readParams(const Json &json);
  void readClauses(const Json &json, const char *key, bool specialize);
  void addConjuncts(Expression expression, bool specialize, unsigned line);
  void readGrid(const Json &json);
  void readVariants(const Json &json);
  ConstValue readValue(const Json &json, const ConstParam &param);
  void readMaps(const Json &json, Variant &variant) const;
  TensorMap readMap(const Json &json, const Variant &variant) const;
  std::string valuesText(const Variant &variant) const;
  void compile();
  unsigned elementSize(const Parameter &param, const Variant &variant) const;
  std::string signature() const;

  KernelTable &kernel_;
};

void KernelReader::readConstParams(const Json &json) {
  if (!json.contains("const_params"))
    return;
  for (const Json &entry : arrayMember(json, "const_params")) {
    ConstParam param;
    param.name = textMember(entry, "name");
    param.typeText = textMember(entry, "type");
    param.selected = optionalFlag(entry, "selected");
    param.type = typeFromName(param.typeText);
    if (param.typeText == "type")
      param.kind = ValueKind::Name;
    else if (!isScalar(param.type))
      bad("const param " + param.name + " has the unknown type `" + param.typeText + "`");
    else if (param.type == TILERT_TYPE_BOOL)
      param.kind = ValueKind::Boolean;
    else if (isReal(param.type))
      param.kind = ValueKind::Real;
    if (param.selected)
      kernel_.selected.push_back(static_cast<unsigned>(kernel_.constParams.size()));
    kernel_.constParams.push_back(std::move(param));
  }
  if (kernel_.selected.size() > kMaxSelected)
    bad("more than " + std::to_string(kMaxSelected) + " selected const params");
}

void KernelReader::readParams(const Json &json) {
  std::set<int> elementConsts;
  for (const Json &entry : arrayMember(json, "params")) {
    Parameter param;
    param.name = textMember(entry, "name");
    const std::string kind = textMember(entry, "kind");
    param.type = typeFromName(kind);
    if (param.type == TILERT_TYPE_ANY)
      bad("parameter " + param.name + " has the unknown kind `" + kind + "`");
    if (!isScalar(param.type)) {
      param.elementText = textMember(entry, "element");
      param.element = typeFromName(param.elementText);
      for (size_t i = 0; i < kernel_.constParams.size(); ++i)
        if (kernel_.constParams[i].isType() && kernel_.constParams[i].name == param.elementText)
          param.elementConst = static_cast<int>(i);
      if (param.elementConst >= 0)
        param.element = TILERT_TYPE_ANY;
      else if (!isScalar(param.element))
        bad("parameter " + param.name + " has the unknown element `" + param.elementText + "`");
      elementConsts.insert(param.elementConst);
      param.isConst = optionalFlag(entry, "const");
    }
    if (param.type == TILERT_TYPE_VIEW) {
      param.rank = static_cast<unsigned>(integerMember(entry, "rank", 1, kMaxRank));
      const std::string extents = optionalText(entry, "extents", "i32");
      if (extents != "i32" && extents != "i64")
        bad("parameter " + param.name + " has extents that are neither i32 nor i64");
      param.wideExtents = extents == "i64";
    }
    kernel_.abiCount += param.abiCount();
    kernel_.ranks.push_back(static_cast<uint8_t>(param.rank));
    kernel_.shapes.push_back({param.type, std::max(1u, typeSize(param.element))});
    kernel_.params.push_back(std::move(param));
    if (kernel_.params.size() > kMaxParameters)
      bad("more than " + std::to_string(kMaxParameters) + " parameters");
  }
  for (unsigned index : kernel_.selected)
    if (!elementConsts.count(static_cast<int>(index)))
      kernel_.leading.push_back(index);
}

/// Splits at the top-level `and`s, so that a message can name the one that fails. The left spine is
/// as deep as the tree, which is bounded.
void KernelReader::addConjuncts(Expression expression, bool specialize, unsigned line) {
  if (expression.op == Operator::And) {
    Expression right = std::move(expression.operands[1]);
    Expression left = std::move(expression.operands[0]);
    addConjuncts(std::move(left), specialize, line);
    addConjuncts(std::move(right), specialize, line);
    return;
  }
  Conjunct conjunct;
  conjunct.shared = !dependsOnVariant(expression);
  conjunct.expression = std::move(expression);
  conjunct.specialize = specialize;
  conjunct.line = line;
  kernel_.conjuncts.push_back(std::move(conjunct));
}

void KernelReader::readClauses(const Json &json, const char *key, bool specialize) {
  if (!json.contains(key))
    return;
  for (const Json &entry : arrayMember(json, key)) {
    Expression expression = readExpression(member(entry, "expr"), kernel_);
    if (expression.kind == ValueKind::Name)
      bad(std::string("a `") + key + "` clause is no condition");
    if (mentions(expression, Operator::Occupancy))
      bad(std::string("`occupancy` in a `") + key + "` clause");
    addConjuncts(std::move(expression), specialize,
                 static_cast<unsigned>(optionalInteger(entry, "line", 0, INT32_MAX, 0)));
  }
}

void KernelReader::readGrid(const Json &json) {
  const Json &grid = arrayMember(json, "grid");
  if (grid.empty() || grid.size() > 3)
    bad("`grid` has " + std::to_string(grid.size()) + " entries instead of 1 to 3");
  for (const Json &entry : grid) {
    kernel_.grid.push_back(readExpression(member(entry, "expr"), kernel_));
    const Expression &expression = kernel_.grid.back();
    if (expression.kind != ValueKind::Integer && expression.kind != ValueKind::Boolean)
      bad("a `grid` expression is no integer");
    kernel_.gridUsesOccupancy |= mentions(expression, Operator::Occupancy);
  }
  kernel_.gridRank = static_cast<unsigned>(grid.size());
}

ConstValue KernelReader::readValue(const Json &json, const ConstParam &param) {
  ConstValue value;
  value.kind = param.kind;
  switch (param.kind) {
  case ValueKind::Integer:
    value.integer = integerIn(json, param.name.c_str(), INT64_MIN, INT64_MAX);
    break;
  case ValueKind::Real:
    if (!readReal(json, value.real))
      bad("the value of " + param.name + " is no number");
    break;
  case ValueKind::Boolean:
    if (!json.is_boolean())
      bad("the value of " + param.name + " is neither true nor false");
    value.integer = json.get<bool>();
    break;
  case ValueKind::Name:
    value.integer =
        json.is_string() ? typeFromName(json.get_ref<const std::string &>()) : TILERT_TYPE_ANY;
    if (!isScalar(static_cast<uint32_t>(value.integer)))
      bad("the value of " + param.name + " is no type");
    break;
  }
  return value;
}

std::string KernelReader::valuesText(const Variant &variant) const {
  std::string text;
  for (size_t i = 0; i < variant.values.size(); ++i)
    text +=
        (i ? ", " : "") + kernel_.constParams[i].name + " = " + constValueText(variant.values[i]);
  return text;
}

void KernelReader::readMaps(const Json &json, Variant &variant) const {
  if (!json.contains("maps"))
    return;
  const Json &maps = arrayMember(json, "maps");
  if (maps.size() > kMaxMaps)
    bad("variant " + variant.symbol + " has more than " + std::to_string(kMaxMaps) +
        " tensor maps");
  for (const Json &entry : maps)
    variant.maps.push_back(readMap(entry, variant));
}

TensorMap KernelReader::readMap(const Json &json, const Variant &variant) const {
  TensorMap map;
  map.view = static_cast<unsigned>(integerMember(json, "view", 0, kMaxParameters));
  const bool isView =
      map.view < kernel_.params.size() && kernel_.params[map.view].type == TILERT_TYPE_VIEW;
  if (!isView)
    bad("variant " + variant.symbol + " has a tensor map of parameter " + std::to_string(map.view) +
        ", which is no view");
  const Parameter &param = kernel_.params[map.view];
  const std::string what =
      "variant " + variant.symbol + ": the tensor map of " + param.name + " has ";
  map.rank = param.rank;
  if (map.rank > kMaxMapRank)
    bad(what + std::to_string(map.rank) + " axes, more than " + std::to_string(kMaxMapRank));
  const Json &order = arrayMember(json, "order"), &box = arrayMember(json, "box");
  if (order.size() != map.rank || box.size() != map.rank)
    bad(what + std::to_string(order.size()) + " axes in `order` and " + std::to_string(box.size()) +
        " in `box` for a view of rank " + std::to_string(map.rank));
  map.elementBytes = elementSize(param, variant);
  unsigned seen = 0;
  uint64_t bytes = map.elementBytes;
  for (unsigned i = 0; i < map.rank; ++i) {
    map.order[i] = static_cast<uint8_t>(integerIn(order[i], "order", 0, map.rank - 1));
    if (seen >> map.order[i] & 1)
      bad(what + "axis " + std::to_string(map.order[i]) + " twice in `order`");
    seen |= 1u << map.order[i];
    map.box[i] = static_cast<uint32_t>(integerIn(box[i], "box", 1, kMaxBoxSide));
    bytes *= map.box[i];
  }
  map.swizzle = static_cast<unsigned>(integerMember(json, "swizzle", 0, 128));
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128)
    bad(what + "a swizzle of " + std::to_string(map.swizzle) + " instead of 0, 32, 64 or 128");
  const unsigned rowBytes = map.box[0] * map.elementBytes;
  if (rowBytes % kMapChunkBytes != 0)
    bad(what + "rows of " + std::to_string(rowBytes) + " bytes, no multiple of " +
        std::to_string(kMapChunkBytes));
  if (map.swizzle != 0 && rowBytes > map.swizzle)
    bad(what + "rows of " + std::to_string(rowBytes) + " bytes, more than its swizzle of " +
        std::to_string(map.swizzle));
  if (bytes > kMaxShared)
    bad(what + "boxes of " + std::to_string(bytes) + " bytes, more than any shared memory");
  return map;
}

void KernelReader::readVariants(const Json &json) {
  for (const Json &entry : arrayMember(json, "variants")) {
    Variant variant;
    variant.symbol = textMember(entry, "symbol");
    const Json &values = arrayMember(entry, "values");
    if (values.size() != kernel_.constParams.size())
      bad("variant " + variant.symbol + " has " + std::to_string(values.size()) + " values for " +
          std::to_string(kernel_.constParams.size()) + " const params");
    for (size_t i = 0; i < values.size(); ++i)
      variant.values.push_back(readValue(values[i], kernel_.constParams[i]));
    for (unsigned index : kernel_.selected)
      variant.selectedKeys.push_back(
          variant.values[index].kind == ValueKind::Real
              ? realKey(variant.values[index].real, kernel_.constParams[index].type)
              : variant.values[index].integer);
    variant.valuesText = valuesText(variant);
    variant.specialized = optionalFlag(entry, "specialized");
    variant.warps = static_cast<unsigned>(integerMember(entry, "warps", 1, kMaxWarps));
    variant.cluster = static_cast<unsigned>(optionalInteger(entry, "cluster", 1, kMaxCluster, 1));
    variant.shared = static_cast<unsigned>(optionalInteger(entry, "shared", 0, kMaxShared, 0));
    readMaps(entry, variant);
    variant.registers = static_cast<int>(optionalInteger(entry, "registers", -1, 65536, -1));
    variant.spills = static_cast<int>(optionalInteger(entry, "spills", -1, INT32_MAX, -1));
    kernel_.variants.push_back(std::move(variant));
  }
  if (kernel_.variants.empty())
    bad("no variants");
}

unsigned KernelReader::elementSize(const Parameter &param, const Variant &variant) const {
  const tilert_type element =
      param.elementConst < 0 ? param.element
                             : static_cast<tilert_type>(
                                   variant.values[static_cast<size_t>(param.elementConst)].integer);
  return std::max(1u, typeSize(element));
}

void KernelReader::compile() {
  const std::vector<ConstValue> noValues;
  for (Conjunct &conjunct : kernel_.conjuncts)
    if (conjunct.shared)
      conjunct.programs.push_back(
          compileExpression(conjunct.expression, noValues, kernel_.shapes, kernel_.code));
  for (Variant &variant : kernel_.variants) {
    std::vector<ParameterShape> shapes = kernel_.shapes;
    for (size_t i = 0; i < shapes.size(); ++i) {
      shapes[i].elementSize = elementSize(kernel_.params[i], variant);
      variant.pointerAlignment.push_back(shapes[i].elementSize);
    }
    for (Conjunct &conjunct : kernel_.conjuncts)
      if (!conjunct.shared)
        conjunct.programs.push_back(
            compileExpression(conjunct.expression, variant.values, shapes, kernel_.code));
    for (size_t axis = 0; axis < kernel_.grid.size(); ++axis)
      variant.grid[axis] =
          compileExpression(kernel_.grid[axis], variant.values, shapes, kernel_.code);
    if (kernel_.code.size() > kMaxInstructions)
      bad("too many clauses and variants");
  }
  for (const Conjunct &conjunct : kernel_.conjuncts)
    kernel_.tests.push_back(
        {conjunct.programs.data(), conjunct.shared, conjunct.expression.kind == ValueKind::Real});
}

std::string KernelReader::signature() const {
  std::string text = kernel_.name + "(";
  for (unsigned index : kernel_.leading)
    text += (text.back() == '(' ? "" : ", ") + kernel_.constParams[index].name + ": " +
            kernel_.constParams[index].typeText;
  for (const Parameter &param : kernel_.params) {
    text += (text.back() == '(' ? "" : ", ") + param.name + ": " + typeText(param.type);
    if (!isScalar(param.type)) {
      text += std::string("<") + (param.isConst ? "const " : "") + param.elementText;
      text += param.type == TILERT_TYPE_VIEW ? ", " + std::to_string(param.rank) + ">" : ">";
    }
  }
  return text + ")";
}

void readInto(Manifest &manifest, std::string_view json) {
  const Json root = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded())
    bad("it is no JSON");
  const int64_t schema = integerMember(root, "schema", 0, INT32_MAX);
  if (schema < 1 || schema > kNewestSchema)
    bad("it has schema " + std::to_string(schema) + ", this tilert reads schemas 1 to " +
        std::to_string(kNewestSchema));
  manifest.arch = textMember(root, "arch");
  manifest.dependentLaunch = optionalFlag(root, "dependent_launch");
  std::set<std::string> names;
  for (const Json &entry : arrayMember(root, "kernels")) {
    auto kernel = std::make_unique<KernelTable>();
    KernelReader(*kernel).read(entry);
    if (!names.insert(kernel->name).second)
      bad("kernel " + kernel->name + " is listed twice");
    for (const Variant &variant : kernel->variants)
      if (schema < kMapsSchema && !variant.maps.empty())
        bad("kernel " + kernel->name + ": tensor maps are of schema " +
            std::to_string(kMapsSchema) + ", it has schema " + std::to_string(schema));
    manifest.kernels.push_back(std::move(kernel));
  }
}

} // namespace

Manifest readManifest(std::string_view json, const std::string &source) {
  Manifest manifest;
  try {
    readInto(manifest, json);
  } catch (const Failure &failure) {
    throw Failure(failure.status(), source + ": the manifest is damaged: " + failure.message());
  } catch (const nlohmann::json::exception &exception) {
    throw Failure(TILERT_ERROR_BAD_IMAGE,
                  source + ": the manifest is damaged: " + exception.what());
  }
  return manifest;
}

} // namespace tilert
