#include "compiler/driver/depfile.h"

namespace tilec {

static std::string escape(const std::string &path) {
  std::string text;
  for (char c : path) {
    if (c == ' ' || c == '#')
      text += '\\';
    if (c == '$')
      text += '$';
    text += c;
  }
  return text;
}

std::string writeDepfile(const Options &options, const SourceManager &sources) {
  bool onlyHeader = options.output.empty() || options.output == "-";
  std::string text = escape(onlyHeader ? options.header : options.output);
  text += ":";
  for (uint32_t id = 0; id < sources.fileCount(); ++id)
    if (!sources.file(id).builtin)
      text += " \\\n  " + escape(sources.file(id).path);
  return text + "\n";
}

} // namespace tilec
