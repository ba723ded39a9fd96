#include "host_device.h"

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>

namespace tilec::test {

namespace {

constexpr unsigned kLanes = 32;
constexpr size_t kStackBytes = 256 * 1024, kGuardBytes = 64;

enum class Wait { None, Shuffle, Barrier, Finished };

/// A copy that has not landed: it does so as late as the waits allow.
struct LateCopy {
  void *shared;
  const void *global;
  uint32_t bytes, filled;
  unsigned group;
};

struct Fiber {
  ThreadContext context; // first: the kernel's `self` is a Fiber
  std::vector<LateCopy> copies;
  unsigned groups = 0; // committed
  Wait wait = Wait::None;
  uint32_t value = 0, lane = 0;
  ucontext_t state;
  std::unique_ptr<char[]> stack;
};

ucontext_t scheduler;
KernelFunction currentKernel;
void *const *currentArguments;
Fiber *starting;

/// Compiled code may begin where a page does: nothing can be read in front of it, where UBSan looks
/// for a function's type.
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
void enterFiber() {
  Fiber *fiber = starting;
  currentKernel(&fiber->context, currentArguments);
  fiber->wait = Wait::Finished;
}

uint32_t shuffle(Fiber *fiber, uint32_t value, uint32_t lane) {
  fiber->wait = Wait::Shuffle;
  fiber->value = value;
  fiber->lane = lane % kLanes;
  swapcontext(&fiber->state, &scheduler);
  return fiber->value;
}

uint32_t shuffleXor(Fiber *fiber, uint32_t value, uint32_t mask) {
  return shuffle(fiber, value, (fiber->context.thread ^ mask) % kLanes);
}

void copyAsync(Fiber *fiber, void *shared, const void *global, uint32_t bytes, uint32_t filled) {
  fiber->copies.push_back({shared, global, bytes, filled, fiber->groups});
}

void commitGroup(Fiber *fiber) {
  ++fiber->groups;
}

void waitGroup(Fiber *fiber, uint32_t pending) {
  std::erase_if(fiber->copies, [&](const LateCopy &copy) {
    if (copy.group + pending >= fiber->groups)
      return false;
    if (copy.filled)
      std::memcpy(copy.shared, copy.global, copy.bytes);
    else
      std::memset(copy.shared, 0, copy.bytes);
    return true;
  });
}

/// Every word of every row goes round the warp; a lane picks what the PTX ISA says is its own.
void loadMatrix(Fiber *fiber, const void *row, uint32_t count, uint32_t transposed,
                uint32_t *results) {
  constexpr unsigned kRows = 8, kWords = 4;
  unsigned lane = fiber->context.thread % kLanes;
  uint32_t words[kWords] = {};
  if (lane < count * kRows)
    std::memcpy(words, row, sizeof words);
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    uint32_t halves[2][kWords];
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned word = 0; word < kWords; ++word)
        halves[half][word] = shuffle(
            fiber, words[word], matrix * kRows + (transposed ? lane % 4 * 2 + half : lane / 4));
    unsigned column = lane / 4;
    results[matrix] = transposed ? (halves[0][column / 2] >> column % 2 * 16 & 0xffff) |
                                       halves[1][column / 2] >> column % 2 * 16 << 16
                                 : halves[0][lane % 4];
  }
}

void sharedAccess(Fiber *, const void *, uint32_t, uint32_t) {}

void barrier(Fiber *fiber) {
  fiber->wait = Wait::Barrier;
  swapcontext(&fiber->state, &scheduler);
}

uint16_t roundToBf16(double value) {
  if (std::isnan(value))
    return 0x7fc0;
  // The neighbours of `value` among bf16 numbers, then the nearer one, even on ties.
  float single = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &single, 4);
  auto number = [](uint32_t top) {
    uint32_t wide = top << 16;
    float result;
    std::memcpy(&result, &wide, 4);
    return std::isinf(result) ? std::copysign(0x1p128, result) : static_cast<double>(result);
  };
  uint32_t top = bits >> 16;
  if (std::isinf(value))
    return top;
  if (std::fabs(number(top)) > std::fabs(value))
    --top;
  double below = std::fabs(value - number(top)), above = std::fabs(number(top + 1) - value);
  return below < above || (below == above && top % 2 == 0) ? top : top + 1;
}
uint16_t singleToBf16(float value) {
  return roundToBf16(value);
}

