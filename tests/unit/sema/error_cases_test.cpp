// The cases of tests/errors/sema, without the driver: each .tile gives exactly its .expected.
// tests/errors/run.py runs them through tilec and can rewrite the expectations.
#include "tests/unit/sema/sema_test.h"

#include <filesystem>
#include <fstream>

using namespace tilec;
namespace fs = std::filesystem;

static std::string readFile(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// `// options: -D k.A=1,2` in the first line.
static SemaOptions optionsOf(const std::string &source) {
  SemaOptions options;
  const std::string prefix = "// options:";
  if (source.compare(0, prefix.size(), prefix) != 0)
    return options;
  std::istringstream words(source.substr(prefix.size(), source.find('\n') - prefix.size()));
  for (std::string word; words >> word;) {
    if (word == "-D")
      continue;
    Definition definition;
    size_t dot = word.find('.'), equals = word.find('=');
    definition.kernel = word.substr(0, dot);
    definition.name = word.substr(dot + 1, equals - dot - 1);
    std::istringstream values(word.substr(equals + 1));
    for (std::string value; std::getline(values, value, ',');)
      definition.values.push_back(value);
    options.definitions.push_back(definition);
  }
  return options;
}

static std::string messages(const fs::path &path) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  std::string source = readFile(path);
  uint32_t file = sources.add(path.filename().string(), source);
  ParsedProgram parsed = parseProgram(sources, file, diagnostics);
  analyze(parsed, optionsOf(source), context, sources, diagnostics);
  std::ostringstream text;
  diagnostics.printText(text);
  return text.str();
}

TEST_CASE("every bad program of tests/errors/sema gets its message") {
  size_t cases = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(TILEC_ERROR_CASES)) {
    if (entry.path().extension() != ".tile")
      continue;
    ++cases;
    fs::path expected = entry.path();
    expected.replace_extension(".expected");
    CHECK_MESSAGE(messages(entry.path()) == readFile(expected), entry.path().filename());
  }
  CHECK(cases >= 40);
}
