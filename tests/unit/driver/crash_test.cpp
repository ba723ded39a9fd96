// Crashes of the compiler itself. Alone: build/release/bin/unit_driver --test-case='crash*'.
#include "compiler/driver/crash.h"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

using namespace tilec;

TEST_CASE("crash: one line says where, and the status is 1") {
  if (!CrashScope::enabled)
    return;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    std::string input = "a.tile";
    WatchState watch{"softmax__BLOCK_128", "tile-prefetch", "", 0};
    CrashScope scope(input, watch);
    std::raise(SIGSEGV);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[512];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, size);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(text ==
        "a.tile: error: internal error: the compiler crashed in tile-prefetch while compiling "
        "'softmax__BLOCK_128'\n");
}
