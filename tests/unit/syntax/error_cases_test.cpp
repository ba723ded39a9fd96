// The cases of tests/errors/syntax, without a compiler around the parser: what is wrong with syntax
// is said by the parser alone, exactly as tilec prints it. tests/errors/run.py updates the
// expectations. Alone: build/release/bin/unit_syntax --test-suite=error_cases
#include "parsed.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace tilec;
namespace fs = std::filesystem;

TEST_SUITE_BEGIN("error_cases");

static std::string contents(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

static std::string diagnose(const fs::path &path) {
  SourceManager sources;
  std::string error;
  auto main = sources.open(path.string(), error);
  REQUIRE_MESSAGE(main, error);
  DiagnosticEngine diagnostics(sources);
  parseProgram(sources, *main, diagnostics);
  std::ostringstream out;
  diagnostics.printText(out);
  return out.str();
}

TEST_CASE("every bad program gets exactly its messages") {
  fs::path before = fs::current_path();
  fs::current_path(TILEC_ERROR_CASES); // messages show the path as it was given
  std::vector<fs::path> cases;
  for (const auto &entry : fs::directory_iterator("."))
    if (entry.path().extension() == ".tile")
      cases.push_back(entry.path().filename());
  std::sort(cases.begin(), cases.end());
  CHECK(cases.size() >= 60);
  for (const fs::path &path : cases) {
    fs::path expected = path;
    expected.replace_extension(".expected");
    CHECK_MESSAGE(diagnose(path) == contents(expected), path.string());
  }
  fs::current_path(before);
}

TEST_SUITE_END();
