// Alone: build/release/bin/unit_runtime --test-case='manifest*'
#include "runtime/source/failure.h"
#include "runtime/source/manifest.h"
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include <random>

using namespace tilert;
using namespace tilert::test;

namespace {

/// Why the manifest is refused; empty when it is read.
std::string refusal(const std::string &json) {
  try {
    readManifest(json, "m");
  } catch (const Failure &failure) {
    CHECK(failure.status() == TILERT_ERROR_BAD_IMAGE);
    return failure.message();
  }
  return "";
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The refusal of conditionManifest with this condition.
std::string refusedCondition(const std::string &condition) {
  const std::string text = refusal(conditionManifest(condition));
  const std::string start = "m: the manifest is damaged: kernel k: ";
  return text.substr(0, start.size()) == start ? text.substr(start.size()) : text;
}

} // namespace

TEST_CASE("manifest: a kernel's signature, variants and order of clauses") {
  const Manifest manifest = readManifest(softmaxManifest("sm_90"), "m");
  REQUIRE(manifest.kernels.size() == 1);
  const KernelTable &kernel = *manifest.kernels[0];
  CHECK(manifest.arch == "sm_90");
  CHECK(kernel.signature ==
        "softmax(dst: ptr<f32>, src: ptr<const f32>, n_rows: i32, n_cols: i32)");
  CHECK(kernel.variants.size() == 6);
  CHECK(kernel.variants[0].valuesText == "BLOCK = 128");
  CHECK(kernel.conjuncts.size() == 4);
  CHECK(kernel.firstRequires == 2);
  CHECK(kernel.gridUsesOccupancy);
}

TEST_CASE("manifest: selected const params lead unless they are elements") {
  const Manifest manifest = readManifest(fillManifest("sm_90"), "m");
  CHECK(manifest.kernels[0]->signature == "fill(N: i32, dst: ptr<T>, n: i32)");
  CHECK(manifest.kernels[0]->variants[0].pointerAlignment[0] == 2);
  CHECK(manifest.kernels[0]->variants[2].pointerAlignment[0] == 4);
}

TEST_CASE("manifest: values that JSON has no number for are strings") {
  const Manifest manifest = readManifest(R"({"schema": 1, "arch": "host", "kernels": [{
      "name": "k", "params": [], "const_params": [{"name": "S", "type": "f32", "selected": true}],
      "grid": [{"text": "1", "expr": 1}], "variants": [
        {"symbol": "a", "values": ["inf"], "warps": 1}, {"symbol": "b", "values": ["-inf"], "warps": 1},
        {"symbol": "c", "values": ["nan"], "warps": 1}, {"symbol": "d", "values": [0.1], "warps": 1}]}]})",
                                         "m");
  const auto &variants = manifest.kernels[0]->variants;
  CHECK(variants[0].values[0].real == INFINITY);
  CHECK(variants[1].values[0].real == -INFINITY);
  CHECK(std::isnan(variants[2].values[0].real));
  CHECK(variants[3].selectedKeys[0] == std::bit_cast<int64_t>(double{0.1f}));
}

TEST_CASE("manifest: what is no manifest is refused with a reason") {
  CHECK(refusal("") == "m: the manifest is damaged: it is no JSON");
  CHECK(refusal("[1]") == "m: the manifest is damaged: `schema` is asked of what is no object");
  CHECK(refusal("{}") == "m: the manifest is damaged: `schema` is missing");
  CHECK(contains(refusal(R"({"schema": 3})"), "it has schema 3, this tilert reads schemas 1 to 2"));
  CHECK(contains(refusal(R"({"schema": 0})"), "it has schema 0"));
  CHECK(contains(refusal(R"({"schema": 1, "arch": "sm_90", "kernels": 3})"),
                 "`kernels` is no array"));
  CHECK(contains(refusal(std::string(1 << 20, '[')), "it is no JSON"));
}

