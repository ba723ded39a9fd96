#include "compiler/driver/options.h"

#include "compiler/driver/option_table.h"
#include "compiler/syntax/diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

using namespace llvm;

namespace tilec {

namespace {
/// Walks the arguments and applies the table's entries.
class Parser {
public:
  Parser(const std::vector<std::string> &arguments, std::string &error)
      : arguments_(arguments), error_(error) {}

  Options parse() {
    bool onlyFiles = false;
    for (; next_ < arguments_.size() && error_.empty(); ++next_) {
      StringRef argument = arguments_[next_];
      if (next_ == 0 && argument == "inspect")
        options_.command = Options::Command::Inspect;
      else if (!onlyFiles && argument == "--")
        onlyFiles = true;
      else if (onlyFiles || argument == "-" || !argument.starts_with("-"))
        addInput(argument);
      else
        parseOption(argument);
    }
    if (error_.empty())
      check();
    return std::move(options_);
  }

private:
  void addInput(StringRef path) {
    if (!options_.input.empty())
      error_ = "one input file at a time: '" + options_.input + "' and '" + path.str() + "'";
    options_.input = path.str();
  }

  void parseOption(StringRef argument) {
    auto [name, value] = argument.split('=');
    bool attached = argument.contains('=');
    for (const OptionEntry &entry : optionTable()) {
      if (entry.form == OptionForm::Prefix) {
        if (!argument.starts_with(entry.name))
          continue;
        StringRef rest = argument.drop_front(entry.name.size());
        if (!rest.empty())
          return apply(entry, rest);
        if (entry.separable)
          return applyNext(entry);
        continue;
      }
      if (StringRef(entry.name) != name)
        continue;
      if (entry.form == OptionForm::Flag)
        return attached ? void(error_ = "option " + name.str() + " takes no value")
                        : apply(entry, "");
      if (attached)
        return apply(entry, value);
      return entry.form == OptionForm::OptionalValue ? apply(entry, "") : applyNext(entry);
    }
    error_ = "unknown option '" + argument.str() + "'" + suggestion(name);
  }

  void applyNext(const OptionEntry &entry) {
    if (next_ + 1 == arguments_.size())
      error_ = "option " + std::string(entry.name) + " needs " + std::string(entry.argument);
    else
      apply(entry, arguments_[++next_]);
  }

  void apply(const OptionEntry &entry, StringRef value) {
    std::string problem = entry.apply(options_, value.str());
    if (!problem.empty())
      error_ = problem;
  }

  static std::string suggestion(StringRef name) {
    StringRef best;
    unsigned distance = std::max<unsigned>(2, name.size() / 3) + 1;
    for (const OptionEntry &entry : optionTable())
      if (unsigned d = name.edit_distance(entry.name); d < distance) {
        distance = d;
        best = entry.name;
      }
    return best.empty() ? "; tilec --help lists them" : "; did you mean '" + best.str() + "'?";
  }

  void check() {
    using Command = Options::Command;
    if (options_.command == Command::Help || options_.command == Command::Version)
      return;
    if (options_.input.empty())
      error_ = "no input file; tilec --help shows how to call it";
    else if (options_.command == Command::Compile)
      checkProduct();
  }

  /// Which product the output is, and that there is one.
  void checkProduct() {
    if (!options_.product && !options_.output.empty()) {
      options_.product = productOfEnding(options_.output);
      if (!options_.product) {
        error_ = "cannot tell what '" + options_.output +
                 "' should be: end it in .ptx .cubin .o .mlir .ll .s or .json, or use --emit";
        return;
      }
    }
    if (options_.product && options_.output.empty())
      options_.output = "-";
    if (!options_.product && options_.header.empty())
      error_ = "nothing to do: name an output with -o (or a header with -h)";
    if (options_.output == "-" && options_.header == "-")
      error_ = "-o and -h cannot both be standard output";
    if (options_.writeDepfile && options_.depfile.empty()) {
      if (options_.output.empty() || options_.output == "-")
        error_ = "-MD needs an output file to be named after: use -MF FILE";
      options_.depfile = options_.output + ".d";
    }
  }

  const std::vector<std::string> &arguments_;
  std::string &error_;
  Options options_;
  size_t next_ = 0;
};
} // namespace

Options parseOptions(const std::vector<std::string> &arguments, std::string &error) {
  return Parser(arguments, error).parse();
}

std::string helpText() {
  constexpr size_t column = 28;
  std::string text = "tilec: compiles GPU kernels written in tiles\n\n"
                     "  tilec FILE.tile -o OUT [-h HEADER] [options]\n"
                     "  tilec inspect FILE [--json]    what is inside a .ptx, .cubin or .o\n\n"
                     "OUT's ending picks the product: .ptx .cubin (one architecture), .o (images "
                     "for all of\n--arch), .mlir .ll .s .json; - is standard output (PTX, or what "
                     "--emit says)\n\n";
  for (const OptionEntry &entry : optionTable()) {
    std::string line = "  " + std::string(entry.name);
    if (!entry.argument.empty()) {
      bool joined = entry.form == OptionForm::Prefix && !entry.separable;
      line += (joined || entry.form == OptionForm::OptionalValue ? "" : " ") +
              std::string(entry.argument);
    }
    line.resize(std::max(column, line.size() + 2), ' ');
    SmallVector<StringRef> help;
    StringRef(entry.help).split(help, '\n');
    text += line + help.front().str() + "\n";
    for (StringRef more : ArrayRef(help).drop_front())
      text += std::string(column, ' ') + more.str() + "\n";
  }
  text += "\nWarnings (-WNAME, -Wno-NAME, -Werror=NAME):\n";
  for (const auto &[name, description] : warningNames()) {
    std::string line = "  " + name;
    line.resize(std::max(column, line.size() + 2), ' ');
    text += line + description + "\n";
  }
  return text +
         "\nExit status: 0 done, 1 errors in the input, 2 bad command line, 3 a tool (ptxas) "
         "failed or is missing\n";
}

} // namespace tilec
