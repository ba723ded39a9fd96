// Tile IR text -> lowering -> run on the host, or PTX. Tests check values or text.
#pragma once

#include "host_device.h"

#include "compiler/layout/linear_layout.h"
#include "tests/unit/text.h"

#include <memory>
#include <string>
#include <vector>

namespace tilec::test {

/// A kernel lowered for the host and compiled in memory.
class HostKernel {
public:
  /// `text`: a module with one func.func @k. CHECK-fails and stays empty when anything goes wrong.
  explicit HostKernel(const std::string &text, bool optimized = false);
  ~HostKernel();

  /// Runs with pointers to the arguments' values; CHECK-fails on divergence.
  void run(const std::vector<void *> &arguments) const;
  /// The launch; warps and shared bytes come from the kernel's attributes.
  Launch launch;

private:
  struct Jit;
  std::unique_ptr<Jit> jit_;
};

/// LLVM IR of the kernel lowered for NVPTX, verified, not optimised; empty on failure.
std::string nvptxIr(const std::string &text);
/// PTX after LLVM's O3.
std::string nvptxPtx(const std::string &text, const std::string &arch = "sm_80");
/// Whether ptxas takes it; true without a ptxas.
bool assembles(const std::string &ptx, const std::string &arch);

/// The attribute's text of a layout.
std::string layoutText(const LinearLayout &layout);
/// `tensor<4x8xELEMENT, #tile.layout<...>>`.
std::string tileText(const LinearLayout &layout, const std::string &element);
/// func.func @k(PARAMETERS) with the attributes of a kernel of `warps` warps around BODY.
std::string kernelText(unsigned warps, const std::string &parameters, const std::string &body,
                       unsigned sharedBytes = 0);
/// Body lines: `%RESULT` is the tile of pointers `%POINTER` + element number.
std::string pointersText(const LinearLayout &layout, const std::string &result,
                         const std::string &pointer, const std::string &element);

} // namespace tilec::test