TEST_CASE("manifest: variants must agree with the const params and the hardware") {
  const std::string good = softmaxManifest("sm_90");
  CHECK(contains(refusal(replaced(good, "[128]", "[]")), "has 0 values for 1 const params"));
  CHECK(contains(refusal(replaced(good, "[128]", "[1.5]")), "`BLOCK` is no integer"));
  CHECK(contains(refusal(replaced(good, R"("warps": 4)", R"("warps": 33)")), "`warps`"));
  CHECK(contains(refusal(replaced(good, R"("warps": 4)", R"("warps": 0)")), "`warps`"));
  CHECK(contains(refusal(replaced(good, R"("shared": 64)", R"("shared": -1)")), "`shared`"));
  CHECK(contains(refusal(replaced(good, R"("kind": "i32")", R"("kind": "i33")")),
                 "n_rows has the unknown kind `i33`"));
}

TEST_CASE("manifest: expressions are typed when they are read") {
  CHECK(refusedCondition(R"(["frob", 1])") == "`frob` is no operator");
  CHECK(refusedCondition(R"(["add", 1])") == "`add` has 1 operands instead of 2");
  CHECK(refusedCondition(R"(["arg", 9])") == "an expression names a parameter that does not exist");
  CHECK(refusedCondition(R"(["arg", 3])") == "`arg` of p, which is no scalar");
  CHECK(refusedCondition(R"(["dim", 0, 0])") == "`dim` names an axis that does not exist");
  CHECK(refusedCondition(R"(["aligned", 3, 0])") == "`aligned` to no positive number of bytes");
  CHECK(refusedCondition(R"(["aligned", 0, 4])") == "`aligned` of a, which is no ptr or view");
  CHECK(refusedCondition(R"(["bitand", ["arg", 2], 1])") == "`bitand` of a float");
  CHECK(refusedCondition(R"(["add", "f16", 1])") ==
        "a type name can only be compared with another");
  CHECK(refusedCondition(R"(["const", "X"])") ==
        "an expression names a const param that does not exist");
  CHECK(refusedCondition(R"(["gt", ["occupancy"], 1])") == "`occupancy` in a `requires` clause");
  CHECK(refusedCondition(R"(["lt", ["arg", 0], 18446744073709551615])") ==
        "an integer does not fit 64 bits");
  CHECK(contains(refusal(conditionManifest("true", "1.5")), "a `grid` expression is no integer"));
}

TEST_CASE("manifest: every truncation is refused") {
  const std::string good = fillManifest("sm_90");
  for (size_t length = 0; length < good.size(); ++length)
    CHECK(refusal(good.substr(0, length)) != "");
}

TEST_CASE("manifest: altered bytes give a whole manifest or a refusal") {
  std::mt19937 random(1);
  const std::string map = R"([{"view": 1, "order": [1, 0], "box": [32, 8], "swizzle": 128}])";
  for (const std::string &good :
       {softmaxManifest("sm_90"), fillManifest("sm_80"), mapsManifest("sm_90", map)})
    for (int i = 0; i < 3000; ++i) {
      std::string altered = good;
      for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes)
        altered[random() % altered.size()] = static_cast<char>(random());
      refusal(altered); // whatever it says, it comes back
    }
}

TEST_CASE("manifest: clauses times variants are bounded") {
  std::string clause = R"({"text": "", "expr": ["lt", ["const", "N"], ["arg", 0]]})",
              clauses = clause, variants;
  for (int i = 0; i < 3000; ++i)
    clauses += "," + clause;
  for (int i = 0; i < 3000; ++i)
    variants += std::string(i ? "," : "") + R"({"symbol": "k", "values": [1], "warps": 1})";
  CHECK(contains(refusal(R"({"schema": 1, "arch": "host", "kernels": [{"name": "k",
    "params": [{"name": "a", "kind": "i32"}], "const_params": [{"name": "N", "type": "i32"}],
    "grid": [{"text": "1", "expr": 1}], "requires": [)" +
                         clauses + R"(], "variants": [)" + variants + "]}]}"),
                 "too many clauses and variants"));
}
