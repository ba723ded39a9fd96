// The part of modules that talks to the driver: choosing and loading an image in a context, loading
// a variant's function, and giving both back.
#include "module.h"

#include <cstdlib>

using namespace tilert;

namespace {

constexpr unsigned kPlainShared = 48u << 10; ///< bytes a program gets without asking, everywhere
constexpr unsigned kPortableCluster = 8;     ///< larger clusters need an attribute
constexpr size_t kJitLogSize = 4096;

/// While it lives, the driver does not refuse what must not happen during a stream capture, for
/// this thread: loading a module neither joins the capture nor waits for it.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver_(driver) { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  void exchange() {
    if (driver_.threadExchangeStreamCaptureMode)
      driver_.threadExchangeStreamCaptureMode(&mode_);
  }
  const Driver &driver_;
  int mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

DeviceLimits limitsOf(const Driver &driver, CUdevice device) {
  DeviceLimits limits;
  limits.numSms = driver.attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  limits.maxShared = static_cast<unsigned>(
      driver.attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  limits.compute = static_cast<unsigned>(
      driver.attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
      driver.attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  limits.encodesMaps = driver.tensorMapEncodeTiled != nullptr;
  return limits;
}

/// TILERT_DEPENDENT_LAUNCH=0: a kernel starts when the one before it has ended.
bool allowsDependentLaunch() {
  const char *text = std::getenv("TILERT_DEPENDENT_LAUNCH");
  return !text || std::string_view(text) != "0";
}

/// Compiles PTX; the failure holds the compiler's words.
CUmodule loadPtx(const Driver &driver, const Image &image, const std::string &what) {
  std::string log(kJitLogSize, '\0');
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  CUmodule module = nullptr;
  const CUresult result = driver.moduleLoadDataEx(&module, image.data, 2, options, values);
  log.resize(log.find('\0'));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' '))
    log.pop_back();
  driver.check(result, "cuModuleLoadDataEx", what + (log.empty() ? "" : ": " + log));
  return module;
}

std::unique_ptr<LoadedImage> loadImage(const tilert_module_state &module, CUcontext context,
                                       unsigned long long contextId) {
  const Driver &cuda = driver();
  CUdevice device = 0;
  cuda.check(cuda.ctxGetDevice(&device), "cuCtxGetDevice", module.source);
  auto loaded = std::make_unique<LoadedImage>();
  loaded->context = context;
  loaded->contextId = contextId;
  loaded->limits = limitsOf(cuda, device);
  std::vector<ImageArch> archs;
  for (const Image &image : module.images)
    archs.push_back(image.arch);
  const int chosen = chooseImage(archs, loaded->limits.compute);
  if (chosen < 0)
    throw Failure(TILERT_ERROR_NO_IMAGE, module.source + ": no image for sm_" +
                                             std::to_string(loaded->limits.compute) +
                                             " (built for " + module.archList() + ")");
  loaded->image = static_cast<size_t>(chosen);
  const Image &image = module.images[loaded->image];
  loaded->dependentLaunch = image.manifest.dependentLaunch && allowsDependentLaunch();
  const std::string what = module.source + " (" + image.archText + ")";
  const RelaxedCapture relaxed(cuda);
  if (image.arch.kind == TILERT_IMAGE_PTX)
    loaded->module = loadPtx(cuda, image, what);
  else
    cuda.check(cuda.moduleLoadData(&loaded->module, image.data), "cuModuleLoadData", what);
  return loaded;
}

/// Cold: makes the entry of a context that `kernel` has not been launched in.
ContextKernel &loadKernel(tilert_kernel_state &kernel, CUcontext context,
                          unsigned long long contextId) {
  tilert_module_state &module = *kernel.module;
  const std::lock_guard lock(module.mutex);
  ContextKernel *const head = kernel.contexts.load(std::memory_order_relaxed);
  for (ContextKernel *entry = head; entry; entry = entry->next)
    if (entry->context == context && entry->contextId == contextId)
      return *entry; // another thread was faster
  LoadedImage *image = nullptr;
  for (const auto &loaded : module.loaded)
    if (loaded->context == context && loaded->contextId == contextId)
      image = loaded.get();
  if (!image) {
    module.loaded.reserve(module.loaded.size() + 1); // so that what is loaded is also kept
    module.loaded.push_back(loadImage(module, context, contextId));
    image = module.loaded.back().get();
  }
  const KernelTable *table = kernel.tables[image->image];
  if (!table)
    throw Failure(TILERT_ERROR_NO_IMAGE, kernel.name + ": the image for " +
                                             module.images[image->image].archText +
                                             " does not have it");
  auto entry = std::make_unique<ContextKernel>();
  entry->context = context;
  entry->contextId = contextId;
  entry->table = table;
  entry->image = image;
  entry->functions = std::make_unique<LoadedFunction[]>(table->variants.size());
  entry->next = head;
  kernel.contexts.store(entry.get(), std::memory_order_release);
  return *entry.release();
}

