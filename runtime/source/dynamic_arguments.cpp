#include "dynamic_arguments.h"

#include "types.h"

#include <bit>

namespace tilert {
namespace {

struct Scratch {
  std::vector<void *> pointers;
  std::vector<tilert_selection> selections;
};

Scratch &scratch() {
  static thread_local Scratch instance;
  return instance;
}

[[noreturn]] void invalid(const KernelTable &kernel, size_t index, const std::string &name,
                          const std::string &message) {
  throw Failure(TILERT_ERROR_INVALID_ARGUMENT,
                kernel.name + ": argument " + std::to_string(index) + " (" + name + ") " + message);
}

void expectSize(const KernelTable &kernel, size_t index, const std::string &name,
                const tilert_argument &argument, size_t wanted, const char *type) {
  if (!argument.value)
    invalid(kernel, index, name, "points nowhere");
  if (argument.size != wanted)
    invalid(kernel, index, name,
            "has " + std::to_string(argument.size) + " bytes; " + type + " has " +
                std::to_string(wanted));
}

} // namespace

DynamicArguments::DynamicArguments(const KernelTable &kernel, const tilert_argument *arguments,
                                   size_t count)
    : pointers_(scratch().pointers), selections_(scratch().selections) {
  const size_t leading = kernel.leading.size();
  if (count != leading + kernel.params.size())
    throw Failure(TILERT_ERROR_INVALID_ARGUMENT,
                  kernel.name + ": " + std::to_string(count) + " arguments instead of " +
                      std::to_string(leading + kernel.params.size()) + ": " + kernel.signature);
  if (!arguments && count)
    throw Failure(TILERT_ERROR_INVALID_ARGUMENT, kernel.name + ": the argument array is null");
  pointers_.clear();
  selections_.clear();
  // NOLINTBEGIN(clang-analyzer-core.NonNullParamChecker): null only when there are none.
  for (size_t i = 0; i < leading; ++i)
    readSelection(kernel, kernel.constParams[kernel.leading[i]], arguments[i], i);
  for (size_t i = 0; i < kernel.params.size(); ++i)
    readParameter(kernel, kernel.params[i], arguments[leading + i], leading + i);
  // NOLINTEND(clang-analyzer-core.NonNullParamChecker)
  selectElements(kernel, arguments + leading);
}

void DynamicArguments::readSelection(const KernelTable &kernel, const ConstParam &param,
                                     const tilert_argument &argument, size_t index) {
  tilert_selection selection{param.name.c_str(), nullptr, 0};
  if (param.isType()) {
    if (argument.type != TILERT_TYPE_NAME)
      invalid(kernel, index, param.name, "is a type: pass its name as TILERT_TYPE_NAME");
    expectSize(kernel, index, param.name, argument, sizeof(const char *), "a type name");
    selection.type = *static_cast<const char *const *>(argument.value);
  } else {
    if (argument.type != TILERT_TYPE_ANY && argument.type != param.type)
      invalid(kernel, index, param.name,
              std::string("is ") + typeText(argument.type) + " instead of " + param.typeText);
    expectSize(kernel, index, param.name, argument, typeSize(param.type), param.typeText.c_str());
    Slot value{0};
    if (loadScalar(argument.value, param.type, value) != Outcome::Value)
      invalid(kernel, index, param.name, "does not fit 63 bits");
    selection.value = isReal(param.type) ? std::bit_cast<int64_t>(value.real) : value.integer;
  }
  selections_.push_back(selection);
}

void DynamicArguments::readParameter(const KernelTable &kernel, const Parameter &param,
                                     const tilert_argument &argument, size_t index) {
  if (argument.type != TILERT_TYPE_ANY && argument.type != param.type)
    invalid(kernel, index, param.name,
            std::string("is ") + typeText(argument.type) + " instead of " + typeText(param.type));
  const size_t size =
      param.type == TILERT_TYPE_VIEW ? sizeof(tilert_view) : size_t{typeSize(param.type)};
  expectSize(kernel, index, param.name, argument, size, typeText(param.type));
  if (!isScalar(param.type) && argument.element != TILERT_TYPE_ANY && param.elementConst < 0 &&
      argument.element != param.element)
    invalid(kernel, index, param.name,
            std::string("points to ") + typeText(argument.element) + " instead of " +
                typeText(param.element));
  if (param.type == TILERT_TYPE_VIEW && argument.type == TILERT_TYPE_VIEW &&
      argument.rank != param.rank)
    invalid(kernel, index, param.name,
            "has rank " + std::to_string(argument.rank) + " instead of " +
                std::to_string(param.rank));
  // Kernels do not write their arguments; the driver's interface has no const.
  pointers_.push_back(const_cast<void *>(argument.value));
}

/// Type const params that are elements are selected by the arguments' elements, which must agree.
void DynamicArguments::selectElements(const KernelTable &kernel, const tilert_argument *arguments) {
  for (unsigned selected : kernel.selected) {
    uint32_t element = TILERT_TYPE_ANY;
    size_t from = kernel.params.size();
    bool isElement = false;
    for (size_t i = 0; i < kernel.params.size(); ++i) {
      if (kernel.params[i].elementConst != static_cast<int>(selected))
        continue;
      isElement = true;
      if (arguments[i].element == TILERT_TYPE_ANY)
        continue;
      if (element != TILERT_TYPE_ANY && arguments[i].element != element)
        invalid(kernel, kernel.leading.size() + i, kernel.params[i].name,
                std::string("points to ") + typeText(arguments[i].element) + ", but " +
                    kernel.params[from].name + " points to " + typeText(element) +
                    "; both are ptr<" + kernel.constParams[selected].name + ">");
      element = arguments[i].element;
      from = i;
    }
    if (!isElement)
      continue;
    if (!isScalar(element))
      throw Failure(TILERT_ERROR_INVALID_ARGUMENT, kernel.name + ": no argument says what " +
                                                       kernel.constParams[selected].name +
                                                       " is: give the element type of a pointer");
    selections_.push_back({kernel.constParams[selected].name.c_str(), typeText(element), 0});
  }
}

} // namespace tilert
