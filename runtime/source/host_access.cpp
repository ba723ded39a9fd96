#include "host_access.h"

namespace tilert {
namespace {

const char *verb(Touch how) {
  return how == Touch::Read ? " reads " : how == Touch::Write ? " writes " : " copies ";
}

/// Notes an access; whether it races, which is then recorded.
bool races(tilert_host_thread *self, RaceCheck &race, size_t offset, size_t bytes, Touch how) {
  const std::optional<std::string> text = race.touch(self->thread, offset, bytes, how);
  if (text)
    Crew::record(self, TILERT_ERROR_HOST_RACE, *text);
  return text.has_value();
}

} // namespace

size_t sharedOffset(tilert_host_thread *self, const void *address, uint32_t bytes, Touch how) {
  const uintptr_t offset =
      reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(self->shared);
  const size_t size = Crew::of(self).sharedBytes();
  const bool inside = offset < size && bytes <= size - offset;
  if (inside && offset % bytes == 0)
    return offset;
  Crew::record(self, TILERT_ERROR_HOST_ACCESS,
               threadText(self->thread) + verb(how) + std::to_string(bytes) + " bytes at offset " +
                   std::to_string(static_cast<intptr_t>(offset)) + " of shared memory, which " +
                   (inside ? "is not a multiple of that" : "has " + std::to_string(size)));
  Crew::leave(self);
}

void touchShared(tilert_host_thread *self, RaceCheck &race, size_t offset, size_t bytes,
                 Touch how) {
  if (races(self, race, offset, bytes, how))
    Crew::leave(self);
}

} // namespace tilert
