// Diagnostics as a JSON array, for editors and scripts: one object a diagnostic, positions as in
// the text form (from 1, columns in code points), the end exclusive.
#include "compiler/syntax/diagnostics.h"

#include <nlohmann/json.hpp>

#include <ostream>

namespace tilec {

using Json = nlohmann::ordered_json;

static Json toJson(const SourceManager &sources, SourceRange range) {
  auto begin = sources.position(range);
  auto end = sources.position({range.file, range.offset + range.length, 0});
  return {{"file", sources.file(range.file).path},
          {"line", begin.line},
          {"column", begin.column},
          {"end_line", end.line},
          {"end_column", end.column},
          {"offset", range.offset},
          {"length", range.length}};
}

static Json toJson(const SourceManager &sources, const Diagnostic &diagnostic) {
  static constexpr const char *severities[] = {"error", "warning", "note"};
  Json result;
  result["severity"] = severities[static_cast<int>(diagnostic.severity)];
  result["message"] = diagnostic.message;
  if (!diagnostic.warning.empty())
    result["warning"] = diagnostic.warning;
  result["range"] = toJson(sources, diagnostic.range);
  for (const Diagnostic &note : diagnostic.notes)
    result["notes"].push_back(toJson(sources, note));
  for (const FixIt &fixit : diagnostic.fixits)
    result["fixits"].push_back({{"range", toJson(sources, fixit.range)}, {"text", fixit.text}});
  return result;
}

void DiagnosticEngine::printJson(std::ostream &out) const {
  Json all = Json::array();
  for (const auto &diagnostic : diagnostics_)
    all.push_back(toJson(sources_, *diagnostic));
  // Paths and quoted names may hold any bytes; JSON must be UTF-8.
  out << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace tilec
