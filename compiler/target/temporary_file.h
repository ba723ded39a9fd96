// Temporary files that never stay: removed when the object goes, on a signal, and when LLVM reports
// a fatal error.
#pragma once

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace tilec {

class TemporaryFile {
public:
  /// An empty file tilec-RANDOM.SUFFIX in the system's temporary folder.
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix);
  TemporaryFile(TemporaryFile &&other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile();

  llvm::StringRef path() const { return path_; }
  llvm::Error write(llvm::StringRef bytes) const;
  llvm::Expected<std::string> read() const;

private:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

} // namespace tilec
