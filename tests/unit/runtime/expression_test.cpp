// Alone: build/release/bin/unit_runtime --test-case='expression*'
#include "runtime/source/dispatch.h"
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace tilert;
using namespace tilert::test;

namespace {

struct Evaluated {
  Outcome outcome;
  int64_t integer;
};

/// Evaluates `grid`, an integer expression, of the kernel of conditionManifest().
Evaluated evaluateInteger(const std::string &expression, int64_t a = 0, int64_t b = 0,
                          double x = 0) {
  const Manifest manifest = readManifest(conditionManifest("true", expression), "test");
  const KernelTable &kernel = *manifest.kernels[0];
  float *p = reinterpret_cast<float *>(64), *q = reinterpret_cast<float *>(68);
  void *arguments[] = {&a, &b, &x, &p, &q};
  const LaunchValues values{arguments, kernel.shapes.data(), kernel.ranks.data(), 132, 2};
  const Program program = kernel.variants[0].grid[0];
  Slot slot{0};
  const Outcome outcome = evaluate(kernel.code.data() + program.first, program.count, values, slot);
  return {outcome, slot.integer};
}

int64_t value(const std::string &expression, int64_t a = 0, int64_t b = 0, double x = 0) {
  const Evaluated result = evaluateInteger(expression, a, b, x);
  CHECK(result.outcome == Outcome::Value);
  return result.integer;
}

Outcome outcome(const std::string &expression, int64_t a = 0, int64_t b = 0) {
  return evaluateInteger(expression, a, b).outcome;
}

} // namespace

TEST_CASE("expression: division and remainder truncate, cdiv rounds up") {
  for (int64_t a : {-7, -6, 0, 6, 7})
    for (int64_t b : {-3, -2, 2, 3}) {
      const double quotient = static_cast<double>(a) / static_cast<double>(b);
      CHECK(value(R"(["div", ["arg", 0], ["arg", 1]])", a, b) ==
            static_cast<int64_t>(std::trunc(quotient)));
      CHECK(value(R"(["rem", ["arg", 0], ["arg", 1]])", a, b) ==
            a - b * static_cast<int64_t>(std::trunc(quotient)));
      CHECK(value(R"(["cdiv", ["arg", 0], ["arg", 1]])", a, b) ==
            static_cast<int64_t>(std::ceil(quotient)));
    }
}

TEST_CASE("expression: division by zero is an outcome, not a crash") {
  for (const char *op : {"div", "rem", "cdiv"})
    CHECK(outcome(std::string("[\"") + op + R"(", ["arg", 0], ["arg", 1]])", 1, 0) ==
          Outcome::DivisionByZero);
}

TEST_CASE("expression: integer overflow is an outcome") {
  CHECK(outcome(R"(["add", ["arg", 0], 1])", INT64_MAX) == Outcome::Overflow);
  CHECK(outcome(R"(["sub", ["arg", 0], 1])", INT64_MIN) == Outcome::Overflow);
  CHECK(outcome(R"(["mul", ["arg", 0], ["arg", 1]])", INT64_C(1) << 32, INT64_C(1) << 31) ==
        Outcome::Overflow);
  for (const char *op : {"div", "rem", "cdiv"})
    CHECK(outcome(std::string("[\"") + op + R"(", ["arg", 0], ["arg", 1]])", INT64_MIN, -1) ==
          Outcome::Overflow);
  CHECK(outcome(R"(["neg", ["arg", 0]])", INT64_MIN) == Outcome::Overflow);
  CHECK(outcome(R"(["abs", ["arg", 0]])", INT64_MIN) == Outcome::Overflow);
  CHECK(outcome(R"(["next_pow2", ["arg", 0]])", (INT64_C(1) << 62) + 1) == Outcome::Overflow);
  CHECK(outcome(R"(["shl", ["arg", 0], 62])", 2) == Outcome::Overflow);
}

TEST_CASE("expression: shifts by a negative or too large count are an outcome") {
  for (int64_t by : {INT64_C(-1), INT64_C(64), INT64_MAX})
    for (const char *op : {"shl", "shr"})
      CHECK(outcome(std::string("[\"") + op + R"(", ["arg", 0], ["arg", 1]])", 1, by) ==
            Outcome::ShiftRange);
  CHECK(value(R"(["shr", ["arg", 0], 1])", -8) == -4);
}

TEST_CASE("expression: next_pow2 at its edges") {
  CHECK(value(R"(["next_pow2", ["arg", 0]])", -5) == 1);
  CHECK(value(R"(["next_pow2", ["arg", 0]])", 1) == 1);
  CHECK(value(R"(["next_pow2", ["arg", 0]])", 1000) == 1024);
  CHECK(value(R"(["next_pow2", ["arg", 0]])", INT64_C(1) << 62) == INT64_C(1) << 62);
}

