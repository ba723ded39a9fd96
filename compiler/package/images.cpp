#include "compiler/package/images.h"

#include "compiler/package/manifest.h"
#include "compiler/package/package.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELF.h"

#include <map>

using namespace llvm;

namespace tilec {

static Error noManifest(StringRef what) {
  return createStringError("this " + what +
                           " has no manifest: it was not made by tilec, or was stripped");
}

// --- PTX
// ------------------------------------------------------------------------------------------

/// `.visible .global .align 1 .b8 __tilec_manifest[12] = {123, 34, ...};`
static Expected<std::vector<FoundImage>> findInPtx(StringRef text) {
  std::string declaration = std::string(kManifestSymbol) + "[";
  size_t at = text.find(declaration);
  if (at == StringRef::npos)
    return noManifest("PTX file");
  auto broken = [] { return createStringError("the manifest of this PTX file is damaged"); };
  auto [length, rest] = text.drop_front(at + declaration.size()).split(']');
  auto [head, list] = rest.split('{');
  size_t count = 0, end = list.find('}');
  if (length.getAsInteger(10, count) || head.trim() != "=" || end == StringRef::npos)
    return broken();
  FoundImage image{"ptx", text.size(), "", 0};
  for (StringRef remaining = list.take_front(end); !remaining.empty();) {
    StringRef number;
    std::tie(number, remaining) = remaining.split(',');
    uint8_t byte;
    if (number.trim().getAsInteger(10, byte))
      return broken();
    image.manifest.push_back(char(byte));
  }
  if (image.manifest.size() > count)
    return broken();
  StringRef trimmed = StringRef(image.manifest).rtrim('\0');
  image.manifest.resize(trimmed.size());
  return std::vector<FoundImage>{image};
}

// --- ELF
// ------------------------------------------------------------------------------------------

namespace {
using Elf = object::ELFFile<object::ELF64LE>;

/// What a named object symbol covers, as a part of the file.
struct Place {
  std::string name;
  StringRef content;
};
} // namespace

/// The bytes of `symbol` when it lies in a section with contents; empty otherwise.
static Expected<StringRef> contentOf(const Elf &elf, const Elf::Elf_Sym &symbol, bool relocatable) {
  if (symbol.st_shndx == ELF::SHN_UNDEF || symbol.st_shndx >= ELF::SHN_LORESERVE)
    return StringRef();
  Expected<const Elf::Elf_Shdr *> section = elf.getSection(symbol.st_shndx);
  if (!section)
    return section.takeError();
  if ((*section)->sh_type == ELF::SHT_NOBITS)
    return StringRef();
  Expected<ArrayRef<uint8_t>> contents = elf.getSectionContents(**section);
  if (!contents)
    return contents.takeError();
  uint64_t start = symbol.st_value - (relocatable ? 0 : uint64_t((*section)->sh_addr));
  if (start > contents->size() || symbol.st_size > contents->size() - start)
    return createStringError("a symbol lies outside its section");
  return toStringRef(contents->slice(start, symbol.st_size));
}

/// The symbols of the manifests and images, in the order of the symbol table.
static Expected<std::vector<Place>> findPlaces(const Elf &elf) {
  std::vector<Place> places;
  Expected<Elf::Elf_Shdr_Range> sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (const Elf::Elf_Shdr &section : *sections) {
    if (section.sh_type != ELF::SHT_SYMTAB)
      continue;
    Expected<Elf::Elf_Sym_Range> symbols = elf.symbols(&section);
    if (!symbols)
      return symbols.takeError();
    Expected<StringRef> names = elf.getStringTableForSymtab(section);
    if (!names)
      return names.takeError();
    for (const Elf::Elf_Sym &symbol : *symbols) {
      Expected<StringRef> name = symbol.getName(*names);
      if (!name)
        return name.takeError();
      if (!name->starts_with(kManifestSymbol) && !name->starts_with(kImageSymbol))
        continue;
      Expected<StringRef> content = contentOf(elf, symbol, elf.getHeader().e_type == ELF::ET_REL);
      if (!content)
        return content.takeError();
      places.push_back({name->str(), *content});
    }
  }
  return places;
}

static Expected<std::vector<FoundImage>> findInElf(StringRef bytes) {
  auto broken = [](Error error) {
    return createStringError("this ELF file is damaged: " + toString(std::move(error)));
  };
  Expected<Elf> elf = Elf::create(bytes);
  if (!elf)
    return broken(elf.takeError());
  bool cubin = elf->getHeader().e_machine == ELF::EM_CUDA;
  Expected<std::vector<Place>> places = findPlaces(*elf);
  if (!places)
    return broken(places.takeError());
  // Places of a program may come from several objects, each of which numbers its own: an image
  // belongs to the last manifest of its number before or after it, in symbol order.
  std::map<std::string, std::vector<uint64_t>> sizes;
  for (const Place &place : *places)
    if (StringRef name = place.name; name.consume_front(kImageSymbol))
      sizes[name.str()].push_back(place.content.size());
  std::map<std::string, size_t> used;
  std::vector<FoundImage> images;
  for (const Place &place : *places) {
    StringRef name = place.name;
    if (!name.consume_front(kManifestSymbol) || place.content.empty())
      continue;
    FoundImage image;
    image.kind = cubin ? "cubin" : name.rsplit('.').second.str();
    image.manifest = place.content.rtrim('\0').str();
    image.offset = place.content.data() - bytes.data();
    const std::vector<uint64_t> &candidates = sizes[name.str()];
    size_t index = used[name.str()]++;
    image.size = cubin ? bytes.size() : index < candidates.size() ? candidates[index] : 0;
    images.push_back(std::move(image));
  }
  if (images.empty())
    return noManifest(cubin ? "cubin" : "ELF file");
  return images;
}

// --- Either
// ---------------------------------------------------------------------------------------

/// What foreign bytes are, in words.
static std::string describe(StringRef bytes) {
  if (bytes.empty())
    return "an empty file";
  switch (identify_magic(bytes)) {
  case file_magic::archive:
    return "an archive: extract its objects first";
  case file_magic::bitcode:
    return "LLVM bitcode";
  case file_magic::unknown:
    return all_of(bytes.take_front(512), [](char c) { return isPrint(c) || isSpace(c); })
               ? "text of another kind"
               : "of an unknown format";
  default:
    return "an object file of another kind";
  }
}

Expected<std::vector<FoundImage>> findImages(StringRef bytes) {
  if (bytes.starts_with(StringRef("\x7f"
                                  "ELF\x02\x01",
                                  6)))
    return findInElf(bytes);
  if (bytes.contains(".version") && bytes.contains(".target"))
    return findInPtx(bytes);
  return createStringError("not a PTX, cubin or object file: it is " + describe(bytes));
}

Expected<std::vector<std::string>> readManifests(const std::string &bytes) {
  Expected<std::vector<FoundImage>> images = findImages(bytes);
  if (!images)
    return images.takeError();
  std::vector<std::string> manifests;
  for (FoundImage &image : *images)
    manifests.push_back(std::move(image.manifest));
  return manifests;
}

void recordResources(const std::map<std::string, KernelResources> &found,
                     std::vector<KernelContract> &kernels) {
  for (KernelContract &kernel : kernels)
    for (VariantContract &variant : kernel.variants)
      if (auto resources = found.find(variant.symbol); resources != found.end()) {
        variant.resources.registers = resources->second.registers;
        variant.resources.spillBytes = resources->second.spillBytes;
      }
}

Error patchResources(std::string &cubin, const std::map<std::string, KernelResources> &found,
                     std::vector<KernelContract> &kernels) {
  recordResources(found, kernels);
  Expected<std::vector<FoundImage>> images = findImages(cubin);
  if (!images)
    return images.takeError();
  const FoundImage &image = images->front();
  for (const auto &[symbol, resources] : found) {
    size_t at = image.manifest.find("\"symbol\":\"" + symbol + "\"");
    if (at == std::string::npos)
      continue; // a function of the kernels that is no variant
    for (auto [key, value] : {std::pair{"\"registers\":", resources.registers},
                              std::pair{"\"spills\":", resources.spillBytes}}) {
      at = image.manifest.find(key, at);
      if (at == std::string::npos)
        return createStringError("the cubin's manifest has no room for the resources of '" +
                                 symbol + "'");
      at += StringRef(key).size();
      cubin.replace(image.offset + at, kResourceWidth, padResource(value));
    }
  }
  return Error::success();
}

} // namespace tilec
