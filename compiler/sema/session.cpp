#include "compiler/sema/session.h"

namespace tilec::sema {

void Session::declareItems(const ast::File &file) {
  auto declare = [&](const ast::Name &name, Global global) {
    global.name = name.range;
    auto [entry, isNew] = globals.emplace(name.text, std::move(global));
    if (isNew)
      return;
    Diagnostic &error = diagnostics.error(name.range, "'" + name.text + "' is declared twice");
    DiagnosticEngine::note(error, entry->second.name, "the first declaration is here");
  };
  for (const ast::Constant &constant : file.constants) {
    Global global;
    global.constant = &constant;
    declare(constant.name, std::move(global));
  }
  for (const ast::Function &function : file.functions) {
    Global global;
    global.function = &function;
    declare(function.name, std::move(global));
  }
  for (const ast::Kernel &kernel : file.kernels) {
    Global global;
    global.kernel = &kernel;
    declare(kernel.name, std::move(global));
  }
}

const ast::Function *Session::preludeFunction(const std::string &name) {
  if (!isPreludeName(name))
    return nullptr;
  if (!prelude) {
    uint32_t file = sources.add("<prelude>", preludeText().str(), /*builtin=*/true);
    prelude = parseFile(sources, file, diagnostics);
  }
  for (const ast::Function &function : prelude->functions)
    if (function.name.text == name)
      return &function;
  return nullptr;
}

mlir::Location Session::location(SourceRange range) {
  SourceManager::Position position = sources.position(range);
  return mlir::FileLineColLoc::get(&context, sources.file(range.file).path, position.line,
                                   position.column);
}

} // namespace tilec::sema
