#include "host_mbarrier.h"

#include <algorithm>

namespace tilert {

int MbarrierTable::find(size_t offset) const {
  for (size_t i = 0; i < mbarriers_.size(); ++i)
    if (mbarriers_[i].offset == offset && mbarriers_[i].count)
      return static_cast<int>(i);
  return -1;
}

bool MbarrierTable::init(size_t offset, uint32_t count) {
  auto place = std::find_if(mbarriers_.begin(), mbarriers_.end(),
                            [&](const Mbarrier &mbarrier) { return mbarrier.offset == offset; });
  if (place == mbarriers_.end()) {
    if (mbarriers_.size() == kMaxMbarriers)
      return false;
    place = mbarriers_.insert(place, Mbarrier{});
  }
  // Phases count on: the race check tells those of an earlier mbarrier at this place apart.
  *place = {offset, count, count, 0, place->phases, place->phases};
  return true;
}

void MbarrierTable::completeIfDone(Mbarrier &mbarrier) {
  if (mbarrier.arrivals || mbarrier.bytes)
    return;
  ++mbarrier.phases;
  mbarrier.arrivals = mbarrier.count;
}

void MbarrierTable::arrive(unsigned index, uint32_t bytes) {
  Mbarrier &mbarrier = mbarriers_[index];
  mbarrier.bytes += bytes;
  --mbarrier.arrivals;
  completeIfDone(mbarrier);
}

void MbarrierTable::landNow(TensorCopy &copy) {
  land(copy);
  Mbarrier &mbarrier = mbarriers_[copy.mbarrier];
  copy.landed = true;
  copy.phase = mbarrier.phases;
  mbarrier.bytes -= static_cast<int64_t>(boxBytes(*copy.map));
  completeIfDone(mbarrier);
}

void MbarrierTable::issue(const TensorCopy &copy, bool late) {
  copies_.push_back(copy);
  if (late)
    poison(copy);
  else
    landNow(copies_.back());
  dropLanded();
}

void MbarrierTable::dropLanded() {
  if (!untilWaited_)
    std::erase_if(copies_, [](const TensorCopy &copy) { return copy.landed; });
}

bool MbarrierTable::landAll(unsigned index) {
  bool any = false;
  for (TensorCopy &copy : copies_)
    if (copy.mbarrier == index && !copy.landed) {
      landNow(copy);
      any = true;
    }
  dropLanded();
  return any;
}

void MbarrierTable::waited(unsigned thread, unsigned index, RaceCheck &race) {
  const uint32_t phases = mbarriers_[index].phases;
  std::erase_if(copies_, [&](const TensorCopy &copy) {
    const bool covered = copy.mbarrier == index && copy.landed && copy.phase < phases;
    if (covered)
      race.tensorLanded(index, copy.phase, copy.offset, boxSpan(*copy.map));
    return covered;
  });
  race.phasesSeen(thread, index, phases);
}

const TensorCopy *MbarrierTable::kept(int index) const {
  const auto found = std::find_if(copies_.begin(), copies_.end(), [&](const TensorCopy &copy) {
    return index < 0 || copy.mbarrier == static_cast<unsigned>(index);
  });
  return found == copies_.end() ? nullptr : &*found;
}

} // namespace tilert
