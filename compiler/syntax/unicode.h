// UTF-8, as far as a compiler needs it: decoding one character, and showing text to a person.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilec {

struct Character {
  uint32_t code = 0;
  uint32_t length = 1; ///< bytes; for an invalid sequence 1
  bool valid = true;
};

/// The character at byte `at` of `text` (which must be inside it). Overlong forms, surrogates and
/// codes above U+10FFFF are invalid.
Character decodeCharacter(std::string_view text, size_t at);

/// For messages: `'x'` where it can be shown, `U+0000` otherwise.
std::string describeCharacter(Character character);

/// Appends the UTF-8 form of a valid code.
void appendUtf8(std::string &to, uint32_t code);

/// Whether a terminal may be sent this character: neither control nor invisible formatting.
bool isPrintable(Character character);

} // namespace tilec