/// One step of everything that waits; false when nothing could move.
bool release(std::vector<Fiber> &fibers) {
  bool moved = false;
  auto all = [](auto begin, auto end, Wait wait) {
    return std::all_of(begin, end, [&](const Fiber &fiber) { return fiber.wait == wait; });
  };
  for (auto warp = fibers.begin(); warp != fibers.end(); warp += kLanes) {
    if (!all(warp, warp + kLanes, Wait::Shuffle))
      continue;
    uint32_t values[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[lane] = warp[warp[lane].lane].value;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      warp[lane].value = values[lane];
      warp[lane].wait = Wait::None;
    }
    moved = true;
  }
  if (all(fibers.begin(), fibers.end(), Wait::Barrier)) {
    for (Fiber &fiber : fibers)
      fiber.wait = Wait::None;
    moved = true;
  }
  return moved;
}

bool runProgram(std::vector<Fiber> &fibers, std::mt19937 *random) {
  std::vector<unsigned> order(fibers.size());
  for (unsigned index = 0; index < order.size(); ++index)
    order[index] = index;
  for (;;) {
    if (random)
      std::shuffle(order.begin(), order.end(), *random);
    for (unsigned index : order)
      if (fibers[index].wait == Wait::None) {
        starting = &fibers[index];
        swapcontext(&scheduler, &fibers[index].state);
      }
    if (std::all_of(fibers.begin(), fibers.end(),
                    [](const Fiber &fiber) { return fiber.wait == Wait::Finished; }))
      return true;
    if (!release(fibers))
      return false;
  }
}

} // namespace

bool runPrograms(KernelFunction kernel, const std::vector<void *> &arguments,
                 const Launch &launch) {
  currentKernel = kernel;
  currentArguments = arguments.data();
  std::mt19937 random(launch.orderSeed);
  std::vector<Fiber> fibers(launch.warps * kLanes);
  auto shared = std::make_unique<char[]>(launch.sharedBytes + kGuardBytes + 128);
  char *base = shared.get() + (128 - reinterpret_cast<uintptr_t>(shared.get()) % 128);
  const uint32_t *programs = launch.programs;
  for (uint32_t index = 0; index < programs[0] * programs[1] * programs[2]; ++index) {
    std::memset(base, 0xA5, launch.sharedBytes + kGuardBytes);
    for (uint32_t thread = 0; thread < fibers.size(); ++thread) {
      Fiber &fiber = fibers[thread];
      fiber.context = {thread,
                       {index % programs[0], index / programs[0] % programs[1],
                        index / programs[0] / programs[1]},
                       {programs[0], programs[1], programs[2]},
                       0,
                       base};
      fiber.wait = Wait::None;
      if (!fiber.stack)
        fiber.stack = std::make_unique<char[]>(kStackBytes);
      getcontext(&fiber.state);
      fiber.state.uc_stack.ss_sp = fiber.stack.get();
      fiber.state.uc_stack.ss_size = kStackBytes;
      fiber.state.uc_link = &scheduler;
      makecontext(&fiber.state, enterFiber, 0);
    }
    if (!runProgram(fibers, launch.orderSeed ? &random : nullptr))
      return false;
    for (size_t byte = 0; byte < kGuardBytes; ++byte)
      if (static_cast<unsigned char>(base[launch.sharedBytes + byte]) != 0xA5)
        return false;
  }
  return true;
}

std::vector<std::pair<const char *, void *>> deviceFunctions() {
  return {{"tilert_host_shuffle_idx", reinterpret_cast<void *>(shuffle)},
          {"tilert_host_shuffle_xor", reinterpret_cast<void *>(shuffleXor)},
          {"tilert_host_barrier", reinterpret_cast<void *>(barrier)},
          {"tilert_host_shared_access", reinterpret_cast<void *>(sharedAccess)},
          {"tilert_host_copy_async", reinterpret_cast<void *>(copyAsync)},
          {"tilert_host_commit_group", reinterpret_cast<void *>(commitGroup)},
          {"tilert_host_wait_group", reinterpret_cast<void *>(waitGroup)},
          {"tilert_host_load_matrix", reinterpret_cast<void *>(loadMatrix)},
          {"tilert_host_f32_to_bf16", reinterpret_cast<void *>(singleToBf16)},
          {"tilert_host_f64_to_bf16", reinterpret_cast<void *>(roundToBf16)}};
}

} // namespace tilec::test
