// The lines that matter, of a kernel named k:
//
//   ptxas info    : Compiling entry function 'k' for 'sm_80'
//   ptxas info    : Function properties for k
//       0 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads
//   ptxas info    : Used 10 registers, used 1 barriers, 512 bytes smem, 400 bytes cmem[0]
#include "compiler/target/ptxas_log.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace tilec {

/// The number before `unit` in "8 bytes spill stores, ...": 8 for " bytes spill stores".
static std::optional<int> numberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef digits = line.take_front(end);
  digits = digits.take_back(digits.size() - (digits.find_last_not_of("0123456789") + 1));
  int value;
  if (digits.getAsInteger(10, value))
    return std::nullopt;
  return value;
}

void readPtxasLog(const std::string &words, Cubin &cubin) {
  constexpr StringLiteral info = "ptxas info", compiling = "Compiling entry function '";
  std::string kernel;
  SmallVector<StringRef> lines;
  StringRef(words).split(lines, '\n');
  for (StringRef line : lines) {
    if (size_t at = line.find(compiling); at != StringRef::npos) {
      kernel = line.drop_front(at + compiling.size()).split('\'').first.str();
      cubin.kernels[kernel] = {};
      continue;
    }
    if (line.starts_with("ptxas ") && !line.starts_with(info)) {
      cubin.warnings += line.str() + "\n";
      continue;
    }
    if (kernel.empty())
      continue;
    KernelResources &resources = cubin.kernels[kernel];
    std::optional<int> stores = numberBefore(line, " bytes spill stores");
    std::optional<int> loads = numberBefore(line, " bytes spill loads");
    if (stores && loads) // a device function's own properties add to its kernel's
      resources.spillBytes = std::max(resources.spillBytes, 0) + *stores + *loads;
    if (std::optional<int> registers = numberBefore(line, " registers"))
      resources.registers = *registers;
    if (std::optional<int> shared = numberBefore(line, " bytes smem"))
      resources.staticSharedBytes = *shared;
  }
}

} // namespace tilec
