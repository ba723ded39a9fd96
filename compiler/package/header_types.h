// How the language's types and names look in C and C++. Private to compiler/package.
#pragma once

#include "compiler/package/contract.h"

#include <map>
#include <set>
#include <string>

namespace tilec {

enum class HeaderLanguage { C, Cxx };

/// "f16" -> "uint16_t" in C (the bits), "tilert::half" in C++. Unknown names give "void".
std::string scalarType(HeaderLanguage language, const std::string &name);

bool isFloat(const std::string &name);

/// One choice for the type const params: {"T": "f16"}.
using TypeChoice = std::map<std::string, std::string>;

/// The declared type of `param`: "const float *", "int32_t", "tilert_view",
/// "const tilert::View<const float, 2> &".
std::string parameterType(HeaderLanguage language, const KernelParam &param,
                          const TypeChoice &types);

/// Hands out identifiers that are neither keywords of C or C++ nor handed out before: a name that
/// is gets underscores appended.
class NameScope {
public:
  std::string unique(const std::string &wanted);

private:
  std::set<std::string> taken_;
};

/// `text` so that it may stand inside a C block comment.
std::string commentText(const std::string &text);

} // namespace tilec
