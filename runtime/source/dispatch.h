// Dispatch: which variant of a kernel fits a launch, its grid, and its arguments as the kernel's
// ABI takes them. The same code judges variants for a launch and explains them; nothing here
// allocates unless it fails.
#pragma once

#include "failure.h"
#include "manifest.h"

namespace tilert {

/// What of the device decides whether a variant can run at all.
struct DeviceLimits {
  int64_t numSms = 1;
  unsigned maxShared = 0; ///< bytes a program
  unsigned compute = 0;   ///< 0: the host, which runs everything
  /// The driver encodes tensor maps (CUDA 12); a GPU must also have the engine that reads them.
  bool encodesMaps = true;
};

struct Launch {
  void *const *arguments; ///< by source parameter
  size_t argumentCount;
  const tilert_selection *selections;
  size_t selectionCount;
};

/// In the order in which they are found: of two variants that do not fit, the one with the greater
/// verdict came further.
enum class Verdict : uint8_t {
  Fits,
  NotSelected,
  TooMuchShared,
  NoClusters,
  NoTensorMaps, ///< neither this device nor this driver has any
  Refused,      ///< by a clause
  NotMappable   ///< a view is none that a tensor map can describe
};

/// Judges the variants of one kernel for one launch.
class Dispatcher {
public:
  /// Throws INVALID_ARGUMENT for a wrong count, a null argument, a view whose extents do not fit, a
  /// missing selection.
  Dispatcher(const KernelTable &kernel, const Launch &launch, const DeviceLimits &limits);

  /// The first variant that fits; throws CONTRACT with the reason when none does.
  size_t choose();
  /// Throws when a pointer is not aligned to the elements that `variant` reads there.
  void checkAlignment(const Variant &variant) const;
  /// Programs along the three axes; throws GRID. `occupancy`: of the variant. False when there is
  /// nothing to launch.
  bool grid(const Variant &variant, int64_t occupancy, unsigned (&programs)[3]);

  /// A line a variant, down to the chosen one, for tilert_explain().
  std::string explain();
  /// The chosen variant of the last explain(), or -1.
  int explained() const { return explained_; }

private:
  /// `at`: the conjunct (Refused) or the tensor map (NotMappable) that decided.
  Verdict judge(size_t variant, unsigned &at, Outcome &outcome);
  Outcome test(unsigned conjunct, size_t variant, bool &holds);
  void select(const Launch &launch);
  void checkView(size_t index) const;
  [[noreturn]] void noVariant();
  std::string verdictText(const std::vector<size_t> &variants, Verdict verdict, unsigned at,
                          Outcome outcome) const;

  const KernelTable &kernel_;
  const DeviceLimits &limits_;
  LaunchValues values_;
  int64_t selected_[kMaxSelected]; ///< keys, parallel to kernel_.selected
  /// Results of the first 64 shared conjuncts, which one launch evaluates once.
  uint64_t known_ = 0, holds_ = 0;
  int explained_ = -1;
};

/// ABI parameters a launch keeps on its stack; kernels with more allocate.
constexpr unsigned kInlineParameters = 96;

/// A launch's arguments as cuLaunchKernelEx and the host device take them: pointers to values, the
/// ABI parameters of the source first, then `mapCount` tensor maps.
class AbiArguments {
public:
  AbiArguments(const KernelTable &kernel, void *const *arguments, size_t mapCount = 0);
  AbiArguments(const AbiArguments &) = delete;
  AbiArguments &operator=(const AbiArguments &) = delete;
  void **pointers() { return pointers_; }
  /// Tensor map `index` of the variant, which must outlive the launch.
  void setMap(size_t index, void *map) { maps_[index] = map; }

private:
  void *inlinePointers_[kInlineParameters];
  int32_t inlineExtents_[kInlineParameters];
  std::unique_ptr<void *[]> manyPointers_;
  std::unique_ptr<int32_t[]> manyExtents_;
  void **pointers_, **maps_;
};

} // namespace tilert
