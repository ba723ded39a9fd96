// The header of one .tile file. In C++ a kernel is a function of its namespace that returns a
// tilert::Status; in C a function with the namespace as prefix that returns a tilert_status. Both
// fill an array of pointers to their parameters and make one call: as cheap as cuLaunchKernel's own
// argument array.
//
// Selected const params: a type that the pointer types tell apart gives overloads in C++ and a name
// suffix in C (and in C++ where it does not tell them apart); other ones become leading template
// arguments in C++ and leading arguments in C.
#include "compiler/package/header_types.h"
#include "compiler/package/package.h"
#include "compiler/package/version.h"

#include <algorithm>
#include <cctype>

namespace tilec {

static constexpr size_t kColumns = 100;

namespace {

/// The pieces of one function while they are gathered.
struct Function {
  NameScope names;
  std::string name, templateParameters;
  std::vector<std::string> parameters; ///< as declared
  std::vector<std::string> setup;      ///< statements
  std::vector<std::string> addresses;  ///< of the launch's argument array
  std::vector<std::string> selections; ///< of its tilert_selection array
};

/// Writes the declarations of one kernel in one language.
class KernelWriter {
public:
  KernelWriter(HeaderLanguage language, const KernelContract &kernel, std::string functionName,
               std::string reference)
      : c_(language == HeaderLanguage::C), language_(language), kernel_(kernel),
        functionName_(std::move(functionName)), reference_(std::move(reference)) {}

  std::string write() const {
    std::string text;
    std::vector<TypeChoice> choices = typeChoices();
    bool suffixed = needsSuffix(choices);
    for (const TypeChoice &choice : choices)
      text += doc() + function(choice, suffixed);
    return text;
  }

private:
  /// The combinations of type const params among the variants, in their order. A type that is not
  /// selected and has several values cannot be told from outside: it stays out (void pointers).
  std::vector<TypeChoice> typeChoices() const {
    std::vector<TypeChoice> choices;
    for (const VariantContract &variant : kernel_.variants) {
      TypeChoice choice;
      for (size_t i = 0; i < kernel_.constParams.size() && i < variant.values.size(); ++i)
        if (const auto *type = std::get_if<std::string>(&variant.values[i]))
          if (kernel_.constParams[i].selected || isFixed(i))
            choice[kernel_.constParams[i].name] = *type;
      if (std::find(choices.begin(), choices.end(), choice) == choices.end())
        choices.push_back(choice);
    }
    if (choices.empty())
      choices.emplace_back();
    return choices;
  }

  bool isFixed(size_t constParam) const {
    return std::all_of(kernel_.variants.begin(), kernel_.variants.end(), [&](const auto &variant) {
      return variant.values[constParam] == kernel_.variants.front().values[constParam];
    });
  }

  bool needsSuffix(const std::vector<TypeChoice> &choices) const {
    std::set<std::string> signatures;
    for (const TypeChoice &choice : choices) {
      std::string signature;
      for (const KernelParam &param : kernel_.params)
        signature += parameterType(HeaderLanguage::Cxx, param, choice) + ",";
      signatures.insert(signature);
    }
    return choices.size() > 1 && (c_ || signatures.size() != choices.size());
  }

  std::string doc() const {
    std::string text = kernel_.doc;
    for (const ContractClause &clause : kernel_.requires_)
      text += (text.empty() ? "" : "\n") + ("Requires: " + clause.text);
    if (text.empty())
      return "";
    text = commentText(text);
    std::string result = "/** ";
    for (size_t i = 0; i < text.size(); ++i) {
      bool blank = text[i] == '\n' && (i + 1 == text.size() || text[i + 1] == '\n');
      result += blank ? "\n *" : text[i] == '\n' ? "\n * " : std::string(1, text[i]);
    }
    return result + " */\n";
  }

  std::string function(const TypeChoice &types, bool suffixed) const {
    Function function;
    function.name = functionName_;
    std::string stream = declareStream(function);
    addSelections(function, types, suffixed);
    addParameters(function, types);
    return declaration(function) + body(function, stream);
  }

  /// The stream comes first; a parameter of its name keeps the name.
  std::string declareStream(Function &function) const {
    std::string stream = "stream";
    auto taken = [&](const auto &named) { return named.name == stream; };
    while (std::any_of(kernel_.params.begin(), kernel_.params.end(), taken) ||
           std::any_of(kernel_.constParams.begin(), kernel_.constParams.end(), taken))
      stream += '_';
    function.parameters.push_back((c_ ? "tilert_stream " : "tilert::Stream ") +
                                  function.names.unique(stream));
    return stream;
  }

  void addSelections(Function &function, const TypeChoice &types, bool suffixed) const {
    for (const ConstParamInfo &info : kernel_.constParams) {
      if (!info.selected)
        continue;
      std::string head = "{\"" + info.name + "\", ";
      if (info.type == "type") {
        auto type = types.find(info.name);
        if (type == types.end())
          continue;
        if (suffixed)
          function.name += "_" + type->second;
        function.selections.push_back(head + "\"" + type->second + "\", 0}");
        continue;
      }
      bool real = isFloat(info.type);
      std::string name = function.names.unique(info.name);
      std::string declared = (real ? "double" : scalarType(language_, info.type)) + " " + name;
      if (c_)
        function.parameters.push_back(declared);
      else
        function.templateParameters += (function.templateParameters.empty() ? "" : ", ") + declared;
      function.selections.push_back(head + (c_ ? "NULL, " : "nullptr, ") + key(name, real) + "}");
    }
  }

