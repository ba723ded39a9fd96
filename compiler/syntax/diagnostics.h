// Diagnostics: what a user reads. `file:line:col: error: message`, the source line, a caret range,
// notes and fix-its. All errors of a run are collected; the same message at the same place (another
// variant saw it too) is reported once.
#pragma once

#include "compiler/syntax/source.h"

#include <functional>
#include <iosfwd>
#include <set>

namespace tilec {

enum class Severity { Error, Warning, Note };

struct FixIt {
  SourceRange range; ///< replaced text; length 0 inserts
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  SourceRange range;
  std::string message;
  std::string warning; ///< name without -W for a warning, else empty
  std::vector<Diagnostic> notes;
  std::vector<FixIt> fixits;
};

/// Which warnings are on and which are errors: -Wname, -Wno-name, -Werror, -Werror=name.
struct WarningOptions {
  std::set<std::string> disabled, asErrors;
  bool allAsErrors = false;
};

/// Collects diagnostics in order and drops repetitions. At most `kMaxErrors` errors are kept; the
/// last one gets a note when there were more. `errorCount` counts all.
class DiagnosticEngine {
public:
  static constexpr size_t kMaxErrors = 100;

  explicit DiagnosticEngine(const SourceManager &sources, WarningOptions warnings = {})
      : sources_(sources), warnings_(std::move(warnings)) {}

  /// Adds an error / a warning. The reference stays valid until the next call; notes and fix-its
  /// are added to it.
  Diagnostic &error(SourceRange range, std::string message);
  Diagnostic &warning(SourceRange range, std::string name, std::string message);
  static void note(Diagnostic &to, SourceRange range, std::string message);
  static void fixit(Diagnostic &to, SourceRange range, std::string text);

  /// Sorts those from index `first` on by file and offset: the passes over one file find errors in
  /// different orders.
  void sortByPosition(size_t first);

  bool hasErrors() const { return errors_ != 0; }
  size_t errorCount() const { return errors_; }
  const std::vector<std::unique_ptr<Diagnostic>> &all() const { return diagnostics_; }
  const SourceManager &sources() const { return sources_; }

  /// Prints everything as text (with ANSI colours when `color`) or as a JSON array.
  void printText(std::ostream &out, bool color = false) const;
  void printJson(std::ostream &out) const;

private:
  Diagnostic &keep(Severity severity, SourceRange range, std::string message, std::string warning);
  Diagnostic &drop();

  const SourceManager &sources_;
  WarningOptions warnings_;
  std::vector<std::unique_ptr<Diagnostic>> diagnostics_;
  std::set<std::pair<std::pair<uint64_t, uint64_t>, std::string>> seen_;
  std::unique_ptr<Diagnostic> dropped_; ///< where repeated or disabled diagnostics go
  size_t errors_ = 0;
};

/// All warning names with a one-line description, for --help and to reject unknown -W names.
const std::vector<std::pair<std::string, std::string>> &warningNames();

} // namespace tilec
