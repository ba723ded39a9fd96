// The command line of tilec as data. docs/command_line.md explains it, `tilec --help` lists it.
#pragma once

#include "compiler/target/arch.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilec {

/// What a process ends with.
enum class ExitStatus {
  Success = 0,
  InputError = 1,   ///< errors in the input, or an internal error
  CommandError = 2, ///< the command line makes no sense
  ToolError = 3     ///< a tool such as ptxas failed or is missing
};

/// What is written: by the ending of -o, or by --emit.
enum class Product {
  Ast,
  Tile,
  Layouts,
  Pipelined,
  FinalTile,
  LlvmMlir,
  Llvm,
  Ptx,
  Cubin,
  Sass,
  Object,
  Assembly,
  Manifest
};

/// `-D [KERNEL.]NAME=VALUE[,VALUE]`.
struct DefineOption {
  std::string kernel, name;
  std::vector<std::string> values;
};

struct Options {
  enum class Command { Compile, Inspect, Help, Version } command = Command::Compile;
  std::string input;
  bool inspectJson = false;

  std::string output, header;        ///< "-": standard output; empty: none
  std::optional<Product> product;    ///< from --emit or the ending of `output`; none: header only
  std::vector<std::string> archs;    ///< as written, may hold "native"; empty: the default
  std::vector<std::string> ptxArchs; ///< --ptx: PTX images of a .o, on top of `archs`

  std::vector<DefineOption> defines;
  std::vector<std::string> kernels;
  std::string nameSpace;
  bool writeDepfile = false;
  std::string depfile;

  unsigned optLevel = 3;
  bool lineInfo = false, debug = false;
  std::optional<bool> fma, ftz;
  std::string ptxas, hostTriple;
  unsigned jobs = 0; ///< 0: as many as the machine runs at once

  std::set<std::string> warningsOff, warningsAsErrors;
  bool allWarningsAsErrors = false, jsonDiagnostics = false;
  enum class Color { Auto, Always, Never } color = Color::Auto;

  std::string dumpAfter, dumpFolder; ///< a pass or "all"; folder empty: standard error
  std::set<std::string> disabledPasses, remarks;
  bool stageAllLoads = false;
  bool timePasses = false;
  std::string report;
};

/// Parses the arguments after the program's name. On success `error` is empty; otherwise it is one
/// line that names the argument, and a similar option where one is meant.
Options parseOptions(const std::vector<std::string> &arguments, std::string &error);

/// The text of --help.
std::string helpText();

/// "cubin" for Product::Cubin and so on: the word --emit takes.
std::string productName(Product product);

} // namespace tilec
