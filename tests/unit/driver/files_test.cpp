// Output files, depfiles, plans, times. Alone: build/release/bin/unit_driver --test-case='files*'.
#include "compiler/driver/depfile.h"
#include "compiler/driver/errors.h"
#include "compiler/driver/output.h"
#include "compiler/driver/parallel.h"
#include "compiler/driver/plan.h"
#include "compiler/driver/timings.h"
#include "compiler/target/codegen.h"
#include "tests/unit/temporary_folder.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

using namespace tilec;
namespace fs = std::filesystem;

namespace {

std::string textOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

} // namespace

TEST_CASE("files: nothing is in its place before commit, everything after") {
  TemporaryFolder folder;
  OutputSet outputs;
  REQUIRE(textOf(outputs.add((folder.path / "a").string(), "one")) == "");
  REQUIRE(textOf(outputs.add((folder.path / "b").string(), "two")) == "");
  CHECK_FALSE(fs::exists(folder.path / "a"));
  REQUIRE(textOf(outputs.commit()) == "");
  CHECK(folder.read("a") == "one");
  CHECK(folder.read("b") == "two");
  CHECK(folder.count() == 2);
}

TEST_CASE("files: what is not committed leaves no trace") {
  TemporaryFolder folder;
  {
    OutputSet outputs;
    REQUIRE(textOf(outputs.add((folder.path / "a").string(), "one")) == "");
  }
  CHECK(folder.count() == 0);
}

TEST_CASE("files: a place that cannot be written is an error that names it") {
  TemporaryFolder folder;
  OutputSet outputs;
  std::string missing = (folder.path / "no" / "a").string();
  CHECK(textOf(outputs.add(missing, "x")).find("cannot write '" + missing + "'") == 0);
  CHECK(textOf(outputs.add(folder.path.string(), "x")).find("it is a folder") != std::string::npos);
}

TEST_CASE("files: an existing file is replaced and keeps its plain permissions") {
  TemporaryFolder folder;
  folder.write("a", "old");
  OutputSet outputs;
  REQUIRE(textOf(outputs.add((folder.path / "a").string(), "new")) == "");
  REQUIRE(textOf(outputs.commit()) == "");
  CHECK(folder.read("a") == "new");
  CHECK((fs::status(folder.path / "a").permissions() & fs::perms::owner_exec) == fs::perms::none);
}

TEST_CASE("files: a depfile escapes what make would take apart") {
  SourceManager sources;
  sources.add("my kernel.tile", "");
  sources.add("a$b#.tile", "");
  sources.add("prelude", "", /*builtin=*/true);
  Options options;
  options.output = "out.o";
  options.header = "out.h";
  CHECK(writeDepfile(options, sources) == "out.o: \\\n  my\\ kernel.tile \\\n  a$$b\\#.tile\n");
}

TEST_CASE("files: every piece of parallel work is done once") {
  for (unsigned jobs : {1u, 3u, 100u}) {
    std::vector<std::atomic<int>> counts(20);
    runParallel(jobs, counts.size(), [&](size_t i) { ++counts[i]; });
    for (const std::atomic<int> &count : counts)
      CHECK(count == 1);
  }
}

TEST_CASE("files: times of one stage add up") {
  Timings timings;
  timings.add("a", 1);
  timings.add("b", 5);
  timings.add("a", 2);
  CHECK(timings.entries()[0].seconds == 3);
  CHECK(timings.entries()[0].count == 2);
  CHECK(timings.table(9).find("5000.00      1  b") != std::string::npos);
}

TEST_CASE("files: a plan without ptxas embeds PTX in objects and fails for cubins") {
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  setenv("TILEC_PTXAS", "/nonexistent/ptxas", 1);
  Options options;
  options.archs = {"sm_80", "host"};
  options.product = Product::Object;
  Plan plan = llvm::cantFail(makePlan(options));
  CHECK(plan.gpus.front().ptx);
  CHECK_FALSE(plan.gpus.front().cubin);
  CHECK(plan.notes.size() == 1);
  options.archs = {"sm_80"};
  options.product = Product::Cubin;
  CHECK(makePlan(options).takeError().isA<ToolError>());
  unsetenv("TILEC_PTXAS");
}

TEST_CASE("files: the same architecture as cubin and PTX is compiled once") {
  Options options;
  options.archs = {"sm_80"};
  options.ptxArchs = {"sm_80", "sm_90"};
  options.product = Product::Object;
  Plan plan = llvm::cantFail(makePlan(options));
  REQUIRE(plan.gpus.size() == 2);
  CHECK(plan.gpus[0].ptx);
  CHECK(plan.gpus[1].target.name() == "sm_90");
  CHECK_FALSE(plan.gpus[1].cubin);
}
