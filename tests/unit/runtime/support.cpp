#include "support.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>

namespace tilert::test {
namespace {

/// Before the first test: tilert opens the fake driver unless the environment names another.
const int environmentReady = setenv("TILERT_LIBCUDA", FAKE_CUDA, /*overwrite=*/0);

std::string header(const std::string &arch, int schema = 1) {
  return R"j({"tilec": "0.1.0", "schema": )j" + std::to_string(schema) + R"j(, "arch": ")j" + arch +
         R"j(", "ptx": "9.0", "kernels": [)j";
}

void append16(std::string &to, uint16_t value) {
  to.append(reinterpret_cast<const char *>(&value), sizeof value);
}
void append32(std::string &to, uint32_t value) {
  to.append(reinterpret_cast<const char *>(&value), sizeof value);
}
void append64(std::string &to, uint64_t value) {
  to.append(reinterpret_cast<const char *>(&value), sizeof value);
}

void appendSection(std::string &to, uint32_t type, uint64_t offset, uint64_t size, uint32_t link) {
  append32(to, 0); // name
  append32(to, type);
  append64(to, 0); // flags
  append64(to, 0); // address
  append64(to, offset);
  append64(to, size);
  append32(to, link);
  append32(to, 0);
  append64(to, 1);
  append64(to, 0);
}

} // namespace

std::string softmaxManifest(const std::string &arch) {
  std::string variants;
  for (int block : {128, 512, 2048})
    for (bool specialized : {true, false})
      variants += (variants.empty() ? "" : ",") + std::string(R"j({"symbol": "softmax__)j") +
                  std::to_string(block) + (specialized ? "__s" : "") + R"j(", "values": [)j" +
                  std::to_string(block) + R"j(], "specialized": )j" +
                  (specialized ? "true" : "false") +
                  R"j(, "warps": 4, "cluster": 1, "shared": 64, "registers": 24, "spills": 0})j";
  return header(arch) + R"j({
    "name": "softmax", "doc": "Row-wise softmax.",
    "params": [{"name": "dst", "kind": "ptr", "element": "f32", "const": false},
               {"name": "src", "kind": "ptr", "element": "f32", "const": true},
               {"name": "n_rows", "kind": "i32"}, {"name": "n_cols", "kind": "i32"}],
    "const_params": [{"name": "BLOCK", "type": "i32", "selected": false}],
    "requires": [{"text": "n_cols >= 1 && n_cols <= BLOCK", "line": 7,
                  "expr": ["and", ["ge", ["arg", 3], 1], ["le", ["arg", 3], ["const", "BLOCK"]]]}],
    "specialize": [{"text": "n_cols % 4 == 0 && aligned(src, 16)", "line": 8,
                    "expr": ["and", ["eq", ["rem", ["arg", 3], 4], 0], ["aligned", 1, 16]]}],
    "grid": [{"text": "min(n_rows, num_sms * occupancy)", "line": 9,
              "expr": ["min", ["arg", 2], ["mul", ["num_sms"], ["occupancy"]]]}],
    "variants": [)j" +
         variants + R"j(]}]})j";
}

std::string fillManifest(const std::string &arch) {
  std::string variants;
  for (const char *type : {"f16", "f32"})
    for (int n : {64, 256})
      variants += (variants.empty() ? "" : ",") + std::string(R"j({"symbol": "fill__)j") + type +
                  "_" + std::to_string(n) + R"j(", "values": [")j" + type + R"j(", )j" +
                  std::to_string(n) + R"j(], "warps": 1})j";
  return header(arch) + R"j({"name": "fill",
    "params": [{"name": "dst", "kind": "ptr", "element": "T"}, {"name": "n", "kind": "i32"}],
    "const_params": [{"name": "T", "type": "type", "selected": true},
                     {"name": "N", "type": "i32", "selected": true}],
    "grid": [{"text": "cdiv(n, N)", "expr": ["cdiv", ["arg", 1], ["const", "N"]]}],
    "variants": [)j" +
         variants + R"j(]}]})j";
}

std::string scaleManifest(const std::string &arch, const std::string &extra) {
  return header(arch) + R"j({"name": "scale",
    "params": [{"name": "x", "kind": "view", "element": "f32", "rank": 2},
               {"name": "factor", "kind": "f32"}],
    "requires": [{"text": "x.stride(1) == 1", "expr": ["eq", ["stride", 0, 1], 1]}],
    "grid": [{"text": "x.dim(0)", "expr": ["dim", 0, 0]}, {"text": "x.dim(1)", "expr": ["dim", 0, 1]}],
    "variants": [{"symbol": "scale__0", "values": [], "warps": 2)j" +
         (extra.empty() ? "" : ", " + extra) + R"j(}]}]})j";
}

std::string mapsManifest(const std::string &arch, const std::string &maps, bool general) {
  return header(arch, 2) + R"j({"name": "load",
    "params": [{"name": "y", "kind": "f32"},
               {"name": "x", "kind": "view", "element": "f32", "rank": 2}],
    "grid": [{"text": "1", "expr": 1}],
    "variants": [{"symbol": "load__map", "values": [], "warps": 1, "shared": 1024, "maps": )j" +
         maps + "}" +
         (general ? R"j(, {"symbol": "load__plain", "values": [], "warps": 1})j" : "") + "]}]}";
}

std::string conditionManifest(const std::string &condition, const std::string &grid) {
  return header("host") + R"j({"name": "k",
    "params": [{"name": "a", "kind": "i64"}, {"name": "b", "kind": "i64"}, {"name": "x", "kind": "f64"},
               {"name": "p", "kind": "ptr", "element": "f32"},
               {"name": "q", "kind": "ptr", "element": "f32", "const": true}],
    "requires": [{"text": "it", "expr": )j" +
         condition + R"j(}],
    "grid": [{"text": "grid", "expr": )j" +
         grid + R"j(}],
    "variants": [{"symbol": "k__0", "values": [], "warps": 1}]}]})j";
}

