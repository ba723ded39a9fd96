// Loads and stores with hints at caches give what they give without.
#include "harness.hpp"
#include "hints.tile.h"

using namespace test;

TEST_SUITE_BEGIN("hints");

namespace {
constexpr int kCount = 512;
} // namespace

TEST_CASE_TEMPLATE("every cache and evict of a load", T, std::uint8_t, half, std::int32_t, double) {
  for (int n : {0, 1, 13, 500, kCount})
    for (std::size_t offset : {0, 1}) { // the specialised variant has vectors
      std::vector<T> x = randomValues<T>(kCount, 40), want;
      // What each of the eight loads reads past n; the values themselves before.
      const T seven = nearest<T>(7), zero = nearest<T>(0);
      const bool masked[] = {false, true, true, true, true, false, true, true};
      const T others[] = {zero, seven, zero, zero, seven, zero, zero, zero};
      for (int load = 0; load < 8; ++load)
        for (int i = 0; i < kCount; ++i)
          want.push_back(!masked[load] || i < n ? x[i] : others[load]);
      Guarded<T> in(x, offset), read(x, offset), out(8 * kCount, offset);
      require(tiles::load_hints(stream(), out, in, read, n));
      checkSame(out.read(), want, "n = " + std::to_string(n));
    }
}

TEST_CASE_TEMPLATE("every cache and evict of a store", T, std::uint8_t, half, std::int32_t,
                   double) {
  for (int n : {0, 1, 13, 500, kCount})
    for (std::size_t offset : {0, 1}) {
      std::vector<T> x = randomValues<T>(kCount, 41);
      Guarded<T> in(x, offset), out(6 * kCount, offset);
      const std::vector<T> before = out.read();
      require(tiles::store_hints(stream(), out, in, n));
      const bool masked[] = {false, true, true, true, false, true};
      std::vector<T> got = out.read(), want = before;
      for (int store = 0; store < 6; ++store)
        for (int i = 0; i < kCount; ++i)
          if (!masked[store] || i < n)
            want[store * kCount + i] = x[i];
      unsigned wrong = 0; // poison, too, must be as it was
      for (std::size_t i = 0; i < got.size(); ++i)
        wrong += bitsOf(got[i]) != bitsOf(want[i]);
      CHECK_MESSAGE(wrong == 0, "n = ", n);
    }
}

TEST_SUITE_END();
