// tilert in C++20: header-only over the C ABI of tilert.h.
//
// Launching needs Status, Stream and what a kernel's parameters are: plain values, pointers, View.
// Device, Buffer, Module and Kernel own their C counterparts. Nothing here throws: what can fail
// returns a Status, or leaves an empty object and a Status.
#pragma once

#include "tilert/numeric.hpp"
#include "tilert/tilert.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilert {

/// What a call came to. Converts to true when it succeeded; a failure keeps its text.
class [[nodiscard]] Status {
public:
  Status() = default;
  /// From the C ABI, right after the call: takes the calling thread's message.
  Status(tilert_status code) : code_(code) {
    if (code != TILERT_OK)
      message_ = tilert_last_message();
  }
  explicit operator bool() const { return code_ == TILERT_OK; }
  tilert_status code() const { return code_; }
  /// Names kernel, argument and clause; empty on success.
  const std::string &message() const { return message_; }

private:
  tilert_status code_ = TILERT_OK;
  std::string message_;
};

/// Where a kernel is launched: a CUstream or cudaStream_t of the current context, nullptr for its
/// default stream, or host_stream().
class Stream {
public:
  Stream(void *handle = nullptr) : handle_(handle) {}
  tilert_stream get() const { return handle_; }
  bool isHost() const { return handle_ == TILERT_HOST_STREAM; }

private:
  tilert_stream handle_;
};

/// The host device: a launch returns when it is done.
inline Stream host_stream() {
  return Stream(TILERT_HOST_STREAM);
}

/// A strided array of rank `Rank` in device memory, as a kernel's view<T, Rank> parameter takes it:
/// View<const float, 2>{pointer, {rows, columns}, {row_stride, 1}}. Strides are in elements;
/// without them the array is row-major without gaps.
template <typename T, std::size_t Rank> struct View {
  using Sizes = std::array<std::int64_t, Rank>;

  T *data = nullptr;
  Sizes extents{};
  Sizes strides{};

  View() = default;
  View(T *data, const Sizes &extents, const Sizes &strides)
      : data(data), extents(extents), strides(strides) {}
  View(T *data, const Sizes &extents) : data(data), extents(extents) {
    std::int64_t stride = 1;
    for (std::size_t axis = Rank; axis-- > 0;) {
      strides[axis] = stride;
      stride *= extents[axis];
    }
  }

  /// The C ABI's view, which points into this one.
  tilert_view abi() const {
    return {const_cast<void *>(static_cast<const void *>(data)), extents.data(), strides.data()};
  }
  operator View<const T, Rank>() const
    requires(!std::is_const_v<T>)
  {
    return {data, extents, strides};
  }
};

/// A row-major view without gaps.
template <typename T, std::size_t Rank>
View<T, Rank> contiguous(T *data, const std::int64_t (&extents)[Rank]) {
  return {data, std::to_array(extents)};
}

} // namespace tilert

#include "tilert/device.hpp"
#include "tilert/module.hpp"