std::string makeCubin(const std::string &manifest) {
  const std::string names = std::string("\0__tilec_manifest\0", 18);
  const std::string data = manifest + '\0';
  const uint64_t namesAt = 64, symbolsAt = namesAt + names.size() + 6, dataAt = symbolsAt + 48,
                 sectionsAt = (dataAt + data.size() + 7) / 8 * 8;
  std::string bytes("\x7f"
                    "ELF\x02\x01\x01",
                    7);
  bytes.resize(16);
  append16(bytes, 2);   // executable
  append16(bytes, 190); // CUDA
  append32(bytes, 1);
  append64(bytes, 0);
  append64(bytes, 0); // no program headers
  append64(bytes, sectionsAt);
  append32(bytes, 0);
  append16(bytes, 64);
  append16(bytes, 56);
  append16(bytes, 0);
  append16(bytes, 64);
  append16(bytes, 4); // sections
  append16(bytes, 1);
  bytes += names;
  bytes.resize(symbolsAt + 24); // the null symbol
  append32(bytes, 1);           // name
  append16(bytes, 0x11);        // global object
  append16(bytes, 3);           // section
  append64(bytes, 0);
  append64(bytes, data.size());
  bytes += data;
  bytes.resize(sectionsAt);
  appendSection(bytes, 0, 0, 0, 0);
  appendSection(bytes, 3, namesAt, names.size(), 0);
  appendSection(bytes, 2, symbolsAt, 48, 1);
  appendSection(bytes, 1, dataAt, data.size(), 0);
  return bytes;
}

std::string makePtx(const std::string &manifest) {
  std::string text = ".version 9.0\n.target sm_80\n.address_size 64\n"
                     ".visible .global .align 1 .b8 __tilec_manifest[" +
                     std::to_string(manifest.size() + 1) + "] = {";
  for (unsigned char byte : manifest)
    text += std::to_string(byte) + ", ";
  return text + "0};\n";
}

TestLibrary &TestLibrary::cubin(const char *arch, std::string manifest) {
  std::string bytes = makeCubin(manifest);
  storage_.held.push_back({arch, std::move(bytes), std::move(manifest), {}, TILERT_IMAGE_CUBIN});
  return *this;
}

TestLibrary &TestLibrary::ptx(const char *arch, std::string manifest) {
  std::string bytes = makePtx(manifest);
  storage_.held.push_back({arch, std::move(bytes), std::move(manifest), {}, TILERT_IMAGE_PTX});
  return *this;
}

TestLibrary &TestLibrary::host(std::string manifest, std::vector<tilert_host_symbol> symbols) {
  storage_.held.push_back({"host", "", std::move(manifest), std::move(symbols), TILERT_IMAGE_HOST});
  return *this;
}

TestLibrary::Storage &TestLibrary::newStorage() {
  static auto *const all = new std::deque<Storage>;
  return all->emplace_back();
}

const tilert_library *TestLibrary::get() {
  if (!storage_.images.empty())
    return &storage_.library;
  for (const Held &held : storage_.held) {
    const bool host = held.kind == TILERT_IMAGE_HOST;
    storage_.images.push_back(
        {held.kind, 0, held.arch.c_str(),
         host ? static_cast<const void *>(held.symbols.data()) : held.bytes.data(),
         host ? held.symbols.size() : held.bytes.size(), held.manifest.c_str()});
  }
  storage_.library = {TILERT_ABI_VERSION, static_cast<uint32_t>(storage_.images.size()), "test",
                      storage_.images.data()};
  return &storage_.library;
}

tilert_kernel_ref TestLibrary::ref(const char *kernel) {
  return {get(), kernel, nullptr};
}

Status runHost(tilert_host_function function, unsigned warps, unsigned programs, unsigned shared) {
  TestLibrary library;
  library.host(header("host") + R"j({"name": "k", "params": [], "grid": [{"text": "n", "expr": )j" +
                   std::to_string(programs) + R"j(}], "variants": [{"symbol": "k__0", "values": [],
                   "warps": )j" +
                   std::to_string(warps) + R"j(, "shared": )j" + std::to_string(shared) + "}]}]}",
               {{"k__0", function}});
  tilert_kernel_ref kernel = library.ref("k");
  return tilert_launch_ref(&kernel, TILERT_HOST_STREAM, nullptr, 0, nullptr, 0);
}

FakeCuda &fakeCuda() {
  using State = FakeCuda *(*)();
  using SetCurrent = CUresult (*)(CUcontext);
  void *library = dlopen(FAKE_CUDA, RTLD_NOW);
  FakeCuda &state = *reinterpret_cast<State>(dlsym(library, "fake_cuda_state"))();
  state.reset();
  reinterpret_cast<SetCurrent>(dlsym(library, "cuCtxSetCurrent"))(
      reinterpret_cast<CUcontext>(static_cast<intptr_t>(0x1000)));
  return state;
}

} // namespace tilert::test
