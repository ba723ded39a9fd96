// What tests ask of generated text.
#pragma once

#include <cstddef>
#include <string>

/// How often `part` stands in `text`; overlapping ones count.
inline size_t countOf(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
