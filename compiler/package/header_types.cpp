#include "compiler/package/header_types.h"

#include <string_view>

namespace tilec {

namespace {
struct ScalarSpelling {
  std::string_view name, c, cxx;
};
} // namespace

// C has no 16-bit or 8-bit floats: their bits.
static constexpr ScalarSpelling kScalars[] = {
    {"bool", "bool", "bool"},
    {"i8", "int8_t", "std::int8_t"},
    {"i16", "int16_t", "std::int16_t"},
    {"i32", "int32_t", "std::int32_t"},
    {"i64", "int64_t", "std::int64_t"},
    {"u8", "uint8_t", "std::uint8_t"},
    {"u16", "uint16_t", "std::uint16_t"},
    {"u32", "uint32_t", "std::uint32_t"},
    {"u64", "uint64_t", "std::uint64_t"},
    {"f8e4m3", "uint8_t", "std::uint8_t"},
    {"f8e5m2", "uint8_t", "std::uint8_t"},
    {"f16", "uint16_t", "tilert::half"},
    {"bf16", "uint16_t", "tilert::bfloat16"},
    {"f32", "float", "float"},
    {"f64", "double", "double"},
};

std::string scalarType(HeaderLanguage language, const std::string &name) {
  for (const ScalarSpelling &scalar : kScalars)
    if (scalar.name == name)
      return std::string(language == HeaderLanguage::C ? scalar.c : scalar.cxx);
  return "void";
}

bool isFloat(const std::string &name) {
  return !name.empty() && (name[0] == 'f' || name.substr(0, 2) == "bf");
}

/// A const param's name becomes the type chosen for it.
static const std::string &resolve(const std::string &name, const TypeChoice &types) {
  auto found = types.find(name);
  return found == types.end() ? name : found->second;
}

std::string parameterType(HeaderLanguage language, const KernelParam &param,
                          const TypeChoice &types) {
  if (param.kind != "ptr" && param.kind != "view")
    return scalarType(language, resolve(param.kind, types)) + " ";
  std::string element = std::string(param.isConst ? "const " : "") +
                        scalarType(language, resolve(param.element, types));
  if (param.kind == "ptr")
    return element + " *";
  if (language == HeaderLanguage::C)
    return "tilert_view ";
  return "const tilert::View<" + element + ", " + std::to_string(param.rank) + "> &";
}

/// Keywords of C11 and C++20, and names that a header must not define at namespace scope.
static const std::set<std::string_view> &reservedNames() {
  static const std::set<std::string_view> names = {"alignas",
                                                   "alignof",
                                                   "and",
                                                   "and_eq",
                                                   "asm",
                                                   "auto",
                                                   "bitand",
                                                   "bitor",
                                                   "bool",
                                                   "break",
                                                   "case",
                                                   "catch",
                                                   "char",
                                                   "char8_t",
                                                   "char16_t",
                                                   "char32_t",
                                                   "class",
                                                   "co_await",
                                                   "co_return",
                                                   "co_yield",
                                                   "compl",
                                                   "concept",
                                                   "const",
                                                   "const_cast",
                                                   "consteval",
                                                   "constexpr",
                                                   "constinit",
                                                   "continue",
                                                   "decltype",
                                                   "default",
                                                   "delete",
                                                   "do",
                                                   "double",
                                                   "dynamic_cast",
                                                   "else",
                                                   "enum",
                                                   "explicit",
                                                   "export",
                                                   "extern",
                                                   "false",
                                                   "float",
                                                   "for",
                                                   "friend",
                                                   "goto",
                                                   "if",
                                                   "inline",
                                                   "int",
                                                   "long",
                                                   "mutable",
                                                   "namespace",
                                                   "new",
                                                   "noexcept",
                                                   "not",
                                                   "not_eq",
                                                   "nullptr",
                                                   "operator",
                                                   "or",
                                                   "or_eq",
                                                   "private",
                                                   "protected",
                                                   "public",
                                                   "register",
                                                   "reinterpret_cast",
                                                   "requires",
                                                   "restrict",
                                                   "return",
                                                   "short",
                                                   "signed",
                                                   "sizeof",
                                                   "static",
                                                   "static_assert",
                                                   "static_cast",
                                                   "struct",
                                                   "switch",
                                                   "template",
                                                   "this",
                                                   "thread_local",
                                                   "throw",
                                                   "true",
                                                   "try",
                                                   "typedef",
                                                   "typeid",
                                                   "typename",
                                                   "typeof",
                                                   "union",
                                                   "unsigned",
                                                   "using",
                                                   "virtual",
                                                   "void",
                                                   "volatile",
                                                   "wchar_t",
                                                   "while",
                                                   "xor",
                                                   "xor_eq",
                                                   "main",
                                                   "kernels",
                                                   "std",
                                                   "tilert",
                                                   "NULL",
                                                   "linux",
                                                   "unix",
                                                   "errno",
                                                   "stdin",
                                                   "stdout",
                                                   "stderr",
                                                   "assert"};
  return names;
}

std::string NameScope::unique(const std::string &wanted) {
  std::string name = wanted;
  while (reservedNames().count(name) || !taken_.insert(name).second)
    name += '_';
  return name;
}

std::string commentText(const std::string &text) {
  std::string result;
  for (char c : text) {
    // Neither the end of a comment nor the start of one (-Wcomment) may appear.
    if (!result.empty() &&
        ((result.back() == '*' && c == '/') || (result.back() == '/' && c == '*')))
      result += ' ';
    if (c != '\r')
      result += c;
  }
  return result;
}

} // namespace tilec
