// Suggestions: near names are offered, far ones are not.
// Alone: build/release/bin/unit_syntax --test-suite=suggestion
#include "compiler/syntax/suggestion.h"

#include <doctest/doctest.h>

using namespace tilec;

TEST_SUITE_BEGIN("suggestion");

static std::string_view closest(std::string_view name) {
  static constexpr std::string_view names[] = {"grid", "warps", "stages", "requires", "max_regs"};
  return closestName(name, names);
}

TEST_CASE("slips of a letter or two neighbours") {
  CHECK(closest("gird") == "grid");      // swapped
  CHECK(closest("warp") == "warps");     // missing
  CHECK(closest("staages") == "stages"); // doubled
  CHECK(closest("reqires") == "requires");
  CHECK(closest("maxregs") == "max_regs");
}

TEST_CASE("other words are not slips") {
  CHECK(closest("blocks") == "");
  CHECK(closest("g") == "");
  CHECK(closest("") == "");
  CHECK(closest(std::string(10000, 'w')) == "");
}

TEST_CASE("the nearest wins, then the first") {
  static constexpr std::string_view names[] = {"abcd", "abce", "abcdef"};
  CHECK(closestName("abcdeg", names) == "abcdef");
  CHECK(closestName("abcx", names) == "abcd");
}

TEST_SUITE_END();
