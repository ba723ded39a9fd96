#include "compiler/target/collect_diagnostics.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec {

namespace {
class Collector : public DiagnosticHandler {
public:
  Collector(std::string &errors, std::string &largeFrames)
      : errors_(errors), largeFrames_(largeFrames) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (const auto *frame = dyn_cast<DiagnosticInfoStackSize>(&info))
      largeFrames_ += "'" + frame->getFunction().getName().str() + "' needs " +
                      std::to_string((frame->getResourceSize() + 1023) / 1024) +
                      " KiB of stack a thread\n";
    if (info.getSeverity() != DS_Error)
      return true;
    raw_string_ostream out(errors_);
    if (!errors_.empty())
      out << '\n';
    DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    return true;
  }

private:
  std::string &errors_, &largeFrames_;
};
} // namespace

CollectDiagnostics::CollectDiagnostics(LLVMContext &context)
    : context_(context), previous_(context.getDiagnosticHandler()) {
  context_.setDiagnosticHandler(std::make_unique<Collector>(errors_, largeFrames_));
}

CollectDiagnostics::~CollectDiagnostics() {
  context_.setDiagnosticHandler(std::move(previous_));
}

Error CollectDiagnostics::takeError() {
  if (errors_.empty())
    return Error::success();
  return createStringError(std::exchange(errors_, {}));
}

} // namespace tilec
