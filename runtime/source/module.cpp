#include "module.h"

#include <algorithm>
#include <map>

using namespace tilert;

namespace {

/// Linked libraries, by descriptor. Never destroyed: kernels may be launched while statics die.
struct Registry {
  std::mutex mutex;
  std::map<const tilert_library *, std::unique_ptr<tilert_module_state>> modules;
};

Registry &registry() {
  static Registry *const instance = new Registry;
  return *instance;
}

std::unique_ptr<HostKernel> makeHostKernel(const KernelTable &table, const Image &image) {
  auto kernel = std::make_unique<HostKernel>();
  kernel->table = &table;
  const auto *symbols = static_cast<const tilert_host_symbol *>(image.data);
  std::map<std::string_view, tilert_host_function> functions;
  for (size_t i = 0; i < image.size; ++i)
    functions.emplace(symbols[i].symbol, symbols[i].function);
  for (const Variant &variant : table.variants) {
    const auto found = functions.find(variant.symbol);
    kernel->functions.push_back(found == functions.end() ? nullptr : found->second);
  }
  return kernel;
}

} // namespace

void tilert_module_state::addImage(tilert_image_kind kind, const char *arch, const void *data,
                                   size_t size, std::string_view manifest) {
  Image image;
  image.manifest = readManifest(manifest, source);
  image.archText = arch ? arch : image.manifest.arch;
  image.arch = parseArch(kind, image.archText);
  image.data = data;
  image.size = size;
  images.push_back(std::move(image));
}

void tilert_module_state::collectKernels() {
  for (size_t index = 0; index < images.size(); ++index) {
    for (const auto &table : images[index].manifest.kernels) {
      tilert_kernel_state *kernel = find(table->name);
      if (!kernel) {
        kernels.push_back(std::make_unique<tilert_kernel_state>());
        kernel = kernels.back().get();
        kernel->module = this;
        kernel->name = table->name;
        kernel->first = table.get();
        kernel->tables.resize(images.size());
      }
      if (kernel->first->signature != table->signature)
        throw Failure(TILERT_ERROR_BAD_IMAGE,
                      source + ": the images disagree on kernel " + table->signature);
      kernel->tables[index] = table.get();
      if (images[index].arch.kind == TILERT_IMAGE_HOST && !kernel->host)
        kernel->host = makeHostKernel(*table, images[index]);
    }
  }
}

tilert_kernel_state *tilert_module_state::find(std::string_view name) {
  for (const auto &kernel : kernels)
    if (kernel->name == name)
      return kernel.get();
  return nullptr;
}

std::string tilert_module_state::archList() const {
  std::string text;
  for (const Image &image : images)
    text += (text.empty() ? "" : ", ") + image.archText +
            (image.arch.kind == TILERT_IMAGE_PTX ? " PTX" : "");
  return text.empty() ? "nothing" : text;
}

tilert_module_state &tilert::moduleOf(const tilert_library *library) {
  if (!library)
    throw Failure(TILERT_ERROR_INVALID_ARGUMENT, "the library is null");
  Registry &all = registry();
  const std::lock_guard lock(all.mutex);
  auto found = all.modules.find(library);
  if (found != all.modules.end())
    return *found->second;
  const std::string name = library->name ? library->name : "library";
  if (library->abi_version != TILERT_ABI_VERSION)
    throw Failure(TILERT_ERROR_BAD_IMAGE,
                  name + ": built for ABI version " + std::to_string(library->abi_version) +
                      " of tilert, this is version " + std::to_string(TILERT_ABI_VERSION));
  auto module = std::make_unique<tilert_module_state>(name);
  module->linked = true;
  for (uint32_t i = 0; i < library->image_count; ++i) {
    const tilert_image &image = library->images[i];
    if (image.kind < TILERT_IMAGE_CUBIN || image.kind > TILERT_IMAGE_HOST || !image.manifest)
      throw Failure(TILERT_ERROR_BAD_IMAGE,
                    name + ": image " + std::to_string(i) + " is of no known kind");
    module->addImage(static_cast<tilert_image_kind>(image.kind), image.arch, image.data, image.size,
                     image.manifest);
  }
  module->collectKernels();
  return *all.modules.emplace(library, std::move(module)).first->second;
}
