// Text of users in JSON, which knows UTF-8 only: comments and file names may be anything.
#pragma once

#include "llvm/Support/JSON.h"

#include <string>

namespace tilec {

/// `text` with U+FFFD in place of what is not UTF-8.
inline std::string validUtf8(llvm::StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

} // namespace tilec
