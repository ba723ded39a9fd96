// `tilec inspect`: the manifests of a file, for people (a table) and for programs (JSON).
//
// Manifests come from a file that anyone may have written: every value is asked for its kind, and
// what is missing is shown as `-`.
#include "compiler/package/images.h"
#include "compiler/package/package.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec {

using Row = std::vector<std::string>;

static const json::Array &arrayOf(const json::Object &object, StringRef key) {
  static const json::Array empty;
  const json::Array *array = object.getArray(key);
  return array ? *array : empty;
}

static std::string textOf(const json::Object &object, StringRef key) {
  return object.getString(key).value_or("-").str();
}

/// A value as it is written in the language.
static std::string show(const json::Value *value) {
  if (!value)
    return "-";
  if (std::optional<StringRef> text = value->getAsString())
    return text->str();
  std::string text;
  raw_string_ostream(text) << *value;
  return text;
}

/// Registers and spills are -1 where nobody knows them.
static std::string showResource(const json::Object &variant, StringRef key) {
  std::optional<int64_t> number = variant.getInteger(key);
  return number && *number >= 0 ? std::to_string(*number) : "-";
}

static std::string showParam(const json::Object &param) {
  std::string kind = textOf(param, "kind"), element = textOf(param, "element");
  std::string text = textOf(param, "name") + ": " + kind;
  if (kind != "ptr" && kind != "view")
    return text;
  text += "<" + std::string(param.getBoolean("const").value_or(false) ? "const " : "") + element;
  if (kind == "view")
    text += ", " + show(param.get("rank"));
  text += ">";
  if (std::optional<StringRef> extents = param.getString("extents"))
    text += " (extents " + extents->str() + ")";
  return text;
}

/// Columns padded to their widest cell; the first to the left, the others to the right.
static std::string showTable(const std::vector<Row> &rows) {
  std::vector<size_t> widths;
  for (const Row &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string blanks(widths[i] - row[i].size(), ' ');
      line += i ? "  " + blanks + row[i] : "  " + row[i] + blanks;
    }
    text += StringRef(line).rtrim().str() + "\n";
  }
  return text;
}

static std::string showVariants(const json::Object &kernel) {
  Row head = {"variant"};
  for (const json::Value &param : arrayOf(kernel, "const_params"))
    head.push_back(param.getAsObject() ? textOf(*param.getAsObject(), "name") : "-");
  size_t constants = head.size() - 1;
  for (const char *column :
       {"specialized", "warps", "cluster", "shared", "maps", "registers", "spills"})
    head.push_back(column);
  std::vector<Row> rows = {head};
  for (const json::Value &value : arrayOf(kernel, "variants")) {
    const json::Object *variant = value.getAsObject();
    if (!variant)
      continue;
    const json::Array &values = arrayOf(*variant, "values");
    Row row = {textOf(*variant, "symbol")};
    for (size_t i = 0; i < constants; ++i)
      row.push_back(show(i < values.size() ? &values[i] : nullptr));
    row.push_back(variant->getBoolean("specialized").value_or(false) ? "yes" : "no");
    for (const char *key : {"warps", "cluster", "shared"})
      row.push_back(show(variant->get(key)));
    row.push_back(std::to_string(arrayOf(*variant, "maps").size()));
    row.push_back(showResource(*variant, "registers"));
    row.push_back(showResource(*variant, "spills"));
    rows.push_back(std::move(row));
  }
  return showTable(rows);
}

static std::string showKernel(const json::Object &kernel) {
  std::vector<std::string> params;
  for (const json::Value &param : arrayOf(kernel, "params"))
    params.push_back(param.getAsObject() ? showParam(*param.getAsObject()) : "-");
  std::string text = "\nkernel " + textOf(kernel, "name") + "(" + join(params, ", ") + ")\n";
  SmallVector<StringRef> lines;
  StringRef(kernel.getString("doc").value_or("")).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    text += "  /// " + line.trim().str() + "\n";
  for (const char *key : {"requires", "specialize", "grid"})
    for (const json::Value &clause : arrayOf(kernel, key))
      if (clause.getAsObject())
        text += std::string("  ") + key + " " + textOf(*clause.getAsObject(), "text") + "\n";
  return text + showVariants(kernel);
}

static std::string showImage(const FoundImage &image, const json::Object &manifest) {
  std::string text = image.kind + " for " + textOf(manifest, "arch");
  if (image.kind != "host")
    text += ", PTX ISA " + textOf(manifest, "ptx") + ", " + std::to_string(image.size) + " bytes";
  text += ", tilec " + textOf(manifest, "tilec") + "\n";
  for (const json::Value &kernel : arrayOf(manifest, "kernels"))
    if (kernel.getAsObject())
      text += showKernel(*kernel.getAsObject());
  return text;
}

Expected<std::string> inspect(const std::string &bytes, bool asJson) {
  Expected<std::vector<FoundImage>> images = findImages(bytes);
  if (!images)
    return images.takeError();
  std::vector<json::Value> manifests;
  for (const FoundImage &image : *images) {
    Expected<json::Value> manifest = json::parse(image.manifest);
    if (!manifest || !manifest->getAsObject()) {
      std::string reason = manifest ? "it is not an object" : toString(manifest.takeError());
      return createStringError("the manifest is not what tilec writes: " + reason);
    }
    manifests.push_back(std::move(*manifest));
  }
  std::string text;
  raw_string_ostream stream(text);
  if (asJson) {
    json::OStream out(stream, /*IndentSize=*/2);
    out.array([&] {
      for (auto [image, manifest] : zip(*images, manifests))
        out.object([&] {
          out.attribute("kind", image.kind);
          out.attribute("size", image.size);
          out.attribute("manifest", manifest);
        });
    });
    stream << '\n';
  } else {
    for (auto [image, manifest] : zip(*images, manifests))
      stream << (text.empty() ? "" : "\n") << showImage(image, *manifest.getAsObject());
  }
  return text;
}

} // namespace tilec
