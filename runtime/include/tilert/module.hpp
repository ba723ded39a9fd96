// Module and Kernel: images loaded at run time, launched with arguments checked at run time.
// Included by tilert.hpp.
#pragma once

#include "tilert/tilert.hpp"

namespace tilert {

/// One argument of Kernel::launch(), made from a scalar, a pointer or a View, which must outlive
/// it.
class Argument {
public:
  template <typename T>
    requires(typeOf<T>() != TILERT_TYPE_ANY)
  Argument(const T &scalar) : argument_{&scalar, sizeof(T), typeOf<T>(), 0, 0, 0} {}
  template <typename T>
  Argument(T *const &pointer)
      : argument_{&pointer, sizeof(pointer), TILERT_TYPE_PTR, typeOf<T>(), 0, 0} {}
  template <typename T, std::size_t Rank>
  Argument(const View<T, Rank> &view)
      : view_(view.abi()),
        argument_{nullptr, sizeof(tilert_view), TILERT_TYPE_VIEW, typeOf<T>(), Rank, 0} {}
  /// The C ABI's argument, which points into this one.
  tilert_argument abi() const {
    tilert_argument result = argument_;
    if (!result.value)
      result.value = &view_;
    return result;
  }

private:
  tilert_view view_{};
  tilert_argument argument_;
};

/// A kernel of a module; as cheap to copy as a pointer. Lives as long as its module.
class Kernel {
public:
  Kernel(tilert_kernel handle = nullptr) : handle_(handle) {}
  explicit operator bool() const { return handle_ != nullptr; }
  tilert_kernel get() const { return handle_; }
  std::string name() const { return tilert_kernel_name(handle_); }
  std::string signature() const { return tilert_kernel_signature(handle_); }

  /// kernel.launch(stream, dst, src, n): leading selections, then the parameters.
  template <typename... Arguments>
  Status launch(Stream stream, const Arguments &...arguments) const {
    const Argument wrapped[] = {Argument(arguments)..., Argument(unused)};
    tilert_argument plain[sizeof...(arguments) + 1];
    for (std::size_t i = 0; i < sizeof...(arguments); ++i)
      plain[i] = wrapped[i].abi();
    return tilert_launch(handle_, stream.get(), plain, sizeof...(arguments));
  }
  /// Which variant such a launch takes, and why.
  template <typename... Arguments>
  std::string explain(Stream stream, const Arguments &...arguments) const {
    const Argument wrapped[] = {Argument(arguments)..., Argument(unused)};
    tilert_argument plain[sizeof...(arguments) + 1];
    for (std::size_t i = 0; i < sizeof...(arguments); ++i)
      plain[i] = wrapped[i].abi();
    std::size_t needed = 0;
    if (tilert_explain(handle_, stream.get(), plain, sizeof...(arguments), nullptr, 0, &needed))
      return tilert_last_message();
    std::string text(needed, '\0');
    if (tilert_explain(handle_, stream.get(), plain, sizeof...(arguments), text.data(), needed,
                       &needed))
      return tilert_last_message();
    text.resize(text.find('\0'));
    return text;
  }

private:
  static constexpr int unused = 0; // arrays have no length 0
  tilert_kernel handle_;
};

/// Images loaded from a file or memory. Moves, does not copy.
class Module {
public:
  Module() = default;
  static Status load(const char *path, Module &module) {
    module = Module();
    return tilert_module_load_file(path, &module.handle_);
  }
  static Status load(const void *data, std::size_t size, Module &module) {
    module = Module();
    return tilert_module_load_memory(data, size, &module.handle_);
  }
  Module(Module &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Module &operator=(Module &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Module() { tilert_module_unload(handle_); }

  tilert_module get() const { return handle_; }
  std::size_t kernelCount() const { return tilert_module_kernel_count(handle_); }
  Kernel kernel(std::size_t index) const { return tilert_module_kernel(handle_, index); }
  Status find(const char *name, Kernel &kernel) const {
    tilert_kernel handle = nullptr;
    Status status = tilert_kernel_find(handle_, name, &handle);
    kernel = Kernel(handle);
    return status;
  }

private:
  tilert_module handle_ = nullptr;
};

} // namespace tilert
