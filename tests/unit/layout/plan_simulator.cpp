#include "plan_simulator.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace tilec::test {

namespace {

using Registers = std::vector<Bits>;
constexpr Bits kPoison = 0xa5a5a5a5;

bool odd(Bits bits) {
  return std::popcount(bits) % 2 != 0;
}

void select(const std::vector<RegisterSelect> &selects, unsigned thread, Registers &registers) {
  for (const RegisterSelect &entry : selects) {
    Registers old = registers;
    for (size_t i = 0; i < old.size(); ++i)
      registers[i] = old.at(odd(thread & entry.threadMask) ? i ^ entry.registerXor : i);
  }
}

/// The registers of all threads after a plan without shared memory.
std::vector<Registers> exchange(const ConversionPlan &plan, std::vector<Registers> threads) {
  for (unsigned thread = 0; thread < threads.size(); ++thread)
    select(plan.selectsBefore, thread, threads[thread]);
  std::vector<Registers> result(threads.size());
  for (unsigned thread = 0; thread < threads.size(); ++thread) {
    Registers &mine = result[thread];
    for (unsigned source : plan.registers)
      mine.push_back(threads[thread].at(source));
    for (const ShuffleStep &step : plan.steps) {
      unsigned lane = step.laneConstant;
      for (size_t i = 0; i < plan.laneColumns.size(); ++i)
        if (thread >> i & 1)
          lane ^= plan.laneColumns[i];
      mine.push_back(threads[(thread & ~31u) | lane].at(step.source));
    }
    select(plan.selectsAfter, thread, mine);
  }
  return result;
}

bool owns(const LinearLayout &layout, unsigned thread) {
  return !(thread & 31 & layout.replicatedLanes()) && !(thread >> 5 & layout.replicatedWarps());
}

/// Where each element lies, by going through all offsets.
std::vector<Bits> offsetsOfElements(const ConversionPlan &plan, const LinearLayout &layout) {
  std::vector<Bits> offsets(layout.elements(), kPoison);
  for (Bits offset = 0; offset < offsets.size(); ++offset) {
    Bits element = 0;
    for (size_t i = 0; i < plan.memory.columns.size(); ++i)
      element ^= offset >> i & 1 ? plan.memory.columns[i] : 0;
    offsets.at(element) = offset;
  }
  return offsets;
}

/// The offset of an access, or nothing when its elements are not consecutive and aligned.
std::optional<Bits> accessOffset(const std::vector<Bits> &offsets, const LinearLayout &layout,
                                 unsigned thread, const unsigned *registers, unsigned vector) {
  Bits first = offsets.at(layout.element(registers[0], thread & 31, thread >> 5));
  for (unsigned i = 0; i < vector; ++i)
    if (offsets.at(layout.element(registers[i], thread & 31, thread >> 5)) != first + i)
      return std::nullopt;
  return first % vector ? std::nullopt : std::optional<Bits>(first);
}

std::string shared(const ConversionPlan &plan, const LinearLayout &from, const LinearLayout &to,
                   unsigned elementBytes, std::vector<Registers> &threads) {
  std::vector<Bits> memory(plan.scratchBytes / elementBytes, kPoison);
  if (memory.size() != size_t(from.elements()) || plan.storeOrder.size() != from.registers() ||
      plan.loadOrder.size() != to.registers())
    return "sizes";
  std::vector<Bits> offsets = offsetsOfElements(plan, from);
  for (unsigned thread = 0; thread < threads.size(); ++thread)
    for (unsigned i = 0; owns(from, thread) && i < from.registers(); i += plan.storeVector) {
      const unsigned *group = &plan.storeOrder[i];
      std::optional<Bits> offset = accessOffset(offsets, from, thread, group, plan.storeVector);
      if (!offset)
        return "a store is not a vector";
      for (unsigned j = 0; j < plan.storeVector; ++j) {
        if (memory.at(*offset + j) != kPoison)
          return "an element is stored twice";
        memory[*offset + j] = threads[thread].at(group[j]);
      }
    }
  for (unsigned thread = 0; thread < threads.size(); ++thread) {
    Registers result(to.registers(), kPoison);
    for (unsigned i = 0; i < to.registers(); i += plan.loadVector) {
      const unsigned *group = &plan.loadOrder[i];
      std::optional<Bits> offset = accessOffset(offsets, to, thread, group, plan.loadVector);
      if (!offset)
        return "a load is not a vector";
      for (unsigned j = 0; j < plan.loadVector; ++j)
        result.at(group[j]) = memory.at(*offset + j);
    }
    threads[thread] = result;
  }
  return "";
}

} // namespace

std::string simulate(const ConversionPlan &plan, const LinearLayout &from, const LinearLayout &to,
                     unsigned elementBytes) {
  std::vector<Registers> threads(32u << from.warp().size());
  for (unsigned thread = 0; thread < threads.size(); ++thread)
    for (unsigned reg = 0; reg < from.registers(); ++reg)
      threads[thread].push_back(from.element(reg, thread & 31, thread >> 5));
  if (plan.kind != ConversionPlan::Kind::Shared)
    threads = exchange(plan, threads);
  else if (std::string problem = shared(plan, from, to, elementBytes, threads); !problem.empty())
    return problem;
  for (unsigned thread = 0; thread < threads.size(); ++thread)
    for (unsigned reg = 0; reg < to.registers(); ++reg)
      if (threads[thread].at(reg) != to.element(reg, thread & 31, thread >> 5))
        return "thread " + std::to_string(thread) + " register " + std::to_string(reg) + " holds " +
               std::to_string(threads[thread][reg]);
  return "";
}

unsigned countConflicts(const ConversionPlan &plan, const LinearLayout &layout, bool isStore,
                        unsigned elementBytes) {
  unsigned vector = isStore ? plan.storeVector : plan.loadVector;
  const std::vector<unsigned> &order = isStore ? plan.storeOrder : plan.loadOrder;
  unsigned bytes = vector * elementBytes, together = bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
  std::vector<Bits> offsets = offsetsOfElements(plan, layout);
  size_t worst = 1;
  for (unsigned start = 0; start < 32u << layout.warp().size(); start += together)
    for (unsigned i = 0; i < order.size(); i += vector) {
      std::map<unsigned, std::set<unsigned>> wordsOfBank;
      for (unsigned thread = start; thread < start + together; ++thread) {
        if (isStore && !owns(layout, thread))
          continue;
        unsigned address =
            elementBytes * offsets.at(layout.element(order[i], thread & 31, thread >> 5));
        for (unsigned byte = address; byte < address + bytes; ++byte)
          wordsOfBank[byte / 4 % 32].insert(byte / 4);
      }
      for (const auto &[bank, words] : wordsOfBank)
        worst = std::max(worst, words.size());
    }
  return static_cast<unsigned>(worst);
}

} // namespace tilec::test
