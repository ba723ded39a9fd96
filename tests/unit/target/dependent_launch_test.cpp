// Kernels that may start while the one before them ends.
// Alone: build/release/bin/unit_target --test-case='dependent launch*'
#include "compiler/target/dependent_launch.h"
#include "tests/unit/target/fixture.h"
#include "tests/unit/text.h"

using namespace tilec;

/// The PTX of a kernel that adds two numbers which nothing writes; its place in the grid is looked
/// at along `axes`. An alloca puts declarations in front of its first instruction.
static std::string ptxOf(const char *arch, const std::string &axes = "x") {
  std::string reads, sum = "%one";
  for (char axis : axes) {
    const std::string n(1, axis);
    reads += "  %" + n + " = call i32 @llvm.nvvm.read.ptx.sreg.ctaid." + n + "()\n  %s" + n +
             " = add i32 " + sum + ", %" + n + "\n";
    sum = "%s" + n;
  }
  const std::string text =
      "define ptx_kernel void @k(ptr addrspace(1) noalias readonly %in, ptr addrspace(1) %out) {\n"
      "  %place = alloca [4 x i32]\n"
      "  %one = load i32, ptr addrspace(1) %in, !invariant.load !0\n" +
      reads + "  %last = getelementptr i32, ptr %place, i32 %one\n" + "  store volatile i32 " +
      sum + ", ptr %last\n" + "  %back = load volatile i32, ptr %place\n" +
      "  store i32 %back, ptr addrspace(1) %out\n  ret void\n}\n"
      "define void @helper(ptr %p) noinline {\n  store i32 1, ptr %p\n  ret void\n}\n!0 = !{}\n";
  return Fixture(arch, text).ptx();
}

TEST_CASE("dependent launch: a kernel waits before anything else, and a function does not") {
  const std::string ptx = ptxOf("sm_90");
  CHECK(countOf(ptx, "griddepcontrol.wait;") == 1);
  const size_t wait = ptx.find("griddepcontrol.wait;"), body = ptx.find("{", ptx.find(".entry"));
  REQUIRE((body != std::string::npos && wait > body));
  const std::string before = ptx.substr(body, wait - body);
  CHECK_MESSAGE(countOf(before, ";") == countOf(before, ".reg") + countOf(before, ".local"),
                before);
  CHECK(contains(before, ".local"));
}

TEST_CASE("dependent launch: the last programs of a grid let the next kernel start") {
  const std::string line = ptxOf("sm_90"), plane = ptxOf("sm_90a", "xy"), z = ptxOf("sm_120", "z");
  for (const std::string &ptx : {line, plane, z})
    CHECK(countOf(ptx, "griddepcontrol.launch_dependents;") == 1);
  CHECK(contains(line, "%nctaid.x"));
  CHECK_FALSE(contains(line, "%nctaid.y"));
  CHECK(contains(plane, "%nctaid.y"));
  CHECK_FALSE(contains(plane, "%nctaid.z"));
  for (const char *axis : {"%nctaid.x", "%nctaid.y", "%nctaid.z"})
    CHECK(contains(z, axis));
}

TEST_CASE("dependent launch: nothing of it before sm_90") {
  for (const char *arch : {"sm_80", "sm_86", "sm_89"})
    CHECK_FALSE(contains(ptxOf(arch), "griddepcontrol"));
}

TEST_CASE("dependent launch: text with a kernel that cannot be made to wait is refused") {
  const std::string kernel = ".visible .entry k()\n{\n\tret;\n}\n", empty = ".entry e()\n{\n}\n";
  CHECK(llvm::cantFail(waitForPrerequisites(kernel, 1)) ==
        ".visible .entry k()\n{\n\tgriddepcontrol.wait;\n\tret;\n}\n");
  CHECK(contains(llvm::toString(waitForPrerequisites(kernel, 2).takeError()), "has 1 kernels"));
  CHECK(contains(llvm::toString(waitForPrerequisites(kernel + "// .entry\n", 2).takeError()),
                 "has 1 kernels"));
  CHECK(countOf(llvm::cantFail(waitForPrerequisites(empty + kernel, 2)), "griddepcontrol") == 2);
}
