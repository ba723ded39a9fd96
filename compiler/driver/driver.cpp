#include "compiler/driver/driver.h"

#include "compiler/driver/output.h"
#include "compiler/driver/parallel.h"
#include "compiler/driver/pipeline.h"
#include "compiler/package/package.h"
#include "compiler/package/version.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"

#include <iostream>

namespace tilec {

static ExitStatus fail(ExitStatus status, const std::string &message) {
  std::cerr << "tilec: error: " << message << '\n';
  return status;
}

static ExitStatus print(const std::string &text) {
  OutputSet outputs;
  llvm::cantFail(outputs.add("-", text));
  if (llvm::Error error = outputs.commit())
    return fail(ExitStatus::CommandError, llvm::toString(std::move(error)));
  return ExitStatus::Success;
}

static ExitStatus inspectFile(const Options &options) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFileOrSTDIN(options.input);
  if (!file)
    return fail(ExitStatus::CommandError,
                "cannot read '" + options.input + "': " + file.getError().message());
  llvm::Expected<std::string> text = inspect((*file)->getBuffer().str(), options.inspectJson);
  if (!text)
    return fail(ExitStatus::InputError,
                "'" + options.input + "': " + llvm::toString(text.takeError()));
  return print(*text);
}

static ExitStatus run(const std::vector<std::string> &arguments) {
  std::string error;
  Options options = parseOptions(arguments, error);
  if (!error.empty())
    return fail(ExitStatus::CommandError, error);
  switch (options.command) {
  case Options::Command::Help:
    return print(helpText());
  case Options::Command::Version:
    return print(std::string("tilec ") + version() + " (LLVM " LLVM_VERSION_STRING ", PTX ISA " +
                 std::string(kPtxVersion) + ")\n");
  case Options::Command::Inspect:
    return inspectFile(options);
  case Options::Command::Compile:
    return compile(options);
  }
  return ExitStatus::CommandError;
}

int runDriver(const std::vector<std::string> &arguments) {
  ExitStatus status = ExitStatus::Success;
  runOnLargeStack([&] { status = run(arguments); });
  return int(status);
}

} // namespace tilec
