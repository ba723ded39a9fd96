// The entry of semantic analysis.
#include "compiler/sema/evaluator.h"
#include "compiler/sema/kernels.h"
#include "compiler/sema/variants.h"

#include "llvm/Support/thread.h"

namespace tilec {

/// Stack of the analysis: sema::kMaxDepth nested expressions, calls and blocks, with room for
/// sanitizers.
static constexpr unsigned kStackBytes = 256u << 20;

static void analyzeFiles(sema::Session &session, const ParsedProgram &parsed) {
  for (const std::unique_ptr<ast::File> &file : parsed.files)
    session.declareItems(*file);
  for (auto &entry : session.globals) {
    sema::Global &global = entry.second;
    if (global.constant && global.state == sema::Global::State::Unevaluated) {
      global.state = sema::Global::State::Evaluating;
      global.value = sema::evaluateGlobalConstant(session, *global.constant);
      global.state = sema::Global::State::Known;
    }
  }
  if (parsed.files.empty())
    return;
  const ast::File &mainFile = *parsed.files.back();
  sema::checkDefinitions(session, mainFile);
  const std::vector<std::string> &only = session.options.kernels;
  for (const ast::Kernel &kernel : mainFile.kernels)
    if (only.empty() || llvm::is_contained(only, kernel.name.text))
      sema::analyzeKernel(session, kernel);
}

Program analyze(const ParsedProgram &parsed, const SemaOptions &options, mlir::MLIRContext &context,
                SourceManager &sources, DiagnosticEngine &diagnostics) {
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  sema::Session session{options, context, sources, diagnostics, {}, {}, nullptr};
  llvm::thread worker(std::optional<unsigned>(kStackBytes), [&] { analyzeFiles(session, parsed); });
  worker.join();
  return std::move(session.program);
}

} // namespace tilec

namespace tilec::sema {

Value evaluateGlobalConstant(Session &session, const ast::Constant &constant) {
  Evaluator evaluator(session, BodySettings());
  mlir::Region scratch;
  Value value;
  evaluator.buildIn(scratch, [&] {
    value = evaluator.evaluate(*constant.value);
    if (constant.type)
      value = evaluator.checkParameterType(*constant.type, value, constant.value->range,
                                           constant.name.text);
    if (value.runtime())
      value = evaluator.fail(constant.value->range,
                             "a constant must be known at compile time, but this is a run-time " +
                                 describe(value));
  });
  evaluator.discard(scratch);
  return value;
}

} // namespace tilec::sema
