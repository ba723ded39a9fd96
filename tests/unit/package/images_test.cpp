// Embedding images and finding them again. Alone: build/release/bin/unit_package
// --test-case='images*'.
#include "tests/unit/package/fixture.h"

#include "runtime/include/tilert/tilert.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <doctest/doctest.h>

#include <cstddef>

using namespace tilec;
using namespace tilec::test;

namespace {

struct Fixture {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  CodegenOptions options;

  Fixture(const char *arch, const char *text) {
    llvm::SMDiagnostic diagnostic;
    module = llvm::parseAssemblyString(text, diagnostic, context);
    REQUIRE(module);
    llvm::cantFail(prepareModule(*module, target(arch), options));
  }
};

const char *const kKernels = "define ptx_kernel void @softmax__BLOCK_128() {\n  ret void\n}\n"
                             "define ptx_kernel void @softmax__BLOCK_256() {\n  ret void\n}\n";
const char *const kHostKernel = "define void @f(ptr %self, ptr %arguments) {\n  ret void\n}\n";

std::string ptxWith(const std::string &manifest) {
  Fixture fixture("sm_80", kKernels);
  embedManifest(*fixture.module, manifest);
  return llvm::cantFail(emitPtx(*fixture.module, target("sm_80"), fixture.options));
}

/// An object file with a cubin, a PTX and a host image.
std::string objectFile() {
  Fixture fixture("host", kHostKernel);
  std::vector<Image> images = {{target("sm_80"), false, "CUBIN", "{\"a\":1}", {}},
                               {target("sm_90"), true, "PTX!", "{\"b\":2}", {}},
                               {target("host"), false, "", "{\"c\":3}", {{"f", "f"}}}};
  embedLibrary(*fixture.module, "soft-max", "a::b", images);
  return llvm::cantFail(emitHostObject(*fixture.module, fixture.options)).bytes;
}

std::string readError(const std::string &bytes) {
  llvm::Expected<std::vector<std::string>> manifests = readManifests(bytes);
  return manifests ? "" : llvm::toString(manifests.takeError());
}

} // namespace

TEST_CASE("images: a PTX file's manifest reads back unchanged") {
  std::string manifest = writeManifest({softmax()}, target("sm_80"), false);
  CHECK(llvm::cantFail(readManifests(ptxWith(manifest))) == std::vector{manifest});
}

TEST_CASE("images: an object file's manifests read back in order") {
  CHECK(llvm::cantFail(readManifests(objectFile())) ==
        std::vector<std::string>{"{\"a\":1}", "{\"b\":2}", "{\"c\":3}"});
}

TEST_CASE("images: the library's symbol is an identifier made of namespace and file name") {
  CHECK(librarySymbol("soft-max", "a::b") == "tilec_library_a__b__soft_max");
  CHECK(librarySymbol("softmax", "") == "tilec_library_softmax");
  CHECK(contains(objectFile(), "tilec_library_a__b__soft_max"));
}

TEST_CASE("images: registers and spills are patched into a cubin in place") {
  PtxasLocation ptxas = findPtxas("");
  if (ptxas.path.empty())
    return;
  std::vector<KernelContract> kernels = {softmax()};
  std::string ptx = ptxWith(writeManifest(kernels, target("sm_80"), true));
  Cubin cubin = llvm::cantFail(assemble(ptx, target("sm_80"), ptxas.path, 3, false));
  size_t size = cubin.bytes.size();
  std::map<std::string, KernelResources> found = {{"softmax__BLOCK_128", {24, 8, 0}},
                                                  {"softmax__BLOCK_256", {40, 0, 0}}};
  REQUIRE(llvm::toString(patchResources(cubin.bytes, found, kernels)) == "");
  CHECK(cubin.bytes.size() == size);
  std::string manifest = llvm::cantFail(readManifests(cubin.bytes)).front();
  CHECK(contains(manifest, "\"registers\":24         ,\"spills\":8          }"));
  CHECK(contains(manifest, "\"registers\":40         ,\"spills\":0          }"));
  CHECK(kernels[0].variants[1].resources.registers == 40);
}

