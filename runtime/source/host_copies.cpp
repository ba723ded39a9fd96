#include "host_copies.h"

#include <algorithm>
#include <cstring>

namespace tilert {

void land(const AsyncCopy &copy) {
  if (copy.global)
    std::memcpy(copy.shared, copy.global, copy.bytes);
  else
    std::memset(copy.shared, 0, copy.bytes);
}

std::vector<AsyncCopy> CopyQueue::take(uint32_t pending) {
  const uint32_t complete = committed_ > pending ? committed_ - pending : 0;
  const auto end = std::find_if(copies_.begin(), copies_.end(),
                                [&](const AsyncCopy &copy) { return copy.group >= complete; });
  std::vector<AsyncCopy> taken(std::make_reverse_iterator(end), copies_.rend());
  copies_.erase(copies_.begin(), end);
  return taken;
}

} // namespace tilert
