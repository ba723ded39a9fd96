// Device and Buffer: enough of a device for examples and tests, alike on a GPU and on the host.
// Included by tilert.hpp.
#pragma once

#include "tilert/tilert.hpp"

namespace tilert {

/// A GPU or the host device. Moves, does not copy.
class Device {
public:
  Device() = default;
  /// `name` as tilert_device_open(): "host", "cuda", "cuda:1", "auto".
  static Status open(const char *name, Device &device) {
    device = Device();
    return tilert_device_open(name, &device.handle_);
  }
  Device(Device &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Device &operator=(Device &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Device() { tilert_device_close(handle_); }

  explicit operator bool() const { return handle_ != nullptr; }
  tilert_device get() const { return handle_; }
  bool isHost() const { return tilert_device_is_host(handle_) != 0; }
  std::string name() const { return tilert_device_name(handle_); }
  unsigned smCount() const { return tilert_device_sm_count(handle_); }
  Stream stream() const { return tilert_device_stream(handle_); }
  Status makeCurrent() const { return tilert_device_make_current(handle_); }
  Status synchronize() const { return tilert_device_synchronize(handle_); }
  Status startTimer() const { return tilert_device_timer_start(handle_); }
  Status stopTimer(float &milliseconds) const {
    return tilert_device_timer_stop(handle_, &milliseconds);
  }

private:
  tilert_device handle_ = nullptr;
};

/// `count` elements of device memory. Must not outlive its device. Moves, does not copy.
template <typename T> class Buffer {
public:
  Buffer() = default;
  /// Memory with unspecified contents.
  static Status allocate(const Device &device, std::size_t count, Buffer &buffer) {
    buffer = Buffer();
    const std::size_t bytes = count > SIZE_MAX / sizeof(T) ? SIZE_MAX : count * sizeof(T);
    void *memory = nullptr;
    Status status = tilert_device_alloc(device.get(), bytes, &memory);
    if (status) {
      buffer.device_ = device.get();
      buffer.data_ = static_cast<T *>(memory);
      buffer.count_ = count;
    }
    return status;
  }
  /// Memory that holds a copy of `values`.
  static Status from(const Device &device, const std::vector<T> &values, Buffer &buffer) {
    Status status = allocate(device, values.size(), buffer);
    return status ? buffer.copyIn(values.data(), values.size()) : status;
  }
  Buffer(Buffer &&other) noexcept
      : device_(other.device_), data_(std::exchange(other.data_, nullptr)),
        count_(std::exchange(other.count_, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Buffer() {
    if (data_)
      tilert_device_free(device_, data_);
  }

  T *data() const { return data_; }
  std::size_t size() const { return count_; }
  Status copyIn(const T *values, std::size_t count) {
    return tilert_device_copy_in(device_, data_, values, count * sizeof(T));
  }
  Status copyOut(std::vector<T> &values) const {
    values.resize(count_);
    return tilert_device_copy_out(device_, values.data(), data_, count_ * sizeof(T));
  }
  Status fill(std::uint8_t byte) {
    return tilert_device_fill(device_, data_, byte, count_ * sizeof(T));
  }

private:
  tilert_device device_ = nullptr;
  T *data_ = nullptr;
  std::size_t count_ = 0;
};

} // namespace tilert