/// Cold: the function of a variant, ready to launch.
void loadFunction(const tilert_kernel_state &kernel, const ContextKernel &entry, size_t index) {
  const std::lock_guard lock(kernel.module->mutex);
  LoadedFunction &loaded = entry.functions[index];
  if (loaded.function.load(std::memory_order_relaxed))
    return; // another thread was faster
  const Driver &cuda = driver();
  const RelaxedCapture relaxed(cuda);
  const Variant &variant = entry.table->variants[index];
  const std::string what = kernel.name + ": " + variant.symbol;
  CUfunction function = nullptr;
  cuda.check(cuda.moduleGetFunction(&function, entry.image->module, variant.symbol.c_str()),
             "cuModuleGetFunction", what);
  // Asking for an attribute also makes a lazy driver load the code now, before a capture sees it.
  int registers = 0;
  cuda.check(cuda.funcGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
             "cuFuncGetAttribute", what);
  if (variant.shared > kPlainShared)
    cuda.check(cuda.funcSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     static_cast<int>(variant.shared)),
               "cuFuncSetAttribute", what);
  if (variant.cluster > kPortableCluster)
    cuda.check(
        cuda.funcSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
        "cuFuncSetAttribute", what);
  if (entry.table->gridUsesOccupancy) {
    cuda.check(cuda.occupancy(&loaded.occupancy, function, static_cast<int>(variant.warps * 32),
                              variant.shared),
               "cuOccupancyMaxActiveBlocksPerMultiprocessor", what);
    if (loaded.occupancy < 1)
      throw Failure(TILERT_ERROR_LAUNCH,
                    what + ": not one program fits an SM (" + std::to_string(registers) +
                        " registers a thread, " + std::to_string(variant.warps * 32) +
                        " threads, " + std::to_string(variant.shared) + " bytes of shared memory)");
  }
  loaded.function.store(function, std::memory_order_release);
}

} // namespace

const ContextKernel &tilert_kernel_state::inCurrentContext() {
  const Driver &cuda = driver();
  CUcontext context = nullptr;
  cuda.check(cuda.ctxGetCurrent(&context), "cuCtxGetCurrent", name);
  if (!context) [[unlikely]]
    throw Failure(TILERT_ERROR_NO_DEVICE,
                  name + ": no CUDA context is current on this thread (cudaSetDevice, "
                         "cuCtxSetCurrent or tilert_device_make_current make one)");
  // A context may die and another be born at its address; the id tells them apart.
  unsigned long long id = 0;
  if (cuda.ctxGetId)
    cuda.check(cuda.ctxGetId(context, &id), "cuCtxGetId", name);
  for (ContextKernel *entry = contexts.load(std::memory_order_acquire); entry; entry = entry->next)
    if (entry->context == context && entry->contextId == id)
      return *entry;
  return loadKernel(*this, context, id);
}

const LoadedFunction &tilert_kernel_state::function(const ContextKernel &kernel, size_t variant) {
  const LoadedFunction &loaded = kernel.functions[variant];
  if (!loaded.function.load(std::memory_order_acquire)) [[unlikely]]
    loadFunction(*this, kernel, variant);
  return loaded;
}

tilert_module_state::~tilert_module_state() {
  for (const auto &kernel : kernels) {
    ContextKernel *entry = kernel->contexts.load();
    while (entry)
      delete std::exchange(entry, entry->next);
  }
  if (loaded.empty())
    return;
  // Only the current context is known to be alive; elsewhere the handle goes with its context.
  const Driver &cuda = driver();
  CUcontext context = nullptr;
  unsigned long long id = 0;
  if (cuda.ctxGetCurrent(&context) != CUDA_SUCCESS || !context ||
      (cuda.ctxGetId && cuda.ctxGetId(context, &id) != CUDA_SUCCESS))
    return;
  for (const auto &image : loaded)
    if (image->context == context && image->contextId == id)
      cuda.moduleUnload(image->module);
}
