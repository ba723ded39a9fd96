#include "compiler/driver/output.h"

#include "compiler/driver/errors.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec {

static Error cannotWrite(const std::string &path, const std::string &reason) {
  return make_error<CommandError>("cannot write '" + path + "': " + reason);
}

OutputSet::~OutputSet() {
  for (Pending &pending : pending_)
    consumeError(pending.file.discard());
}

Error OutputSet::add(const std::string &path, const std::string &bytes) {
  if (path == "-") {
    standardOutput_ += bytes;
    return Error::success();
  }
  if (sys::fs::is_directory(path))
    return cannotWrite(path, "it is a folder");
  // Not a plain file (/dev/null, a pipe): nothing to rename over.
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) && sys::fs::exists(status) &&
      !sys::fs::is_regular_file(status)) {
    std::error_code error;
    raw_fd_ostream out(path, error);
    if (error)
      return cannotWrite(path, error.message());
    out << bytes;
    return Error::success();
  }
  Expected<sys::fs::TempFile> file =
      sys::fs::TempFile::create(path + ".tmp-%%%%%%", sys::fs::all_read | sys::fs::all_write);
  if (!file)
    return cannotWrite(path, toString(file.takeError()));
  raw_fd_ostream out(file->FD, /*shouldClose=*/false);
  out << bytes;
  out.flush();
  std::error_code error = out.error();
  out.clear_error();
  if (error) {
    consumeError(file->discard());
    return cannotWrite(path, error.message());
  }
  pending_.push_back({path, std::move(*file)});
  return Error::success();
}

Error OutputSet::commit() {
  while (!pending_.empty()) {
    Pending pending = std::move(pending_.back());
    pending_.pop_back();
    if (Error error = pending.file.keep(pending.path))
      return cannotWrite(pending.path, toString(std::move(error)));
  }
  if (!standardOutput_.empty()) {
    outs() << standardOutput_;
    outs().flush();
    if (std::error_code error = outs().error()) {
      outs().clear_error();
      return cannotWrite("-", error.message());
    }
  }
  return Error::success();
}

} // namespace tilec
