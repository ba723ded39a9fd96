// tile.dot as instructions. Alone: unit_lowering --test-case='dot*'
#include "kernel_harness.h"

#include "compiler/layout/fragments.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace tilec;
using namespace tilec::test;

namespace {

/// A kernel that multiplies 16 x 32 by 32 x 16 of memory's first elements.
struct DotKernel {
  std::string element, result, instruction, attributes;
  Fragment fragment;
  std::optional<LinearLayout> layout =
      std::nullopt; ///< of the result, where the fragment leaves it open

  std::string text() const {
    LinearLayout c = layout ? *layout : dotResultLayout(fragment, {16, 16}, {}, /*warps=*/1);
    DotOperands operands = dotOperandLayouts(fragment, c, 32);
    std::string body = pointersText(operands.a, "pa", "a", element) +
                       pointersText(operands.b, "pb", "b", element) +
                       pointersText(c, "pc", "c", result);
    auto pointers = [](const LinearLayout &layout, const std::string &type) {
      return tileText(layout, "!tile.ptr<" + type + ">");
    };
    auto load = [&](const std::string &name, const LinearLayout &layout, const std::string &type) {
      return "%" + name + " = tile.load %p" + name.substr(1) + " : " + pointers(layout, type) +
             " -> " + tileText(layout, type) + "\n";
    };
    body +=
        load("xa", operands.a, element) + load("xb", operands.b, element) + load("xc", c, result);
    body += "%d = tile.dot %xa, %xb, %xc {tile.instruction = \"" + instruction + "\"" + attributes +
            "} : " + tileText(operands.a, element) + ", " + tileText(operands.b, element) + " -> " +
            tileText(c, result) + "\n";
    body += "tile.store %pc, %d : " + pointers(c, result) + ", " + tileText(c, result) + "\n";
    return kernelText(/*warps=*/1,
                      "%a: !tile.ptr<" + element + ">, %b: !tile.ptr<" + element +
                          ">, %c: !tile.ptr<" + result + ">",
                      body);
  }
};

/// PTX of `kernel` has `number` instructions of this name, and ptxas takes them.
void checkPtx(const DotKernel &kernel, const std::string &name, unsigned number,
              const std::string &arch = "sm_80") {
  std::string ptx = nvptxPtx(kernel.text(), arch);
  CHECK_MESSAGE(countOf(ptx, name) == number, ptx);
  CHECK(assembles(ptx, arch));
}

} // namespace

TEST_CASE("dot: every type has its instruction, as often as the sizes ask") {
  checkPtx({"f16", "f32", "mma.f32.f16.f16", "", mmaFragment(2)},
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4);
  checkPtx({"f16", "f16", "mma.f16.f16.f16", "", mmaFragment(2)},
           "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4);
  checkPtx({"bf16", "f32", "mma.f32.bf16.bf16", "", mmaFragment(2)},
           "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4);
  checkPtx({"i8", "i32", "mma.s32.s8.s8", "", mmaFragment(1)},
           "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 2);
  checkPtx({"i8", "i32", "mma.s32.u8.u8", ", is_unsigned", mmaFragment(1)},
           "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 2);
  checkPtx({"f64", "f64", "mma.f64.f64.f64", "", mmaFragmentOfDoubles()},
           "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 32);
}

TEST_CASE("dot: f32 is rounded once an element, and multiplied once or three times") {
  DotKernel kernel{"f32", "f32", "mma.f32.tf32.tf32", ", precision = 1 : i32", mmaFragment(4)};
  checkPtx(kernel, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 8);
  checkPtx(kernel, "cvt.rna.tf32.f32", 2 * 16 * 32 / 32);
  kernel.attributes = ", precision = 2 : i32";
  checkPtx(kernel, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 3 * 8);
  checkPtx(kernel, "cvt.rna.tf32.f32", 2 * 2 * 16 * 32 / 32);
}

TEST_CASE("dot: fp8 is multiplied as it is where the architecture can, else as f16") {
  DotKernel kernel{"f8E4M3FN", "f32", "mma.f32.e4m3.e4m3", "", mmaFragment(1)};
  checkPtx(kernel, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 2, "sm_89");
  kernel.instruction = "mma.f32.f16.f16";
  kernel.fragment = mmaFragment(2);
  checkPtx(kernel, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4);
}

TEST_CASE("dot: matrix instructions stay where all lanes of a warp meet") {
  std::string ir = nvptxIr(DotKernel{"f16", "f32", "mma.f32.f16.f16", "", mmaFragment(2)}.text());
  CHECK(ir.find("convergent") != std::string::npos);
}

TEST_CASE("dot: full f32 precision is fused multiply-adds, k upward") {
  HostKernel kernel(DotKernel{"f32", "f32", "fma.f32.f32.f32", ", precision = 3 : i32",
                              multiplyAddFragment(), blockedLayout({16, 16}, {}, 4, 1)}
                        .text());
  std::vector<float> a(16 * 32), b(32 * 16), c(16 * 16), want(16 * 16);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = 1.0f / float(i + 1);
    b[i] = 1.0f / float(i + 7);
  }
  for (size_t row = 0; row < 16; ++row)
    for (size_t column = 0; column < 16; ++column)
      for (size_t k = 0; k < 32; ++k)
        want[row * 16 + column] =
            std::fma(a[row * 32 + k], b[k * 16 + column], want[row * 16 + column]);
  float *pointers[] = {a.data(), b.data(), c.data()};
  kernel.run({&pointers[0], &pointers[1], &pointers[2]});
  CHECK(c == want);
}