TEST_CASE("expression: and, or and select do not evaluate what they do not need") {
  const std::string trap = R"(["eq", ["div", 1, ["arg", 1]], 1])";
  CHECK(value(R"(["and", ["ne", ["arg", 1], 0], )" + trap + "]") == 0);
  CHECK(value(R"(["or", ["eq", ["arg", 1], 0], )" + trap + "]") == 1);
  CHECK(value(R"(["select", ["eq", ["arg", 1], 0], 5, ["div", 1, ["arg", 1]]])") == 5);
  CHECK(outcome(R"(["and", ["eq", ["arg", 1], 0], )" + trap + "]") == Outcome::DivisionByZero);
}

TEST_CASE("expression: an integer beside a float becomes a float") {
  CHECK(value(R"(["cast", "i64", ["mul", ["arg", 0], 0.5]])", 5) == 2);
  CHECK(value(R"(["lt", ["arg", 0], ["arg", 2]])", 2, 0, 2.5) == 1);
  CHECK(value(R"(["cast", "i64", ["select", ["lt", ["arg", 0], 0], 1, ["arg", 2]]])", -1, 0, 9.0) ==
        1);
}

TEST_CASE("expression: casts wrap integers, saturate floats, round to narrow floats") {
  CHECK(value(R"(["cast", "i8", ["arg", 0]])", 200) == -56);
  CHECK(value(R"(["cast", "u16", ["arg", 0]])", -1) == 65535);
  CHECK(value(R"(["cast", "i8", ["arg", 2]])", 0, 0, 1e9) == 127);
  CHECK(value(R"(["cast", "u8", ["arg", 2]])", 0, 0, -3.0) == 0);
  CHECK(value(R"(["cast", "i64", ["arg", 2]])", 0, 0, NAN) == 0);
  CHECK(value(R"(["cast", "i64", ["arg", 2]])", 0, 0, 1e300) == INT64_MAX);
  CHECK(value(R"(["cast", "i64", ["cast", "f16", ["arg", 0]]])", 2049) == 2048);
  CHECK(value(R"(["cast", "bool", ["arg", 0]])", 17) == 1);
}

TEST_CASE("expression: comparisons give 0 or 1 in both orders") {
  CHECK(value(R"(["add", ["gt", ["arg", 0], ["arg", 1]], ["lt", ["arg", 1], ["arg", 0]]])", 2, 1) ==
        2);
  CHECK(value(R"(["ge", ["arg", 0], ["arg", 1]])", 1, 1) == 1);
  CHECK(value(R"(["ne", ["arg", 0], ["arg", 1]])", 1, 1) == 0);
}

TEST_CASE("expression: an argument compares with a literal on either side, for every operator") {
  for (int64_t a : {-3, 4, 5, 6}) {
    CHECK(value(R"(["eq", ["arg", 0], 5])", a) == (a == 5));
    CHECK(value(R"(["ne", ["arg", 0], 5])", a) == (a != 5));
    CHECK(value(R"(["lt", ["arg", 0], 5])", a) == (a < 5));
    CHECK(value(R"(["le", ["arg", 0], 5])", a) == (a <= 5));
    CHECK(value(R"(["gt", ["arg", 0], 5])", a) == (a > 5));
    CHECK(value(R"(["ge", ["arg", 0], 5])", a) == (a >= 5));
    CHECK(value(R"(["lt", 5, ["arg", 0]])", a) == (5 < a));
    CHECK(value(R"(["le", 5, ["arg", 0]])", a) == (5 <= a));
    CHECK(value(R"(["gt", 5, ["arg", 0]])", a) == (5 > a));
    CHECK(value(R"(["ge", 5, ["arg", 0]])", a) == (5 >= a));
  }
}

TEST_CASE("expression: num_sms, occupancy, aligned and noalias") {
  CHECK(value(R"(["mul", ["num_sms"], ["occupancy"]])") == 264);
  CHECK(value(R"(["aligned", 3, 64])") == 1);
  CHECK(value(R"(["aligned", 4, 8])") == 0);
  CHECK(value(R"(["noalias", 3, 4])") == 1); // 64..67 and 68..71
  CHECK(value(R"(["noalias", 3, 3])") == 0);
}

TEST_CASE("expression: the deepest tree that is accepted evaluates, a deeper one is refused") {
  const auto nested = [](unsigned depth) {
    std::string text;
    for (unsigned i = 1; i < depth; ++i)
      text += R"(["add", 1, )";
    return text + "1" + std::string(depth - 1, ']');
  };
  CHECK(value(nested(kMaxExpressionDepth)) == kMaxExpressionDepth);
  CHECK_THROWS_AS(readManifest(conditionManifest("true", nested(kMaxExpressionDepth + 1)), "t"),
                  Failure);
  CHECK_THROWS_AS(readManifest(conditionManifest("true", nested(100000)), "t"), Failure);
}
