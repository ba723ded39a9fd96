// UTF-8 decoding.
#include "compiler/syntax/unicode.h"

#include <cstdio>

namespace tilec {

Character decodeCharacter(std::string_view text, size_t at) {
  auto byte = [&](size_t i) -> uint32_t {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  uint32_t lead = byte(0);
  if (lead < 0x80)
    return {lead, 1, true};
  // Length by the lead byte; the smallest code of each length excludes overlong forms.
  uint32_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  static constexpr uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xC2 || lead > 0xF4)
    return {lead, 1, false};
  uint32_t code = lead & (0xFFu >> (length + 1));
  for (uint32_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return {lead, 1, false};
    code = (code << 6) | (byte(i) & 0x3F);
  }
  if (code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
    return {lead, 1, false};
  return {code, length, true};
}

void appendUtf8(std::string &to, uint32_t code) {
  auto put = [&](uint32_t byte) { to.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

bool isPrintable(Character character) {
  if (!character.valid || character.code < 0x20)
    return false;
  uint32_t code = character.code;
  bool control = code >= 0x7F && code < 0xA0;
  // Zero-width and direction marks would make the shown line differ from the file.
  bool format = (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
  return !control && !format;
}

std::string describeCharacter(Character character) {
  if (isPrintable(character)) {
    std::string text = "'";
    appendUtf8(text, character.code);
    return text + "'";
  }
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "U+%04X", character.code);
  return buffer;
}

} // namespace tilec
