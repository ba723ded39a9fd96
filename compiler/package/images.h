// Finding the images and manifests inside a file's bytes. Private to compiler/package.
//
// Input is untrusted: every offset is checked, nothing is assumed of a file but what was read.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tilec {

struct FoundImage {
  std::string kind;     ///< "ptx", "cubin", "host"
  uint64_t size = 0;    ///< bytes of the image, 0 for the host
  std::string manifest; ///< without the trailing NUL
  size_t offset = 0;    ///< of the manifest in the file; meaningless for PTX
};

/// All images of a .ptx, a .cubin or a .o (or a program with its symbols). An error says what the
/// bytes are instead, or what is wrong with them.
llvm::Expected<std::vector<FoundImage>> findImages(llvm::StringRef bytes);

} // namespace tilec
