#include "compiler/target/temporary_file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec {

Expected<TemporaryFile> TemporaryFile::create(StringRef suffix) {
  SmallString<128> path;
  if (std::error_code error = sys::fs::createTemporaryFile("tilec", suffix, path))
    return createStringError(error, "cannot create a temporary file: %s", error.message().c_str());
  sys::RemoveFileOnSignal(path);
  return TemporaryFile(path.str().str());
}

TemporaryFile::~TemporaryFile() {
  if (path_.empty())
    return;
  (void)sys::fs::remove(path_); // that it is there is not needed any more
  sys::DontRemoveFileOnSignal(path_);
}

Error TemporaryFile::write(StringRef bytes) const {
  std::error_code error;
  raw_fd_ostream out(path_, error);
  if (!error) {
    out << bytes;
    out.close();
    error = out.error();
    out.clear_error();
  }
  if (error)
    return createStringError(error, "cannot write '%s': %s", path_.c_str(),
                             error.message().c_str());
  return Error::success();
}

Expected<std::string> TemporaryFile::read() const {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(path_, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError(file.getError(), "cannot read '%s': %s", path_.c_str(),
                             file.getError().message().c_str());
  return (*file)->getBuffer().str();
}

} // namespace tilec
