// The C ABI of modules and launches (tilert.h): null checks, handles, and exceptions into statuses.
#include "dynamic_arguments.h"
#include "image_reader.h"
#include "launch.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

using namespace tilert;

namespace {

tilert_kernel_state &findKernel(tilert_module_state &module, const char *name) {
  if (tilert_kernel_state *kernel = module.find(name))
    return *kernel;
  std::string known;
  for (const auto &kernel : module.kernels)
    known += (known.empty() ? "" : ", ") + kernel->name;
  throw Failure(TILERT_ERROR_NOT_FOUND, module.source + ": no kernel " + name +
                                            (known.empty() ? "" : " (there is " + known + ")"));
}

/// The kernel behind a generated function. Found once, then one atomic load.
tilert_kernel_state &resolve(tilert_kernel_ref *ref) {
  need(ref, "the kernel");
  const std::atomic_ref<void *> state(ref->state);
  if (void *known = state.load(std::memory_order_acquire)) [[likely]]
    return *static_cast<tilert_kernel_state *>(known);
  need(ref->name, "the kernel's name");
  tilert_kernel_state &kernel = findKernel(moduleOf(ref->library), ref->name);
  state.store(&kernel, std::memory_order_release); // every thread finds the same
  return kernel;
}

void giveText(const std::string &text, char *buffer, size_t size, size_t *needed) {
  if (needed)
    *needed = text.size() + 1;
  if (!buffer || !size)
    return;
  const size_t count = std::min(size - 1, text.size());
  std::memcpy(buffer, text.data(), count);
  buffer[count] = '\0';
}

std::string readFile(const char *path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string contents;
  char block[1 << 16];
  while (file) {
    file.read(block, sizeof block);
    contents.append(block, static_cast<size_t>(file.gcount()));
  }
  if (!file.eof()) // not opened, or a read failed
    throw Failure(TILERT_ERROR_NOT_FOUND,
                  std::string(path) + ": cannot be read" +
                      (errno ? std::string(": ") + std::strerror(errno) : ""));
  return contents;
}

void loadModule(std::string bytes, const std::string &source, tilert_module *module) {
  const ReadImage read = readImage(bytes, source);
  auto state = std::make_unique<tilert_module_state>(source);
  state->bytes = std::move(bytes);
  state->addImage(read.kind, nullptr, state->bytes.c_str(), state->bytes.size(), read.manifest);
  if (state->images.front().arch.compute == 0)
    throw Failure(TILERT_ERROR_BAD_IMAGE,
                  source + ": for the unknown architecture " + state->images.front().archText);
  state->collectKernels();
  *module = state.release();
}

} // namespace

extern "C" {

tilert_status tilert_launch_ref(tilert_kernel_ref *kernel, tilert_stream stream,
                                void *const *arguments, size_t argument_count,
                                const tilert_selection *selections, size_t selection_count) {
  return guarded([&] {
    launchKernel(resolve(kernel), stream, {arguments, argument_count, selections, selection_count});
    return TILERT_OK;
  });
}

tilert_status tilert_explain_ref(tilert_kernel_ref *kernel, tilert_stream stream,
                                 void *const *arguments, size_t argument_count,
                                 const tilert_selection *selections, size_t selection_count,
                                 char *buffer, size_t buffer_size, size_t *needed) {
  return guarded([&] {
    giveText(explainKernel(resolve(kernel), stream,
                           {arguments, argument_count, selections, selection_count}),
             buffer, buffer_size, needed);
    return TILERT_OK;
  });
}

tilert_status tilert_launch(tilert_kernel kernel, tilert_stream stream,
                            const tilert_argument *arguments, size_t argument_count) {
  return guarded([&] {
    need(kernel, "the kernel");
    const DynamicArguments checked(*kernel->first, arguments, argument_count);
    launchKernel(*kernel, stream, checked.launch());
    return TILERT_OK;
  });
}

tilert_status tilert_explain(tilert_kernel kernel, tilert_stream stream,
                             const tilert_argument *arguments, size_t argument_count, char *buffer,
                             size_t buffer_size, size_t *needed) {
  return guarded([&] {
    need(kernel, "the kernel");
    const DynamicArguments checked(*kernel->first, arguments, argument_count);
    giveText(explainKernel(*kernel, stream, checked.launch()), buffer, buffer_size, needed);
    return TILERT_OK;
  });
}

tilert_status tilert_module_load_file(const char *path, tilert_module *module) {
  return guarded([&] {
    need(path, "the path");
    need(module, "`module`");
    *module = nullptr;
    loadModule(readFile(path), path, module);
    return TILERT_OK;
  });
}

tilert_status tilert_module_load_memory(const void *data, size_t size, tilert_module *module) {
  return guarded([&] {
    need(data, "the image");
    need(module, "`module`");
    *module = nullptr;
    loadModule(std::string(static_cast<const char *>(data), size), "image", module);
    return TILERT_OK;
  });
}

tilert_status tilert_module_from_library(const tilert_library *library, tilert_module *module) {
  return guarded([&] {
    need(module, "`module`");
    *module = nullptr;
    *module = &moduleOf(library);
    return TILERT_OK;
  });
}

void tilert_module_unload(tilert_module module) {
  if (module && !module->linked)
    delete module;
}

size_t tilert_module_kernel_count(tilert_module module) {
  return module ? module->kernels.size() : 0;
}

tilert_kernel tilert_module_kernel(tilert_module module, size_t index) {
  return module && index < module->kernels.size() ? module->kernels[index].get() : nullptr;
}

tilert_status tilert_kernel_find(tilert_module module, const char *name, tilert_kernel *kernel) {
  return guarded([&] {
    need(kernel, "`kernel`");
    *kernel = nullptr;
    need(module, "the module");
    need(name, "the name");
    *kernel = &findKernel(*module, name);
    return TILERT_OK;
  });
}

const char *tilert_kernel_name(tilert_kernel kernel) {
  return kernel ? kernel->name.c_str() : "";
}

const char *tilert_kernel_doc(tilert_kernel kernel) {
  return kernel ? kernel->first->doc.c_str() : "";
}

const char *tilert_kernel_signature(tilert_kernel kernel) {
  return kernel ? kernel->first->signature.c_str() : "";
}

size_t tilert_kernel_argument_count(tilert_kernel kernel) {
  return kernel ? kernel->first->leading.size() + kernel->first->params.size() : 0;
}

size_t tilert_kernel_variant_count(tilert_kernel kernel) {
  return kernel ? kernel->first->variants.size() : 0;
}

tilert_status tilert_kernel_variant(tilert_kernel kernel, size_t index, tilert_variant_info *info) {
  return guarded([&] {
    need(kernel, "the kernel");
    need(info, "`info`");
    if (index >= kernel->first->variants.size())
      throw Failure(TILERT_ERROR_INVALID_ARGUMENT,
                    kernel->name + ": no variant " + std::to_string(index) + " of " +
                        std::to_string(kernel->first->variants.size()));
    const Variant &variant = kernel->first->variants[index];
    *info = {
        variant.symbol.c_str(), variant.valuesText.c_str(), variant.warps,  variant.cluster,
        variant.shared,         variant.registers,          variant.spills, variant.specialized};
    return TILERT_OK;
  });
}

} // extern "C"
