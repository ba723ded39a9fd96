// The widest vector and the reason in words. Alone: unit_analysis --test-case='vector*'
#include "tests/unit/analysis/test_support.h"

using namespace tilec;
using namespace tilec::test;

static const std::string kArguments =
    "%src: !tile.ptr<f32> {tile.name = \"src\"}, %stride: i32 {tile.name = \"src_stride\"}, "
    "%cols: i32 {tile.name = \"n_cols\"}";

/// A softmax row: src + row * stride + cols under cols < n_cols, after some promises.
static Function row(const std::string &promises) {
  return Function(kArguments, R"(
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
)" + promises + R"(
    %id = tile.program_id 0
    %id64 = arith.extsi %id : i32 to i64
    %stride64 = arith.extsi %stride : i32 to i64
    %offset = arith.muli %id64, %stride64 : i64
    %base = tile.addptr %src, %offset : !tile.ptr<f32>, i64
    %bases = tile.splat %base : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %x = tile.arange 0 : tensor<128xi32>
    %ptr = tile.addptr %bases, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %n = tile.splat %cols : i32 -> tensor<128xi32>
    %mask = arith.cmpi slt, %x, %n : tensor<128xi32>)");
}

static std::string multipleOf4(const std::string &value) {
  return "%r" + value + " = arith.remsi %" + value + ", %c4 : i32\n%q" + value +
         " = arith.cmpi eq, %r" + value + ", %c0 : i32\ntile.assume %q" + value + "\n";
}
static const std::string kAligned = "tile.assume_aligned %src, 16 : !tile.ptr<f32>\n";

static std::pair<unsigned, std::string> width(const Function &f, bool masked = true) {
  std::string reason;
  mlir::Value mask = masked ? f.value("mask") : mlir::Value();
  unsigned result = vectorWidth(f.facts(), f.value("ptr"), mask, 0, 16, &reason);
  return {result, reason};
}

TEST_CASE("vector width: contracts that say enough give 16 bytes") {
  auto [result, reason] = width(row(kAligned + multipleOf4("stride") + multipleOf4("cols")));
  CHECK(result == 4);
  CHECK(reason == "");
}

TEST_CASE("vector width: an unaligned base pointer is named") {
  auto [result, reason] = width(row(multipleOf4("stride") + multipleOf4("cols")));
  CHECK(result == 1);
  CHECK(reason == "the addresses are known to be aligned only to 1 of 16 bytes: `src` is not known "
                  "to be aligned to 16 bytes: add `specialize aligned(src, 16)`");
}

TEST_CASE("vector width: a stride is named") {
  auto [result, reason] = width(row(kAligned + multipleOf4("cols")));
  CHECK(result == 1);
  CHECK(reason ==
        "the addresses are known to be aligned only to 4 of 16 bytes: `src_stride` is not "
        "known to be a multiple of 4: add `specialize src_stride % 4 == 0`");
}

TEST_CASE("vector width: the bound of a mask is named") {
  Function f = row(kAligned + multipleOf4("stride"));
  auto [result, reason] = width(f);
  CHECK(result == 1);
  CHECK(reason ==
        "the mask may change at every element along dimension 0: `n_cols` is not known to "
        "be a multiple of 4: add `specialize n_cols % 4 == 0`");
  CHECK(width(f, false).first == 4);
}

TEST_CASE("vector width: a stride between neighbours is named") {
  Function f(kArguments, R"(
    %x = tile.arange 0 : tensor<64xi32>
    %s = tile.splat %stride : i32 -> tensor<64xi32>
    %o = arith.muli %x, %s : tensor<64xi32>
    %p = tile.splat %src : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %ptr = tile.addptr %p, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>)");
  auto [result, reason] = width(f, false);
  CHECK(result == 1);
  CHECK(reason ==
        "the addresses along dimension 0 are not known to be consecutive: `src_stride` is "
        "not known to be 1: add `specialize src_stride == 1`");
}

TEST_CASE("vector width: loaded addresses have no argument to blame") {
  Function f("%ptr: tensor<64x!tile.ptr<f32>>", "");
  auto [result, reason] = width(f, false);
  CHECK(result == 1);
  CHECK(reason == "the addresses along dimension 0 are not known to be consecutive");
}

TEST_CASE("vector width: a short tile is its own limit") {
  Function f("%src: !tile.ptr<i8>", R"(
    tile.assume_aligned %src, 16 : !tile.ptr<i8>
    %x = tile.arange 0 : tensor<8xi32>
    %p = tile.splat %src : !tile.ptr<i8> -> tensor<8x!tile.ptr<i8>>
    %ptr = tile.addptr %p, %x : tensor<8x!tile.ptr<i8>>, tensor<8xi32>)");
  CHECK(width(f, false) ==
        std::pair<unsigned, std::string>(8, "the tile has only 8 elements along dimension 0"));
}

TEST_CASE("vector width: rows of a matrix are wide along their own dim only") {
  Function f(kArguments, R"(
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
)" + kAligned + multipleOf4("stride") +
                             R"(
    %m = tile.arange 0 : tensor<16xi32>
    %k = tile.arange 0 : tensor<32xi32>
    %s = tile.splat %stride : i32 -> tensor<16xi32>
    %o = arith.muli %m, %s : tensor<16xi32>
    %o1 = tile.expand_dims %o, 1 : tensor<16xi32> -> tensor<16x1xi32>
    %k1 = tile.expand_dims %k, 0 : tensor<32xi32> -> tensor<1x32xi32>
    %o2 = tile.broadcast %o1 : tensor<16x1xi32> -> tensor<16x32xi32>
    %k2 = tile.broadcast %k1 : tensor<1x32xi32> -> tensor<16x32xi32>
    %p = tile.splat %src : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
    %q = tile.addptr %p, %o2 : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
    %ptr = tile.addptr %q, %k2 : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>)");
  CHECK(vectorWidth(f.facts(), f.value("ptr"), {}, 0, 16) == 1);
  CHECK(vectorWidth(f.facts(), f.value("ptr"), {}, 1, 16) == 4);
}

TEST_CASE("vector width: a scalar access moves one element") {
  Function f(kArguments, "");
  std::string reason;
  CHECK(vectorWidth(f.facts(), f.value("src"), {}, 0, 16, &reason) == 1);
  CHECK(reason == "a scalar access moves 1 element");
}
