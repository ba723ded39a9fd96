#include "compiler/target/arch.h"

namespace tilec {

/// The lowering that plain `host` runs.
static constexpr std::string_view kHostArch = "sm_80";

// Shared memory: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
// (163 KB, 99 KB and 227 KB a program). Vector width: PTX ISA 8.8, ld/st `.v8.b32` need sm_100. fp8
// in mma.sync: from sm_89; on sm_90 ptxas turns it into conversions and products of f16. The
// tensor-copy engine and dependent launches: PTX ISA, cp.async.bulk.tensor and griddepcontrol, from
// sm_90.
static constexpr unsigned kKilobyte = 1024;

const std::vector<Arch> &allArchs() {
  static const std::vector<Arch> table = {
      {"sm_80", 80, false, 163 * kKilobyte, 16, false, false, false},
      {"sm_86", 86, false, 99 * kKilobyte, 16, false, false, false},
      {"sm_89", 89, false, 99 * kKilobyte, 16, true, false, false},
      {"sm_90", 90, false, 227 * kKilobyte, 16, false, true, true},
      {"sm_90a", 90, true, 227 * kKilobyte, 16, false, true, true},
      {"sm_100", 100, false, 227 * kKilobyte, 32, true, true, true},
      {"sm_103", 103, false, 227 * kKilobyte, 32, true, true, true},
      {"sm_120", 120, false, 99 * kKilobyte, 32, true, true, true},
  };
  return table;
}

const Arch *findArch(std::string_view name) {
  for (const Arch &arch : allArchs())
    if (arch.name == name)
      return &arch;
  return nullptr;
}

const Arch *archForDevice(unsigned version) {
  const Arch *best = nullptr;
  for (const Arch &arch : allArchs())
    if (arch.version == version || (arch.version < version && !arch.archSpecific))
      best = &arch;
  return best;
}

std::string Target::name() const {
  if (!host)
    return std::string(arch->name);
  return arch->name == kHostArch ? "host" : "host:" + std::string(arch->name);
}

std::optional<Target> parseTarget(std::string_view text) {
  constexpr std::string_view prefix = "host";
  Target target;
  if (text.substr(0, prefix.size()) == prefix) {
    target.host = true;
    text.remove_prefix(prefix.size());
    if (text.empty())
      text = kHostArch;
    else if (text.front() == ':')
      text.remove_prefix(1);
    else
      return std::nullopt;
  }
  target.arch = findArch(text);
  if (!target.arch)
    return std::nullopt;
  return target;
}

} // namespace tilec
