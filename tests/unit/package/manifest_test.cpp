// The manifest writer. Alone: build/release/bin/unit_package --test-case='manifest*'.
#include "tests/unit/package/fixture.h"

#include "llvm/Support/JSON.h"

#include <doctest/doctest.h>

#include <limits>

using namespace tilec;
using namespace tilec::test;

TEST_CASE("manifest: keys stand in the order of docs/manifest.md") {
  std::string text = writeManifest({softmax()}, target("sm_90"), false);
  CHECK(contains(text, R"("schema":1,"arch":"sm_90","ptx":"9.0","dependent_launch":true,)"
                       R"("kernels":[{"name":"softmax")"));
  CHECK(contains(text, R"({"name":"src","kind":"ptr","element":"f32","const":true})"));
  CHECK(contains(text, R"({"name":"BLOCK","type":"i32","selected":false})"));
  CHECK(contains(text, R"({"symbol":"softmax__BLOCK_128","values":[128],"specialized":false,)"
                       R"("warps":4,"cluster":1,"shared":64,"registers":-1,"spills":-1})"));
}

TEST_CASE("manifest: only images with `griddepcontrol` say that their kernels wait") {
  for (const char *name : {"sm_80", "sm_89", "host", "host:sm_90"})
    CHECK_FALSE(contains(writeManifest({softmax()}, target(name), false), "dependent_launch"));
  for (const char *name : {"sm_90a", "sm_120"})
    CHECK(contains(writeManifest({softmax()}, target(name), false), R"("dependent_launch":true)"));
}

TEST_CASE("manifest: tensor maps stand behind the shared memory, in a schema of their own") {
  KernelContract kernel = softmax();
  kernel.variants[0].maps = {{1, {1, 0}, {64, 8}, 128}};
  std::string text = writeManifest({kernel}, target("sm_90"), false);
  CHECK(contains(text, R"("schema":2,)"));
  CHECK(contains(text,
                 R"("shared":64,"maps":[{"view":1,"order":[1,0],"box":[64,8],"swizzle":128}],)"
                 R"("registers":-1)"));
}

TEST_CASE("manifest: expressions are prefix arrays") {
  std::string text = writeManifest({softmax()}, target("sm_90"), false);
  CHECK(contains(text, R"("expr":["le",["arg",2],["const","BLOCK"]])"));
  CHECK(contains(text, R"("expr":["eq",["rem",["arg",2],4],0])"));
}

TEST_CASE("manifest: an argument's index may also stand in the node itself") {
  KernelContract kernel = softmax();
  kernel.grid = {{"n_cols", {"arg", 2, 0, "", {}}, 9}};
  CHECK(contains(writeManifest({kernel}, target("sm_90"), false), R"("expr":["arg",2]}])"));
}

TEST_CASE("manifest: floats stay floats, and those JSON lacks are operations that give them") {
  KernelContract kernel = softmax();
  auto real = [](double value) { return ContractExpr{"float", 0, value, "", {}}; };
  double inf = std::numeric_limits<double>::infinity();
  kernel.grid = {
      {"", call("list", {real(2), real(0.1), real(inf), real(-inf), real(inf - inf)}), 1}};
  CHECK(contains(writeManifest({kernel}, target("sm_90"), false),
                 R"(["list",2.0,0.10000000000000001,["mul",1e+308,10.0],["mul",-1e+308,10.0],)"
                 R"(["sub",["mul",1e+308,10.0],["mul",1e+308,10.0]]])"));
}

TEST_CASE("manifest: float values are numbers, or names where JSON has none") {
  KernelContract kernel = softmax();
  double inf = std::numeric_limits<double>::infinity();
  for (double value : {0.5, inf, -inf, inf - inf})
    kernel.variants[0].values.push_back(value);
  CHECK(contains(writeManifest({kernel}, target("sm_90"), false),
                 R"("values":[128,0.5,"inf","-inf","nan"])"));
}

TEST_CASE("manifest: values are numbers, booleans and type names") {
  std::string text = writeManifest({scale({"f16"})}, target("host"), false);
  CHECK(contains(text, R"("values":["f16",true])"));
  CHECK(contains(text, R"({"name":"x","kind":"view","rank":2,"element":"T","const":false})"));
}

TEST_CASE("manifest: a view with wide extents says so") {
  KernelContract kernel = scale({"f16"});
  kernel.params[0].wideExtents = true;
  CHECK(contains(writeManifest({kernel}, target("host"), false),
                 R"("rank":2,"element":"T","const":false,"extents":"i64"})"));
}

TEST_CASE("manifest: any documentation text gives JSON that reads back") {
  KernelContract kernel = softmax();
  kernel.doc = "quotes \" backslash \\ \n control \x01 broken UTF-8 \xff end";
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse(writeManifest({kernel}, target("sm_90"), true));
  REQUIRE(bool(value));
  llvm::StringRef doc =
      *value->getAsObject()->getArray("kernels")->front().getAsObject()->getString("doc");
  CHECK(doc.starts_with("quotes \" backslash \\ \n control \x01 broken"));
}

TEST_CASE("manifest: reserved room holds any register count without changing the length") {
  std::string empty = writeManifest({softmax()}, target("sm_90"), true);
  KernelContract kernel = softmax();
  kernel.variants[0].resources.registers = 255;
  kernel.variants[0].resources.spillBytes = std::numeric_limits<int>::max();
  CHECK(writeManifest({kernel}, target("sm_90"), true).size() == empty.size());
}
