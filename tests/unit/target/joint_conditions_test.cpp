// Choices under two conditions. Alone: build/release/bin/unit_target --test-case='joint*'.
#include "tests/unit/target/fixture.h"
#include "tests/unit/text.h"

using namespace tilec;

/// The PTX of a kernel that stores %r, which `body` makes of numbers %x, %m, %n and conditions %a,
/// %b.
static std::string ptxMaking(const std::string &body, const char *arch) {
  const std::string text =
      "define ptx_kernel void @k(ptr addrspace(1) %p, i32 %x, i32 %m, i32 %n) {\n"
      "  %a = icmp slt i32 %m, 5\n  %b = icmp slt i32 %n, 9\n" +
      body + "  store i32 %r, ptr addrspace(1) %p\n  ret void\n}\n";
  return Fixture(arch, text).ptx();
}

/// Chooses x or 7 by %c, which `condition` makes of %a and %b.
static std::string chosenBy(const std::string &condition, const char *arch = "sm_90") {
  return ptxMaking("  " + condition + "\n  %r = select i1 %c, i32 %x, i32 7\n", arch);
}

TEST_CASE("joint conditions: a choice under two is one choice") {
  for (const char *both : {"%c = and i1 %a, %b", "%c = select i1 %a, i1 %b, i1 false"}) {
    const std::string ptx = chosenBy(both);
    CHECK_MESSAGE(countOf(ptx, "selp") == 1, ptx);
    CHECK(countOf(ptx, "and.pred") == 1);
  }
  for (const char *either : {"%c = or i1 %a, %b", "%c = select i1 %a, i1 true, i1 %b"}) {
    const std::string ptx = chosenBy(either, "sm_80");
    CHECK_MESSAGE(countOf(ptx, "selp") == 1, ptx);
    CHECK(countOf(ptx, "or.pred") == 1);
  }
}

TEST_CASE("joint conditions: another condition is left to the compiler") {
  const std::string ptx = chosenBy("%c = xor i1 %a, %b");
  CHECK_FALSE(contains(ptx, "\tand.pred"));
  CHECK_FALSE(contains(ptx, "\tor.pred"));
}

TEST_CASE("joint conditions: what is known in front of a loop is chosen there") {
  const char *const body = "  br label %loop\n"
                           "loop:\n"
                           "  %i = phi i32 [ 0, %0 ], [ %next, %loop ]\n"
                           "  %sum = phi i32 [ 0, %0 ], [ %r, %loop ]\n"
                           "  %next = add i32 %i, 1\n"
                           "  %mixed = xor i32 %sum, %x\n"
                           "  %d = icmp slt i32 %mixed, 77\n"
                           "  %c = and i1 %a, %d\n"
                           "  %v = select i1 %c, i32 4, i32 0\n"
                           "  %r = add i32 %mixed, %v\n"
                           "  %e = icmp eq i32 %next, %n\n"
                           "  br i1 %e, label %end, label %loop\n"
                           "end:\n";
  const std::string ptx = ptxMaking(body, "sm_90");
  CHECK_MESSAGE(!contains(ptx, "\tand.pred"), ptx);
}
