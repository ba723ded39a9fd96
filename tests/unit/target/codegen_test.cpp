// LLVM IR to PTX and to host objects. Alone: build/release/bin/unit_target --test-case='codegen*'.
#include "tests/unit/target/fixture.h"
#include "tests/unit/text.h"

using namespace tilec;

namespace {

/// A kernel that stores a*b+c, with `flags` on both operations.
std::string multiplyAdd(const std::string &flags) {
  return "define ptx_kernel void @k(ptr addrspace(1) %p, float %a, float %b, float %c) {\n"
         "  %m = fmul " +
         flags + " float %a, %b\n  %s = fadd " + flags +
         " float %m, %c\n"
         "  store float %s, ptr addrspace(1) %p\n  ret void\n}\n";
}

const char *const kSine = "declare float @__nv_sinf(float)\n"
                          "define ptx_kernel void @k(ptr addrspace(1) %p, float %a) {\n"
                          "  %s = call float @__nv_sinf(float %a)\n"
                          "  store float %s, ptr addrspace(1) %p\n  ret void\n}\n";

} // namespace

TEST_CASE("codegen: PTX names its architecture, PTX ISA 9.0 and the kernel") {
  std::string ptx = Fixture("sm_90a", multiplyAdd("")).ptx();
  CHECK(contains(ptx, ".version 9.0"));
  CHECK(contains(ptx, ".target sm_90a"));
  CHECK(contains(ptx, ".visible .entry k("));
}

TEST_CASE("codegen: every architecture of the table generates code") {
  for (const Arch &arch : allArchs()) {
    std::string name(arch.name);
    CHECK(contains(Fixture(name.c_str(), multiplyAdd("")).ptx(), ".target " + name));
  }
}

TEST_CASE("codegen: a*b+c is contracted only where the operations allow it") {
  CHECK(contains(Fixture("sm_80", multiplyAdd("contract")).ptx(), "fma.rn.f32"));
  std::string exact = Fixture("sm_80", multiplyAdd("")).ptx();
  CHECK_FALSE(contains(exact, "fma.rn.f32"));
  CHECK(contains(exact, "mul.rn.f32")); // .rn: ptxas must not contract it either
  CHECK(contains(exact, "add.rn.f32"));
}

TEST_CASE("codegen: O0 generates code too") {
  Fixture fixture("sm_80", multiplyAdd(""));
  fixture.options.optLevel = 0;
  CHECK(contains(fixture.ptx(), ".entry k("));
}

TEST_CASE("codegen: invalid IR is an error, not a crash") {
  Fixture fixture("sm_80", "define void @f() {\n  ret void\n}\n");
  llvm::Function *function = fixture.module->getFunction("f");
  function->back().back().eraseFromParent();
  CHECK(contains(fixture.optimizeError(), "invalid LLVM IR after lowering"));
}

TEST_CASE("codegen: the parts of libdevice that are called are linked, and nothing else") {
  Fixture fixture("sm_80", kSine);
  fixture.options.libdevice = findLibdevice(findPtxas("").path);
  if (fixture.options.libdevice.empty())
    return; // a machine without the CUDA toolkit
  std::string ptx = fixture.ptx();
  CHECK_FALSE(contains(ptx, ".extern .func"));
  CHECK_FALSE(contains(ptx, "__nv_cosf"));
  CHECK_FALSE(contains(ptx, "__nvvm_reflect"));
}

TEST_CASE("codegen: libdevice flushes denormals where every kernel does") {
  for (bool flush : {false, true}) {
    Fixture fixture("sm_80", kSine);
    if (flush)
      fixture.module->getFunction("k")->addFnAttr("denormal-fp-math-f32",
                                                  "preserve-sign,preserve-sign");
    fixture.options.libdevice = findLibdevice(findPtxas("").path);
    if (fixture.options.libdevice.empty())
      return;
    CHECK(contains(fixture.ptx(), ".ftz.f32") == flush);
  }
}

