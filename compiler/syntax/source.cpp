// Source files: reading, line starts, positions.
#include "compiler/syntax/source.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tilec {

SourceRange join(SourceRange first, SourceRange last) {
  assert(first.file == last.file && "ranges of two files");
  uint32_t begin = std::min(first.offset, last.offset);
  uint32_t end = std::max(first.offset + first.length, last.offset + last.length);
  return {first.file, begin, end - begin};
}

std::optional<uint32_t> SourceManager::open(const std::string &path, std::string &error) {
  for (uint32_t id = 0; id < files_.size(); ++id)
    if (files_[id]->path == path && !files_[id]->builtin)
      return id;

  std::unique_ptr<std::FILE, int (*)(std::FILE *)> handle(std::fopen(path.c_str(), "rb"),
                                                          std::fclose);
  if (!handle) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  // Read in pieces and stop at the limit: the path may be a device without an end.
  std::string text;
  char buffer[1 << 16];
  for (size_t count = sizeof buffer; count == sizeof buffer;) {
    count = std::fread(buffer, 1, sizeof buffer, handle.get());
    text.append(buffer, count);
    if (text.size() > kMaxFileBytes) {
      error = "it is larger than 16 MiB";
      return std::nullopt;
    }
  }
  if (std::ferror(handle.get())) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  return add(path, std::move(text));
}

uint32_t SourceManager::add(std::string path, std::string text, bool builtin) {
  auto file = std::make_unique<SourceFile>();
  file->path = std::move(path);
  file->text = std::move(text);
  file->builtin = builtin;
  file->lineStarts.push_back(0);
  for (size_t i = 0; i < file->text.size(); ++i)
    if (file->text[i] == '\n')
      file->lineStarts.push_back(static_cast<uint32_t>(i + 1));
  files_.push_back(std::move(file));
  return static_cast<uint32_t>(files_.size() - 1);
}

SourceManager::Position SourceManager::position(SourceRange range) const {
  const SourceFile &source = file(range.file);
  size_t offset = std::min<size_t>(range.offset, source.text.size());
  auto next = std::upper_bound(source.lineStarts.begin(), source.lineStarts.end(), offset);
  uint32_t line = static_cast<uint32_t>(next - source.lineStarts.begin());
  uint32_t column = 1;
  for (size_t i = source.lineStarts[line - 1]; i < offset; ++i)
    column += (source.text[i] & 0xC0) != 0x80; // not a continuation byte
  return {line, column};
}

std::string_view SourceManager::lineText(uint32_t id, uint32_t line) const {
  const SourceFile &source = file(id);
  if (line == 0 || line > source.lineStarts.size())
    return {};
  size_t begin = source.lineStarts[line - 1];
  size_t end = line < source.lineStarts.size() ? source.lineStarts[line] - 1 : source.text.size();
  std::string_view text = std::string_view(source.text).substr(begin, end - begin);
  if (!text.empty() && text.back() == '\r')
    text.remove_suffix(1);
  return text;
}

std::string_view SourceManager::text(SourceRange range) const {
  std::string_view whole = file(range.file).text;
  size_t offset = std::min<size_t>(range.offset, whole.size());
  return whole.substr(offset, range.length);
}

} // namespace tilec
