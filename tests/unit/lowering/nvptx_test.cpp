// Alone: build/release/bin/unit_lowering --test-case='nvptx*'
#include "elementwise_harness.h"

#include "kernel_harness.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// Copies src to dst through a tile of 1024 f32 on 4 warps; `options` stand on the load.
std::string copyText(const std::string &options, const std::string &mask = "") {
  LinearLayout layout({1024}, {1, 2, 512}, {4, 8, 16, 32, 64}, {128, 256});
  std::string pointers = tileText(layout, "!tile.ptr<f32>"), f = tileText(layout, "f32");
  std::string ints = tileText(layout, "i32"), bools = tileText(layout, "i1");
  std::string body = "  tile.assume_aligned %src, 16 : !tile.ptr<f32>\n"
                     "  tile.assume_aligned %dst, 16 : !tile.ptr<f32>\n"
                     "  %four = arith.constant 4 : i32\n  %zero = arith.constant 0 : i32\n"
                     "  %rest = arith.remsi %n, %four : i32\n"
                     "  %even = arith.cmpi eq, %rest, %zero : i32\n  tile.assume %even\n" +
                     pointersText(layout, "p", "src", "f32") +
                     pointersText(layout, "q", "dst", "f32") + "  %ns = tile.splat %n : i32 -> " +
                     ints + "\n  %m = arith.cmpi slt, %numbers_p, %ns : " + ints +
                     "\n  %x = tile.load %p " + (mask.empty() ? "" : "mask %m : " + bools) + " " +
                     options + " : " + pointers + " -> " + f + "\n  tile.store %q, %x " +
                     (mask.empty() ? "" : "mask %m : " + bools) + " : " + pointers + ", " + f +
                     "\n";
  return kernelText(4, "%src: !tile.ptr<f32>, %dst: !tile.ptr<f32>, %n: i32", body);
}

} // namespace

TEST_CASE("nvptx: aligned contiguous accesses move 16 bytes at immediate offsets") {
  std::string ptx = nvptxPtx(copyText(""));
  CHECK(countOf(ptx, "ld.global.v4.b32") == 2);
  CHECK(countOf(ptx, "st.global.v4.b32") == 2);
  CHECK(contains(ptx, "+2048]"));
  CHECK(contains(ptx, ".reqntid 128"));
  CHECK(contains(ptx, ".align 16"));
  CHECK(assembles(ptx, "sm_80"));
}

TEST_CASE("nvptx: read-only loads take the non-coherent path") {
  CHECK(countOf(nvptxPtx(copyText("{read_only}")), "ld.global.nc.v4.b32") == 2);
  CHECK(countOf(nvptxPtx(copyText("{read_only}", "mask")), "ld.global.nc.v4.b32") == 2);
}

TEST_CASE("nvptx: masked accesses are predicated, without branches") {
  std::string ptx = nvptxPtx(copyText("", "mask"));
  CHECK(countOf(ptx, "ld.global.v4.b32") == 2);
  CHECK(countOf(ptx, "st.global.v4.b32") == 2);
  CHECK_FALSE(contains(ptx, "bra"));
  CHECK(assembles(ptx, "sm_80"));
}

TEST_CASE("nvptx: every cache hint is one that ptxas knows") {
  for (std::string cache : {"none", "ca", "cg", "cs", "cv"})
    for (std::string evict : {"normal", "first", "last"})
      for (std::string readOnly : {"", ", read_only"}) {
        std::string number = cache == "none" ? "0"
                             : cache == "ca" ? "1"
                             : cache == "cg" ? "2"
                             : cache == "cs" ? "3"
                                             : "4";
        std::string which = evict == "normal" ? "0" : evict == "first" ? "1" : "2";
        std::string ptx = nvptxPtx(copyText(
            "{cache = " + number + " : i32, evict = " + which + " : i32" + readOnly + "}", "mask"));
        CHECK(assembles(ptx, "sm_80"));
        CHECK(contains(ptx, "createpolicy") == (evict != "normal" && cache != "cv"));
      }
}

