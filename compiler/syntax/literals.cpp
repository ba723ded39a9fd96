// Literal values.
#include "compiler/syntax/literals.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tilec {

static std::string withoutUnderscores(std::string_view text) {
  std::string digits;
  for (char c : text)
    if (c != '_')
      digits.push_back(c);
  return digits;
}

std::optional<uint64_t> integerValue(std::string_view text) {
  std::string digits = withoutUnderscores(text);
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == 'x') {
    digits.erase(0, 2);
    base = 16;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return value;
}

std::optional<double> floatValue(std::string_view text) {
  if (text == "inf")
    return std::numeric_limits<double>::infinity();
  if (text == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  std::string digits = withoutUnderscores(text);
  double value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return value;
}

Unescaped unescape(std::string_view text) {
  Unescaped result;
  size_t end = text.size();
  for (size_t i = 1; i < end; ++i) {
    char c = text[i];
    if (c == '"')
      break;
    if (c != '\\' || i + 1 == end) {
      result.value.push_back(c);
      continue;
    }
    switch (char escaped = text[++i]) {
    case 'n':
      result.value.push_back('\n');
      break;
    case 't':
      result.value.push_back('\t');
      break;
    case '\\':
    case '"':
      result.value.push_back(escaped);
      break;
    default:
      if (!result.badEscape)
        result.badEscape = i - 1;
      result.value.push_back('\\');
      result.value.push_back(escaped);
      break;
    }
  }
  return result;
}

std::string escape(std::string_view value) {
  std::string text = "\"";
  for (char c : value) {
    if (c == '\n')
      text += "\\n";
    else if (c == '\t')
      text += "\\t";
    else if (c == '"' || c == '\\')
      text += {'\\', c};
    else
      text.push_back(c);
  }
  return text + "\"";
}

} // namespace tilec
