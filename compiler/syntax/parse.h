// Parsing: one source file to its AST.
//
// Before: the file is in the SourceManager. After: the AST of everything that could be parsed; when
// errors were reported the tree lacks the parts they are in, so later phases must not run: a
// missing declaration would be an error at each of its uses. Input of any kind ends in a result:
// nesting is limited before ANTLR recurses.
#pragma once

#include "compiler/syntax/ast.h"
#include "compiler/syntax/diagnostics.h"

namespace tilec {

/// Parses file `id`. Errors go to `diagnostics`.
std::unique_ptr<ast::File> parseFile(const SourceManager &sources, uint32_t id,
                                     DiagnosticEngine &diagnostics);

/// A file and everything it imports, depth first, each once; paths are relative to the importing
/// file. Cyclic imports and unreadable files are errors at the import.
struct ParsedProgram {
  std::vector<std::unique_ptr<ast::File>> files; ///< imported files first; the main file last
};
ParsedProgram parseProgram(SourceManager &sources, uint32_t mainFile,
                           DiagnosticEngine &diagnostics);

/// The AST as indented text, for --emit=ast and tests.
std::string printAst(const ast::File &file, const SourceManager &sources);

} // namespace tilec
