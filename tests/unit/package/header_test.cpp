// The C and C++ header: its text, and that compilers take it without a warning. Alone:
// build/release/bin/unit_package --test-case='header*'.
#include "compiler/target/temporary_file.h"
#include "tests/unit/package/fixture.h"

#include "llvm/Support/Program.h"

#include <doctest/doctest.h>

using namespace tilec;
using namespace tilec::test;

namespace {

/// Compiles `source` strictly after including the header twice; "" when that works (or there is no
/// compiler here).
std::string compile(bool cxx, const std::string &header, const std::string &source) {
  llvm::ErrorOr<std::string> compiler =
      llvm::sys::findProgramByName(cxx ? "clang++-22" : "clang-22");
  if (!compiler)
    return "";
  TemporaryFile included = llvm::cantFail(TemporaryFile::create("h"));
  TemporaryFile file = llvm::cantFail(TemporaryFile::create(cxx ? "cpp" : "c"));
  TemporaryFile log = llvm::cantFail(TemporaryFile::create("log"));
  std::string include = "#include \"" + included.path().str() + "\"\n";
  llvm::cantFail(included.write(header));
  llvm::cantFail(file.write(include + include + source));
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), log.path(), log.path()};
  std::vector<llvm::StringRef> arguments = {*compiler,       cxx ? "-std=c++20" : "-std=c11",
                                            "-Wall",         "-Wextra",
                                            "-Werror",       "-pedantic",
                                            "-fsyntax-only", "-I" TILERT_INCLUDE,
                                            file.path()};
  int status = llvm::sys::ExecuteAndWait(*compiler, arguments, std::nullopt, redirects);
  return status == 0 ? "" : "failed: " + llvm::cantFail(log.read());
}

} // namespace

TEST_CASE("header: a C++ function has typed pointers, the documentation, and returns a Status") {
  std::string header = writeHeader({softmax()}, "softmax", "app");
  CHECK(contains(header, "namespace app {"));
  CHECK(contains(header, "inline tilert::Status softmax(tilert::Stream stream, float *dst, "
                         "const float *src,"));
  CHECK(contains(header, "/** Row-wise softmax.\n * One row a program.\n"
                         " * Requires: n_cols <= BLOCK */"));
  CHECK(contains(header, "inline tilert_kernel_ref softmax = {&tilec_library_app__softmax, "
                         "\"softmax\", nullptr};"));
}

TEST_CASE("header: a C function has the namespace as its prefix") {
  std::string header = writeHeader({softmax()}, "softmax", "a::b");
  CHECK(contains(header,
                 "static inline tilert_status a_b_softmax(tilert_stream stream, float *dst,"));
}

TEST_CASE("header: it compiles as C and C++ without a warning, included twice") {
  std::string header = writeHeader({softmax(), scale({"f16", "bf16"})}, "softmax", "app");
  CHECK(compile(false, header,
                "tilert_status f(float *p, tilert_view v) {\n"
                "  app_softmax((tilert_stream)0, p, p, 5);\n"
                "  return app_scale_f16((tilert_stream)0, true, v, 1.0f);\n}\n") == "");
  CHECK(compile(true, header,
                "bool f(float *p, tilert::View<tilert::bfloat16, 2> v) {\n"
                "  tilert::Status status = app::softmax(nullptr, p, p, 5);\n"
                "  return status && app::scale<true>(nullptr, v, 1.0f);\n}\n") == "");
}

TEST_CASE("header: pointers of the wrong type are refused") {
  std::string header = writeHeader({softmax()}, "softmax", "app");
  CHECK(
      contains(compile(true, header, "void f(int *p) { (void)app::softmax(nullptr, p, p, 5); }\n"),
               "error"));
}

TEST_CASE("header: types that C++ cannot tell apart get a suffix instead of an overload") {
  std::string header = writeHeader({scale({"f8e4m3", "f8e5m2"})}, "scale", "app");
  CHECK(contains(header, "tilert::Status scale_f8e4m3("));
  CHECK(contains(header, "tilert::Status scale_f8e5m2("));
}

TEST_CASE("header: a selected float is a template argument in C++, a leading argument in C") {
  KernelContract kernel = softmax();
  kernel.constParams[0] = {"SCALE", "f32", true};
  for (VariantContract &variant : kernel.variants)
    variant.values = {0.5};
  std::string header = writeHeader({kernel}, "softmax", "");
  CHECK(compile(true, header,
                "bool f(float *p) { return bool(softmax<0.5>(nullptr, p, p, 5)); }\n") == "");
  CHECK(compile(false, header,
                "int f(float *p) { return softmax((tilert_stream)0, 0.5, p, p, 5); }\n") == "");
}

TEST_CASE("header: hostile names and documentation still compile") {
  KernelContract kernel = softmax();
  kernel.name = "class";
  kernel.doc = "ends */ int x; /* nested // \\\nline two \\";
  kernel.params[0].name = "new";
  kernel.params[1].name = "stream";
  kernel.params[2].name = "arguments";
  std::string header = writeHeader({kernel}, "soft-max.v2", "app");
  CHECK(compile(false, header, "") == "");
  CHECK(compile(true, header, "") == "");
}

TEST_CASE("header: a kernel without parameters compiles") {
  KernelContract kernel;
  kernel.name = "nothing";
  std::string header = writeHeader({kernel}, "nothing", "");
  CHECK(compile(false, header, "int f(void) { return nothing((tilert_stream)0); }\n") == "");
  CHECK(compile(true, header, "bool f() { return bool(nothing(nullptr)); }\n") == "");
}
