#include "image_reader.h"

#include "failure.h"

#include <cctype>
#include <cstdint>
#include <cstring>

namespace tilert {
namespace {

constexpr std::string_view kSymbol = "__tilec_manifest";

// --- ELF (System V ABI, "Object Files"; 64-bit little-endian only, as ptxas writes it) ----------

constexpr size_t kHeaderSize = 64, kSectionHeaderSize = 64, kProgramHeaderSize = 56,
                 kSymbolSize = 24;
constexpr uint16_t kMachineCuda = 190;
constexpr uint32_t kSectionSymbols = 2, kSectionNoBits = 8;
constexpr uint32_t kFatbinMagic = 0xba55ed50;

struct Section {
  uint32_t type, link;
  uint64_t address, offset, size;
};

class Elf {
public:
  Elf(std::string_view bytes, const std::string &source) : bytes_(bytes), source_(source) {}

  std::string manifest() {
    readHeader();
    checkSegments();
    for (unsigned index = 0; index < sectionCount_; ++index) {
      const Section symbols = section(index);
      if (symbols.type != kSectionSymbols)
        continue;
      for (uint64_t at = 0; at + kSymbolSize <= symbols.size; at += kSymbolSize)
        if (std::string text; readSymbol(symbols, symbols.offset + at, text))
          return text;
    }
    throw Failure(TILERT_ERROR_BAD_IMAGE,
                  source_ + ": a cubin without a manifest: it is not of tilec");
  }

private:
  [[noreturn]] void truncated(const char *what) {
    throw Failure(TILERT_ERROR_BAD_IMAGE, source_ + ": the cubin is truncated or damaged: " + what +
                                              " reaches past its end");
  }
  void need(uint64_t offset, uint64_t size, const char *what) {
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      truncated(what);
  }
  /// An integer at an offset that `need` has cleared.
  template <typename T> T at(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  void readHeader() {
    need(0, kHeaderSize, "the ELF header");
    if (bytes_[4] != 2 || bytes_[5] != 1 || at<uint16_t>(18) != kMachineCuda)
      throw Failure(TILERT_ERROR_BAD_IMAGE,
                    source_ + ": an ELF file, but no cubin (objects are linked, not loaded)");
    sectionTable_ = at<uint64_t>(40);
    sectionCount_ = at<uint16_t>(60);
    if (sectionCount_ && at<uint16_t>(58) != kSectionHeaderSize)
      truncated("a section header");
    need(sectionTable_, sectionCount_ * kSectionHeaderSize, "the section table");
    for (unsigned index = 0; index < sectionCount_; ++index)
      if (const Section checked = section(index); checked.type != kSectionNoBits)
        need(checked.offset, checked.size, "a section");
  }
  void checkSegments() {
    const uint64_t table = at<uint64_t>(32);
    const unsigned count = at<uint16_t>(56);
    if (count && at<uint16_t>(54) != kProgramHeaderSize)
      truncated("a program header");
    need(table, count * kProgramHeaderSize, "the program header table");
    for (unsigned index = 0; index < count; ++index) {
      const uint64_t header = table + index * kProgramHeaderSize;
      need(at<uint64_t>(header + 8), at<uint64_t>(header + 32), "a segment");
    }
  }
  Section section(unsigned index) const {
    const uint64_t header = sectionTable_ + index * kSectionHeaderSize;
    return {at<uint32_t>(header + 4), at<uint32_t>(header + 40), at<uint64_t>(header + 16),
            at<uint64_t>(header + 24), at<uint64_t>(header + 32)};
  }
  /// True when the symbol at `offset` is the manifest; `text` receives it.
  bool readSymbol(const Section &symbols, uint64_t offset, std::string &text) {
    if (symbols.link >= sectionCount_)
      return false;
    const Section names = section(symbols.link);
    const uint64_t name = at<uint32_t>(offset);
    if (names.type == kSectionNoBits || name >= names.size ||
        names.size - name < kSymbol.size() + 1 ||
        bytes_.substr(names.offset + name, kSymbol.size() + 1) !=
            std::string_view(kSymbol.data(), kSymbol.size() + 1))
      return false;
    const unsigned home = at<uint16_t>(offset + 6);
    const uint64_t value = at<uint64_t>(offset + 8), size = at<uint64_t>(offset + 16);
    if (home >= sectionCount_)
      return false;
    const Section data = section(home);
    const uint64_t start = value - data.address; // 0 addresses in relocatable cubins
    if (data.type == kSectionNoBits || start > data.size || size > data.size - start)
      truncated("the manifest");
    text = bytes_.substr(data.offset + start, size);
    const size_t end = text.find('\0');
    if (end == std::string::npos)
      throw Failure(TILERT_ERROR_BAD_IMAGE, source_ + ": the manifest does not end");
    text.resize(end);
    return true;
  }

  std::string_view bytes_;
  const std::string &source_;
  uint64_t sectionTable_ = 0;
  unsigned sectionCount_ = 0;
};

// --- PTX: .global .align 1 .b8 __tilec_manifest[1234] = {123, 34, ...}; --------------------------

class PtxText {
public:
  PtxText(std::string_view text, const std::string &source) : text_(text), source_(source) {}

