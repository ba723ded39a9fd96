// What every part of the evaluator uses: errors, locations, regions under construction.
#include "compiler/sema/evaluator.h"

namespace tilec::sema {

/// Innermost calls shown with an error.
static constexpr unsigned kMaxCallNotes = 8;

Evaluator::Evaluator(Session &session, BodySettings settings)
    : session(session), emit(&session.context), settings(settings) {
  emit.contract = settings.fma;
  frames.push_back(std::make_unique<Frame>());
}

Evaluator::~Evaluator() {
  clearDiscarded();
}

void Evaluator::clearDiscarded() {
  for (mlir::Block &block : graveyard_) {
    block.dropAllReferences();
    block.dropAllDefinedValueUses();
  }
  graveyard_.getBlocks().clear();
}

Diagnostic &Evaluator::error(SourceRange range, std::string message) {
  ++errors_;
  // The prelude is the compiler's own text: show the call that led into it.
  size_t depth = frames.size();
  while (session.sources.file(range.file).builtin && depth > 1) {
    --depth;
    range = frames[depth]->callSite;
  }
  Diagnostic &diagnostic = session.diagnostics.error(range, std::move(message));
  for (unsigned notes = 0; depth > 1 && notes < kMaxCallNotes; --depth, ++notes)
    if (frames[depth - 1]->callSite.length != 0 && !(frames[depth - 1]->callSite == range))
      DiagnosticEngine::note(diagnostic, frames[depth - 1]->callSite, "in the call from here");
  return diagnostic;
}

Value Evaluator::fail(SourceRange range, std::string message) {
  error(range, std::move(message));
  return ErrorValue{};
}

Value Evaluator::notSupported(SourceRange range, const std::string &what) {
  return fail(range, what + " is not supported yet");
}

void Evaluator::setLocation(SourceRange range) {
  mlir::Location location = session.location(range);
  if (frame().callLocation)
    location = mlir::CallSiteLoc::get(location, frame().callLocation);
  emit.loc = location;
}

void Evaluator::buildIn(mlir::Region &region, llvm::function_ref<void()> body) {
  mlir::OpBuilder::InsertionGuard guard(emit.builder);
  emit.builder.createBlock(&region);
  body();
}

Value Evaluator::evaluateConstant(const ast::Expr &expr) {
  mlir::Region scratch;
  Value value;
  buildIn(scratch, [&] { value = evaluate(expr); });
  discard(scratch);
  return value;
}

void Evaluator::discard(mlir::Region &region) {
  graveyard_.getBlocks().splice(graveyard_.end(), region.getBlocks());
}

} // namespace tilec::sema
