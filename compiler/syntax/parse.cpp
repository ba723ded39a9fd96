// Parsing one file: scan, parse, build the AST.
#include "compiler/syntax/parse.h"

#include "compiler/syntax/ast_builder.h"
#include "compiler/syntax/error_strategy.h"

namespace tilec {

std::unique_ptr<ast::File> parseFile(const SourceManager &sources, uint32_t id,
                                     DiagnosticEngine &diagnostics) {
  auto file = std::make_unique<ast::File>();
  file->id = id;
  size_t first = diagnostics.all().size();

  Scan scan = scanFile(sources, id, diagnostics);
  if (!scan.parseable)
    return file;

  TokenList tokens(scan.tokens);
  grammar::TileParser parser(&tokens);
  parser.removeErrorListeners();
  parser.setErrorHandler(std::make_shared<ErrorStrategy>(scan, sources, diagnostics));
  // No decision of the grammar depends on where its rule was called from.
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::SLL);
  try {
    grammar::TileParser::FileContext *tree = parser.file();
    file = AstBuilder(scan, sources, id, diagnostics).build(tree);
  } catch (const antlr4::ParseCancellationException &) {
    // More errors than are shown: what was built is of no use.
  }
  diagnostics.sortByPosition(first);
  return file;
}

} // namespace tilec
