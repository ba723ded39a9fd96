// Edit distance with transpositions (optimal string alignment), three rows at a time.
#include "compiler/syntax/suggestion.h"

#include <algorithm>
#include <vector>

namespace tilec {

/// Longer names are not compared: nobody misspells them by a few letters into a keyword.
static constexpr size_t kMaxLength = 64;

static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> beforeLast, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replace = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.size()];
}

std::string_view closestName(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.empty() || name.size() > kMaxLength)
    return {};
  std::string_view best;
  size_t bestDistance = kMaxLength;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > kMaxLength)
      continue;
    size_t distance = editDistance(name, candidate);
    size_t allowed = std::max<size_t>(1, std::max(name.size(), candidate.size()) / 3);
    // One letter for another is no slip in a name of one letter.
    if (distance <= allowed && distance < bestDistance && distance < name.size()) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

} // namespace tilec
