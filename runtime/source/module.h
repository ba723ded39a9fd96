// Modules: a set of images of the same kernels, and what of them is loaded where.
//
// An image is loaded the first time one of its kernels is launched in a context, its functions one
// variant at a time. Both happen under the module's lock, with the driver's capture checks relaxed
// so that a first launch may be captured into a graph; what comes out is published with release
// stores, complete or not at all. A launch whose variant is loaded takes no lock: it walks its
// kernel's list of contexts (one entry, mostly) and reads one atomic pointer.
#pragma once

#include "arch.h"
#include "dispatch.h"
#include "driver.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilert {

struct Image {
  ImageArch arch;
  std::string archText;
  const void *data = nullptr;
  size_t size = 0;
  Manifest manifest;
};

/// An image in a context.
struct LoadedImage {
  CUcontext context = nullptr;
  unsigned long long contextId = 0; ///< 0 where the driver has no ids
  size_t image = 0;
  CUmodule module = nullptr;
  bool dependentLaunch = false; ///< the image's, unless the environment forbids it
  DeviceLimits limits;
};

/// A variant in a context.
struct LoadedFunction {
  std::atomic<CUfunction> function{nullptr};
  int occupancy = 0; ///< valid once `function` is set; programs an SM
};

/// A kernel in a context.
struct ContextKernel {
  CUcontext context = nullptr;
  unsigned long long contextId = 0;
  const KernelTable *table = nullptr;
  const LoadedImage *image = nullptr;
  std::unique_ptr<LoadedFunction[]> functions; ///< by variant
  ContextKernel *next = nullptr;
};

/// A kernel on the host device.
struct HostKernel {
  const KernelTable *table = nullptr;
  std::vector<tilert_host_function> functions; ///< by variant; null where the image lacks it
};

} // namespace tilert

/// A kernel of a module: the handle of the C ABI.
struct tilert_kernel_state {
  tilert_module_state *module = nullptr;
  std::string name;
  std::vector<const tilert::KernelTable *> tables; ///< by image; null where it is missing
  const tilert::KernelTable *first = nullptr;      ///< of the first image that has it
  std::atomic<tilert::ContextKernel *> contexts{nullptr};
  std::unique_ptr<tilert::HostKernel> host; ///< null: no host image

  /// The kernel in the context that is current; loads it where it is new.
  const tilert::ContextKernel &inCurrentContext();
  /// A variant's function in `kernel`; loads it where it is new.
  const tilert::LoadedFunction &function(const tilert::ContextKernel &kernel, size_t variant);
};

struct tilert_module_state {
  explicit tilert_module_state(std::string source) : source(std::move(source)) {}
  ~tilert_module_state();
  tilert_module_state(const tilert_module_state &) = delete;
  tilert_module_state &operator=(const tilert_module_state &) = delete;

  /// Reads the manifest, adds the image. Then, once, `collectKernels`.
  void addImage(tilert_image_kind kind, const char *arch, const void *data, size_t size,
                std::string_view manifest);
  void collectKernels();
  tilert_kernel_state *find(std::string_view name);
  /// "sm_80, sm_90a, host", for messages.
  std::string archList() const;

  std::string source;  ///< file or library name, for messages
  std::string bytes;   ///< a loaded file's contents, NUL-terminated
  bool linked = false; ///< of a tilert_library: never unloaded
  std::vector<tilert::Image> images;
  std::vector<std::unique_ptr<tilert_kernel_state>> kernels;
  std::mutex mutex; ///< guards loading
  std::vector<std::unique_ptr<tilert::LoadedImage>> loaded;
};

namespace tilert {

/// The module of a linked library, read at the first call.
tilert_module_state &moduleOf(const tilert_library *library);

} // namespace tilert
