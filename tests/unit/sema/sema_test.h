// Helpers of the sema tests: source text in, IR text, contract and messages out.
#pragma once

#include "compiler/sema/program.h"

#include "doctest/doctest.h"
#include "mlir/IR/MLIRContext.h"

#include <sstream>

namespace tilec::test {

/// The analysis of one source text.
class Analysis {
public:
  explicit Analysis(const std::string &source, SemaOptions options = {})
      : context(mlir::MLIRContext::Threading::DISABLED), diagnostics(sources) {
    uint32_t file = sources.add("test.tile", source);
    parsed = parseProgram(sources, file, diagnostics);
    program = analyze(parsed, options, context, sources, diagnostics);
  }

  /// The IR of the variant of that number; empty when there is none.
  std::string ir(size_t variant = 0) const {
    if (variant >= program.variants.size())
      return "";
    std::string text;
    llvm::raw_string_ostream stream(text);
    program.variants[variant].module.get()->print(stream);
    return text;
  }
  /// All errors, one a line: `line:column: message`, notes after ` | `.
  std::string errors() const {
    std::string text;
    for (const auto &diagnostic : diagnostics.all()) {
      auto position = sources.position(diagnostic->range);
      text += std::to_string(position.line) + ":" + std::to_string(position.column) + ": " +
              diagnostic->message;
      for (const Diagnostic &note : diagnostic->notes)
        text += " | " + std::to_string(sources.position(note.range).line) + ": " + note.message;
      text += "\n";
    }
    return text;
  }
  /// How often `fragment` occurs in the IR of the first variant.
  size_t count(const std::string &fragment) const {
    std::string text = ir();
    size_t number = 0;
    for (size_t at = text.find(fragment); at != std::string::npos; at = text.find(fragment, at + 1))
      ++number;
    return number;
  }
  bool has(const std::string &fragment) const { return count(fragment) != 0; }

  mlir::MLIRContext context;
  SourceManager sources;
  DiagnosticEngine diagnostics;
  ParsedProgram parsed;
  Program program;
};

/// A kernel over `p: ptr<f32>, q: ptr<const f32>, i: ptr<i32>, n: i32, m: i32` with that body.
inline Analysis body(const std::string &statements, SemaOptions options = {}) {
  return Analysis(
      "kernel k(p: ptr<f32>, q: ptr<const f32>, i: ptr<i32>, n: i32, m: i32) grid 1 {\n" +
          statements + "\n}\n",
      std::move(options));
}

} // namespace tilec::test

namespace doctest {
template <> struct StringMaker<std::string> {
  static String convert(const std::string &text) { return text.c_str(); }
};
} // namespace doctest
