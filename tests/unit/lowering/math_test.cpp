// Alone: build/release/bin/unit_lowering --test-case='math*'
#include "elementwise_harness.h"

#include <cmath>

using namespace tilec::test;

/// Checks one function on the host against long double, within `ulps` of f32.
static void checkFunction(const std::string &name, long double (*reference)(long double),
                          std::vector<float> inputs, double ulps) {
  auto r = apply<float>("%r = math." + name + " %a : $I", "f32", "f32", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    float expected = static_cast<float>(reference(inputs[i]));
    if (std::isnan(expected) || std::isinf(expected)) {
      CHECK((std::isnan(expected) ? std::isnan(r[i]) : r[i] == expected));
      continue;
    }
    double ulp = std::fabs(std::nextafter(expected, INFINITY) - double(expected));
    CHECK_MESSAGE(std::fabs(r[i] - reference(inputs[i])) <= ulps * ulp, name << " " << inputs[i]);
  }
}

TEST_CASE("math: functions on the host are within libm's bounds") {
  std::vector<float> any = {-INFINITY, -90, -3.5f, -1e-6f, 0, 1e-6f, 0.5f, 1, 2, 10, 88, INFINITY};
  checkFunction("exp", std::exp, any, 1);
  checkFunction("exp2", std::exp2, any, 1);
  checkFunction("log", std::log, any, 1);
  checkFunction("log2", std::log2, any, 1);
  checkFunction("sqrt", std::sqrt, any, 0.5);
  checkFunction("sin", std::sin, {-100, -1, 0, 0.5f, 3, 1000}, 1);
  checkFunction("cos", std::cos, {-100, -1, 0, 0.5f, 3, 1000}, 1);
  checkFunction("tanh", std::tanh, any, 2);
  checkFunction("erf", std::erf, any, 1);
  checkFunction(
      "rsqrt", [](long double x) { return 1 / std::sqrt(x); }, {0.25f, 1, 2, 3, 1e30f}, 2);
}

TEST_CASE("math: roundings") {
  std::vector<float> a = {-2.5f, -1.5f, -0.4f, 0.5f, 1.5f, 2.5f, 1e10f, NAN};
  auto check = [&](const char *name, float (*reference)(float)) {
    auto r = apply<float>(std::string("%r = math.") + name + " %a : $I", "f32", "f32", a);
    for (size_t i = 0; i < a.size(); ++i)
      CHECK((std::isnan(a[i]) ? std::isnan(r[i]) : r[i] == reference(a[i])));
  };
  check("floor", std::floor);
  check("ceil", std::ceil);
  check("trunc", std::trunc);
  check("round", std::round);
  check("roundeven", std::nearbyint);
}

TEST_CASE("math: f16 functions are computed in f32 and rounded") {
  std::vector<_Float16> a = {_Float16(0.1f), _Float16(1), _Float16(5.5f), _Float16(11)};
  auto r = apply<_Float16>("%r = math.exp %a : $I", "f16", "f16", a);
  for (size_t i = 0; i < a.size(); ++i)
    CHECK(r[i] == static_cast<_Float16>(std::exp(float(a[i]))));
}

TEST_CASE("math: classification") {
  std::vector<float> a = {NAN, INFINITY, -INFINITY, 0, 1e-45f, 3e38f};
  auto nan = apply<uint8_t>("%r = math.isnan %a : $I", "f32", "i1", a);
  auto infinite = apply<uint8_t>("%r = math.isinf %a : $I", "f32", "i1", a);
  auto finite = apply<uint8_t>("%r = math.isfinite %a : $I", "f32", "i1", a);
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(nan[i] == std::isnan(a[i]));
    CHECK(infinite[i] == std::isinf(a[i]));
    CHECK(finite[i] == std::isfinite(a[i]));
  }
}

TEST_CASE("math: absolute value of the most negative integer wraps") {
  std::vector<int32_t> a = {INT32_MIN, -5, 0, 5, INT32_MAX};
  auto r = apply<int32_t>("%r = math.absi %a : $I", "i32", "i32", a);
  for (size_t i = 0; i < a.size(); ++i)
    CHECK(r[i] == (a[i] < 0 ? static_cast<int32_t>(-int64_t(a[i])) : a[i]));
}