TEST_CASE("nvptx: exp splits its argument, fast exp is one multiplication and ex2.approx") {
  std::string exact = nvptxPtx(elementwiseText("%r = math.exp %a : $I", "f32", "f32", 32, false));
  CHECK(countOf(exact, "ex2.approx.ftz.f32") == 1);
  CHECK(countOf(exact, "fma.r") == 4);
  std::string fast =
      nvptxPtx(elementwiseText("%r = math.exp %a fastmath<afn> : $I", "f32", "f32", 32, false));
  CHECK(countOf(fast, "ex2.approx.ftz.f32") == 1);
  CHECK(countOf(fast, "mul.f32") + countOf(fast, "mul.rn.f32") == 1);
  CHECK_FALSE(contains(fast, "fma"));
}

TEST_CASE("nvptx: division and square root are correctly rounded unless afn is said") {
  std::string exact = nvptxPtx(elementwiseText("%s = math.sqrt %a : $I %r = arith.divf %a, %s : $I",
                                               "f32", "f32", 32, false));
  CHECK(contains(exact, "div.rn.f32"));
  CHECK(contains(exact, "sqrt.rn.f32"));
  std::string fast = nvptxPtx(elementwiseText(
      "%s = math.sqrt %a fastmath<afn> : $I %r = arith.divf %a, %s fastmath<afn> : $I", "f32",
      "f32", 32, false));
  CHECK(contains(fast, "div.approx"));
  CHECK(contains(fast, "sqrt.approx"));
}

TEST_CASE("nvptx: a*b + c contracts exactly where the flags say so") {
  auto text = [](const std::string &flags) {
    return elementwiseText("%t = arith.mulf %a, %b " + flags + " : $I %r = arith.addf %t, %a " +
                               flags + " : $I",
                           "f32", "f32", 32, true);
  };
  CHECK(contains(nvptxPtx(text("fastmath<contract>")), "fma.rn.f32"));
  CHECK_FALSE(contains(nvptxPtx(text("")), "fma.rn.f32"));
}

TEST_CASE("nvptx: functions without an instruction are libdevice's") {
  std::string text = elementwiseText("%r = math.erf %a : $I", "f32", "f32", 32, false);
  CHECK(contains(nvptxIr(text), "call float @__nv_erff(float"));
  text = elementwiseText("%r = math.exp %a : $I", "f64", "f64", 32, false);
  CHECK(contains(nvptxIr(text), "call double @__nv_exp(double"));
}

TEST_CASE("nvptx: f16 and bf16 casts and arithmetic assemble on sm_80 and sm_90") {
  for (std::string arch : {"sm_80", "sm_90"})
    for (std::string type : {"f16", "bf16"}) {
      std::string ptx = nvptxPtx(
          elementwiseText("%s = arith.addf %a, %b : $I %t = arith.divf %s, %b : $I "
                          "%u = math.exp %t : $I %w = arith.extf %u : $I to $D "
                          "%v = arith.truncf %w : $D to $I %m = arith.maximumf %v, %a : $I "
                          "%r = tile.fp_to_int %m : $I -> $O",
                          type, "i8", 64, true),
          arch);
      CHECK(assembles(ptx, arch));
    }
}

