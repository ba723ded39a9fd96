// Whole kernels. Alone: build/release/bin/unit_sema --test-case='*'
#include "tests/unit/sema/sema_test.h"

using namespace tilec;
using namespace tilec::test;

static const char *kVectorAdd = R"(
kernel vector_add<BLOCK: i32 = 1024>(dst: ptr<f32>, a: ptr<const f32>, b: ptr<const f32>, n: i32)
  grid cdiv(n, BLOCK)
{
    let i = program_id(0) * BLOCK + arange(0, BLOCK);
    let mask = i < n;
    store(dst + i, load(a + i, mask) + load(b + i, mask), mask);
}
)";

static const char *kSoftmax = R"(
/// Row-wise softmax. One program handles rows p, p+P, p+2P, ...
kernel softmax<BLOCK: i32, STAGES: i32 = 2>(
    dst: ptr<f32>, src: ptr<const f32>,
    dst_stride: i32, src_stride: i32, n_rows: i32, n_cols: i32)
  variants BLOCK in [128, 256, 512, 1024, 2048, 4096, 8192, 16384]
  requires n_cols >= 1 && n_cols <= BLOCK
  specialize n_cols % 4 == 0 && src_stride % 4 == 0 && dst_stride % 4 == 0 && aligned(src, 16) && aligned(dst, 16)
  grid min(n_rows, num_sms * occupancy)
  warps BLOCK >= 4096 ? 8 : 4
{
    for row in range(program_id(0), n_rows, num_programs(0), stages = STAGES) {
        let cols = arange(0, BLOCK);
        let mask = cols < n_cols;
        let x = load(src + row * src_stride + cols, mask, other = -inf);
        let e = exp(x - max(x));
        store(dst + row * dst_stride + cols, e / sum(e), mask);
    }
}
)";

TEST_CASE("vector_add becomes tile IR") {
  Analysis analysis(kVectorAdd);
  CHECK(analysis.errors() == "");
  CHECK(analysis.has("func.func @vector_add__BLOCK_1024(%arg0: !tile.ptr<f32> {tile.name = "
                     "\"dst\"}, %arg1: !tile.ptr<f32> {tile.const, tile.name = \"a\"}"));
  CHECK(analysis.has("tile.arange 0 : tensor<1024xi32>"));
  CHECK(analysis.count("{read_only}") == 2);
  CHECK(analysis.has("arith.addf"));
  CHECK(analysis.has("fastmath<contract>"));
}

TEST_CASE("softmax has sixteen variants, the specialised one of each first") {
  Analysis analysis(kSoftmax);
  CHECK(analysis.errors() == "");
  REQUIRE(analysis.program.kernels.size() == 1);
  const KernelContract &kernel = analysis.program.kernels[0];
  REQUIRE(kernel.variants.size() == 16);
  CHECK(kernel.variants[0].symbol == "softmax__BLOCK_128__STAGES_2__s");
  CHECK(kernel.variants[1].symbol == "softmax__BLOCK_128__STAGES_2");
  CHECK(kernel.variants[0].warps == 4);
  CHECK(kernel.variants[15].warps == 8);
  CHECK(kernel.doc.find("Row-wise softmax.") != std::string::npos);
  CHECK(kernel.requires_[0].text == "n_cols >= 1 && n_cols <= BLOCK");
  CHECK(kernel.grid[0].expr.op == "min");
}

TEST_CASE("softmax's contracts become promises that fact analysis reads") {
  Analysis analysis(kSoftmax);
  CHECK(analysis.has("tile.assume_aligned %arg1, 16"));
  CHECK(analysis.has("arith.remsi %arg5, %c4"));
  CHECK(analysis.has("arith.cmpi sge, %arg5, %c1"));
  CHECK(analysis.has("arith.cmpi sle, %arg5, %c128"));
  CHECK(analysis.count("tile.assume ") == 5);
}

TEST_CASE("softmax's row loop counts in 64 bits and carries its stages") {
  Analysis analysis(kSoftmax);
  CHECK(analysis.has("tile.stages = 2 : i32"));
  CHECK(analysis.has(": i64 {"));
  CHECK(analysis.has("arith.muli"));
  CHECK(analysis.has("tensor<128xi64>"));
  CHECK(analysis.has("tile.reduce"));
}
