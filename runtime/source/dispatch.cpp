#include "dispatch.h"

#include "expression_text.h"
#include "numeric.h"
#include "tensor_map.h"

#include <bit>

namespace tilert {

namespace {

constexpr int64_t kMaxGridX = INT32_MAX, kMaxGridYZ = 65535; ///< CUDA's limits, all architectures
constexpr unsigned kFirstClusterCompute = 90, kFirstMapCompute = 90;
/// Longest dimension of a view: compiled kernels add extents and starts without wrapping.
constexpr int64_t kMaxExtent = INT64_C(1) << 62;

[[noreturn]] void invalid(const KernelTable &kernel, const std::string &message) {
  throw Failure(TILERT_ERROR_INVALID_ARGUMENT, kernel.name + ": " + message);
}

/// The key of the const value that a selection asks for.
int64_t keyOf(const tilert_selection &selection, const ConstParam &param,
              const KernelTable &kernel) {
  if (param.kind == ValueKind::Real) // 0.1 selects the f32 that is nearest to it
    return realKey(std::bit_cast<double>(selection.value), param.type);
  if (!param.isType())
    return param.kind == ValueKind::Boolean ? selection.value != 0 : selection.value;
  const tilert_type type = selection.type ? typeFromName(selection.type) : TILERT_TYPE_ANY;
  if (!isScalar(type))
    invalid(kernel, "select " + param.name + ": " +
                        (selection.type ? "`" + std::string(selection.type) + "` is no type"
                                        : "no type is given"));
  return type;
}

} // namespace

Dispatcher::Dispatcher(const KernelTable &kernel, const Launch &launch, const DeviceLimits &limits)
    : kernel_(kernel), limits_(limits),
      values_{launch.arguments, kernel.shapes.data(), kernel.ranks.data(), limits.numSms, 1} {
  if (launch.argumentCount != kernel.params.size()) [[unlikely]]
    invalid(kernel, std::to_string(launch.argumentCount) + " arguments for " +
                        std::to_string(kernel.params.size()) + " parameters: " + kernel.signature);
  if (!launch.arguments && launch.argumentCount)
    invalid(kernel, "the argument array is null");
  for (size_t i = 0; i < launch.argumentCount; ++i)
    if (!launch.arguments[i]) [[unlikely]]
      invalid(kernel,
              "argument " + std::to_string(i) + " (" + kernel.params[i].name + ") points nowhere");
    else if (kernel.params[i].type == TILERT_TYPE_VIEW)
      checkView(i);
  if (!kernel.selected.empty() || launch.selectionCount)
    select(launch);
}

void Dispatcher::select(const Launch &launch) {
  if (launch.selectionCount != kernel_.selected.size())
    invalid(kernel_, std::to_string(launch.selectionCount) + " selections for " +
                         std::to_string(kernel_.selected.size()) + " selected const params");
  for (size_t i = 0; i < kernel_.selected.size(); ++i) {
    const ConstParam &param = kernel_.constParams[kernel_.selected[i]];
    const tilert_selection *found = nullptr;
    for (size_t j = 0; j < launch.selectionCount; ++j)
      if (launch.selections[j].name && param.name == launch.selections[j].name)
        found = &launch.selections[j];
    if (!found)
      invalid(kernel_, "no value is selected for " + param.name);
    selected_[i] = keyOf(*found, param, kernel_);
  }
}

Outcome Dispatcher::test(unsigned index, size_t variant, bool &holds) {
  const ConjunctTest &conjunct = kernel_.tests[index];
  const uint64_t bit = index < 64 && conjunct.shared ? uint64_t{1} << index : 0;
  if (known_ & bit) {
    holds = (holds_ & bit) != 0;
    return Outcome::Value;
  }
  const Program program = conjunct.programs[conjunct.shared ? 0 : variant];
  Slot result;
  const Outcome outcome =
      evaluate(kernel_.code.data() + program.first, program.count, values_, result);
  holds = outcome == Outcome::Value && (conjunct.real ? result.real != 0 : result.integer != 0);
  if (outcome == Outcome::Value) {
    known_ |= bit;
    holds_ |= holds ? bit : 0;
  }
  return outcome;
}

Verdict Dispatcher::judge(size_t index, unsigned &at, Outcome &outcome) {
  const Variant &variant = kernel_.variants[index];
  for (size_t i = 0; i < kernel_.selected.size(); ++i)
    if (variant.selectedKeys[i] != selected_[i])
      return Verdict::NotSelected;
  if (limits_.compute) {
    if (variant.shared > limits_.maxShared)
      return Verdict::TooMuchShared;
    if (variant.cluster > 1 && limits_.compute < kFirstClusterCompute)
      return Verdict::NoClusters;
    if (!variant.maps.empty() && (limits_.compute < kFirstMapCompute || !limits_.encodesMaps))
      return Verdict::NoTensorMaps;
  }
  const auto count = static_cast<unsigned>(kernel_.tests.size());
  for (at = variant.specialized ? 0 : kernel_.firstRequires; at < count; ++at) {
    bool holds = false;
    outcome = test(at, index, holds);
    if (!holds)
      return Verdict::Refused;
  }
  for (at = 0; at < variant.maps.size(); ++at) {
    const TensorMap &map = variant.maps[at];
    if (mapFault(map, viewOf(map, values_.arguments)).kind != MapFault::None)
      return Verdict::NotMappable;
  }
  return Verdict::Fits;
}

size_t Dispatcher::choose() {
  unsigned at = 0;
  Outcome outcome = Outcome::Value;
  for (size_t i = 0; i < kernel_.variants.size(); ++i)
    if (judge(i, at, outcome) == Verdict::Fits)
      return i;
  noVariant();
}

void Dispatcher::checkView(size_t index) const {
  const Parameter &param = kernel_.params[index];
  const auto *view = static_cast<const tilert_view *>(values_.arguments[index]);
  if (!view->extents || !view->strides) [[unlikely]]
    invalid(kernel_, "view " + param.name + " has no extents or no strides");
  for (unsigned axis = 0; axis < param.rank; ++axis) {
    const int64_t extent = view->extents[axis];
    if (extent < 0 || extent > (param.wideExtents ? kMaxExtent : INT32_MAX)) [[unlikely]]
      invalid(kernel_, param.name + ".dim(" + std::to_string(axis) +
                           ") = " + std::to_string(extent) +
                           (extent < 0          ? " is negative"
                            : param.wideExtents ? " is beyond 2^62"
                                                : " does not fit i32; kernels with `option extents "
                                                  "= i64` take more"));
  }
}

void Dispatcher::checkAlignment(const Variant &variant) const {
  for (size_t i = 0; i < kernel_.params.size(); ++i) {
    const uint32_t needed = variant.pointerAlignment[i];
    if (needed == 1)
      continue;
    const uintptr_t address = addressOf(values_, static_cast<uint32_t>(i));
    if (address & (needed - 1)) [[unlikely]]
      invalid(kernel_, addressText(kernel_, static_cast<uint32_t>(i), values_) +
                           "; its elements need " + std::to_string(needed));
  }
}

bool Dispatcher::grid(const Variant &variant, int64_t occupancy, unsigned (&programs)[3]) {
  static constexpr const char *kAxes[] = {"x", "y", "z"};
  values_.occupancy = occupancy;
  bool any = true;
  for (unsigned axis = 0; axis < 3; ++axis) {
    programs[axis] = 1;
    if (axis >= kernel_.gridRank)
      continue;
    Slot count{0};
    const Program program = variant.grid[axis];
    const Outcome outcome =
        evaluate(kernel_.code.data() + program.first, program.count, values_, count);
    const int64_t limit = axis == 0 ? kMaxGridX : kMaxGridYZ;
    if (outcome != Outcome::Value || count.integer < 0 || count.integer > limit) [[unlikely]] {
      const std::string values = argumentValuesText(kernel_.grid[axis], kernel_, values_);
      throw Failure(TILERT_ERROR_GRID,
                    kernel_.name + ": grid " + kAxes[axis] + " = " +
                        expressionText(kernel_.grid[axis], kernel_) +
                        (outcome != Outcome::Value ? std::string(": ") + outcomeText(outcome)
                         : count.integer < 0
                             ? " = " + std::to_string(count.integer) + " is negative"
                             : " = " + std::to_string(count.integer) + " is beyond the limit of " +
                                   std::to_string(limit)) +
                        (values.empty() ? "" : " (" + values + ")"));
    }
    programs[axis] = static_cast<unsigned>(count.integer);
    any = any && count.integer != 0;
  }
  if (any && programs[0] % variant.cluster != 0) [[unlikely]]
    throw Failure(TILERT_ERROR_GRID, kernel_.name + ": grid x = " + std::to_string(programs[0]) +
                                         " is no multiple of the cluster of " +
                                         std::to_string(variant.cluster) + " programs");
  return any;
}

AbiArguments::AbiArguments(const KernelTable &kernel, void *const *arguments, size_t mapCount)
    : pointers_(inlinePointers_) {
  int32_t *extents = inlineExtents_;
  if (kernel.abiCount + mapCount > kInlineParameters) [[unlikely]] {
    manyPointers_ = std::make_unique<void *[]>(kernel.abiCount + mapCount);
    manyExtents_ = std::make_unique<int32_t[]>(kernel.abiCount);
    pointers_ = manyPointers_.get();
    extents = manyExtents_.get();
  }
  void **next = pointers_;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const Parameter &param = kernel.params[i];
    if (param.type != TILERT_TYPE_VIEW) {
      *next++ = arguments[i];
      continue;
    }
    auto *view = static_cast<tilert_view *>(arguments[i]);
    *next++ = &view->data;
    for (unsigned axis = 0; axis < param.rank; ++axis) {
      if (param.wideExtents) {
        *next++ = const_cast<int64_t *>(view->extents + axis);
      } else {
        *extents = static_cast<int32_t>(view->extents[axis]);
        *next++ = extents++;
      }
    }
    for (unsigned axis = 0; axis < param.rank; ++axis)
      *next++ = const_cast<int64_t *>(view->strides + axis);
  }
  maps_ = next;
}

} // namespace tilert
