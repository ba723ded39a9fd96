// What the run tests share: the device under test, memory between guard words, comparisons, data.
//
// References live in the tests themselves and are computed in double, int64 or __int128; nothing
// here shares code with the compiler or with tilert's conversions.
#pragma once

#include "numbers.hpp"

#include "tilert/tilert.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace test {

/// The device that TILEC_TEST_DEVICE names ("host" when unset).
tilert::Device &device();
inline tilert::Stream stream() {
  return device().stream();
}
inline bool onHost() {
  return device().isHost();
}

/// Ends the running case when a call failed.
inline void require(const tilert::Status &status) {
  REQUIRE_MESSAGE(bool(status), status.message());
}

/// Calls f<values>() for every value.
template <int... values, typename F> void forEach(F f) {
  (f.template operator()<values>(), ...);
}

/// Device memory for `count` elements between two runs of guard bytes.
///
/// Without values it holds poison: NaN in floats, 0xA5 bytes in the rest. `offset` elements shift
/// the data away from its 256-byte alignment. read() fails the case when a guard byte changed.
template <typename T> class Guarded {
public:
  explicit Guarded(std::size_t count, std::size_t offset = 0) : count_(count), offset_(offset) {
    create();
  }
  explicit Guarded(const std::vector<Stored<T>> &values, std::size_t offset = 0)
      : count_(values.size()), offset_(offset) {
    create();
    write(values);
  }

  T *data() const { return reinterpret_cast<T *>(memory_.data() + start()); }
  operator T *() const { return data(); }
  std::size_t size() const { return count_; }

  void write(const std::vector<Stored<T>> &values) {
    REQUIRE(values.size() == count_);
    if (count_)
      require(tilert_device_copy_in(device().get(), data(), values.data(), count_ * sizeof(T)));
  }
  std::vector<Stored<T>> read() const {
    std::vector<std::uint8_t> bytes;
    require(memory_.copyOut(bytes));
    checkGuard(bytes, 0, start(), "before");
    checkGuard(bytes, start() + count_ * sizeof(T), bytes.size(), "after");
    std::vector<Stored<T>> values(count_);
    if (count_)
      std::memcpy(values.data(), bytes.data() + start(), count_ * sizeof(T));
    return values;
  }

private:
  static constexpr std::size_t kGuardBytes = 256; // keeps the alignment of an allocation
  static constexpr std::uint8_t kGuard = 0x5c;

  std::size_t start() const { return kGuardBytes + offset_ * sizeof(T); }
  void create() {
    std::size_t end = start() + count_ * sizeof(T);
    std::vector<std::uint8_t> bytes(end + kGuardBytes, kGuard);
    std::memset(bytes.data() + start(), 0xa5, count_ * sizeof(T));
    if constexpr (isFloat<T>)
      for (std::size_t i = 0; i < count_; ++i)
        std::memcpy(bytes.data() + start() + i * sizeof(T), &kPoison<T>, sizeof(T));
    require(tilert::Buffer<std::uint8_t>::from(device(), bytes, memory_));
  }
  static void checkGuard(const std::vector<std::uint8_t> &bytes, std::size_t from, std::size_t to,
                         const char *where) {
    for (std::size_t i = from; i < to; ++i)
      if (bytes[i] != kGuard) {
        FAIL_CHECK("wrote " << where << " the buffer, at guard byte " << i - from);
        return;
      }
  }

  std::size_t count_, offset_;
  tilert::Buffer<std::uint8_t> memory_;
};

/// Copies of every element of `values`, as the first of a kernel's operands.
template <typename T> Guarded<T> upload(const std::vector<Stored<T>> &values) {
  return Guarded<T>(values);
}

// --- Comparisons: one assertion an array, with the first element that differs --------------------

/// Fails with `what`, the first index for which `agree(i)` is false, and how many there are.
template <typename T, typename W, typename Agree>
void compare(const std::vector<T> &got, const std::vector<W> &want, const std::string &what,
             Agree agree) {
  REQUIRE_MESSAGE(got.size() == want.size(), what);
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!agree(i) && wrong++ == 0)
      first = i;
  std::ostringstream text;
  if (wrong)
    text << what << ": " << wrong << " of " << got.size() << " differ, first at " << first
         << ": got " << show(got[first]) << ", want " << show(want[first]);
  CHECK_MESSAGE(wrong == 0, text.str());
}

/// The same bits; of NaNs, only that both are (poison is none).
template <typename T>
void checkSame(const std::vector<T> &got, const std::vector<T> &want, const std::string &what) {
  compare(got, want, what, [&](std::size_t i) { return isSame(got[i], want[i]); });
}

/// Within `ulps` units in the last place of T around the exact value; the same NaN, inf, and sign
/// of an exact zero. A subnormal result may differ by one unit more.
template <typename T>
void checkUlps(const std::vector<T> &got, const std::vector<double> &want, double ulps,
               const std::string &what) {
  compare(got, want, what, [&](std::size_t i) { return isWithinUlps(got[i], want[i], ulps); });
}

/// |got - want| <= absolute + relative * |want|.
template <typename T>
void checkClose(const std::vector<T> &got, const std::vector<double> &want, double relative,
                double absolute, const std::string &what) {
  compare(got, want, what, [&](std::size_t i) {
    double value = toDouble(got[i]);
    if (std::isnan(want[i]) || std::isinf(want[i]))
      return std::isnan(want[i]) ? isNan(got[i]) : value == want[i];
    return std::fabs(value - want[i]) <= absolute + relative * std::fabs(want[i]);
  });
}

/// Elements [index * count, (index + 1) * count): one result of a kernel that stores several.
template <typename T>
std::vector<T> part(const std::vector<T> &values, std::size_t index, std::size_t count) {
  return {values.begin() + index * count, values.begin() + (index + 1) * count};
}

/// f(a[i], b[i]) for every i.
template <typename R, typename T, typename F>
std::vector<R> mapped(const std::vector<T> &a, const std::vector<T> &b, F f) {
  std::vector<R> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    result[i] = f(a[i], b[i]);
  return result;
}
template <typename R, typename T, typename F> std::vector<R> mapped(const std::vector<T> &a, F f) {
  std::vector<R> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    result[i] = f(a[i]);
  return result;
}

} // namespace test
