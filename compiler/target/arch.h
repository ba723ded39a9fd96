// The architectures tilec knows. Everything that depends on one stands in this table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilec {

/// One GPU architecture.
struct Arch {
  std::string_view name;   ///< "sm_90a"
  unsigned version;        ///< 90
  bool archSpecific;       ///< the `a` variants: their cubins run on this architecture only
  unsigned maxSharedBytes; ///< dynamic shared memory a program may ask for, in bytes
  unsigned maxVectorBytes; ///< widest global access a thread, in bytes (16; 32 from sm_100)
  bool float8Matrix;       ///< mma.sync multiplies fp8 natively (sm_90 emulates it)
  bool tensorCopies;       ///< has a tensor-copy engine (TMA) and mbarriers that wait for it
  bool dependentLaunch;    ///< kernels of a stream may overlap (dependent_launch.h)
};

/// PTX ISA that is always asked for (LLVM 22's newest).
inline constexpr std::string_view kPtxFeature = "+ptx90";
inline constexpr std::string_view kPtxVersion = "9.0";

const std::vector<Arch> &allArchs();
const Arch *findArch(std::string_view name);
/// The newest architecture whose cubins and PTX run on a GPU of compute capability `version` (90
/// for 9.0): the exact one when known (its `a` variant where there is one), else the newest older
/// one that is not architecture-specific. Null below sm_80.
const Arch *archForDevice(unsigned version);

/// What `--arch` names: a GPU architecture, or the host running the lowering of one.
struct Target {
  bool host = false;
  const Arch *arch = nullptr; ///< host: the lowering that is run (sm_80 for plain `host`)
  std::string name() const;   ///< "sm_90", "host", "host:sm_90a"
  bool operator==(const Target &) const = default;
};
/// Parses one --arch entry (`native` is resolved by the driver). Nothing when unknown.
std::optional<Target> parseTarget(std::string_view text);

} // namespace tilec
