#include "host_race.h"

#include <algorithm>

namespace tilert {
namespace {

constexpr unsigned kLanes = 32;
/// Warp epochs that an event can tell apart. A program that makes more warp barriers than that
/// between two program barriers is given a program barrier there: races across it are not seen.
constexpr uint32_t kWarpEpochs = 1u << 19;
/// Phases of an mbarrier that an event can tell apart, half of them before the present one.
constexpr uint32_t kPhases = kWarpEpochs;

const char *presentText(Touch how) {
  switch (how) {
  case Touch::Read:
    return "reads ";
  case Touch::Write:
    return "writes ";
  case Touch::CopyUnderWay:
  case Touch::CopyWaited:
  case Touch::TensorLanded:
    break;
  }
  return "starts an asynchronous copy to ";
}

/// "thread 37 (warp 1, lane 5) wrote byte 64 with no barrier between"
std::string earlierText(Touch how, unsigned thread, size_t offset) {
  const std::string who = threadText(thread), where = bytesText(offset, 1);
  switch (how) {
  case Touch::Read:
    return who + " read " + where + " with no barrier between";
  case Touch::Write:
    return who + " wrote " + where + " with no barrier between";
  case Touch::CopyUnderWay:
    return who + " has an asynchronous copy to " + where + " under way, which no wait has covered";
  case Touch::TensorLanded:
    return "a tensor copy to " + where +
           " has landed, which it has not waited for, with no barrier since another thread did";
  case Touch::CopyWaited:
    break;
  }
  return who + " waited for its asynchronous copy to " + where + " with no barrier since";
}

} // namespace

std::string threadText(unsigned thread) {
  return "thread " + std::to_string(thread) + " (warp " + std::to_string(thread / kLanes) +
         ", lane " + std::to_string(thread % kLanes) + ")";
}

std::string bytesText(size_t offset, size_t bytes) {
  if (bytes == 1)
    return "byte " + std::to_string(offset);
  return "bytes " + std::to_string(offset) + "-" + std::to_string(offset + bytes - 1);
}

void RaceCheck::startProgram(size_t bytes, unsigned warps) {
  barrier();
  firstEpoch_ = epoch_;
  if (bytes_.size() < bytes)
    bytes_.resize(bytes);
  warpEpochs_.assign(warps, 0);
  phasesSeen_.clear();
}

void RaceCheck::barrier() {
  if (++epoch_ == 0) { // wrapped: old events would look new
    std::fill(bytes_.begin(), bytes_.end(), Byte{});
    epoch_ = 1;
    firstEpoch_ = 1;
  }
}

void RaceCheck::warpBarrier(unsigned warp) {
  if (++warpEpochs_[warp] < kWarpEpochs)
    return;
  barrier();
  std::fill(warpEpochs_.begin(), warpEpochs_.end(), 0);
}

RaceCheck::Event RaceCheck::eventOf(unsigned thread, Touch how) const {
  Event event;
  event.epoch = epoch_;
  event.warpEpoch = warpEpochs_[thread / kLanes] & (kWarpEpochs - 1);
  event.thread = thread & 1023;
  event.touch = static_cast<uint32_t>(how) & 7;
  return event;
}

bool RaceCheck::races(const Event &earlier, unsigned thread) const {
  if (earlier.epoch < firstEpoch_)
    return false; // another program's
  if (static_cast<Touch>(earlier.touch) == Touch::CopyUnderWay)
    return true;
  if (earlier.epoch != epoch_)
    return false;
  if (static_cast<Touch>(earlier.touch) == Touch::TensorLanded)
    return !hasSeen(earlier, thread);
  if (earlier.thread == thread)
    return false;
  const unsigned warp = thread / kLanes;
  return earlier.thread / kLanes != warp || earlier.warpEpoch == warpEpochs_[warp];
}

bool RaceCheck::hasSeen(const Event &landed, unsigned thread) const {
  const size_t place = landed.thread * warpEpochs_.size() * kLanes + thread;
  const uint32_t seen = place < phasesSeen_.size() ? phasesSeen_[place] : 0;
  // Phases before the present one differ from it by less than half of what can be told apart.
  return seen > 0 && (seen - 1 - landed.warpEpoch) % kPhases < kPhases / 2;
}

const RaceCheck::Event *RaceCheck::racing(const Byte &byte, unsigned thread, bool write) const {
  if (races(byte.write, thread))
    return &byte.write;
  if (write)
    for (const Event *read : {&byte.read, &byte.readInWarp, &byte.readElsewhere})
      if (races(*read, thread))
        return read;
  return nullptr;
}

void RaceCheck::keepRead(Byte &byte, const Event &event) {
  const Event last = byte.read;
  byte.read = event;
  if (last.thread / kLanes != event.thread / kLanes) {
    byte.readElsewhere = last;
    byte.readInWarp = {};
  } else if (last.thread != event.thread) {
    byte.readInWarp = last;
  }
}

std::optional<std::string> RaceCheck::touch(unsigned thread, size_t offset, size_t bytes,
                                            Touch how) {
  const Event event = eventOf(thread, how);
  for (size_t at = offset; at < offset + bytes; ++at) {
    Byte &byte = bytes_[at];
    if (const Event *earlier = racing(byte, thread, how != Touch::Read))
      return threadText(thread) + " " + presentText(how) + bytesText(offset, bytes) +
             " of shared memory; " +
             earlierText(static_cast<Touch>(earlier->touch), earlier->thread, at);
    if (how == Touch::Read)
      keepRead(byte, event);
    else
      byte.write = event;
  }
  return std::nullopt;
}

void RaceCheck::waited(unsigned thread, size_t offset, size_t bytes) {
  const Event event = eventOf(thread, Touch::CopyWaited);
  std::for_each_n(bytes_.begin() + static_cast<ptrdiff_t>(offset), bytes,
                  [&](Byte &byte) { byte.write = event; });
}

void RaceCheck::phasesSeen(unsigned thread, unsigned mbarrier, uint32_t phases) {
  const size_t threads = warpEpochs_.size() * kLanes;
  if (phasesSeen_.size() < (mbarrier + 1) * threads)
    phasesSeen_.resize((mbarrier + 1) * threads, 0);
  phasesSeen_[mbarrier * threads + thread] = phases;
}

void RaceCheck::tensorLanded(unsigned mbarrier, uint32_t phase, size_t offset, size_t bytes) {
  Event event;
  event.epoch = epoch_;
  event.warpEpoch = phase & (kPhases - 1);
  event.thread = mbarrier & (kMaxMbarriers - 1);
  event.touch = static_cast<uint32_t>(Touch::TensorLanded) & 7;
  // Reads from before the issue are ordered before the landing for whoever has seen that.
  std::for_each_n(bytes_.begin() + static_cast<ptrdiff_t>(offset), bytes,
                  [&](Byte &byte) { byte = Byte{event, {}, {}, {}}; });
}

} // namespace tilert
