// The part of the library that is written in the language itself. Parsed when one of its names is
// first used; its functions are inlined like any other.
#include "compiler/sema/session.h"

namespace tilec::sema {

static constexpr const char *kPrelude = R"tile(
fn clamp(x, lo, hi) { return minimum(maximum(x, lo), hi); }

// Ceiling of a / b for b > 0; never overflows.
fn cdiv(a, b) { return a / b + (a % b > 0); }

// f16 and bf16 are computed in f32 and rounded once.
fn sigmoid(x) {
    if x.dtype == f16 || x.dtype == bf16 { return cast(1.0 / (1.0 + exp(-f32(x))), x.dtype); }
    return 1.0 / (1.0 + exp(-x));
}

// Philox 4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011). The key is the
// seed; the counter is (offset, 0, 0, 0), a 64-bit offset filling two words.
fn randint4x(seed, offset) {
    let key = u64(seed);
    var k0 = u32(key);
    var k1 = u32(key >> 32);
    var c0 = u32(offset);
    var c1 = c0 ^ c0;
    if offset.dtype == i64 || offset.dtype == u64 { c1 = u32(offset >> 32); }
    var c2 = c0 ^ c0;
    var c3 = c0 ^ c0;
    for round in static_range(10) {
        // Both halves of a product at once: one wide multiplication on a GPU.
        let even = u64(c0) * 0xD2511F53;
        let odd = u64(c2) * 0xCD9E8D57;
        c0 = u32(odd >> 32) ^ c1 ^ k0;
        c2 = u32(even >> 32) ^ c3 ^ k1;
        c1 = u32(odd);
        c3 = u32(even);
        k0 = k0 + 0x9E3779B9;
        k1 = k1 + 0xBB67AE85;
    }
    return (c0, c1, c2, c3);
}

// 32 random bits as f32 in [0, 1): the largest magnitude times the scale stays below 1.
fn uniform_from_bits(bits) {
    let x = bitcast(bits, i32);
    return f32(where(x < 0, -x - 1, x)) * 4.6566127342e-10;
}

// Box-Muller.
fn normal_pair(u1, u2) {
    let angle = 6.283185307179586 * u2;
    let radius = sqrt(-2.0 * log(maximum(1.0e-7, u1)));
    return (radius * cos(angle), radius * sin(angle));
}

fn randint(seed, offset) {
    let (a, b, c, d) = randint4x(seed, offset);
    return a;
}

fn rand(seed, offset) { return uniform_from_bits(randint(seed, offset)); }

fn rand4x(seed, offset) {
    let (a, b, c, d) = randint4x(seed, offset);
    return (uniform_from_bits(a), uniform_from_bits(b), uniform_from_bits(c), uniform_from_bits(d));
}

fn randn(seed, offset) {
    let (a, b, c, d) = randint4x(seed, offset);
    let (x, y) = normal_pair(uniform_from_bits(a), uniform_from_bits(b));
    return x;
}

fn randn4x(seed, offset) {
    let (u1, u2, u3, u4) = rand4x(seed, offset);
    let (a, b) = normal_pair(u1, u2);
    let (c, d) = normal_pair(u3, u4);
    return (a, b, c, d);
}
)tile";

static constexpr const char *kNames[] = {
    "clamp",  "cdiv",  "sigmoid", "randint4x",         "randint",    "rand",
    "rand4x", "randn", "randn4x", "uniform_from_bits", "normal_pair"};

llvm::StringRef preludeText() {
  return kPrelude;
}

bool isPreludeName(llvm::StringRef name) {
  return llvm::is_contained(kNames, name);
}

void collectPreludeNames(std::vector<std::string> &names) {
  names.insert(names.end(), std::begin(kNames), std::end(kNames));
}

} // namespace tilec::sema
