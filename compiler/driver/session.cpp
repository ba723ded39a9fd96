#include "compiler/driver/session.h"

#include "compiler/driver/errors.h"
#include "compiler/ir/dialect.h"
#include "compiler/target/codegen.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include "llvm/Support/Process.h"

#include <cstdlib>
#include <iostream>

using namespace mlir;

namespace tilec {

char InputError::ID = 0;
char CommandError::ID = 0;

static WarningOptions warningOptions(const Options &options) {
  return {options.warningsOff, options.warningsAsErrors, options.allWarningsAsErrors};
}

/// Only what tile IR and its lowering are made of: every dialect costs start-up time.
static DialectRegistry dialects() {
  DialectRegistry registry;
  tile::registerTileDialects(registry);
  registry.insert<LLVM::LLVMDialect, cf::ControlFlowDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  return registry;
}

Session::Session(const Options &options)
    : options(options), diagnostics(sources, warningOptions(options)),
      // One thread: the same input gives the same bytes, and start-up is short.
      context(dialects(), MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
}

llvm::Error Session::open() {
  std::string reason;
  std::optional<uint32_t> file = sources.open(options.input, reason);
  if (!file)
    return llvm::make_error<CommandError>("cannot read '" + options.input + "': " + reason);
  mainFile = *file;
  mlirDiagnostics = std::make_unique<MlirDiagnostics>(context, diagnostics, mainFile, watch);
  return llvm::Error::success();
}

llvm::Error Session::check() const {
  if (diagnostics.hasErrors())
    return llvm::make_error<InputError>();
  return llvm::Error::success();
}

void Session::note(const std::string &text) const {
  if (!options.jsonDiagnostics)
    std::cerr << "tilec: note: " << text << '\n';
}

bool Session::useColor() const {
  if (options.color != Options::Color::Auto)
    return options.color == Options::Color::Always;
  return llvm::sys::Process::StandardErrIsDisplayed() && !std::getenv("NO_COLOR");
}

ExitStatus Session::finish(llvm::Error error) {
  ExitStatus status = !error                      ? ExitStatus::Success
                      : error.isA<ToolError>()    ? ExitStatus::ToolError
                      : error.isA<CommandError>() ? ExitStatus::CommandError
                                                  : ExitStatus::InputError;
  std::string message; // of an error that is not among the diagnostics
  if (error.isA<InputError>()) {
    llvm::consumeError(std::move(error));
  } else if (error) {
    message = status == ExitStatus::InputError ? "internal error: " : "";
    message += llvm::toString(std::move(error));
  }
  // One JSON array is all that its reader expects: the message stands at the file's start.
  if (options.jsonDiagnostics && !message.empty() && sources.fileCount() != 0)
    diagnostics.error({mainFile, 0, 0}, std::exchange(message, ""));
  if (options.jsonDiagnostics)
    diagnostics.printJson(std::cerr);
  else
    diagnostics.printText(std::cerr, useColor());
  if (mlirDiagnostics && !options.jsonDiagnostics)
    for (const std::string &remark : mlirDiagnostics->remarks())
      std::cerr << remark << '\n';
  if (options.timePasses)
    std::cerr << timings.table(wall.seconds());
  if (!message.empty())
    std::cerr << "tilec: error: " << message << '\n';
  return status;
}

} // namespace tilec
