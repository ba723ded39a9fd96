// The typed arguments of tilert_launch(), checked against a kernel and taken apart into what the
// generated code passes: pointers to values, and selections.
#pragma once

#include "dispatch.h"

#include <vector>

namespace tilert {

class DynamicArguments {
public:
  /// Throws INVALID_ARGUMENT that names the argument.
  DynamicArguments(const KernelTable &kernel, const tilert_argument *arguments, size_t count);
  Launch launch() const {
    return {pointers_.data(), pointers_.size(), selections_.data(), selections_.size()};
  }

private:
  void readSelection(const KernelTable &kernel, const ConstParam &param,
                     const tilert_argument &argument, size_t index);
  void readParameter(const KernelTable &kernel, const Parameter &param,
                     const tilert_argument &argument, size_t index);
  void selectElements(const KernelTable &kernel, const tilert_argument *arguments);

  // Kept by each thread between launches, so that they allocate once.
  std::vector<void *> &pointers_;
  std::vector<tilert_selection> &selections_;
};

} // namespace tilert
