// `tilec inspect`. Alone: build/release/bin/unit_package --test-case='inspect*'.
#include "tests/unit/package/fixture.h"

#include "llvm/Support/JSON.h"

#include <doctest/doctest.h>

using namespace tilec;
using namespace tilec::test;

namespace {

/// A PTX file with this manifest, as LLVM writes one.
std::string assemblyWith(const std::string &manifest) {
  std::string text =
      ".version 9.0\n.target sm_80\n.visible .global .align 1 .b8 __tilec_manifest[" +
      std::to_string(manifest.size() + 1) + "] = {";
  for (char c : manifest)
    text += std::to_string(static_cast<unsigned char>(c)) + ", ";
  return text + "0};\n";
}

} // namespace

TEST_CASE("inspect: shows parameters, contracts and variants") {
  std::string text = llvm::cantFail(
      inspect(assemblyWith(writeManifest({softmax()}, target("sm_80"), false)), false));
  CHECK(contains(text, "ptx for sm_80, PTX ISA 9.0"));
  CHECK(contains(text, "kernel softmax(dst: ptr<f32>, src: ptr<const f32>, n_cols: i32)"));
  CHECK(contains(text, "  /// Row-wise softmax.\n"));
  CHECK(contains(text, "  requires n_cols <= BLOCK\n"));
  CHECK(contains(text, "  variant             BLOCK  specialized  warps  cluster  shared  maps"));
  CHECK(contains(text, "  softmax__BLOCK_128    128           no      4        1      64     0"));
}

TEST_CASE("inspect: counts the tensor maps of a variant") {
  KernelContract kernel = softmax();
  kernel.variants.front().maps = {{1, {1, 0}, {64, 128}, 128}, {0, {1, 0}, {64, 64}, 128}};
  std::string text =
      llvm::cantFail(inspect(assemblyWith(writeManifest({kernel}, target("sm_90"), false)), false));
  CHECK(contains(text, "  softmax__BLOCK_128    128           no      4        1      64     2"));
}

TEST_CASE("inspect: shows views") {
  KernelContract kernel = scale({"f16"});
  kernel.params[0].wideExtents = true;
  kernel.params[0].isConst = true;
  CHECK(contains(
      llvm::cantFail(inspect(assemblyWith(writeManifest({kernel}, target("sm_80"), false)), false)),
      "kernel scale(x: view<const T, 2> (extents i64), factor: f32)"));
}

TEST_CASE("inspect: --json is one array of images with their manifests") {
  std::string manifest = writeManifest({softmax()}, target("sm_80"), false);
  llvm::json::Value value =
      llvm::cantFail(llvm::json::parse(llvm::cantFail(inspect(assemblyWith(manifest), true))));
  const llvm::json::Object *image = value.getAsArray()->front().getAsObject();
  CHECK(image->getString("kind") == llvm::StringRef("ptx"));
  CHECK(*image->get("manifest") == llvm::cantFail(llvm::json::parse(manifest)));
}

TEST_CASE("inspect: a manifest that is no JSON is an error") {
  for (const char *manifest : {"{\"kernels\":", "[1]", "\"text\""}) {
    llvm::Expected<std::string> text = inspect(assemblyWith(manifest), false);
    REQUIRE_FALSE(bool(text));
    CHECK(contains(llvm::toString(text.takeError()), "the manifest is not what tilec writes"));
  }
}

TEST_CASE("inspect: a manifest of the wrong shape shows what it has") {
  std::string odd = R"({"kernels":[1,{"name":2,"params":[3],"variants":[{"values":"x"}]}]})";
  CHECK(contains(llvm::cantFail(inspect(assemblyWith(odd), false)), "kernel -(-)"));
}
