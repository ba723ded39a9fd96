// Alone: build/release/bin/unit_runtime --test-case='image*'
#include "runtime/source/arch.h"
#include "runtime/source/failure.h"
#include "runtime/source/image_reader.h"
#include "tests/unit/runtime/support.h"

#include <doctest/doctest.h>

#include <random>

using namespace tilert;
using namespace tilert::test;

namespace {

std::string imageRefusal(const std::string &bytes) {
  try {
    readImage(bytes, "f");
  } catch (const Failure &failure) {
    CHECK(failure.status() == TILERT_ERROR_BAD_IMAGE);
    return failure.message();
  }
  return "";
}

int choose(std::vector<std::pair<tilert_image_kind, const char *>> images, unsigned compute) {
  std::vector<ImageArch> archs;
  for (const auto &[kind, arch] : images)
    archs.push_back(parseArch(kind, arch));
  return chooseImage(archs, compute);
}

constexpr tilert_image_kind kCubin = TILERT_IMAGE_CUBIN, kPtx = TILERT_IMAGE_PTX,
                            kHost = TILERT_IMAGE_HOST;

} // namespace

TEST_CASE("image: the manifest of a cubin and of PTX is found") {
  const std::string manifest = softmaxManifest("sm_90");
  const ReadImage cubin = readImage(makeCubin(manifest), "f");
  CHECK(cubin.kind == TILERT_IMAGE_CUBIN);
  CHECK(cubin.manifest == manifest);
  const ReadImage ptx = readImage(makePtx(manifest), "f");
  CHECK(ptx.kind == TILERT_IMAGE_PTX);
  CHECK(ptx.manifest == manifest);
}

TEST_CASE("image: foreign bytes are refused with what they are") {
  CHECK(imageRefusal("") == "f: empty");
  CHECK(imageRefusal("#!/bin/sh\n") == "f: neither a cubin nor PTX");
  CHECK(imageRefusal(std::string("\x50\xed\x55\xba fatbin", 12)) ==
        "f: a fatbin, which tilec does not make");
  std::string object = makeCubin("{}");
  object[18] = 62; // x86-64
  CHECK(imageRefusal(object) == "f: an ELF file, but no cubin (objects are linked, not loaded)");
  std::string other = makeCubin("{}");
  other.replace(other.find("__tilec_manifest"), 7, "__other");
  CHECK(imageRefusal(other) == "f: a cubin without a manifest: it is not of tilec");
  CHECK(imageRefusal(".version 9.0\n.target sm_80\n") ==
        "f: PTX without a whole manifest: truncated, or not of tilec");
}

TEST_CASE("image: every truncation of a cubin and of PTX is refused") {
  for (const std::string &whole : {makeCubin(fillManifest("sm_90")), makePtx("{\"schema\": 1}")}) {
    const size_t end = whole.rfind('}') == whole.size() - 3 ? whole.size() - 3 : whole.size();
    for (size_t length = 0; length < end; ++length)
      CHECK(imageRefusal(whole.substr(0, length)) != "");
  }
}

TEST_CASE("image: altered cubins and PTX are read or refused, never followed out of bounds") {
  std::mt19937 random(2);
  for (const std::string &good : {makeCubin("{\"schema\": 1}"), makePtx("{\"schema\": 1}")})
    for (int i = 0; i < 20000; ++i) {
      std::string altered = good;
      for (int changes = 1 + static_cast<int>(random() % 8); changes > 0; --changes)
        altered[random() % altered.size()] = static_cast<char>(random() % 3   ? random()
                                                               : random() % 2 ? 0xff
                                                                              : 0);
      imageRefusal(altered);
    }
}

TEST_CASE("image: a cubin of the same major and at most the same minor runs") {
  CHECK(choose({{kCubin, "sm_80"}, {kCubin, "sm_86"}, {kCubin, "sm_90"}}, 86) == 1);
  CHECK(choose({{kCubin, "sm_80"}, {kCubin, "sm_86"}}, 89) == 1);
  CHECK(choose({{kCubin, "sm_86"}}, 80) == -1);
  CHECK(choose({{kCubin, "sm_80"}}, 90) == -1);
}

TEST_CASE("image: exact architectures come first and run nowhere else") {
  CHECK(choose({{kCubin, "sm_90"}, {kCubin, "sm_90a"}, {kPtx, "sm_90"}}, 90) == 1);
  CHECK(choose({{kCubin, "sm_100a"}}, 103) == -1);
  CHECK(choose({{kPtx, "sm_90a"}}, 100) == -1);
  CHECK(choose({{kCubin, "sm_100f"}}, 103) == 0);
}

TEST_CASE("image: PTX serves devices that no cubin does, the newest first; host images never") {
  CHECK(choose({{kPtx, "sm_80"}, {kCubin, "sm_90"}, {kHost, "host"}}, 120) == 0);
  CHECK(choose({{kPtx, "sm_80"}, {kPtx, "sm_90"}}, 100) == 1);
  CHECK(choose({{kPtx, "sm_90"}, {kCubin, "sm_80"}}, 90) == 0);
  CHECK(choose({{kPtx, "sm_80"}, {kHost, "host"}}, 75) == -1);
  CHECK(choose({{kCubin, "sm_9x"}, {kCubin, "compute_90"}, {kCubin, ""}}, 90) == -1);
}