  std::string manifest() {
    for (size_t found = text_.find(kSymbol); found != std::string_view::npos;
         found = text_.find(kSymbol, found + 1)) {
      at_ = found + kSymbol.size();
      std::string result;
      if (readArray(result)) {
        const size_t end = result.find('\0');
        if (end == std::string::npos)
          throw Failure(TILERT_ERROR_BAD_IMAGE, source_ + ": the manifest does not end");
        result.resize(end);
        return result;
      }
    }
    throw Failure(TILERT_ERROR_BAD_IMAGE,
                  source_ + ": PTX without a whole manifest: truncated, or not of tilec");
  }

private:
  void skipBlanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool accept(char wanted) {
    skipBlanks();
    if (at_ >= text_.size() || text_[at_] != wanted)
      return false;
    ++at_;
    return true;
  }
  bool number(uint64_t limit, uint64_t &value) {
    skipBlanks();
    const size_t start = at_;
    value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      value = value * 10 + static_cast<uint64_t>(text_[at_] - '0');
      if (value > limit)
        return false;
    }
    return at_ > start;
  }
  bool readArray(std::string &result) {
    uint64_t length = 0, byte = 0;
    if (!accept('[') || !number(text_.size(), length) || !accept(']') || !accept('=') ||
        !accept('{'))
      return false;
    do {
      if (!number(255, byte) || result.size() >= length)
        return false;
      result.push_back(static_cast<char>(byte));
    } while (accept(','));
    result.resize(length, '\0'); // what is not listed is zero
    return accept('}');
  }

  std::string_view text_;
  const std::string &source_;
  size_t at_ = 0;
};

} // namespace

ReadImage readImage(std::string_view bytes, const std::string &source) {
  if (bytes.size() >= 4 && std::memcmp(bytes.data(),
                                       "\x7f"
                                       "ELF",
                                       4) == 0)
    return {TILERT_IMAGE_CUBIN, Elf(bytes, source).manifest()};
  uint32_t magic = 0;
  if (bytes.size() >= sizeof magic)
    std::memcpy(&magic, bytes.data(), sizeof magic);
  if (magic == kFatbinMagic)
    throw Failure(TILERT_ERROR_BAD_IMAGE, source + ": a fatbin, which tilec does not make");
  // The driver takes text up to its NUL; so does this.
  const std::string_view text = bytes.substr(0, bytes.find('\0'));
  if (text.find(".version") == std::string_view::npos ||
      text.find(".target") == std::string_view::npos)
    throw Failure(TILERT_ERROR_BAD_IMAGE,
                  source + (bytes.empty() ? ": empty" : ": neither a cubin nor PTX"));
  return {TILERT_IMAGE_PTX, PtxText(text, source).manifest()};
}

} // namespace tilert
