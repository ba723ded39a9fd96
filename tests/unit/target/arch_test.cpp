// The architecture table. Alone: build/release/bin/unit_target --test-case='arch*'.
#include "compiler/target/arch.h"

#include <doctest/doctest.h>

using namespace tilec;

TEST_CASE("arch: every architecture is found by its own name") {
  CHECK(allArchs().size() == 8);
  for (const Arch &arch : allArchs())
    CHECK(findArch(arch.name) == &arch);
}

TEST_CASE("arch: unknown names are not found") {
  CHECK(findArch("sm_75") == nullptr);
  CHECK(findArch("sm_90b") == nullptr);
  CHECK(findArch("") == nullptr);
}

TEST_CASE("arch: plain host runs the sm_80 lowering and prints as host") {
  std::optional<Target> target = parseTarget("host");
  REQUIRE(target);
  CHECK(target->host);
  CHECK(target->arch->name == "sm_80");
  CHECK(target->name() == "host");
}

TEST_CASE("arch: a target's name parses to the same target") {
  for (const char *name : {"sm_80", "sm_90a", "sm_120", "host", "host:sm_90a"}) {
    std::optional<Target> target = parseTarget(name);
    REQUIRE(target);
    CHECK(target->name() == name);
  }
}

TEST_CASE("arch: malformed targets are refused") {
  for (const char *text : {"", "hostile", "host:", "host:host", "sm_", "native", "sm_90 "})
    CHECK_FALSE(parseTarget(text));
}

TEST_CASE("arch: a device gets its exact architecture, an unknown newer one the newest before it") {
  CHECK(archForDevice(90)->name == "sm_90a");
  CHECK(archForDevice(80)->name == "sm_80");
  CHECK(archForDevice(87)->name == "sm_86");
  CHECK(archForDevice(121)->name == "sm_120");
  CHECK(archForDevice(99)->name == "sm_90");
  CHECK(archForDevice(75) == nullptr);
}
