#include "host_fiber.h"

#include "failure.h"

#include <sys/mman.h>
#include <unistd.h>

#ifdef TILERT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tilert {
namespace {

namespace context = boost::context::detail;

/// Below each stack. Large, because a kernel's frame may be: it must not step over the guard.
constexpr size_t kGuardBytes = size_t{64} << 10;

/// What a switch hands to the other side.
struct Handover {
  FiberContext *from, *to;
};

/// On the new side: keeps where the old one stopped.
void arrive(context::transfer_t transfer) {
  auto *handover = static_cast<Handover *>(transfer.data);
  handover->from->context = transfer.fctx;
#ifdef TILERT_ASAN
  const void *bottom = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(handover->to->fakeStack, &bottom, &bytes);
  if (!handover->from->stackBottom) { // the scheduler, on the OS thread's stack
    handover->from->stackBottom = bottom;
    handover->from->stackBytes = bytes;
  }
#endif
}

/// First code on a new stack.
void startFiber(context::transfer_t transfer) {
  FiberContext *const self = static_cast<Handover *>(transfer.data)->to;
  arrive(transfer);
  self->entry(self->argument);
}

} // namespace

StackSet::StackSet(size_t count, size_t stackBytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  stackBytes_ = (stackBytes + page - 1) / page * page;
  mappedBytes_ = count * (stackBytes_ + kGuardBytes);
  void *mapping =
      mmap(nullptr, mappedBytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    throw Failure(TILERT_ERROR_OUT_OF_MEMORY,
                  "no memory for the stacks of " + std::to_string(count) + " host threads");
  mapping_ = static_cast<char *>(mapping);
  for (size_t i = 0; i < count; ++i)
    if (mprotect(bottom(i), stackBytes_, PROT_READ | PROT_WRITE) != 0) {
      munmap(mapping_, mappedBytes_);
      throw Failure(TILERT_ERROR_OUT_OF_MEMORY,
                    "no memory for the stacks of " + std::to_string(count) + " host threads");
    }
}

StackSet::~StackSet() {
  munmap(mapping_, mappedBytes_);
}

char *StackSet::bottom(size_t index) const {
  return mapping_ + index * (stackBytes_ + kGuardBytes) + kGuardBytes;
}

void StackSet::clean([[maybe_unused]] size_t index) const {
#ifdef TILERT_ASAN
  __asan_unpoison_memory_region(bottom(index), stackBytes_);
#endif
}

void prepareFiber(FiberContext &fiber, char *stackTop, size_t stackBytes,
                  void (*entry)(void *argument), void *argument) {
  fiber.context = context::make_fcontext(stackTop, stackBytes, startFiber);
  fiber.stackBottom = stackTop - stackBytes;
  fiber.stackBytes = stackBytes;
  fiber.fakeStack = nullptr;
  fiber.entry = entry;
  fiber.argument = argument;
}

void switchFiber(FiberContext &from, FiberContext &to) {
  Handover handover{&from, &to};
#ifdef TILERT_ASAN
  __sanitizer_start_switch_fiber(&from.fakeStack, to.stackBottom, to.stackBytes);
#endif
  arrive(context::jump_fcontext(to.context, &handover));
}

} // namespace tilert
