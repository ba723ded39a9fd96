// The diagnostic engine: collects, drops repetitions, applies the warning options.
#include "compiler/syntax/diagnostics.h"

#include <algorithm>

namespace tilec {

Diagnostic &DiagnosticEngine::error(SourceRange range, std::string message) {
  return keep(Severity::Error, range, std::move(message), {});
}

Diagnostic &DiagnosticEngine::warning(SourceRange range, std::string name, std::string message) {
  // -Wno-name wins over -Werror: nobody asks for an error that was switched off.
  if (warnings_.disabled.count(name))
    return drop();
  bool isError = warnings_.allAsErrors || warnings_.asErrors.count(name);
  return keep(isError ? Severity::Error : Severity::Warning, range, std::move(message),
              std::move(name));
}

void DiagnosticEngine::note(Diagnostic &to, SourceRange range, std::string message) {
  Diagnostic note;
  note.severity = Severity::Note;
  note.range = range;
  note.message = std::move(message);
  to.notes.push_back(std::move(note));
}

void DiagnosticEngine::fixit(Diagnostic &to, SourceRange range, std::string text) {
  to.fixits.push_back({range, std::move(text)});
}

Diagnostic &DiagnosticEngine::drop() {
  dropped_ = std::make_unique<Diagnostic>();
  return *dropped_;
}

Diagnostic &DiagnosticEngine::keep(Severity severity, SourceRange range, std::string message,
                                   std::string warning) {
  uint64_t place = (uint64_t{range.file} << 32) | range.offset;
  bool isNew = seen_.insert({{place, range.length}, message}).second;
  if (!isNew)
    return drop();
  if (severity == Severity::Error && ++errors_ > kMaxErrors) {
    if (errors_ == kMaxErrors + 1)
      note(*diagnostics_.back(), range, "there are more errors from here on; they are not shown");
    return drop();
  }
  if (severity == Severity::Warning && errors_ > kMaxErrors)
    return drop();
  auto diagnostic = std::make_unique<Diagnostic>();
  diagnostic->severity = severity;
  diagnostic->range = range;
  diagnostic->message = std::move(message);
  diagnostic->warning = std::move(warning);
  diagnostics_.push_back(std::move(diagnostic));
  return *diagnostics_.back();
}

void DiagnosticEngine::sortByPosition(size_t first) {
  auto before = [](const auto &a, const auto &b) {
    return std::pair(a->range.file, a->range.offset) < std::pair(b->range.file, b->range.offset);
  };
  // Stable, by insertion: there are few, and mostly in order.
  auto begin = diagnostics_.begin() + static_cast<ptrdiff_t>(first);
  for (auto next = begin; next != diagnostics_.end(); ++next)
    std::rotate(std::upper_bound(begin, next, *next, before), next, next + 1);
}

const std::vector<std::pair<std::string, std::string>> &warningNames() {
  static const std::vector<std::pair<std::string, std::string>> names = {
      {"unmasked-load", "a load or store has no mask, though its index is compared with a bound"},
  };
  return names;
}

} // namespace tilec
