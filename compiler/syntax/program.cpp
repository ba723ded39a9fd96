// A program: the main file and, before it, everything it imports.
#include "compiler/syntax/parse.h"

#include <filesystem>
#include <map>

namespace tilec {

namespace {

/// Longest chain of imports. Each level recurses.
constexpr size_t kMaxImportDepth = 100;

class Importer {
public:
  Importer(SourceManager &sources, DiagnosticEngine &diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  void parse(uint32_t file, const std::string &identity);
  static std::string identify(const std::string &path);

  ParsedProgram result;

private:
  void import(uint32_t from, const ast::Import &item);
  void reportCycle(const ast::Import &item, const std::string &identity);

  enum class State { Open, Done };
  struct Link {
    std::string identity;  ///< of the file that is being read
    const ast::Import *by; ///< the import that it is being read for; null for the main file
  };

  SourceManager &sources_;
  DiagnosticEngine &diagnostics_;
  std::map<std::string, State> states_;
  std::vector<Link> chain_;
  const ast::Import *pending_ = nullptr;
};

/// Two paths of one file are the same import.
std::string Importer::identify(const std::string &path) {
  std::error_code error;
  std::filesystem::path canonical = std::filesystem::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

void Importer::parse(uint32_t file, const std::string &identity) {
  chain_.push_back({identity, pending_});
  states_[identity] = State::Open;
  std::unique_ptr<ast::File> parsed = parseFile(sources_, file, diagnostics_);
  for (const ast::Import &item : parsed->imports)
    import(file, item);
  states_[identity] = State::Done;
  chain_.pop_back();
  result.files.push_back(std::move(parsed));
}

void Importer::import(uint32_t from, const ast::Import &item) {
  std::filesystem::path written = item.path;
  std::filesystem::path folder = std::filesystem::path(sources_.file(from).path).parent_path();
  std::string path =
      (written.is_absolute() ? written : folder / written).lexically_normal().string();
  std::string identity = identify(path);

  auto known = states_.find(identity);
  if (known != states_.end()) {
    if (known->second == State::Open)
      reportCycle(item, identity);
    return;
  }
  if (chain_.size() >= kMaxImportDepth) {
    diagnostics_.error(item.pathRange, "imports are nested too deeply: the limit is " +
                                           std::to_string(kMaxImportDepth) + " files");
    return;
  }
  std::string error;
  std::optional<uint32_t> file = sources_.open(path, error);
  if (!file) {
    states_[identity] = State::Done; // one error for each file that cannot be read
    diagnostics_.error(item.pathRange, "cannot read '" + path + "': " + error);
    return;
  }
  pending_ = &item;
  parse(*file, identity);
}

void Importer::reportCycle(const ast::Import &item, const std::string &identity) {
  Diagnostic &error = diagnostics_.error(item.pathRange, "this import is part of a cycle");
  // From the file that is imported again down to this one.
  bool inCycle = false;
  for (const Link &link : chain_) {
    if (inCycle && link.by)
      DiagnosticEngine::note(error, link.by->pathRange, "imported here");
    inCycle |= link.identity == identity;
  }
}

} // namespace

ParsedProgram parseProgram(SourceManager &sources, uint32_t mainFile,
                           DiagnosticEngine &diagnostics) {
  Importer importer(sources, diagnostics);
  size_t first = diagnostics.all().size();
  importer.parse(mainFile, Importer::identify(sources.file(mainFile).path));
  diagnostics.sortByPosition(first);
  return std::move(importer.result);
}

} // namespace tilec
