// Files appear whole or not at all: everything is written to temporary files beside their places
// first, and renamed when all of it is there.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <string>
#include <vector>

namespace tilec {

/// A set of files that are written together.
class OutputSet {
public:
  OutputSet() = default;
  OutputSet(const OutputSet &) = delete;
  OutputSet &operator=(const OutputSet &) = delete;
  ~OutputSet(); ///< what was not committed is removed

  /// Adds a file; "-" is standard output, written by `commit`.
  llvm::Error add(const std::string &path, const std::string &bytes);
  /// Puts every file in its place.
  llvm::Error commit();

private:
  struct Pending {
    std::string path;
    llvm::sys::fs::TempFile file;
  };
  std::vector<Pending> pending_;
  std::string standardOutput_;
};

} // namespace tilec
