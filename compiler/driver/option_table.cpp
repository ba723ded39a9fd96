#include "compiler/driver/option_table.h"

#include "compiler/syntax/diagnostics.h"
#include "compiler/transforms/passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace tilec {

// --- Products
// -------------------------------------------------------------------------------------

namespace {
struct ProductEntry {
  Product product;
  const char *name, *ending; ///< of --emit; of files, may be null
};
} // namespace

static constexpr ProductEntry kProducts[] = {
    {Product::Ast, "ast", nullptr},
    {Product::Tile, "tile", nullptr},
    {Product::Layouts, "layouts", nullptr},
    {Product::Pipelined, "pipelined", nullptr},
    {Product::FinalTile, "final-tile", ".mlir"},
    {Product::LlvmMlir, "llvm-mlir", nullptr},
    {Product::Llvm, "llvm", ".ll"},
    {Product::Ptx, "ptx", ".ptx"},
    {Product::Cubin, "cubin", ".cubin"},
    {Product::Sass, "sass", nullptr},
    {Product::Object, "obj", ".o"},
    {Product::Assembly, "asm", ".s"},
    {Product::Manifest, "manifest", ".json"},
};

std::string productName(Product product) {
  for (const ProductEntry &entry : kProducts)
    if (entry.product == product)
      return entry.name;
  return "";
}

std::optional<Product> productOfEnding(const std::string &path) {
  if (path == "-")
    return Product::Ptx;
  for (const ProductEntry &entry : kProducts)
    if (entry.ending && StringRef(path).ends_with(entry.ending))
      return entry.product;
  return std::nullopt;
}

// --- Values
// ---------------------------------------------------------------------------------------

static void splitInto(std::vector<std::string> &list, const std::string &value) {
  SmallVector<StringRef> parts;
  SplitString(value, parts, ", ");
  for (StringRef part : parts)
    list.push_back(part.str());
}

/// Appends architectures; "native" only where `native` allows it.
static std::string addArchs(std::vector<std::string> &list, const std::string &value,
                            bool gpuOnly) {
  std::vector<std::string> names;
  splitInto(names, value);
  for (const std::string &name : names) {
    std::optional<Target> target = parseTarget(name);
    if ((target && !(gpuOnly && target->host)) || (!gpuOnly && name == "native")) {
      if (!is_contained(list, name))
        list.push_back(name);
      continue;
    }
    std::string known;
    for (const Arch &arch : allArchs())
      known += " " + std::string(arch.name);
    return "unknown architecture '" + name + "'; there are" + known +
           (gpuOnly ? "" : " native host host:ARCH");
  }
  return names.empty() ? "an empty list of architectures" : "";
}

static std::string addDefine(Options &options, const std::string &value) {
  auto [target, values] = StringRef(value).split('=');
  auto [first, second] = target.split('.');
  DefineOption define;
  define.kernel = second.empty() ? "" : first.str();
  define.name = second.empty() ? first.str() : second.str();
  splitInto(define.values, values.str());
  if (define.name.empty() || define.values.empty() ||
      (target.contains('.') && (first.empty() || second.empty())))
    return "-D takes [KERNEL.]NAME=VALUE[,VALUE], not '" + value + "'";
  options.defines.push_back(std::move(define));
  return "";
}

static std::string setNameSpace(Options &options, const std::string &value) {
  SmallVector<StringRef> parts;
  StringRef(value).split(parts, "::");
  for (StringRef part : parts)
    if (part.empty() || isDigit(part.front()) ||
        !all_of(part, [](char c) { return isAlnum(c) || c == '_'; }))
      return "--namespace takes a C++ namespace such as app or app::kernels, not '" + value + "'";
  options.nameSpace = value;
  return "";
}

static std::string setEmit(Options &options, const std::string &value) {
  std::string known;
  for (const ProductEntry &entry : kProducts) {
    if (value == entry.name) {
      options.product = entry.product;
      return "";
    }
    known += std::string(" ") + entry.name;
  }
  return "--emit takes one of" + known + ", not '" + value + "'";
}

static std::string setWarning(Options &options, const std::string &value) {
  StringRef name = value;
  if (name == "error") {
    options.allWarningsAsErrors = true;
    return "";
  }
  bool off = name.consume_front("no-"), asError = !off && name.consume_front("error=");
  bool known = any_of(warningNames(), [name](const auto &entry) { return entry.first == name; });
  if (!known)
    return "unknown warning '-W" + value + "'; tilec --help lists them";
  if (off)
    options.warningsOff.insert(name.str());
  else
    options.warningsOff.erase(name.str());
  if (asError)
    options.warningsAsErrors.insert(name.str());
  return "";
}

static std::string setDumpAfter(Options &options, const std::string &value) {
  auto [pass, folder] = StringRef(value).split('=');
  if (pass.empty())
    return "--dump-after takes PASS or all, then optionally =DIR";
  options.dumpAfter = pass.str();
  options.dumpFolder = folder.str();
  return "";
}

static std::string addDisabledPass(Options &options, const std::string &value) {
  if (!optionalPasses().count(value))
    return "--disable-pass takes one of " + llvm::join(optionalPasses(), " ") + ", not '" + value +
           "'";
  options.disabledPasses.insert(value);
  return "";
}

static std::string addRemarks(Options &options, const std::string &value) {
  std::vector<std::string> names;
  splitInto(names, value);
  for (const std::string &name : names) {
    if (name != "layout" && name != "coalesce" && name != "pipeline")
      return "--remarks takes layout, coalesce, pipeline, not '" + name + "'";
    options.remarks.insert(name);
  }
  return "";
}

