// LLVM's fatal errors end the process cleanly. Alone: build/release/bin/unit_target
// --test-case='fatal*'.
#include "compiler/target/codegen.h"
#include "compiler/target/fatal.h"
#include "compiler/target/temporary_file.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

using namespace tilec;

namespace {

/// redux of floats exists on sm_100a only: instruction selection has no pattern for it on sm_80.
const char *const kUnsupported = "declare float @llvm.nvvm.redux.sync.fmin(float, i32)\n"
                                 "define ptx_kernel void @k__s(ptr addrspace(1) %p, float %a) {\n"
                                 "  %m = call float @llvm.nvvm.redux.sync.fmin(float %a, i32 -1)\n"
                                 "  store float %m, ptr addrspace(1) %p\n  ret void\n}\n";

void compileUnsupported() {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(kUnsupported, diagnostic, context);
  Target target = *parseTarget("sm_80");
  llvm::cantFail(prepareModule(*module, target, {}));
  llvm::cantFail(emitPtx(*module, target, {}).takeError());
}

/// What a process came to.
struct Outcome {
  int status = 0;
  std::string errors;
};

/// Runs `body` in a process of its own. Its standard error is a pipe: a file would be among what a
/// fatal error removes.
template <typename Body> Outcome inChild(Body body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    body();
    _exit(0);
  }
  close(ends[1]);
  Outcome outcome;
  char buffer[256];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;)
    outcome.errors.append(buffer, size);
  close(ends[0]);
  waitpid(child, &outcome.status, 0);
  return outcome;
}

} // namespace

TEST_CASE("fatal: an instruction that cannot be selected ends with one line and status 1") {
  Outcome outcome = inChild([] {
    std::string input = "a.tile";
    FatalErrorScope scope(input);
    compileUnsupported();
  });
  REQUIRE(WIFEXITED(outcome.status));
  CHECK(WEXITSTATUS(outcome.status) == 1);
  const std::string &text = outcome.errors;
  CHECK(text.find("a.tile: error: internal error: in kernel 'k__s': Cannot select") == 0);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
}

TEST_CASE("fatal: temporary files are removed on the way out") {
  Outcome outcome = inChild([] {
    std::string input = "a.tile";
    FatalErrorScope scope(input);
    TemporaryFile file = llvm::cantFail(TemporaryFile::create("ptx"));
    std::fputs((file.path().str() + "\n").c_str(), stderr);
    compileUnsupported();
  });
  std::string path = outcome.errors.substr(0, outcome.errors.find('\n'));
  CHECK(path.find("tilec-") != std::string::npos);
  CHECK_FALSE(llvm::sys::fs::exists(path));
}

TEST_CASE("fatal: the text names the input and the kernel, and drops the dump") {
  CHECK(describeFatalError("a.tile", "Cannot select: t8: f32 = sin\n  t7: f32\nIn function: k__s",
                           nullptr) ==
        "a.tile: error: internal error: in kernel 'k__s': Cannot select: t8: f32 = sin\n");
  CHECK(describeFatalError("a.tile", "out of memory", nullptr) ==
        "a.tile: error: internal error: out of memory\n");
}
