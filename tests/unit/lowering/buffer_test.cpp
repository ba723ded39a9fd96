// Buffers: what is copied or stored comes back in any layout, whatever the memory layout.
// Alone: build/release/bin/unit_lowering --test-case='buffer*'
#include "compiler/layout/buffer_layout.h"
#include "compiler/layout/shared_access.h"

#include "kernel_harness.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

using namespace tilec;
using namespace tilec::test;

namespace {

std::string bufferText(const LinearLayout &layout, const std::string &element, unsigned slots,
                       const MemoryLayout &memory) {
  std::string text = "<" + std::to_string(slots) + ", [";
  for (size_t dim = 0; dim < layout.shape().size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(layout.shape()[dim]);
  text += "], " + element + ", memory = [";
  for (size_t bit = 0; bit < memory.columns.size(); ++bit)
    text += (bit ? ", " : "") + std::to_string(memory.columns[bit]);
  return text + "]>";
}

/// A way through shared memory: into slot 2 of 3 as `writer`, out of it as `reader`.
struct Trip {
  LinearLayout writer, reader;
  MemoryLayout memory;
  std::string element;
  unsigned bytes;
  bool copied = true, waits = true;

  std::string text() const {
    std::string buffer = bufferText(writer, element, 3, memory);
    std::string pointers = tileText(writer, "!tile.ptr<" + element + ">");
    std::string a = tileText(writer, element), b = tileText(reader, element);
    std::string body = "  tile.assume_aligned %src, 16 : !tile.ptr<" + element + ">\n" +
                       pointersText(writer, "p", "src", element) +
                       pointersText(reader, "q", "dst", element) +
                       "  %buffer = tile.alloc {offset = 256 : i32} : !tile.buffer" + buffer +
                       "\n  %slot = arith.constant 2 : i32\n";
    if (copied)
      body += "  tile.copy_async %p, %buffer[%slot] : " + pointers + ", " + buffer +
              "\n  tile.commit_group\n" + (waits ? "  tile.wait_group 0\n" : "");
    else
      body += "  %x = tile.load %p : " + pointers + " -> " + a +
              "\n  tile.local_store %x, %buffer[%slot] : " + a + ", " + buffer + "\n";
    body += "  tile.barrier\n  %y = tile.local_load %buffer[%slot] : " + buffer + " -> " + b +
            "\n  tile.store %q, %y : " + tileText(reader, "!tile.ptr<" + element + ">") + ", " + b +
            "\n";
    return kernelText(writer.warps(),
                      "%src: !tile.ptr<" + element + ">, %dst: !tile.ptr<" + element + ">", body,
                      256 + 3 * writer.elements() * bytes);
  }

  /// Runs; true when the tile came through unchanged.
  bool comesBack() const {
    HostKernel kernel(text());
    kernel.launch.orderSeed = 3;
    std::vector<uint8_t> source(writer.elements() * bytes), target(source.size(), 0xEE);
    std::iota(source.begin(), source.end(), uint8_t(7));
    for (size_t i = 0; i < source.size(); ++i)
      source[i] ^= i >> 8;
    alignas(16) static uint8_t aligned[1 << 16];
    std::memcpy(aligned, source.data(), source.size());
    void *src = aligned, *dst = target.data();
    kernel.run({&src, &dst});
    return source == target;
  }
};

/// Operand a of mma.m16n8k16 over [64, 32], two warps along rows.
LinearLayout operandA() {
  return {{64, 32}, {1, 256, 8, 16, 1024}, {2, 4, 32, 64, 128}, {512, 0}};
}

Trip copiedTrip(const LinearLayout &reader) {
  LinearLayout writer = blockedLayout(reader.shape(), {1, 0}, 8, reader.warps());
  MemoryLayout memory = planBuffer(
      {{BufferSide::Kind::Copy, writer, {0, 1, 2}}, {BufferSide::Kind::Load, reader, {}}}, 2);
  return {writer, reader, memory, "f16", 2};
}

} // namespace

TEST_CASE("buffer: copied operands come back, plain and transposed") {
  for (const LinearLayout &reader : {operandA(), operandA().permuted({1, 0})}) {
    Trip trip = copiedTrip(reader);
    REQUIRE(matrixAccess(reader, trip.memory, 2));
    CHECK(trip.comesBack());
  }
}

TEST_CASE("buffer: a copy that is not waited for is not there") {
  Trip trip = copiedTrip(operandA());
  trip.waits = false;
  CHECK(!trip.comesBack());
}

TEST_CASE("buffer: parts of a slot come back, by ldmatrix and by vectors") {
  // The left and the right half of [64, 32], each stored to an array of its own.
  LinearLayout fragments({64, 16}, {1, 128, 8, 512}, {2, 4, 16, 32, 64}, {256, 0});
  for (const LinearLayout &reader : {fragments, blockedLayout({64, 16}, {1, 0}, 4, 4)}) {
    LinearLayout writer = blockedLayout({64, 32}, {1, 0}, 8, 4);
    MemoryLayout memory = planBuffer(
        {{BufferSide::Kind::Copy, writer, {0, 1, 2}}, {BufferSide::Kind::Load, operandA(), {}}}, 2);
    std::string buffer = bufferText(writer, "f16", 3, memory), tile = tileText(reader, "f16");
    std::string body = pointersText(writer, "p", "src", "f16") +
                       "  %buffer = tile.alloc {offset = 256 : i32} : !tile.buffer" + buffer +
                       "\n  %slot = arith.constant 2 : i32\n  %x = tile.load %p : " +
                       tileText(writer, "!tile.ptr<f16>") + " -> " + tileText(writer, "f16") +
                       "\n  tile.local_store %x, %buffer[%slot] : " + tileText(writer, "f16") +
                       ", " + buffer + "\n  tile.barrier\n  %half = arith.constant 1024 : i32\n" +
                       "  %dst1 = tile.addptr %dst0, %half : !tile.ptr<f16>, i32\n";
    for (int half : {0, 1}) {
      std::string n = std::to_string(half);
      body += pointersText(reader, "q" + n, "dst" + n, "f16") + "  %y" + n +
              " = tile.local_load %buffer[%slot] {tile.part_of_slot = array<i64: 0, " +
              std::to_string(16 * half) + ">} : " + buffer + " -> " + tile + "\n  tile.store %q" +
              n + ", %y" + n + " : " + tileText(reader, "!tile.ptr<f16>") + ", " + tile + "\n";
    }
    std::string text =
        kernelText(4, "%src: !tile.ptr<f16>, %dst0: !tile.ptr<f16>", body, 256 + 3 * 64 * 32 * 2);
    HostKernel kernel(text);
    std::vector<uint16_t> source(64 * 32), target(64 * 32, 0xEEEE);
    std::iota(source.begin(), source.end(), uint16_t(1));
    void *src = source.data(), *dst = target.data();
    kernel.run({&src, &dst});
    for (int row = 0; row < 64; ++row)
      for (int k = 0; k < 32; ++k)
        REQUIRE(target[k / 16 * 1024 + row * 16 + k % 16] == source[row * 32 + k]);
    CHECK((countOf(nvptxPtx(text), "ldmatrix") > 0) == (reader == fragments));
  }
}

TEST_CASE("buffer: any layouts, any memory layout, every element size, copied or stored") {
  std::mt19937 random(17);
  const std::pair<const char *, unsigned> types[] = {{"i8", 1}, {"f16", 2}, {"f32", 4}, {"f64", 8}};
  for (int i = 0; i < 24; ++i) {
    auto [element, bytes] = types[i % 4];
    Trip trip;
    trip.element = element;
    trip.bytes = bytes;
    trip.copied = i % 3 != 0;
    unsigned order = random() % 2;
    trip.writer = blockedLayout({16, 32}, {1, 0}, 1u << random() % 4, 2);
    trip.reader = blockedLayout({16, 32}, {order, 1 - order}, 1u << random() % 3, 2);
    trip.memory.columns = gf2::unitVectors(9);
    if (i % 2)
      std::shuffle(trip.memory.columns.begin() + random() % 4, trip.memory.columns.end(), random);
    CHECK_MESSAGE(trip.comesBack(), trip.writer.str() << " -> " << trip.reader.str() << " "
                                                      << element << " " << trip.copied);
  }
}

TEST_CASE("buffer: on a GPU, 16-byte copies by L2 alone and four matrices at once") {
  for (bool transposed : {false, true}) {
    LinearLayout reader = transposed ? operandA().permuted({1, 0}) : operandA();
    std::string ptx = nvptxPtx(copiedTrip(reader).text());
    CHECK(countOf(ptx, "cp.async.cg.shared.global [") == 2);
    CHECK(countOf(ptx, "cp.async.commit_group") == 1);
    CHECK(countOf(ptx, "cp.async.wait_group") == 1);
    CHECK(countOf(ptx, transposed ? "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
                                  : "ldmatrix.sync.aligned.m8n8.x4.shared.b16") == 4);
    CHECK(countOf(ptx, "ld.shared") == 0);
    CHECK(assembles(ptx, "sm_80"));
  }
}
