// The command line. Alone: build/release/bin/unit_driver --test-case='options*'.
#include "compiler/driver/options.h"
#include "tests/unit/text.h"

#include <doctest/doctest.h>

using namespace tilec;

namespace {

Options parse(std::vector<std::string> arguments) {
  std::string error;
  Options options = parseOptions(arguments, error);
  REQUIRE(error == "");
  return options;
}

std::string parseError(std::vector<std::string> arguments) {
  std::string error;
  parseOptions(arguments, error);
  return error;
}

} // namespace

TEST_CASE("options: the output's ending picks the product") {
  CHECK(parse({"a.tile", "-o", "a.ptx"}).product == Product::Ptx);
  CHECK(parse({"a.tile", "-o", "a.cubin"}).product == Product::Cubin);
  CHECK(parse({"a.tile", "-o", "a.o"}).product == Product::Object);
  CHECK(parse({"a.tile", "-o", "a.json"}).product == Product::Manifest);
  CHECK(parse({"a.tile", "-o", "-"}).product == Product::Ptx);
}

TEST_CASE("options: --emit decides whatever the ending, and writes to standard output without -o") {
  CHECK(parse({"a.tile", "--emit=layouts", "-o", "a.txt"}).product == Product::Layouts);
  CHECK(parse({"a.tile", "--emit", "sass"}).output == "-");
}

TEST_CASE("options: every stage's name is the one --emit takes") {
  for (Product product : {Product::Ast, Product::Pipelined, Product::LlvmMlir, Product::Object})
    CHECK(parse({"a.tile", "--emit=" + productName(product)}).product == product);
}

TEST_CASE("options: architectures come as lists, again and again, each once") {
  Options options = parse({"a.tile", "-o", "a.o", "--arch=sm_80,host", "--arch", "sm_80 native"});
  CHECK(options.archs == std::vector<std::string>{"sm_80", "host", "native"});
}

TEST_CASE("options: definitions name a kernel or not, and have several values") {
  Options options = parse({"a.tile", "-o", "a.o", "-Dsoftmax.BLOCK=128,256", "-D", "T=f16"});
  REQUIRE(options.defines.size() == 2);
  CHECK(options.defines[0].kernel == "softmax");
  CHECK(options.defines[0].name == "BLOCK");
  CHECK(options.defines[0].values == std::vector<std::string>{"128", "256"});
  CHECK(options.defines[1].kernel == "");
  CHECK(options.defines[1].name == "T");
}

TEST_CASE("options: malformed definitions are refused") {
  for (const char *text : {"X", "X=", "=1", ".X=1", "k.=1", "k."})
    CHECK(contains(parseError({"a.tile", "-o", "a.o", "-D", text}), "-D takes"));
}

TEST_CASE("options: attached, separate and = forms mean the same") {
  CHECK(parse({"a.tile", "-o", "a.o", "-j4"}).jobs == 4);
  CHECK(parse({"a.tile", "-o", "a.o", "-j", "4"}).jobs == 4);
  CHECK(parse({"a.tile", "-o=a.o"}).output == "a.o");
  CHECK(parse({"a.tile", "-o", "a.o", "-O0"}).optLevel == 0);
}

TEST_CASE("options: values outside their range are refused with what is allowed") {
  CHECK(contains(parseError({"a.tile", "-o", "a.o", "-O7"}), "0, 1, 2 or 3"));
  CHECK(contains(parseError({"a.tile", "-o", "a.o", "-j0"}), "at least 1"));
  CHECK(contains(parseError({"a.tile", "-o", "a.o", "--emit=x"}), "--emit takes one of ast"));
  CHECK(contains(parseError({"a.tile", "-o", "a.o", "--color=x"}), "auto, always or never"));
  CHECK(contains(parseError({"a.tile", "-o", "a.o", "--namespace=a:b"}), "C++ namespace"));
  CHECK(contains(parseError({"a.tile", "-o", "a.o", "--ptx=host"}), "unknown architecture"));
}

TEST_CASE("options: a mistyped option gets a suggestion, a strange one does not") {
  CHECK(parseError({"--emti=ptx"}) == "unknown option '--emti=ptx'; did you mean '--emit'?");
  CHECK(parseError({"--zzzzzzzzzzzz"}) ==
        "unknown option '--zzzzzzzzzzzz'; tilec --help lists them");
}

TEST_CASE("options: a flag takes no value, and a missing value is said to be missing") {
  CHECK(parseError({"a.tile", "-g=1"}) == "option -g takes no value");
  CHECK(parseError({"a.tile", "-o"}) == "option -o needs OUT");
}

TEST_CASE("options: nothing to write is an error, a header alone is not") {
  CHECK(contains(parseError({"a.tile"}), "nothing to do"));
  CHECK_FALSE(parse({"a.tile", "-h", "a.h"}).product);
}

TEST_CASE("options: a depfile is named after the output unless -MF names it") {
  CHECK(parse({"a.tile", "-o", "a.o", "-MD"}).depfile == "a.o.d");
  CHECK(parse({"a.tile", "-o", "a.o", "-MF", "x.d"}).depfile == "x.d");
  CHECK(contains(parseError({"a.tile", "-o", "-", "-MD"}), "-MF FILE"));
}

TEST_CASE("options: unknown warnings and passes are refused") {
  CHECK(contains(parseError({"a.tile", "-o", "a.o", "-Wno-such"}), "unknown warning"));
  CHECK(contains(parseError({"a.tile", "-o", "a.o", "--disable-pass=tile-assign-layouts"}),
                 "--disable-pass takes one of"));
  CHECK(parse({"a.tile", "-o", "a.o", "-Werror"}).allWarningsAsErrors);
}

TEST_CASE("options: what follows -- is a file") {
  CHECK(parse({"-o", "a.o", "--", "-g"}).input == "-g");
  CHECK(contains(parseError({"a.tile", "b.tile", "-o", "a.o"}), "one input file at a time"));
}

TEST_CASE("options: help lists every option and every warning") {
  std::string help = helpText();
  for (const char *name : {"-o OUT", "--arch LIST", "-O0..3", "-D [KERNEL.]NAME", "--time-passes"})
    CHECK(contains(help, name));
}