  /// What tilert compares: the integer, or the bits of a double.
  std::string key(const std::string &name, bool real) const {
    if (c_)
      return real ? "((union {double real; int64_t bits;}){" + name + "}).bits"
                  : "(int64_t)" + name;
    return real ? "std::bit_cast<std::int64_t>(" + name + ")"
                : "static_cast<std::int64_t>(" + name + ")";
  }

  void addParameters(Function &function, const TypeChoice &types) const {
    for (const KernelParam &param : kernel_.params) {
      std::string name = function.names.unique(param.name);
      function.parameters.push_back(parameterType(language_, param, types) + name);
      if (!c_ && param.kind == "view") {
        std::string view = function.names.unique(name + "_view");
        function.setup.push_back("tilert_view " + view + " = " + name + ".abi();");
        name = view;
      }
      function.addresses.push_back((c_ ? "(void *)&" : "&") + name);
    }
  }

  std::string declaration(const Function &function) const {
    std::string text;
    if (!function.templateParameters.empty())
      text += "template <" + function.templateParameters + ">\n";
    std::string result = c_ ? "static inline tilert_status " : "inline tilert::Status ";
    return text + wrapped(result + function.name + "(", function.parameters, ") {");
  }

  std::string body(Function &function, const std::string &stream) const {
    std::string null = c_ ? "NULL" : "nullptr", text;
    std::string arguments = null, selections = null;
    for (const std::string &line : function.setup)
      text += "  " + line + "\n";
    if (!function.addresses.empty()) {
      arguments = function.names.unique("arguments");
      text += wrapped("  void *const " + arguments + "[] = {", function.addresses, "};");
    }
    if (!function.selections.empty()) {
      selections = function.names.unique("selections");
      text +=
          wrapped("  const tilert_selection " + selections + "[] = {", function.selections, "};");
    }
    text += wrapped("  return tilert_launch_ref(",
                    {"&" + reference_, c_ ? stream : stream + ".get()", arguments,
                     std::to_string(function.addresses.size()), selections,
                     std::to_string(function.selections.size())},
                    ");");
    return text + "}\n\n";
  }

  /// `head`, items separated by commas, `tail`; broken before an item that would pass the last
  /// column.
  static std::string wrapped(const std::string &head, const std::vector<std::string> &items,
                             const std::string &tail) {
    std::string text = head, indent(std::min<size_t>(head.size(), 40), ' ');
    size_t column = head.size();
    for (size_t i = 0; i < items.size(); ++i) {
      std::string item = items[i] + (i + 1 < items.size() ? "," : tail);
      if (i && column + 1 + item.size() > kColumns) {
        text += "\n" + indent + item;
        column = indent.size() + item.size();
        continue;
      }
      text += (i ? " " : "") + item;
      column += (i ? 1 : 0) + item.size();
    }
    return text + (items.empty() ? tail : "") + "\n";
  }

  bool c_;
  HeaderLanguage language_;
  const KernelContract &kernel_;
  std::string functionName_, reference_;
};

} // namespace

/// `a::b` -> `a_b_`.
static std::string cPrefix(const std::string &ns) {
  std::string prefix;
  for (size_t i = 0; i < ns.size(); ++i) {
    if (ns[i] == ':' && i + 1 < ns.size() && ns[i + 1] == ':')
      continue;
    prefix += ns[i] == ':' ? '_' : ns[i];
  }
  return prefix.empty() ? "" : prefix + "_";
}

std::string writeHeader(const std::vector<KernelContract> &kernels, const std::string &stem,
                        const std::string &ns) {
  std::string library = librarySymbol(stem, ns), guard = library + "_H";
  std::transform(guard.begin(), guard.end(), guard.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  std::string cxx, cxxReferences, c;
  NameScope cxxNames, cNames;
  for (const KernelContract &kernel : kernels) {
    std::string cxxName = cxxNames.unique(kernel.name);
    std::string cName = cNames.unique(cPrefix(ns) + kernel.name);
    std::string initial = "{&" + library + ", \"" + kernel.name + "\", ";
    cxxReferences += "inline tilert_kernel_ref " + cxxName + " = " + initial + "nullptr};\n";
    cxx += KernelWriter(HeaderLanguage::Cxx, kernel, cxxName, "kernels::" + cxxName).write();
    std::string reference = cName + "__kernel";
    c += "static tilert_kernel_ref " + reference + " = " + initial + "NULL};\n\n";
    c += KernelWriter(HeaderLanguage::C, kernel, cName, reference).write();
  }
  std::string open = ns.empty() ? "" : "namespace " + ns + " {\n\n";
  std::string close = ns.empty() ? "" : "} // namespace " + ns + "\n\n";
  return "/* Made by tilec " + std::string(version()) + " from " + commentText(stem) +
         ".tile. Link the object file of the same name and tilert. */\n"
         "#ifndef " +
         guard + "\n#define " + guard +
         "\n\n"
         "#ifdef __cplusplus\n\n"
         "#include \"tilert/tilert.hpp\"\n\n#include <bit>\n\n"
         "extern \"C\" const tilert_library " +
         library + ";\n\n" + open +
         "/* What tilert_explain_ref() takes. */\n"
         "namespace kernels {\n" +
         cxxReferences + "} // namespace kernels\n\n" + cxx + close +
         "#else\n\n"
         "#include \"tilert/tilert.h\"\n\n#include <stdbool.h>\n\n"
         "extern const tilert_library " +
         library + ";\n\n" + c + "#endif\n\n#endif\n";
}

} // namespace tilec
