// Fuzz target of the parser: any bytes end in a tree or in diagnostics, and both can be printed.
#include "compiler/syntax/parse.h"

#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tilec::SourceManager sources;
  uint32_t file = sources.add("fuzz.tile", std::string(data, data + size));
  tilec::DiagnosticEngine diagnostics(sources);
  auto tree = tilec::parseFile(sources, file, diagnostics);
  std::ostringstream out;
  out << tilec::printAst(*tree, sources);
  diagnostics.printText(out, true);
  diagnostics.printJson(out);
  return 0;
}
