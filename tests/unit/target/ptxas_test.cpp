// Finding and running ptxas. Alone: build/release/bin/unit_target --test-case='ptxas*'.
#include "compiler/target/codegen.h"
#include "compiler/target/ptxas_log.h"
#include "tests/unit/temporary_folder.h"
#include "tests/unit/text.h"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace tilec;

namespace {

const char *const kKernel = ".version 9.0\n.target sm_80\n.address_size 64\n"
                            ".visible .entry k(.param .u64 p) {\n  ret;\n}\n";

llvm::Expected<Cubin> assembleWith(const std::string &ptxas, const std::string &ptx = kKernel) {
  return assemble(ptx, *parseTarget("sm_80"), ptxas, 3, false);
}

/// Runs `body` with TMPDIR set to an empty folder and checks that the folder is empty again.
template <typename Body> void leavesNoFiles(Body body) {
  TemporaryFolder folder;
  setenv("TMPDIR", folder.path.c_str(), 1);
  body();
  unsetenv("TMPDIR");
  CHECK(folder.count() == 0);
}

} // namespace

TEST_CASE("ptxas: the option decides, and a wrong one is not worked around") {
  CHECK(findPtxas("/bin/true").path == "/bin/true");
  PtxasLocation wrong = findPtxas("/nonexistent/ptxas");
  CHECK(wrong.path == "");
  CHECK(contains(wrong.error, "--ptxas names '/nonexistent/ptxas'"));
  CHECK(contains(wrong.error, "CUDA toolkit"));
}

TEST_CASE("ptxas: TILEC_PTXAS comes before everything but the option") {
  setenv("TILEC_PTXAS", "/bin/true", 1);
  CHECK(findPtxas("").path == "/bin/true");
  CHECK(findPtxas("/bin/false").path == "/bin/false");
  unsetenv("TILEC_PTXAS");
}

TEST_CASE("ptxas: its own words are in the error when it fails") {
  PtxasLocation ptxas = findPtxas("");
  if (ptxas.path.empty())
    return;
  leavesNoFiles([&] {
    llvm::Expected<Cubin> cubin = assembleWith(ptxas.path, "this is not PTX\n");
    REQUIRE_FALSE(cubin);
    llvm::Error error = cubin.takeError();
    CHECK(error.isA<ToolError>());
    CHECK(contains(llvm::toString(std::move(error)), "ptxas fatal"));
  });
}

TEST_CASE("ptxas: a kernel gets its registers, and no temporary file stays") {
  PtxasLocation ptxas = findPtxas("");
  if (ptxas.path.empty())
    return;
  leavesNoFiles([&] {
    Cubin cubin = llvm::cantFail(assembleWith(ptxas.path));
    CHECK(cubin.bytes.substr(1, 3) == "ELF");
    REQUIRE(cubin.kernels.count("k"));
    CHECK(cubin.kernels["k"].registers > 0);
    CHECK(cubin.kernels["k"].spillBytes == 0);
  });
}

TEST_CASE("ptxas: a program that fails silently is named with its exit status") {
  leavesNoFiles([] {
    std::string text = llvm::toString(assembleWith("/bin/false").takeError());
    CHECK(text == "'/bin/false' failed with exit status 1");
  });
}

TEST_CASE("ptxas: a program that succeeds without writing is an error") {
  leavesNoFiles([] {
    std::string text = llvm::toString(assembleWith("/bin/true").takeError());
    CHECK(text == "'/bin/true' succeeded but wrote nothing");
  });
}

TEST_CASE("ptxas: a program that is not there is a tool error") {
  leavesNoFiles([] { CHECK(assembleWith("/nonexistent").takeError().isA<ToolError>()); });
}

TEST_CASE("ptxas: registers, spills and shared memory are read for each kernel") {
  Cubin cubin;
  readPtxasLog("ptxas info    : 0 bytes gmem\n"
               "ptxas info    : Compiling entry function 'a' for 'sm_80'\n"
               "ptxas info    : Function properties for a\n"
               "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
               "ptxas info    : Used 255 registers, used 1 barriers, 512 bytes smem\n"
               "ptxas info    : Compiling entry function 'b' for 'sm_80'\n"
               "ptxas warning : something odd\n"
               "ptxas info    : Used 8 registers, used 0 barriers, 368 bytes cmem[0]\n",
               cubin);
  CHECK(cubin.kernels["a"].registers == 255);
  CHECK(cubin.kernels["a"].spillBytes == 20);
  CHECK(cubin.kernels["a"].staticSharedBytes == 512);
  CHECK(cubin.kernels["b"].registers == 8);
  CHECK(cubin.kernels["b"].spillBytes == -1);
  CHECK(cubin.warnings == "ptxas warning : something odd\n");
}
