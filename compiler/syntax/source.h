// Source files and positions in them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilec {

/// A byte range of one source file. `file` indexes SourceManager; length 0 is a point (where a
/// missing token belongs).
struct SourceRange {
  uint32_t file = 0, offset = 0, length = 0;
  bool operator==(const SourceRange &) const = default;
};

/// The smallest range that covers both (same file).
SourceRange join(SourceRange first, SourceRange last);

/// One file's text. Columns and lines count from 1; a column counts code points.
struct SourceFile {
  std::string path; ///< as the user wrote it
  std::string text;
  std::vector<uint32_t> lineStarts;
  bool builtin = false; ///< the compiler's own prelude
};

/// Largest file that is read and parsed. Kernels are a few kilobytes; the limit keeps time and
/// memory bounded for what is not a kernel.
inline constexpr size_t kMaxFileBytes = 16u << 20;

/// Owns every file of a compilation.
class SourceManager {
public:
  /// Reads `path`; nothing when it cannot be read or is larger than kMaxFileBytes, with the reason
  /// in `error`. Asked for a path twice, it reads it once.
  std::optional<uint32_t> open(const std::string &path, std::string &error);
  uint32_t add(std::string path, std::string text, bool builtin = false);
  const SourceFile &file(uint32_t id) const { return *files_[id]; }
  size_t fileCount() const { return files_.size(); }

  struct Position {
    uint32_t line, column;
  };
  Position position(SourceRange range) const;
  std::string_view lineText(uint32_t file, uint32_t line) const;
  std::string_view text(SourceRange range) const;

private:
  std::vector<std::unique_ptr<SourceFile>> files_;
};

} // namespace tilec