TEST_CASE("codegen: a call into libdevice without libdevice is a tool error that names both") {
  Fixture fixture("sm_80", kSine);
  llvm::Error error = optimize(*fixture.module, fixture.target, fixture.options);
  CHECK(error.isA<ToolError>());
  std::string text = llvm::toString(std::move(error));
  CHECK(contains(text, "__nv_sinf"));
  CHECK(contains(text, "CUDA toolkit"));
}

TEST_CASE("codegen: the same module gives the same host object twice") {
  const char *text = "define float @f(float %a, float %b) {\n  %s = fadd float %a, %b\n"
                     "  ret float %s\n}\n";
  Fixture first("host", text), second("host", text);
  std::string one = llvm::cantFail(emitHostObject(*first.module, first.options)).bytes;
  std::string two = llvm::cantFail(emitHostObject(*second.module, second.options)).bytes;
  CHECK(one == two);
  CHECK(one.substr(0, 4) == "\x7f"
                            "ELF");
}

TEST_CASE("codegen: a host kernel whose frame fits no thread's stack is named") {
  auto largeFrames = [](const char *bytes) {
    Fixture fixture("host", "declare void @use(ptr)\ndefine void @f() {\n  %a = alloca [" +
                                std::string(bytes) +
                                " x i8]\n  call void @use(ptr %a)\n  ret void\n}\n");
    return llvm::cantFail(emitHostObject(*fixture.module, fixture.options)).largeFrames;
  };
  CHECK(largeFrames("2097152") == "'f' needs 2049 KiB of stack a thread\n");
  CHECK(largeFrames("4096") == "");
}

TEST_CASE("codegen: an unsupported host triple is an error that says which are supported") {
  Fixture fixture("host", "define void @f() {\n  ret void\n}\n");
  fixture.options.hostTriple = "riscv64-linux-gnu";
  std::string text =
      llvm::toString(prepareModule(*fixture.module, fixture.target, fixture.options));
  CHECK(contains(text, "riscv64"));
  CHECK(contains(text, "x86_64 and aarch64"));
}

TEST_CASE("codegen: a product of a signed and a non-negative integer is one wide multiplication") {
  Fixture fixture("sm_90", R"(
    declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    define ptx_kernel void @k(ptr addrspace(1) %out, i32 %stride) {
      %program = call range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
      %row = sext i32 %program to i64
      %wide = sext i32 %stride to i64
      %offset = mul i64 %row, %wide
      store i64 %offset, ptr addrspace(1) %out
      ret void
    })");
  std::string ptx = fixture.ptx();
  CHECK(contains(ptx, "mul.wide.s32"));
  CHECK_FALSE(contains(ptx, "mul.lo.s64"));
}

/// Loads from `arrays` - 1 parameters and a store to one, all at start + i.
static std::string indexedAlike(unsigned arrays) {
  std::string text = "define ptx_kernel void @k(i64 %start, i64 %i", body;
  for (unsigned array = 0; array < arrays; ++array) {
    std::string n = std::to_string(array);
    text += ", ptr addrspace(1) %x" + n;
    body += "%s" + n + " = getelementptr float, ptr addrspace(1) %x" + n + ", i64 %start\n" + "%a" +
            n + " = getelementptr float, ptr addrspace(1) %s" + n + ", i64 %i\n";
    if (array + 1 < arrays)
      body += "%v" + n + " = load volatile float, ptr addrspace(1) %a" + n + "\n";
    else
      body += "store float %v0, ptr addrspace(1) %a" + n + "\n";
  }
  return text + ") {\n" + body + "ret void\n}";
}

TEST_CASE("codegen: offsets that three arrays share are summed before a parameter is added") {
  CHECK(countOf(Fixture("sm_90", indexedAlike(3)).ptx(), "add.s64") == 4);
  CHECK(countOf(Fixture("sm_90", indexedAlike(4)).ptx(), "add.s64") == 5);
  // Two stay as they are.
  CHECK(countOf(Fixture("sm_90", indexedAlike(2)).ptx(), "add.s64") == 4);
}
