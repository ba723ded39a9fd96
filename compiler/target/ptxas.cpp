// ptxas, NVIDIA's assembler: a program of the CUDA toolkit, run without a shell.
#include "compiler/target/codegen.h"
#include "compiler/target/ptxas_log.h"
#include "compiler/target/temporary_file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;

namespace tilec {

char ToolError::ID = 0;
void ToolError::log(raw_ostream &out) const {
  out << text_;
}
std::error_code ToolError::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

static constexpr const char *kToolkit = "/usr/local/cuda";
static constexpr const char *kHowToGet =
    "ptxas comes with NVIDIA's CUDA toolkit (13.0 or later): install it, or name the program with "
    "--ptxas or TILEC_PTXAS; without it, write PTX (-o FILE.ptx), which the driver compiles";

static std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

PtxasLocation findPtxas(const std::string &option) {
  for (const auto &[what, path] : {std::pair<const char *, std::string>{"--ptxas", option},
                                   {"TILEC_PTXAS", environment("TILEC_PTXAS")}}) {
    if (path.empty())
      continue;
    if (sys::fs::can_execute(path))
      return {path, ""};
    return {"", std::string(what) + " names '" + path + "', which cannot be run; " + kHowToGet};
  }
  std::string tried;
  auto look = [&tried](const std::string &root) {
    std::string path = root + "/bin/ptxas";
    tried += (tried.empty() ? "" : ", ") + path;
    return sys::fs::can_execute(path) ? path : std::string();
  };
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string root = environment(variable); !root.empty())
      if (std::string path = look(root); !path.empty())
        return {path, ""};
  if (ErrorOr<std::string> path = sys::findProgramByName("ptxas"))
    return {*path, ""};
  tried += std::string(tried.empty() ? "" : ", ") + "PATH";
  if (std::string path = look(kToolkit); !path.empty())
    return {path, ""};
  return {"", "ptxas was not found (tried " + tried + "); " + kHowToGet};
}

std::string findLibdevice(const std::string &ptxasPath) {
  std::vector<std::string> folders;
  SmallString<256> real;
  if (!ptxasPath.empty() && !sys::fs::real_path(ptxasPath, real)) {
    StringRef root = sys::path::parent_path(sys::path::parent_path(real));
    folders.push_back(root.str() + "/nvvm/libdevice");
  }
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string root = environment(variable); !root.empty())
      folders.push_back(root + "/nvvm/libdevice");
  folders.push_back(std::string(kToolkit) + "/nvvm/libdevice");
  folders.push_back("/usr/lib/nvidia-cuda-toolkit/libdevice"); // Debian's package
  for (const std::string &folder : folders)
    if (std::string path = folder + "/libdevice.10.bc"; sys::fs::exists(path))
      return path;
  return "";
}

/// Runs `program` with standard output and error in a file; gives its text back in `words`.
static Error runTool(const std::string &program, ArrayRef<StringRef> arguments,
                     std::string &words) {
  Expected<TemporaryFile> log = TemporaryFile::create("log");
  if (!log)
    return log.takeError();
  std::optional<StringRef> redirects[] = {StringRef(""), log->path(), log->path()};
  std::string reason;
  int status = sys::ExecuteAndWait(program, arguments, std::nullopt, redirects, /*SecondsToWait=*/0,
                                   /*MemoryLimit=*/0, &reason);
  Expected<std::string> text = log->read();
  if (!text)
    return text.takeError();
  words = StringRef(*text).trim().str();
  if (status == 0)
    return Error::success();
  std::string failure = "'" + program + "' ";
  if (status < 0)
    failure += "failed: " + (reason.empty() ? std::string("it crashed") : reason);
  else
    failure += "failed with exit status " + std::to_string(status);
  return make_error<ToolError>(failure + (words.empty() ? "" : ":\n" + words));
}

Expected<Cubin> assemble(const std::string &ptx, const Target &target, const std::string &ptxas,
                         unsigned optLevel, bool lineInfo) {
  Expected<TemporaryFile> input = TemporaryFile::create("ptx");
  if (!input)
    return input.takeError();
  Expected<TemporaryFile> output = TemporaryFile::create("cubin");
  if (!output)
    return output.takeError();
  if (Error error = input->write(ptx))
    return error;
  std::string arch = "-arch=" + std::string(target.arch->name);
  std::string level = "-O" + std::to_string(optLevel);
  // Kernels are independent: as many threads as the machine has. The number stands in the cubin, so
  // it is not ours to vary: the same input gives the same bytes on every machine.
  SmallVector<StringRef> arguments = {ptxas, arch, level, "-v", "--split-compile=0"};
  if (lineInfo)
    arguments.push_back("-lineinfo");
  arguments.append({input->path(), "-o", output->path()});
  std::string words;
  if (Error error = runTool(ptxas, arguments, words))
    return error;
  Expected<std::string> bytes = output->read();
  if (!bytes)
    return bytes.takeError();
  if (bytes->empty())
    return make_error<ToolError>("'" + ptxas + "' succeeded but wrote nothing" +
                                 (words.empty() ? "" : ":\n" + words));
  Cubin cubin;
  cubin.bytes = std::move(*bytes);
  readPtxasLog(words, cubin);
  return cubin;
}

Expected<std::string> disassemble(const std::string &cubin, const std::string &ptxas) {
  std::string beside = sys::path::parent_path(ptxas).str() + "/nvdisasm";
  if (!sys::fs::can_execute(beside)) {
    ErrorOr<std::string> found = sys::findProgramByName("nvdisasm");
    if (!found)
      return make_error<ToolError>("nvdisasm was not found (tried " + beside +
                                   ", PATH); it comes with NVIDIA's CUDA toolkit");
    beside = *found;
  }
  Expected<TemporaryFile> input = TemporaryFile::create("cubin");
  if (!input)
    return input.takeError();
  if (Error error = input->write(cubin))
    return error;
  std::string words;
  if (Error error = runTool(beside, {beside, input->path()}, words))
    return error;
  return words + "\n";
}

} // namespace tilec
