// What the functions that compiled kernels call ask of shared memory before they touch it; on the
// fiber of the thread that called.
#pragma once

#include "host_crew.h"

namespace tilert {

/// Where `bytes` at `address` lie in the program's shared memory; fails the launch when they do
/// not, or are not aligned to their size.
size_t sharedOffset(tilert_host_thread *self, const void *address, uint32_t bytes, Touch how);

/// Notes an access, which fails the launch if it races.
void touchShared(tilert_host_thread *self, RaceCheck &race, size_t offset, size_t bytes, Touch how);

} // namespace tilert