static std::string setColor(Options &options, const std::string &value) {
  if (value == "auto")
    options.color = Options::Color::Auto;
  else if (value == "always" || value.empty())
    options.color = Options::Color::Always;
  else if (value == "never")
    options.color = Options::Color::Never;
  else
    return "--color takes auto, always or never, not '" + value + "'";
  return "";
}

static std::string setDiagnostics(Options &options, const std::string &value) {
  if (value != "text" && value != "json")
    return "--diagnostics takes text or json, not '" + value + "'";
  options.jsonDiagnostics = value == "json";
  return "";
}

static std::string setJobs(Options &options, const std::string &value) {
  if (StringRef(value).getAsInteger(10, options.jobs) || options.jobs == 0)
    return "-j takes a number of at least 1, not '" + value + "'";
  return "";
}

static std::string setLevel(Options &options, const std::string &value) {
  if (StringRef(value).getAsInteger(10, options.optLevel) || options.optLevel > 3)
    return "-O takes 0, 1, 2 or 3, not '" + value + "'";
  return "";
}

// --- The table
// ------------------------------------------------------------------------------------

const std::vector<OptionEntry> &optionTable() {
  using O = Options;
  using S = const std::string;
  constexpr auto Flag = OptionForm::Flag, Value = OptionForm::Value;
  static const std::vector<OptionEntry> table = {
      {"-o", Value, "OUT", "what to write", [](O &o, S &v) { return o.output = v, std::string(); }},
      {"-h", Value, "HEADER", "also write the C and C++ header of the kernels",
       [](O &o, S &v) { return o.header = v, std::string(); }},
      {"--arch", Value, "LIST",
       "sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_103 sm_120 native host host:ARCH, with commas\n"
       "(default: native where a GPU is found, else sm_80; a .o holds host besides)",
       [](O &o, S &v) { return addArchs(o.archs, v, false); }},
      {"--ptx", Value, "LIST", "PTX images of a .o, which also run on later architectures",
       [](O &o, S &v) { return addArchs(o.ptxArchs, v, true); }},
      {"-D", OptionForm::Prefix, "[KERNEL.]NAME=VALUE[,VALUE]", "values of a const param: variants",
       addDefine, true},
      {"--kernel", Value, "NAME", "only these kernels (may be repeated)",
       [](O &o, S &v) { return splitInto(o.kernels, v), std::string(); }},
      {"--namespace", Value, "NS", "of the header: a C++ namespace, a prefix in C", setNameSpace},
      {"-MD", Flag, "", "write a depfile for make and ninja, OUT.d",
       [](O &o, S &) { return o.writeDepfile = true, std::string(); }},
      {"-MF", Value, "FILE", "write the depfile there",
       [](O &o, S &v) { return o.writeDepfile = true, o.depfile = v, std::string(); }},
      {"-O", OptionForm::Prefix, "0..3", "optimisation of LLVM and ptxas (default 3)", setLevel},
      {"-g", Flag, "", "line information; optimisation is kept",
       [](O &o, S &) { return o.lineInfo = true, std::string(); }},
      {"--debug", Flag, "", "assert and print are on",
       [](O &o, S &) { return o.debug = true, std::string(); }},
      {"--no-fma", Flag, "", "a*b+c is never contracted",
       [](O &o, S &) { return o.fma = false, std::string(); }},
      {"--ftz", Flag, "", "f32 denormals are flushed to zero",
       [](O &o, S &) { return o.ftz = true, std::string(); }},
      {"--ptxas", Value, "PATH",
       "the assembler (else TILEC_PTXAS, CUDA_HOME, CUDA_PATH, PATH,\n"
       "/usr/local/cuda)",
       [](O &o, S &v) { return o.ptxas = v, std::string(); }},
      {"--host-triple", Value, "TRIPLE", "the machine that host code is for (default: this one)",
       [](O &o, S &v) { return o.hostTriple = v, std::string(); }},
      {"-j", OptionForm::Prefix, "N", "threads that compile (default: what the machine has)",
       setJobs, true},
      {"-W", OptionForm::Prefix, "NAME", "-WNAME -Wno-NAME -Werror -Werror=NAME, see below",
       setWarning},
      {"--diagnostics", Value, "text|json", "how errors and warnings are written", setDiagnostics},
      {"--color", OptionForm::OptionalValue, "=auto|always|never", "colours in diagnostics",
       setColor},
      {"--emit", Value, "STAGE",
       "write a stage instead: ast tile layouts pipelined final-tile llvm-mlir llvm ptx cubin\n"
       "sass obj asm manifest",
       setEmit},
      {"--dump-after", Value, "PASS|all[=DIR]", "show the IR after a pass where it changed",
       setDumpAfter},
      {"--disable-pass", Value, "PASS", "leave an optional pass out (may be repeated)",
       addDisabledPass},
      {"--stage-all-loads", Flag, "",
       "stage every tile that loops with `stages` load in shared memory, for tests",
       [](O &o, S &) { return o.stageAllLoads = true, std::string(); }},
      {"--time-passes", Flag, "", "show where the time went",
       [](O &o, S &) { return o.timePasses = true, std::string(); }},
      {"--remarks", Value, "LIST", "layout, coalesce, pipeline: what was decided and why",
       addRemarks},
      {"--report", Value, "FILE.json", "sizes, registers and times of what was built",
       [](O &o, S &v) { return o.report = v, std::string(); }},
      {"--json", Flag, "", "inspect: as JSON",
       [](O &o, S &) { return o.inspectJson = true, std::string(); }},
      {"--version", Flag, "", "",
       [](O &o, S &) { return o.command = O::Command::Version, std::string(); }},
      {"--help", Flag, "", "this text",
       [](O &o, S &) { return o.command = O::Command::Help, std::string(); }},
  };
  return table;
}

} // namespace tilec