TEST_CASE("nvptx: softmax assembles with two barriers and full-width accesses") {
  LinearLayout layout({1024}, {1, 2, 512}, {4, 8, 16, 32, 64}, {128, 256});
  std::string f = tileText(layout, "f32"), pointers = tileText(layout, "!tile.ptr<f32>");
  std::string reduce = " axis 0 {scratch_offset = OFFSET : i32} : (" + f +
                       ") -> f32 {\n  ^bb0(%a: f32, %b: f32):\n    %v = arith.OP %a, %b : f32\n"
                       "    tile.yield %v : f32\n  }\n";
  auto combine = [&](const std::string &offset, const std::string &op) {
    std::string text = reduce;
    text.replace(text.find("OFFSET"), 6, offset);
    return text.replace(text.find("OP"), 2, op);
  };
  std::string body =
      "  tile.assume_aligned %src, 16 : !tile.ptr<f32>\n"
      "  tile.assume_aligned %dst, 16 : !tile.ptr<f32>\n"
      "  %first = tile.program_id 0\n  %step = tile.num_programs 0\n"
      "  scf.for %row = %first to %rows step %step : i32 {\n"
      "  %width = arith.constant 1024 : i32\n  %start = arith.muli %row, %width : i32\n"
      "  %from = tile.addptr %src, %start : !tile.ptr<f32>, i32\n"
      "  %to = tile.addptr %dst, %start : !tile.ptr<f32>, i32\n" +
      pointersText(layout, "p", "from", "f32") + pointersText(layout, "q", "to", "f32") +
      "  %x = tile.load %p : " + pointers + " -> " + f + "\n  %m = tile.reduce (%x)" +
      combine("0", "maxnumf") + "  %ms = tile.splat %m : f32 -> " + f +
      "\n  %d = arith.subf %x, %ms : " + f + "\n  %e = math.exp %d : " + f +
      "\n  %s = tile.reduce (%e)" + combine("16", "addf") + "  %ss = tile.splat %s : f32 -> " + f +
      "\n  %y = arith.divf %e, %ss : " + f + "\n  tile.store %q, %y : " + pointers + ", " + f +
      "\n  }\n";
  std::string text = kernelText(4, "%src: !tile.ptr<f32>, %dst: !tile.ptr<f32>, %rows: i32", body);
  for (std::string arch : {"sm_80", "sm_90"}) {
    std::string ptx = nvptxPtx(text, arch);
    CHECK(countOf(ptx, "bar.sync") == 2);
    CHECK(countOf(ptx, "ld.global.v4.b32") == 2);
    CHECK(countOf(ptx, "shfl.sync.bfly") == 10);
    CHECK(contains(ptx, "tile_shared"));
    CHECK(assembles(ptx, arch));
  }
}

TEST_CASE("nvptx: ftz flushes in arithmetic and functions, only where asked") {
  std::string text = elementwiseText("%s = arith.mulf %a, %a : $I %r = math.exp2 %s : $I", "f32",
                                     "f32", 32, false);
  CHECK_FALSE(contains(nvptxPtx(text), ".ftz"));
  text.insert(text.find("tile.kernel"), "tile.ftz = true, ");
  std::string ptx = nvptxPtx(text);
  CHECK(contains(ptx, "ex2.approx.ftz.f32"));
  CHECK(contains(ptx, "mul.rn.ftz.f32"));
}

TEST_CASE("nvptx: options of a kernel and of its loops reach PTX") {
  std::string body =
      "  %c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32\n"
      "  scf.for %i = %c0 to %n step %c1 : i32 {\n"
      "    %p = tile.addptr %dst, %i : !tile.ptr<i32>, i32\n"
      "    tile.store %p, %i : !tile.ptr<i32>, i32\n  } {tile.unroll = UNROLL : i32}\n";
  auto text = [&](const std::string &unroll) {
    std::string copy = body;
    copy.replace(copy.find("UNROLL"), 6, unroll);
    std::string kernel = kernelText(2, "%dst: !tile.ptr<i32>, %n: i32", copy);
    return kernel.insert(kernel.find("tile.kernel"), "tile.max_regs = 64 : i32, ");
  };
  CHECK(contains(nvptxPtx(text("1")), ".maxnreg 64"));
  CHECK(countOf(nvptxPtx(text("1")), "st.global") == 1);
  CHECK(countOf(nvptxPtx(text("4")), "st.global") >= 4);
}
