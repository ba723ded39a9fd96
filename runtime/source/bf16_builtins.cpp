// The compiler runtime's bf16 roundings, for host code on systems whose libgcc lacks them (before
// GCC 13). LLVM calls them where it moves a bf16 through an f32 register, in a select for instance.
//
// Their bf16 result travels in the low half of the first floating-point register, on x86-64 as on
// AArch64 - as the low half of a float does, which every compiler can return. Weak: a libgcc or
// compiler-rt that has them wins.
#include "tilert/tilert.h"

#include <cstdint>
#include <cstring>

namespace {

float lowHalf(uint16_t bits) {
  const uint32_t word = bits;
  float result;
  std::memcpy(&result, &word, sizeof result);
  return result;
}

} // namespace

extern "C" {

__attribute__((weak)) float __truncsfbf2(float value) {
  return lowHalf(tilert_host_f32_to_bf16(value));
}

__attribute__((weak)) float __truncdfbf2(double value) {
  return lowHalf(tilert_host_f64_to_bf16(value));
}

} // extern "C"