TEST_CASE("images: foreign files are refused with what they are") {
  CHECK(readError("") == "not a PTX, cubin or object file: it is an empty file");
  CHECK(contains(readError("!<arch>\n"), "an archive"));
  CHECK(contains(readError("BC\xC0\xDE"), "LLVM bitcode"));
  CHECK(contains(readError("hello"), "text of another kind"));
  CHECK(contains(readError(std::string("\x01\x02\x00\x03", 4)), "unknown format"));
  CHECK(contains(readError(".version 9.0\n.target sm_80\n"), "PTX file has no manifest"));
}

TEST_CASE("images: an object file without a manifest says so") {
  Fixture fixture("host", kHostKernel);
  std::string bytes = llvm::cantFail(emitHostObject(*fixture.module, fixture.options)).bytes;
  CHECK(contains(readError(bytes), "ELF file has no manifest"));
}

TEST_CASE("images: a file cut off anywhere is an error or reads the same, never a crash") {
  for (const std::string &whole : {objectFile(), ptxWith("{\"a\":1}")}) {
    std::vector<std::string> expected = llvm::cantFail(readManifests(whole));
    for (size_t size = 0; size < whole.size(); ++size) {
      llvm::Expected<std::vector<std::string>> got = readManifests(whole.substr(0, size));
      if (got)
        CHECK(*got == expected);
      else
        CHECK(llvm::toString(got.takeError()) != "");
    }
  }
}

TEST_CASE("images: an altered byte anywhere never crashes the reader") {
  std::string whole = objectFile();
  for (size_t at = 0; at < whole.size(); ++at)
    for (char value : {char(0), char(0x7f), char(0xff)}) {
      std::string altered = whole;
      altered[at] = value;
      llvm::Expected<std::string> text = inspect(altered, false);
      if (!text)
        CHECK(llvm::toString(text.takeError()) != "");
    }
}

TEST_CASE("images: the embedded structs have the layout of tilert.h") {
  Fixture fixture("host", kHostKernel);
  embedLibrary(*fixture.module, "s", "", {{target("host"), false, "", "{}", {{"f", "f"}}}});
  auto *library = fixture.module->getNamedGlobal("tilec_library_s");
  REQUIRE(library);
  const llvm::DataLayout &layout = fixture.module->getDataLayout();
  auto *head = llvm::cast<llvm::ConstantStruct>(library->getInitializer());
  const llvm::StructLayout *offsets = layout.getStructLayout(head->getType());
  CHECK(offsets->getSizeInBytes() == sizeof(tilert_library));
  CHECK(offsets->getElementOffset(3) == offsetof(tilert_library, images));
  CHECK(llvm::cast<llvm::ConstantInt>(head->getOperand(0))->getZExtValue() == TILERT_ABI_VERSION);
  auto *table = llvm::cast<llvm::GlobalVariable>(head->getOperand(3));
  auto *image = llvm::cast<llvm::ConstantStruct>(table->getInitializer()->getAggregateElement(0u));
  offsets = layout.getStructLayout(image->getType());
  CHECK(offsets->getSizeInBytes() == sizeof(tilert_image));
  CHECK(offsets->getElementOffset(3) == offsetof(tilert_image, data));
  CHECK(offsets->getElementOffset(5) == offsetof(tilert_image, manifest));
  CHECK(llvm::cast<llvm::ConstantInt>(image->getOperand(0))->getZExtValue() == TILERT_IMAGE_HOST);
}

TEST_CASE("images: host kernels become internal to their object file") {
  Fixture fixture("host", kHostKernel);
  embedLibrary(*fixture.module, "s", "", {{target("host"), false, "", "{}", {{"f", "f"}}}});
  CHECK(fixture.module->getFunction("f")->hasInternalLinkage());
}
