// The values of literals as written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilec {

/// `42`, `1_000`, `0x2a`; nothing when it does not fit 64 bits.
std::optional<uint64_t> integerValue(std::string_view text);

/// `1.0`, `1e-5`, `.5`, `inf`, `nan`; nothing when it rounds to infinity or, not being 0, to 0.
std::optional<double> floatValue(std::string_view text);

/// The characters a string literal stands for. `badEscape` is the offset of the first unknown
/// escape in `text`, if any; it is kept as written.
struct Unescaped {
  std::string value;
  std::optional<size_t> badEscape;
};

/// `text` with or without its quotes (an unterminated string has no closing one).
Unescaped unescape(std::string_view text);

/// The same value as a literal, for printing: quotes, and escapes where needed.
std::string escape(std::string_view value);

} // namespace tilec
