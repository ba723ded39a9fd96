#include "compiler/driver/pass_watcher.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilec {

static std::string print(Operation *operation) {
  if (auto module = operation->getParentOfType<ModuleOp>())
    operation = module;
  std::string text;
  llvm::raw_string_ostream out(text);
  operation->print(out);
  text += '\n';
  return text;
}

void PassWatcher::runBeforePass(Pass *pass, Operation *operation) {
  if (pass->getArgument().empty()) // MLIR's own adaptors
    return;
  state_.currentPass = pass->getArgument().str();
  if (request_.dumpAfter == "all")
    before_ = print(operation);
  start_ = std::chrono::steady_clock::now();
}

void PassWatcher::runAfterPass(Pass *pass, Operation *operation) {
  finish(pass, operation);
}
void PassWatcher::runAfterPassFailed(Pass *pass, Operation *operation) {
  finish(pass, operation);
}

void PassWatcher::finish(Pass *pass, Operation *operation) {
  if (pass->getArgument().empty())
    return;
  std::string name = pass->getArgument().str();
  timings_.add("  " + name,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
  if (name == request_.captureAfter)
    state_.captured = print(operation);
  if (request_.dumpAfter == name) {
    dump(name, print(operation));
  } else if (request_.dumpAfter == "all") {
    std::string after = print(operation);
    if (after != before_)
      dump(name, after);
  }
}

void PassWatcher::dump(const std::string &name, const std::string &text) {
  std::string title = state_.variant + " after " + name;
  if (request_.dumpFolder.empty()) {
    llvm::errs() << "// ----- " << title << '\n' << text << '\n';
    return;
  }
  std::string number = std::to_string(state_.dumps++);
  std::string path = request_.dumpFolder + "/" + state_.variant + "-" +
                     std::string(number.size() < 2 ? 1 : 0, '0') + number + "-" + name + ".mlir";
  std::error_code error = llvm::sys::fs::create_directories(request_.dumpFolder);
  if (!error) {
    llvm::raw_fd_ostream out(path, error);
    if (!error)
      out << "// " << title << '\n' << text;
  }
  if (error)
    llvm::errs() << "tilec: note: cannot write '" << path << "': " << error.message() << '\n';
}

} // namespace tilec
