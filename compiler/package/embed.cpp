// Manifests and images as constants of an LLVM module. The structs are those of
// runtime/include/tilert/tilert.h; a test compiles against that header and compares.
#include "compiler/package/manifest.h"
#include "compiler/package/package.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilec {

static constexpr unsigned kGlobalAddressSpace = 1;
/// TILERT_ABI_VERSION, tilert_image_kind.
static constexpr uint32_t kAbiVersion = 1, kKindCubin = 1, kKindPtx = 2, kKindHost = 3;
/// A cubin is an ELF file that the driver reads in place.
static constexpr uint64_t kImageAlignment = 64;

void embedManifest(Module &module, const std::string &manifest) {
  Constant *text = ConstantDataArray::getString(module.getContext(), manifest, /*AddNull=*/true);
  auto *global = new GlobalVariable(module, text->getType(), /*isConstant=*/true,
                                    GlobalValue::ExternalLinkage, text, kManifestSymbol, nullptr,
                                    GlobalValue::NotThreadLocal, kGlobalAddressSpace);
  global->setAlignment(Align(1));
}

/// `text` as one identifier: what is not a letter or digit becomes `_`.
static std::string identifier(StringRef text) {
  std::string result;
  for (char c : text)
    result += isAlnum(c) ? c : '_';
  return result;
}

std::string librarySymbol(const std::string &stem, const std::string &ns) {
  return "tilec_library_" + (ns.empty() ? "" : identifier(ns) + "__") + identifier(stem);
}

namespace {
/// Builds the descriptor of one library.
class LibraryBuilder {
public:
  explicit LibraryBuilder(Module &module)
      : module_(module), context_(module.getContext()), pointer_(PointerType::get(context_, 0)),
        word_(Type::getInt32Ty(context_)), size_(module.getDataLayout().getIntPtrType(context_)) {}

  Constant *bytes(const Twine &name, StringRef content, bool terminate, uint64_t alignment) {
    return data(name, ConstantDataArray::getString(context_, content, terminate), alignment);
  }

  /// One tilert_image.
  Constant *image(const Image &image, size_t index) {
    std::string kind = image.target.host ? "host" : image.ptx ? "ptx" : "cubin";
    std::string suffix = "." + std::to_string(index) + "." + kind;
    Constant *manifest = bytes(kManifestSymbol + suffix, image.manifest, true, 1);
    Constant *arch = bytes("", image.target.name(), true, 1);
    uint32_t code = image.target.host ? kKindHost : image.ptx ? kKindPtx : kKindCubin;
    uint64_t size = image.target.host ? image.hostSymbols.size() : image.bytes.size();
    Constant *content = image.target.host
                            ? hostSymbols(image)
                            : bytes(kImageSymbol + suffix, image.bytes, image.ptx, kImageAlignment);
    return ConstantStruct::getAnon({ConstantInt::get(word_, code), ConstantInt::get(word_, 0), arch,
                                    content, ConstantInt::get(size_, size), manifest});
  }

  void library(const std::string &symbol, const std::string &stem, ArrayRef<Constant *> images) {
    Constant *array = data("", table(images), 8);
    Constant *value = ConstantStruct::getAnon({ConstantInt::get(word_, kAbiVersion),
                                               ConstantInt::get(word_, images.size()),
                                               bytes("", stem, true, 1), array});
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the module owns it.
    new GlobalVariable(module_, value->getType(), /*isConstant=*/true, GlobalValue::ExternalLinkage,
                       value, symbol);
  }

private:
  Constant *data(const Twine &name, Constant *value, uint64_t alignment) {
    auto *global = new GlobalVariable(module_, value->getType(), /*isConstant=*/true,
                                      name.isTriviallyEmpty() ? GlobalValue::PrivateLinkage
                                                              : GlobalValue::InternalLinkage,
                                      value, name);
    global->setAlignment(Align(alignment));
    return global;
  }

  Constant *table(ArrayRef<Constant *> rows) {
    Type *type = rows.empty() ? static_cast<Type *>(word_) : rows.front()->getType();
    return ConstantArray::get(ArrayType::get(type, rows.size()), rows);
  }

  Constant *hostSymbols(const Image &image) {
    SmallVector<Constant *> rows;
    for (const HostSymbol &symbol : image.hostSymbols) {
      Constant *function = ConstantPointerNull::get(pointer_);
      if (Function *definition = module_.getFunction(symbol.function)) {
        // Two libraries of one program may hold kernels of the same name.
        definition->setLinkage(GlobalValue::InternalLinkage);
        function = definition;
      }
      rows.push_back(ConstantStruct::getAnon({bytes("", symbol.symbol, true, 1), function}));
    }
    return data("", table(rows), 8);
  }

  Module &module_;
  LLVMContext &context_;
  PointerType *pointer_;
  IntegerType *word_;
  IntegerType *size_;
};
} // namespace

void embedLibrary(Module &module, const std::string &stem, const std::string &ns,
                  const std::vector<Image> &images) {
  LibraryBuilder builder(module);
  SmallVector<Constant *> rows;
  for (const Image &image : images)
    rows.push_back(builder.image(image, rows.size()));
  builder.library(librarySymbol(stem, ns), stem, rows);
}

} // namespace tilec
