#include "compiler/driver/timings.h"

#include <cstdio>

namespace tilec {

void Timings::add(const std::string &name, double seconds) {
  std::lock_guard lock(mutex_);
  for (Entry &entry : entries_)
    if (entry.name == name) {
      entry.seconds += seconds;
      ++entry.count;
      return;
    }
  entries_.push_back({name, seconds, 1});
}

std::vector<Timings::Entry> Timings::entries() const {
  std::lock_guard lock(mutex_);
  return entries_;
}

std::string Timings::table(double total) const {
  std::string text = "      ms  calls  stage\n";
  char line[160];
  for (const Entry &entry : entries()) {
    std::snprintf(line, sizeof line, "%8.2f %6u  %s\n", entry.seconds * 1e3, entry.count,
                  entry.name.c_str());
    text += line;
  }
  std::snprintf(line, sizeof line, "%8.2f         the whole run\n", total * 1e3);
  return text + line;
}

} // namespace tilec
