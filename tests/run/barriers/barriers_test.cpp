// Every barrier and every wait that the compiler emits is needed, and the host device notices when
// one is missing: each is left out in turn, and then the launch must fail. The linker
// sends the kernels' calls here (--wrap); a place in the code is known by its return address.
#include "../harness.hpp"
#include "barriers.tile.h"
#include "engine.tile.h"

#include <mutex>
#include <set>

namespace {

std::mutex mutex;
std::set<void *> places; ///< of calls in the kernels that have run
void *leftOut = nullptr;

bool isLeftOut(void *place) {
  const std::lock_guard lock(mutex);
  places.insert(place);
  return place == leftOut;
}

} // namespace

extern "C" {

void __real_tilert_host_barrier(tilert_host_thread *self);
void __real_tilert_host_wait_group(tilert_host_thread *self, uint32_t pending);
void __real_tilert_host_mbarrier_wait(tilert_host_thread *self, void *barrier, uint32_t parity);

void __wrap_tilert_host_barrier(tilert_host_thread *self) {
  if (!isLeftOut(__builtin_return_address(0)))
    __real_tilert_host_barrier(self);
}
/// A wait left out lets every copy be under way.
void __wrap_tilert_host_wait_group(tilert_host_thread *self, uint32_t pending) {
  if (!isLeftOut(__builtin_return_address(0)))
    __real_tilert_host_wait_group(self, pending);
}
void __wrap_tilert_host_mbarrier_wait(tilert_host_thread *self, void *barrier, uint32_t parity) {
  if (!isLeftOut(__builtin_return_address(0)))
    __real_tilert_host_mbarrier_wait(self, barrier, parity);
}

} // extern "C"

namespace {

/// `launch` is right as it is, and fails without any one of its barriers and waits, of which there
/// are at least `least`: by a race, or by the use of an mbarrier that is not live.
template <typename Launch> void checkEachIsNeeded(size_t least, Launch launch) {
  if (!test::onHost()) {
    MESSAGE("the check is the host device's");
    return;
  }
  places.clear();
  leftOut = nullptr;
  test::require(launch());
  const std::set<void *> all = places;
  CHECK(all.size() >= least);
  MESSAGE(all.size(), " barriers and waits");
  unsigned number = 0;
  for (void *place : all) {
    leftOut = place;
    const tilert::Status status = launch();
    const bool isCaught = status.code() == TILERT_ERROR_HOST_RACE ||
                          status.message().find("mbarrier") != std::string::npos;
    CHECK_MESSAGE(isCaught, "without the call of rank ", number++,
                  " by address: ", status.message());
  }
  leftOut = nullptr;
}

} // namespace

TEST_CASE("barriers: one in a reduction and one at the back edge of its loop") {
  test::Guarded<int32_t> src(std::vector<int32_t>(512 * 4, 1)), dst(4);
  checkEachIsNeeded(2, [&] { return tiles::sums_in_loop(test::stream(), dst, src, 4); });
}

TEST_CASE("barriers: of exchanges that use the same bytes") {
  test::Guarded<int32_t> src(std::vector<int32_t>(4096, 1)), dst(4 * 4096);
  checkEachIsNeeded(2, [&] { return tiles::transposes(test::stream(), dst, src); });
}

TEST_CASE("barriers: around a branch") {
  test::Guarded<int32_t> src(std::vector<int32_t>(512, 1)), dst(4);
  checkEachIsNeeded(3, [&] { return tiles::branches(test::stream(), dst, src, 1000); });
}

TEST_CASE("barriers: of an exchange in a staged loop") {
  test::Guarded<float> src(std::vector<float>(4096 * 6, 1)), dst(4 * 4096);
  checkEachIsNeeded(1, [&] { return tiles::staged_sums(test::stream(), dst, src, 6); });
}

TEST_CASE("barriers and waits: of a product of matrices") {
  test::Guarded<test::half> a(std::vector<test::half>(64 * 192)),
      b(std::vector<test::half>(64 * 192));
  test::Guarded<float> dst(4 * 4096);
  checkEachIsNeeded(2, [&] { return tiles::staged_product(test::stream(), dst, a, b, 192); });
}

TEST_CASE("barriers: a wait and a barrier in a loop over a ring of slots") {
  test::Guarded<int32_t> src(std::vector<int32_t>(1024 * 6, 1)), dst(2 * 1024);
  checkEachIsNeeded(2, [&] { return tiles::ring(test::stream(), dst, src, 6); });
}

TEST_CASE("barriers: in a loop over a ring that registers fill") {
  test::Guarded<int8_t> src(std::vector<int8_t>(1024 * 6, 1)), dst(2 * 1024);
  checkEachIsNeeded(1, [&] { return tiles::ring_of_registers(test::stream(), dst, src, 6); });
}

TEST_CASE("barriers: of a ring that is filled again for every row") {
  test::Guarded<int32_t> src(std::vector<int32_t>(1024 * 5, 1)), dst(2 * 1024);
  checkEachIsNeeded(3, [&] { return tiles::ring_in_loop(test::stream(), dst, src, 5); });
}

namespace {

using Halves = test::Guarded<test::half>;

tilert::View<const test::half, 2> matrix(const Halves &memory, int64_t rows, int64_t columns) {
  return {memory.data(), {rows, columns}, {columns, 1}};
}

} // namespace

TEST_CASE("barriers and waits: of a product whose operands the tensor-copy engine copies") {
  Halves a(std::vector<test::half>(64 * 192)), b(std::vector<test::half>(192 * 64));
  test::Guarded<float> dst(4 * 4096);
  checkEachIsNeeded(5, [&] {
    return tiles::engine_product(test::stream(), dst, matrix(a, 64, 192), matrix(b, 192, 64));
  });
}

TEST_CASE("barriers and waits: of mbarriers that are made again for every row") {
  Halves a(std::vector<test::half>(3 * 64 * 160)), b(std::vector<test::half>(160 * 64));
  test::Guarded<float> dst(2 * 4096);
  checkEachIsNeeded(4, [&] {
    return tiles::engine_in_loop(test::stream(), dst, matrix(a, 3 * 64, 160), matrix(b, 160, 64),
                                 3);
  });
}

TEST_CASE("barriers and waits: of one operand by the engine and one by asynchronous copies") {
  Halves a(std::vector<test::half>(64 * 192)), b(std::vector<test::half>(192 * 64));
  test::Guarded<float> dst(2 * 4096);
  checkEachIsNeeded(
      4, [&] { return tiles::engine_and_copies(test::stream(), dst, matrix(a, 64, 192), b); });
}
