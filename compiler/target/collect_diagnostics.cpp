#include "compiler/target/collect_diagnostics.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec {

namespace {
class Collector : public DiagnosticHandler {
public:
  explicit Collector(std::string &errors) : errors_(errors) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
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
  std::string &errors_;
};
} // namespace

CollectDiagnostics::CollectDiagnostics(LLVMContext &context)
    : context_(context), previous_(context.getDiagnosticHandler()) {
  context_.setDiagnosticHandler(std::make_unique<Collector>(errors_));
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
