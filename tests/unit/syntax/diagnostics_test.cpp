// Diagnostics: the engine and both output formats.
// Alone: build/release/bin/unit_syntax --test-suite=diagnostics
#include "parsed.h"

#include <nlohmann/json.hpp>

using namespace tilec;
using namespace tilec::test;

TEST_SUITE_BEGIN("diagnostics");

/// One file and an engine over it.
struct Fixture {
  explicit Fixture(std::string text = "let x = y;\n", WarningOptions options = {})
      : file(sources.add("a.tile", std::move(text))), engine(sources, std::move(options)) {}
  std::string text(bool color = false) const {
    std::ostringstream out;
    engine.printText(out, color);
    return out.str();
  }
  SourceManager sources;
  uint32_t file;
  DiagnosticEngine engine;
};

TEST_CASE("text shows the line, the range and the fix-it") {
  Fixture f;
  DiagnosticEngine::fixit(f.engine.error({f.file, 4, 5}, "message"), {f.file, 8, 1}, "z");
  CHECK(f.text() == "a.tile:1:5: error: message\n"
                    "    1 | let x = y;\n"
                    "      |     ^~~~~\n"
                    "      |         z\n");
}

TEST_CASE("a note has an excerpt of its own unless it is on the place of its error") {
  Fixture f;
  Diagnostic &error = f.engine.error({f.file, 4, 1}, "message");
  DiagnosticEngine::note(error, {f.file, 4, 1}, "more");
  DiagnosticEngine::note(error, {f.file, 8, 1}, "here");
  CHECK(f.text() == "a.tile:1:5: error: message\n"
                    "    1 | let x = y;\n"
                    "      |     ^\n"
                    "a.tile:1:5: note: more\n"
                    "a.tile:1:9: note: here\n"
                    "    1 | let x = y;\n"
                    "      |         ^\n");
}

TEST_CASE("tabs, wide text and control characters keep the caret in its column") {
  Fixture f("\t\xC3\xA4\x01\xFF x\n");
  f.engine.error({f.file, 6, 1}, "message");
  CHECK(f.text() == "a.tile:1:6: error: message\n"
                    "    1 |     \xC3\xA4\xEF\xBF\xBD\xEF\xBF\xBD x\n"
                    "      |         ^\n");
}

TEST_CASE("a range over several lines is underlined to the end of its first") {
  Fixture f("one two\nthree\n");
  f.engine.error({f.file, 4, 8}, "message");
  CHECK(f.text() == "a.tile:1:5: error: message\n"
                    "    1 | one two\n"
                    "      |     ^~~\n");
}

TEST_CASE("of a long line the part around the caret is shown") {
  Fixture f(std::string(100000, 'a') + "X" + std::string(100000, 'b'));
  f.engine.error({f.file, 100000, 100001}, "message");
  CHECK(f.text() == "a.tile:1:100001: error: message\n    1 | " + std::string(40, 'a') + "X" +
                        std::string(59, 'b') + "\n      | " + std::string(40, ' ') + "^" +
                        std::string(59, '~') + "\n");
}

TEST_CASE("positions at and behind the end of the file are shown") {
  Fixture f("x");
  f.engine.error({f.file, 1, 0}, "end");
  f.engine.error({f.file, 100, 5}, "behind");
  CHECK(f.text() == "a.tile:1:2: error: end\n    1 | x\n      |  ^\n"
                    "a.tile:1:2: error: behind\n    1 | x\n      |  ^\n");
}

TEST_CASE("colours only when asked for") {
  Fixture f;
  f.engine.error({f.file, 0, 1}, "message");
  CHECK(f.text(false).find('\x1b') == std::string::npos);
  CHECK(f.text(true).find("\x1b[1;31merror: \x1b[0m") != std::string::npos);
}

TEST_CASE("the same message at the same place is reported once") {
  Fixture f;
  f.engine.error({f.file, 0, 1}, "message");
  f.engine.error({f.file, 0, 1}, "message");
  f.engine.error({f.file, 1, 1}, "message");
  CHECK(f.engine.all().size() == 2);
  CHECK(f.engine.errorCount() == 2);
}

TEST_CASE("a flood of errors ends with a note") {
  Fixture f(std::string(200, 'x'));
  for (uint32_t i = 0; i < 150; ++i)
    f.engine.error({f.file, i, 1}, "message");
  CHECK(f.engine.errorCount() == 150);
  REQUIRE(f.engine.all().size() == DiagnosticEngine::kMaxErrors);
  REQUIRE(f.engine.all().back()->notes.size() == 1);
  CHECK(f.engine.all().back()->notes[0].range.offset == 100);
}

TEST_CASE("warnings can be switched off and made errors") {
  WarningOptions options;
  options.disabled = {"off"};
  options.asErrors = {"fatal"};
  Fixture f("let x = y;\n", options);
  f.engine.warning({f.file, 0, 1}, "off", "not seen");
  CHECK(f.engine.all().empty());
  f.engine.warning({f.file, 0, 1}, "plain", "seen");
  CHECK(!f.engine.hasErrors());
  f.engine.warning({f.file, 4, 1}, "fatal", "stops");
  CHECK(f.engine.hasErrors());
  CHECK(f.text().find("a.tile:1:1: warning: seen [-Wplain]") == 0);
  CHECK(f.text().find("a.tile:1:5: error: stops [-Werror=fatal]") != std::string::npos);
}

TEST_CASE("sorting by position keeps the order of equals") {
  Fixture f;
  f.engine.error({f.file, 5, 1}, "first");
  f.engine.error({f.file, 9, 1}, "d");
  f.engine.error({f.file, 2, 1}, "b");
  f.engine.error({f.file, 2, 2}, "c");
  f.engine.sortByPosition(1);
  std::string order;
  for (const auto &diagnostic : f.engine.all())
    order += diagnostic->message + " ";
  CHECK(order == "first b c d ");
}

TEST_CASE("JSON has positions, notes and fix-its, and is UTF-8 whatever the text") {
  Fixture f("\xC3\xA4 = \xFF;\n");
  Diagnostic &error = f.engine.error({f.file, 5, 1}, "bad '\xFF'");
  DiagnosticEngine::note(error, {f.file, 0, 2}, "here");
  DiagnosticEngine::fixit(error, {f.file, 5, 1}, "0");
  std::ostringstream out;
  f.engine.printJson(out);
  auto json = nlohmann::json::parse(out.str());
  REQUIRE(json.size() == 1);
  CHECK(json[0]["severity"] == "error");
  CHECK(json[0]["message"] == "bad '\xEF\xBF\xBD'");
  CHECK(json[0]["range"]["file"] == "a.tile");
  CHECK(json[0]["range"]["line"] == 1);
  CHECK(json[0]["range"]["column"] == 5);
  CHECK(json[0]["range"]["end_column"] == 6);
  CHECK(json[0]["notes"][0]["range"]["column"] == 1);
  CHECK(json[0]["fixits"][0]["text"] == "0");
}

TEST_CASE("without diagnostics JSON is an empty array and text is empty") {
  Fixture f;
  std::ostringstream out;
  f.engine.printJson(out);
  CHECK(out.str() == "[]\n");
  CHECK(f.text().empty());
}

TEST_SUITE_END();
