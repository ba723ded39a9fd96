// What compiled kernels call on the host device (docs/host_device.md).
#include "host_crew.h"

using tilert::Crew;
using tilert::Stop;

namespace {

/// What a shuffle gives from a lane that has returned; undefined on a GPU, unmistakable here.
constexpr uint32_t kAbsent = 0xA5A5A5A5;

uint32_t valueOf(const Crew::Exchange &exchange, uint32_t lane) {
  return exchange.present >> lane & 1 ? exchange.slots[lane][0] : kAbsent;
}

} // namespace

extern "C" {

uint32_t tilert_host_shuffle_idx(tilert_host_thread *self, uint32_t value, uint32_t lane) {
  return valueOf(Crew::exchange(self, Stop::ShuffleIndex, value), lane % tilert::kWarpSize);
}

uint32_t tilert_host_shuffle_xor(tilert_host_thread *self, uint32_t value, uint32_t mask) {
  const Crew::Exchange exchange = Crew::exchange(self, Stop::ShuffleXor, value);
  return valueOf(exchange, (exchange.lane ^ mask) % tilert::kWarpSize);
}

uint32_t tilert_host_shuffle_up(tilert_host_thread *self, uint32_t value, uint32_t delta) {
  const Crew::Exchange exchange = Crew::exchange(self, Stop::ShuffleUp, value);
  return delta > exchange.lane ? value : valueOf(exchange, exchange.lane - delta);
}

uint32_t tilert_host_shuffle_down(tilert_host_thread *self, uint32_t value, uint32_t delta) {
  const Crew::Exchange exchange = Crew::exchange(self, Stop::ShuffleDown, value);
  return delta >= tilert::kWarpSize - exchange.lane ? value
                                                    : valueOf(exchange, exchange.lane + delta);
}

uint32_t tilert_host_ballot(tilert_host_thread *self, uint32_t predicate) {
  const Crew::Exchange exchange = Crew::exchange(self, Stop::Ballot, predicate != 0);
  uint32_t result = 0;
  for (unsigned lane = 0; lane < tilert::kWarpSize; ++lane)
    if (exchange.present >> lane & 1)
      result |= exchange.slots[lane][0] << lane;
  return result;
}

void tilert_host_barrier(tilert_host_thread *self) {
  Crew::exchange(self, Stop::Barrier, 0);
}

void tilert_host_warp_barrier(tilert_host_thread *self) {
  Crew::exchange(self, Stop::WarpBarrier, 0);
}

} // extern "C"
