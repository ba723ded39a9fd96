// Programs: imports, each file once, in the order they are needed.
// Alone: build/release/bin/unit_syntax --test-suite=program
#include "parsed.h"
#include "tests/unit/temporary_folder.h"

#include <filesystem>

using namespace tilec;
namespace fs = std::filesystem;

TEST_SUITE_BEGIN("program");

/// The names of the files of a program in their order, then its errors.
static std::string load(const TemporaryFolder &folder, const std::string &name) {
  SourceManager sources;
  std::string error;
  auto main = sources.open((folder.path / name).string(), error);
  REQUIRE(main);
  DiagnosticEngine diagnostics(sources);
  ParsedProgram program = parseProgram(sources, *main, diagnostics);
  std::string result;
  for (const auto &file : program.files)
    result += fs::path(sources.file(file->id).path).filename().string() + " ";
  for (const auto &diagnostic : diagnostics.all()) {
    std::string message = diagnostic->message;
    if (size_t at = message.find(folder.path.string()); at != std::string::npos)
      message.replace(at, folder.path.string().size(), "DIR");
    result += "| " + message + " ";
    for (const Diagnostic &note : diagnostic->notes)
      result += "(" + note.message + ") ";
  }
  return result;
}

TEST_CASE("imports come before the file that needs them, each once") {
  TemporaryFolder folder;
  folder.write("main.tile", "import \"a.tile\"; import \"sub/b.tile\"; import \"./a.tile\";");
  folder.write("a.tile", "import \"sub/b.tile\"; const A = 1;");
  folder.write("sub/b.tile", "import \"c.tile\"; const B = 1;"); // relative to sub/
  folder.write("sub/c.tile", "const C = 1;");
  CHECK(load(folder, "main.tile") == "c.tile b.tile a.tile main.tile ");
}

TEST_CASE("a cycle is an error at the import that closes it") {
  TemporaryFolder folder;
  folder.write("main.tile", "import \"a.tile\";");
  folder.write("a.tile", "import \"b.tile\";");
  folder.write("b.tile", "import \"a.tile\";");
  CHECK(load(folder, "main.tile") ==
        "b.tile a.tile main.tile | this import is part of a cycle (imported here) ");
  folder.write("self.tile", "import \"self.tile\";");
  CHECK(load(folder, "self.tile") == "self.tile | this import is part of a cycle ");
}

TEST_CASE("a file that cannot be read is one error") {
  TemporaryFolder folder;
  folder.write("main.tile", "import \"none.tile\"; import \"none.tile\"; import \".\";");
  CHECK(load(folder, "main.tile") ==
        "main.tile | cannot read 'DIR/none.tile': No such file or directory "
        "| cannot read 'DIR/': Is a directory ");
}

TEST_CASE("errors of imported files are reported, those of the main file first") {
  TemporaryFolder folder;
  folder.write("main.tile", "import \"a.tile\"; const X = ;");
  folder.write("a.tile", "const Y = 1 2;");
  CHECK(load(folder, "main.tile") ==
        "a.tile main.tile | expected expression | expected ';' after expression ");
}

TEST_CASE("a chain of imports has a limit") {
  TemporaryFolder folder;
  for (int i = 0; i < 120; ++i)
    folder.write("f" + std::to_string(i) + ".tile",
                 "import \"f" + std::to_string(i + 1) + ".tile\";");
  CHECK(load(folder, "f0.tile").find("| imports are nested too deeply: the limit is 100 files ") !=
        std::string::npos);
}

TEST_CASE("an endless file is refused") {
  SourceManager sources;
  std::string error;
  CHECK(!sources.open("/dev/zero", error));
  CHECK(error == "it is larger than 16 MiB");
}

TEST_SUITE_END();
