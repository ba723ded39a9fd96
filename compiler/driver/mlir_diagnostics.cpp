#include "compiler/driver/mlir_diagnostics.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace tilec {

/// The innermost file position inside `location`, or null.
static FileLineColLoc filePosition(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part)) {
      found = file;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

SourceRange rangeOf(Location location, const SourceManager &sources, uint32_t mainFile) {
  FileLineColLoc position = filePosition(location);
  if (!position)
    return {mainFile, 0, 0};
  for (uint32_t id = 0; id < sources.fileCount(); ++id) {
    const SourceFile &file = sources.file(id);
    if (file.path != position.getFilename().getValue())
      continue;
    if (position.getLine() == 0 || position.getLine() > file.lineStarts.size())
      return {id, 0, 0};
    // Columns count code points: skip UTF-8 continuation bytes.
    uint32_t offset = file.lineStarts[position.getLine() - 1];
    for (unsigned column = 1; column < position.getColumn() && offset < file.text.size(); ++column)
      do
        ++offset;
      while (offset < file.text.size() && (file.text[offset] & 0xC0) == 0x80);
    return {id, offset, 1};
  }
  return {mainFile, 0, 0};
}

MlirDiagnostics::MlirDiagnostics(MLIRContext &context, DiagnosticEngine &diagnostics,
                                 uint32_t mainFile, const WatchState &state)
    : diagnostics_(diagnostics), mainFile_(mainFile), state_(state),
      handler_(&context, [this](mlir::Diagnostic &diagnostic) { handle(diagnostic); }) {}

/// "[layout] text" -> {"layout", "text"}; {"", all of it} without brackets.
static std::pair<std::string, std::string> splitName(const std::string &message) {
  size_t end = message.find("] ");
  if (message.empty() || message[0] != '[' || end == std::string::npos)
    return {"", message};
  return {message.substr(1, end - 1), message.substr(end + 2)};
}

void MlirDiagnostics::handle(mlir::Diagnostic &diagnostic) {
  const SourceManager &sources = diagnostics_.sources();
  SourceRange range = rangeOf(diagnostic.getLocation(), sources, mainFile_);
  switch (diagnostic.getSeverity()) {
  case mlir::DiagnosticSeverity::Error: {
    reported_ = true;
    std::string where = state_.currentPass.empty() ? "" : " in " + state_.currentPass;
    Diagnostic &error =
        diagnostics_.error(range, "internal error" + where + ": " + diagnostic.str());
    if (!state_.variant.empty())
      DiagnosticEngine::note(error, range, "while compiling '" + state_.variant + "'");
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      DiagnosticEngine::note(error, rangeOf(note.getLocation(), sources, mainFile_), note.str());
    return addCallNotes(error, diagnostic.getLocation());
  }
  case mlir::DiagnosticSeverity::Warning: {
    auto [name, text] = splitName(diagnostic.str());
    Diagnostic &warning = diagnostics_.warning(range, name, text);
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      DiagnosticEngine::note(warning, rangeOf(note.getLocation(), sources, mainFile_), note.str());
    return addCallNotes(warning, diagnostic.getLocation());
  }
  case mlir::DiagnosticSeverity::Remark: {
    SourceManager::Position position = sources.position(range);
    std::string line = sources.file(range.file).path + ":" + std::to_string(position.line) + ":" +
                       std::to_string(position.column) + ": remark: " + diagnostic.str() + " (" +
                       state_.variant + ")";
    if (seen_.insert(line).second)
      remarks_.push_back(line);
    return;
  }
  case mlir::DiagnosticSeverity::Note:
    return; // belongs to another one, which carries it
  }
}

void MlirDiagnostics::addCallNotes(Diagnostic &to, Location location) {
  while (auto call = dyn_cast<CallSiteLoc>(location)) {
    location = call.getCaller();
    DiagnosticEngine::note(to, rangeOf(location, diagnostics_.sources(), mainFile_),
                           "called from here");
  }
}

void MlirDiagnostics::ensureError(Location location, const std::string &message) {
  if (!std::exchange(reported_, false))
    emitError(location, message);
  reported_ = false;
}

void MlirDiagnostics::addNote(const std::string &text) {
  if (diagnostics_.hasErrors())
    DiagnosticEngine::note(*diagnostics_.all().back(), {mainFile_, 0, 0}, text);
}

} // namespace tilec
